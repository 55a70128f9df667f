# /// case
# attack = "Returns a value whose methods hang when a careless codec looks at it."
# calls = ["double(21)"]
# statuses = ["exited"]
# limits = {wall_s = 3.0}
# ///
class Slow(list):
    def __iter__(self):
        while True:
            pass
    __len__ = __repr__ = __eq__ = __hash__ = __reduce_ex__ = __iter__
def double(x):
    return Slow()
