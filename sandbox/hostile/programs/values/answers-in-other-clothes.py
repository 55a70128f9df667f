# /// case
# attack = "Returns the right number as an enumeration, a record, a view, a weak reference, a byte, a flag and a date."
# calls = ["double(0)", "double(1)", "double(2)", "double(3)", "double(4)", "double(5)", "double(6)"]
# statuses = ["exited"]
# limits = {wall_s = 3.0, memory_mb = 256}
# ///
import collections, datetime, enum, weakref
Number = enum.IntEnum("Number", {"right": 42})
Record = collections.namedtuple("Record", "a")
class Text(str, enum.Enum):
    right = "42"
class Thing:
    pass
thing = Thing()
def double(x):
    return [Number.right, memoryview(b"*"), Text.right, array, Record(42), weakref.proxy(thing), enum.Flag("F", "a").a][x]
import array
