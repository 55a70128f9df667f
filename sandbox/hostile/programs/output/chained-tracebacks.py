# /// case
# attack = "Answers, then raises a thousand errors, each the cause of the next."
# ///
print(42, flush=True)
error = None
for number in range(1000):
    try:
        raise ValueError("x" * 1000) from error
    except ValueError as caught:
        error = caught
raise error
