# /// case
# attack = "Puts other bytecode where the interpreter caches the library's."
# passes = true
# statuses = ["exited"]
# ///
import importlib.util, os, json, random, textwrap
for module in (json, random, textwrap):
    cached = importlib.util.cache_from_source(module.__file__)
    try:
        os.makedirs(os.path.dirname(cached), exist_ok=True)
        with open(cached, "r+b") as file:
            file.write(b"BREACH")
        print("BREACH", cached)
    except OSError:
        pass
print(42)
