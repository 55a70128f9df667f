# /// case
# attack = "Burns in eight threads that hold no lock of the interpreter."
# limits = {wall_s = 15.0, cpu_s = 0.5, processes = 64}
# statuses = ["timeout"]
# ///
import hashlib, threading
def burn():
    for _ in range(40):
        hashlib.sha512(bytes(8 << 20)).digest()
threads = [threading.Thread(target=burn) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(42)
