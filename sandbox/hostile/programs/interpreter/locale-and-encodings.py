# /// case
# attack = "Registers encodings and error handlers, and changes the locale, so that numbers and texts read differently."
# calls = ["double(21)"]
# statuses = ["exited"]
# ///
import codecs, locale
codecs.register(lambda name: codecs.lookup("utf-16") if name.replace("-", "_") != "utf_16" else None)
for name in ("strict", "surrogateescape", "backslashreplace", "replace"):
    codecs.register_error(name, lambda error: ("42", error.end))
for name in ("de_DE.UTF-8", "tr_TR.UTF-8", "C"):
    try:
        locale.setlocale(locale.LC_ALL, name)
    except locale.Error:
        pass
def double(x):
    return "\ud800"
