# /// case
# attack = "Returns a list that contains itself, and a dict that does by a longer way."
# calls = ["double(21)"]
# ///
def double(x):
    ring = [1]
    ring.append({"ring": (ring,)})
    return ring
