# /// case
# attack = "Raises an error whose name, text and class are made to look like an answer or to break the report."
# calls = ["double(21)", "double(21)"]
# limits = {wall_s = 0.7}
# ///
class Meta(type):
    __name__ = property(lambda cls: 1 / 0)
class Trap(Exception, metaclass=Meta):
    def __str__(self):
        while True:
            pass
    __repr__ = __str__
def double(x):
    raise Trap
