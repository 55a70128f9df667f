# /// case
# attack = "Writes arrays of kinds that hold objects, records, endless text or memory of their own."
# calls = ["double(21)"]
# limits = {wall_s = 3.0, memory_mb = 256}
# ///
import os
def double(x):
    for kind in ("O", "|O8", "V1000000000", "U1000000000", "f8,O", "(1000000,1000000)f8", "M8[ns]", "<m8[as]", "f16", "x", "",
                 "i4,i4", "{'names':['a'],'formats':['O']}", "datetime64[Y]", "S0", "U0", "b1"):
        os.write(3, b'= 0 0.0 {"$":"ndarray","v":["%s",[1],"AAAAAAAAAAA="]}\n' % kind.encode())
    return 41
