# /// case
# attack = "A few kilobytes that unpack to hundreds of megabytes."
# statuses = ["exited", "memory_limit", "signalled", "timeout"]
# ///
import zlib
print(42, flush=True)
packer = zlib.compressobj(9)
packed = b"".join(packer.compress(bytes(1 << 20)) for _ in range(400)) + packer.flush()
zlib.decompress(packed)
