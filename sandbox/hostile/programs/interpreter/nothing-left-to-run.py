# /// case
# attack = "Deletes every builtin."
# ///
import builtins
print(42, flush=True)
builtins.__dict__.clear()
undefined
