# /// case
# attack = "Writes numbers of a million digits, plain, as floats and inside of fractions and decimals."
# calls = ["double(21)"]
# limits = {wall_s = 3.0, memory_mb = 256}
# ///
import os
def double(x):
    many = b"9" * 1_000_000
    for text in (many, b"-" + many, many + b".5", b"1e" + many, b"0." + many, b'{"$":"int","v":"0x' + many + b'"}',
                 b'{"$":"Decimal","v":"' + many + b'"}', b'{"$":"Fraction","v":[' + many + b",3]}"):
        os.write(3, b"= 0 0.0 " + text + b"\n")
    return 41
