# /// case
# attack = "Writes dicts and sets in which a key stands twice, under other types of one value."
# calls = ["double(21)"]
# limits = {wall_s = 3.0, memory_mb = 256}
# ///
import os
def double(x):
    for text in ('{"$":"dict","v":[[1,41],[1,42]]}', '{"$":"dict","v":[[1,41],[true,42],[1.0,43]]}', '{"$":"set","v":[42,42]}',
                 '{"$":"set","v":[0,false,0.0,-0.0]}', '{"$":"frozenset","v":[{"$":"set","v":[]}]}', '{"$":"dict","v":[[[],42]]}',
                 '{"$":"dict","v":[[42]]}', '{"$":"dict","v":{"a":42}}', '{"$":"Counter","v":[["a","b"]]}'):
        os.write(3, b"= 0 0.0 " + text.encode() + b"\n")
    return 41
