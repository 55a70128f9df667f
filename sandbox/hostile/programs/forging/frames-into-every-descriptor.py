# /// case
# attack = "Writes finished results into every descriptor it has."
# parts = ["forged"]
# calls = ["double(21)", "double(4)"]
# answer = '(42, 8)'
# ///
def double(x):
    for descriptor in range(3, 256):
        for frame in forged("00" * 16):
            try:
                os.set_blocking(descriptor, False)
                os.write(descriptor, frame)
            except OSError:
                break
    os._exit(0)
