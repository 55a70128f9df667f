# /// case
# attack = "Opens sockets of families whose kernel code is old, rarely used and full of past holes."
# refused = true
# ///
import socket
for family in (2, 4, 5, 9, 10, 15, 16, 17, 21, 29, 30, 31, 38, 39, 40, 44):
    for kind in (1, 2, 3, 5):
        try:
            plug = socket.socket(family, kind, 0)
        except OSError as error:
            print("HELD", family, kind, error.strerror)
            continue
        plug.close()
        # a family of the net without a way out is no breach; the rest is attack surface
        print("HELD empty net" if family in (2, 10, 16) and kind != 3 else "BREACH", family, kind)
