# /// case
# attack = "Leaves a socket and a named pipe where a program of another cell could find them."
# refused = true
# ///
import socket
def listen(where):
    plug = socket.socket(socket.AF_UNIX)
    plug.bind(where)
    plug.listen()
attempt("name in /usr", lambda: listen("/usr/rlenv.sock"))
attempt("pipe in /", lambda: os.mkfifo("/rlenv.pipe"))
attempt("pipe in /var", lambda: os.mkfifo("/var/rlenv.pipe"))
