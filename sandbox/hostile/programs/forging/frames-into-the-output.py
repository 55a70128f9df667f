# /// case
# attack = "Prints finished results, for a harness that shares one channel with the program."
# parts = ["forged"]
# limits = {output_bytes = 1048576}
# ///
for stream in (1, 2, 0):
    for frame in forged("00" * 16):
        try:
            os.write(stream, frame)
        except OSError:
            break
os._exit(0)
