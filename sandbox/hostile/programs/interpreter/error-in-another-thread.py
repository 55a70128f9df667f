# /// case
# attack = "Raises an error asynchronously in the thread that will write the answer, again and again."
# calls = ["double(21)", "double(4)"]
# answer = '(42, 8)'
# limits = {wall_s = 0.5}
# ///
import ctypes, threading, time
main = threading.main_thread().ident
def pester():
    while True:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(main), ctypes.py_object(SystemExit))
        time.sleep(0.0001)
def double(x):
    threading.Thread(target=pester, daemon=True).start()
    return 41
