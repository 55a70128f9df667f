# /// case
# attack = "Changes the seed and the sources of randomness; a later program must have those that every program has."
# passes = true
# statuses = ["exited"]
# ///
import random
random.seed(0)
random.SystemRandom.random = lambda self: 0.0
for _ in range(64):
    open("/dev/urandom", "rb").read(4096)
print(42)
