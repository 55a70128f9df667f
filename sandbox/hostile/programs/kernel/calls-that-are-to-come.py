# /// case
# attack = "Makes every system call that this filter was not made with in mind: none may be open."
# refused = true
# ///
closed = 0
for number in range(463, 1200):
    if libc.syscall(ctypes.c_long(number), *[ctypes.c_long(0)] * 6) != -1:
        print("BREACH", number, flush=True)
    else:
        closed += ctypes.get_errno() in (1, 38)
print("HELD" if closed == 1200 - 463 else "BREACH", closed, "are closed")
for number in (463, 467, 468, 500, 1 << 20, 1 << 29, (1 << 30) - 1, -1, 1 << 31):
    attempt(hex(number), lambda: kernel(number, 0, 0, 0, 0, 0, 0))
