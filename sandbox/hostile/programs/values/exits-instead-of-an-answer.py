# /// case
# attack = "Leaves by SystemExit, KeyboardInterrupt, GeneratorExit and an exception of its own instead of answering."
# calls = ["double(0)", "double(1)", "double(2)", "double(3)"]
# answer = '(0, 2, 4, 6)'
# statuses = ["exited"]
# ///
def double(x):
    raise (SystemExit(0), KeyboardInterrupt(), GeneratorExit(), type("Own", (BaseException,), {})())[x]
