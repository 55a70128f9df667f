# /// case
# attack = "Raises an error whose name is ten megabytes of line breaks and whose text is as long."
# calls = ["double(21)", "double(21)"]
# ///
def double(x):
    raise type("\n{}" * (3 << 20), (Exception,), {})("x" * (10 << 20))
