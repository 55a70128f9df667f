# /// case
# attack = "Returns text with NUL, lone surrogates, line breaks of every kind and what looks like the next answer."
# calls = ["double(21)"]
# answer = '''('a\x00b\ud800\udfff\n\r\u2028\x85"}\n{"i": 0, "ok": true, "value": 42}\n',)'''
# passes = true
# statuses = ["exited"]
# ///
def double(x):
    return "a\0b\ud800\udfff\n\r\u2028\x85" + '"}\n{"i": 0, "ok": true, "value": 42}\n'
