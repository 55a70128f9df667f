# /// case
# attack = "Returns True for 1, 2.0 for 2, NaN, a list for a tuple, text for bytes: plain values of the wrong type."
# calls = ["double(21)"]
# answer = '''([1, 2, (1, 2), b'a', {1: True}, -0.0, [3]],)'''
# statuses = ["exited"]
# ///
def double(x):
    return [True, 2.0, [1, 2], "a", {1: 1}, 0.0, (3,)]
