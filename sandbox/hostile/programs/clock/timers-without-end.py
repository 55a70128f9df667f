# /// case
# attack = "Sets thousands of timers of every clock that all fire at once, again and again."
# limits = {wall_s = 0.7}
# statuses = ["signalled", "timeout"]
# ///
import ctypes, platform, signal
libc = ctypes.CDLL(None)
create, start = {"x86_64": (222, 223), "aarch64": (107, 110)}[platform.machine()]
for number in range(34, 64):
    signal.signal(number, lambda *_: None)
print(42, flush=True)
event, timer = (ctypes.c_int * 16)(), ctypes.c_int()
every = (ctypes.c_long * 4)(0, 1000, 0, 1000)
for n in range(5000):
    event[2], event[3] = 34 + n % 30, 0
    libc.syscall(create, n % 2, ctypes.byref(event), ctypes.byref(timer))
    libc.syscall(start, timer, 0, ctypes.byref(every), None)
while True:
    pass
