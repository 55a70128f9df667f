# /// case
# attack = "Hides the object that equals everything inside plain containers, as key, as element and as value."
# calls = ["double(21)"]
# answer = '''({'a': [1, (2, {3})]},)'''
# statuses = ["exited"]
# ///
class Any:
    __eq__ = lambda self, other: True
    __hash__ = lambda self: hash("a")
def double(x):
    return {Any(): [Any(), (Any(), {Any()})]}
