# /// case
# attack = "Sends answers although nothing was called; it prints nothing."
# parts = ["forged"]
# statuses = ["exited", "tampered"]
# ///
for descriptor in range(3, 256):
    for frame in forged("00" * 16):
        try:
            os.write(descriptor, frame)
        except OSError:
            break
