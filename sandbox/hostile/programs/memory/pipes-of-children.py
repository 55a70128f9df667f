# /// case
# attack = "Holds memory in the pipes of thirty children, each as large as it can be made."
# limits = {wall_s = 6.0, memory_mb = 128}
# statuses = ["exited", "memory_limit", "signalled", "timeout"]
# ///
import fcntl, os, time
ready, told = os.pipe()
for _ in range(28):
    if os.fork() == 0:
        held, pipes = 0, []
        try:
            while True:
                pipes.append(os.pipe())
                os.set_blocking(pipes[-1][1], False)
                try:
                    fcntl.fcntl(pipes[-1][1], 1031, 1 << 20)
                except OSError:
                    pass
                try:
                    while True:
                        held += os.write(pipes[-1][1], bytes(1 << 16))
                except BlockingIOError:
                    pass
        except OSError:
            pass
        finally:
            os.write(told, (held >> 20).to_bytes(2, "big"))
            time.sleep(60)
held = sum(int.from_bytes(os.read(ready, 2), "big") for _ in range(28))
print("BREACH" if held > 128 else "got", held, "MB in pipes, of which a user may have few", flush=True)
