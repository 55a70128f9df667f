# /// case
# attack = "Makes empty files until there are no more names to give."
# limits = {file_bytes = 8388608}
# ///
print(42, flush=True)
for number in range(1_000_000):
    open(str(number), "w").close()
print("BREACH a million files")
