# /// case
# attack = "Returns an object that would run code where it is unpickled."
# calls = ["double(21)"]
# statuses = ["exited"]
# ///
import os
class Bomb:
    __reduce__ = __reduce_ex__ = lambda self, *_: (os._exit, (0,))
    __getstate__ = __deepcopy__ = __copy__ = __reduce__
def double(x):
    return [Bomb(), {"bomb": Bomb()}]
