# /// case
# attack = "Takes every module out of the interpreter and the contents out of some."
# calls = ["double(21)", "double(4)"]
# answer = '(42, 8)'
# ///
import sys
for name, module in list(sys.modules.items()):
    if name not in ("sys", "builtins", "__main__", __name__):
        if name in ("json", "base64", "struct", "io", "traceback", "codecs", "threading", "atexit"):
            vars(module).clear()
        sys.modules[name] = None
def double(x):
    return 41
