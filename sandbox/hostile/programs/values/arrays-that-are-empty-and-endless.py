# /// case
# attack = "Writes arrays of no byte and of millions of rows, which are nothing to write and much to list."
# calls = ["double(21)"]
# limits = {wall_s = 3.0, memory_mb = 256}
# ///
import os
def double(x):
    for shape in ("[20000000,0]", "[0,20000000]", "[1000000000000,0]", "[4611686018427387904,4,0]", "[0]", "[-1]", "[1e3]",
                  "[true,0]", "[[1],0]", '["1"]', "[" + "1," * 70 + "0]", "null"):
        os.write(3, b'= 0 0.0 {"$":"ndarray","v":["<f8",%s,""]}\n' % shape.encode())
    return 41
