# /// case
# attack = "A thread whose stack alone is larger than the limit."
# statuses = ["exited", "memory_limit", "signalled"]
# ///
import threading
print(42, flush=True)
threading.stack_size(1 << 30)
threading.Thread(target=lambda: None).start()
