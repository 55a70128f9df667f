# /// case
# attack = "Replaces the classes of errors, so that nothing that fails can be caught or told."
# calls = ["double(21)", "double(4)"]
# answer = '(42, 8)'
# ///
import builtins
for name in ("AssertionError", "Exception", "BaseException", "ValueError", "SystemExit", "TypeError"):
    setattr(builtins, name, type("Never", (), {}))
def double(x):
    return undefined_name
