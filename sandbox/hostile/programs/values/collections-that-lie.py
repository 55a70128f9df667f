# /// case
# attack = "Returns collections, exactly of their types, whose insides are not what they should be."
# calls = ["double(0)", "double(1)", "double(2)", "double(3)"]
# answer = '({1: 5}, {1: 1, 2: 2}, [1, 1, 1], {1: 42})'
# limits = {wall_s = 3.0, memory_mb = 256}
# ///
from collections import Counter, OrderedDict, defaultdict, deque
class Any(int):
    __eq__ = lambda self, other: True
    __hash__ = lambda self: 1
def double(x):
    counted = Counter()
    counted[1], counted["a"] = Any(5), [1]
    ordered = OrderedDict([(Any(1), 1), (Any(2), 2)])
    ordered.__dict__["x"] = Any(3)
    made = defaultdict(lambda: 42)
    made[1] = made
    return [counted, ordered, deque([Any(1)] * 3, maxlen=3), made][x]
