# /// case
# attack = "Sends the name of another process over a pair of sockets, and asks whose the other end is."
# refused = true
# ///
import socket, struct
mine, theirs = socket.socketpair()
theirs.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
for process, user in ((1, os.getuid()), (os.getppid(), 0), (os.getpid(), 0)):
    attempt(f"as {process} of {user}", lambda: mine.sendmsg(
        [b"x"], [(socket.SOL_SOCKET, socket.SCM_CREDENTIALS, struct.pack("3i", process, user, user))]))
attempt("bind", lambda: mine.bind("/tmp/name"))
attempt("abstract", lambda: theirs.bind("\0rlenv"))
attempt("listen", lambda: mine.listen())
attempt("connect", lambda: mine.connect("/run/docker.sock"))
