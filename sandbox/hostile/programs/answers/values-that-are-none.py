# /// case
# attack = "Writes answers whose value is no value: half of one, nested without end, of kinds that do not exist."
# calls = ["double(21)", "double(4)"]
# answer = '(42, 8)'
# statuses = ["tampered"]
# ///
import os
def double(x):
    for text in (b"{", b"[" * 100000, b'{"$": "int", "v": 1}', b'{"$": "rlenv", "v": []}', b'{"$": [], "v": 0}',
                 b"1" * 100000, b'{"$": "Fraction", "v": [1, 0]}', b'{"$": "dict", "v": [[[], 1]]}', b"\xff",
                 b'{"$": "ndarray", "v": ["<f8", [1000000000000], ""]}', b'{"$": "range", "v": [0, 1, 0]}',
                 b'{"$": "date", "v": ["x"]}', b'{"$": "time", "v": ["00:00", 9]}', b'{"$": "str", "v": "?"}'):
        if x == 21:
            os.write(3, b"= 0 0.0 " + text + b"\n")
    return x * 2
