# /// case
# attack = "Writes values whose marks are doubled, misspelt, nested or of the wrong type."
# calls = ["double(21)"]
# limits = {wall_s = 3.0, memory_mb = 256}
# ///
import os
def double(x):
    for text in ('{"$":"int","$":"str","v":"0x2a"}', '{"v":"0x2a","$":"int"}', '{"$":"int"}', '{"$":"int","v":"0x2a","w":1}',
                 '{"$":{"$":"str"},"v":1}', '{"$":"int","v":"4_2"}', '{"$":"int","v":" 42"}', '{"$":"float","v":"nan(1)"}',
                 '{"$":"bytes","v":"NDI"}', '{"$":"bytes","v":"NDI=\\n"}', '{"$":"tuple","v":{"0":42}}', '{"":1}', "{}",
                 '{"$":"bool","v":1}', '{"$":"NoneType","v":0}', '{"$":"Opaque","v":42}', '{"$":"int","v":42.0}'):
        os.write(3, b"= 0 0.0 " + text.encode() + b"\n")
    return 41
