# /// case
# attack = "Adds an audit hook, which can never be removed, that stops the program where the harness does its work."
# calls = ["double(21)", "double(4)"]
# answer = '(42, 8)'
# ///
import os, sys
armed = []
def audit(event, arguments):
    if armed and event in ("os.write", "open", "import", "object.__getattr__", "compile", "exec"):
        os._exit(0)
sys.addaudithook(audit)
def double(x):
    armed.append(x)
    return 41
