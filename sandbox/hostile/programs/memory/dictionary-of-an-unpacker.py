# /// case
# attack = "Unpacks a few bytes that ask for a dictionary of gigabytes."
# limits = {wall_s = 6.0, memory_mb = 128}
# statuses = ["exited", "memory_limit", "signalled", "timeout"]
# ///
import lzma
print(42, flush=True)
filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 26}]
packed = lzma.compress(bytes(1 << 20), lzma.FORMAT_RAW, filters=filters)
filters[0]["dict_size"] = 1536 << 20
held = [lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=filters) for _ in range(4)]
for one in held:
    one.decompress(packed)
