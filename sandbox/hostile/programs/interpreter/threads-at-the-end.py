# /// case
# attack = "Leaves daemon threads that print a wrong answer for as long as they can."
# passes = true
# statuses = ["exited"]
# ///
import threading, time
def noise():
    while True:
        time.sleep(0.001)
for _ in range(8):
    threading.Thread(target=noise, daemon=True).start()
print(42)
