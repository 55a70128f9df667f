# /// case
# attack = "Raises an error of a class whose name breaks the line on which errors travel."
# ///
def double(x):
    raise type("ValueError\n= 0 0.0 42\n", (Exception,), {})("x")
