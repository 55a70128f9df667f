# /// case
# attack = "Pretends to be the harness: replaces the main module, and looks for what it holds."
# calls = ["double(21)", "double(4)"]
# answer = '(42, 8)'
# ///
import sys, types
main = sys.modules["__main__"]
for name in list(vars(main)):
    if not name.startswith("__") and name != "double":
        setattr(main, name, lambda *_, **__: 42)
sys.modules["__main__"] = types.ModuleType("__main__")
def double(x):
    return 41
