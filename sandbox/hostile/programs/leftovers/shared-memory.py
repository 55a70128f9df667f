# /// case
# attack = "Leaves shared memory by name, as multiprocessing makes it."
# passes = true
# statuses = ["exited"]
# ///
try:
    from multiprocessing import resource_tracker, shared_memory
    resource_tracker.register = lambda *_: None
    shared_memory.SharedMemory("rlenv", create=True, size=1 << 16).close()
except Exception:
    pass
try:
    open("/dev/shm/rlenv-note", "w").close()
except OSError:
    pass
print(42)
