# /// case
# attack = "Listens on the loopback and connects to itself, as two programs would that talk to each other."
# refused = true
# ///
import socket
def talk():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as plug:
        plug.settimeout(0.3)
        plug.connect(server.getsockname())
attempt("loopback", talk)
