# /// case
# attack = "Answers, then reads address 0."
# statuses = ["signalled"]
# ///
import ctypes; print(42, flush=True); ctypes.string_at(0)
