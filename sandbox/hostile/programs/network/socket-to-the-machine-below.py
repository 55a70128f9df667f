# /// case
# attack = "Opens a vsock, which leads to the host of a virtual machine and knows no network namespace."
# refused = true
# ///
import socket
attempt("vsock", lambda: socket.socket(40, socket.SOCK_STREAM).close())
def device():
    with open("/dev/vsock", "rb"):
        pass
attempt("device", device)
