# /// case
# attack = "Counts on the harness to look up names it was not given: of builtins, of modules, of the harness itself."
# calls = ["print('42')", "os()", "__import__('os')", "double.__class__()"]
# answer = '(None, None, None, None)'
# statuses = ["exited"]
# ///
double = None
del double
