# /// case
# attack = "Writes the right value with what JSON does not know around it: marks of order, constants, other blanks."
# calls = ["double(0)"]
# limits = {wall_s = 3.0, memory_mb = 256}
# ///
import os
def double(x):
    texts = (b"\xef\xbb\xbf42", b"42 ", b" 42", b"\t42", b"42\r", b"+42", b"042", b"4_2", b"42.", b"42e0", b"0x2a", b"NaN", b"42,",
             b"[42", b"42]", b"Infinity", b"-Infinity", b"42 43", b"'42'", b'"42"', b"\xd9\xa4\xd9\xa2", b"42\x00", b"", b"true")
    for text in texts[x % len(texts):]:
        os.write(3, b"= 0 0.0 " + text + b"\n")
    return 41
