# /// case
# attack = "Replaces the functions that might write its answers, so that they write the right ones."
# calls = ["double(21)"]
# passes = "either"
# ///
import base64, io, json, marshal, os, pickle, struct
right = b'{"i": 0, "ok": true, "v": 42, "value": 42}'
for module in (json, pickle, marshal):
    module.dumps = lambda *_, **__: right.decode() if module is json else right
    module.dump = lambda value, file, *_, **__: file.write(right)
json.JSONEncoder.encode = json.JSONEncoder.default = lambda self, value: right.decode()
struct.pack = lambda *_: right
base64.b64encode = lambda value: right
os_write = os.write
os.write = lambda descriptor, value: os_write(descriptor, bytes(value).replace(b"41", b"42"))
def double(x):
    return 41
