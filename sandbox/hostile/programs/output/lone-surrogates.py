# /// case
# attack = "Prints half a character, which UTF-8 cannot hold: an error of the program, not of the sandbox."
# ///
print(42, flush=True); print(chr(0xD800) + chr(0xDFFF))
