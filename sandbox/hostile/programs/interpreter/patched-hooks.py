# /// case
# attack = "Replaces the hooks that report errors and endings, and leaves well after an error."
# passes = "either"
# ///
import os, sys, threading
sys.excepthook = threading.excepthook = sys.unraisablehook = lambda *_: os._exit(0)
sys.exit = exit = quit = lambda *_: None
print(42, flush=True)
raise ValueError
