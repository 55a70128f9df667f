"""Prints one line for each thing of a cell that an earlier program could have changed.

What differs between two cells that are both clean (user ids, process ids, which processor) is left out.
"""

import ctypes, gc, json, locale, math, os, random, re, resource, signal, socket, sys, threading, time

def tell(name, look):
    try:
        found = look()
    except Exception as error:
        found = type(error).__name__
    print(name, repr(found))

def listing(place):
    return sorted(os.listdir(place))

def lines(path):
    with open(path) as file:
        return len(file.readlines())

def status(*names):
    with open("/proc/self/status") as file:
        table = dict(line.split(":", 1) for line in file)
    return [table[name].strip() for name in names]

def processes():
    found = []
    for process in os.listdir("/proc"):
        if process.isdigit():
            try:
                with open(f"/proc/{process}/stat") as file:
                    text = file.read()
            except OSError:
                continue
            found.append(text[text.index("(") : text.rindex(")") + 1])
    return sorted(found)

def free(place):
    system = os.statvfs(place)
    # the kernel frees inodes late: a few more or less mean nothing
    used = system.f_blocks - system.f_bfree, system.f_files - system.f_ffree
    return system.f_blocks, system.f_files, used[0] // 64, used[1] // 64

def disk_priority():
    number = {"x86_64": 252, "aarch64": 31}[os.uname().machine]
    return ctypes.CDLL(None).syscall(number, 1, 0)

tell("arithmetic", lambda: (7 + 0, 6 * 7, int("41") + 1, True + True, len([1, 2]), math.sqrt(16.0), sum([1, 2])))
tell("library", lambda: (json.loads(json.dumps([1, "a"])), re.sub("a", "b", "aa"), random.Random(3).random()))
tell("randomness", lambda: len({random.random(), random.random(), os.urandom(8), os.urandom(8)}))
for place in (".", "/", "/tmp", "/dev", "/dev/shm", "/var/tmp", "/run", "/dev/mqueue"):
    tell(place, lambda: listing(place))
for place in (".", "/tmp", "/dev/shm"):
    tell("space in " + place, lambda: free(place))
tell("processes", processes)
tell("descriptors", lambda: [n for n in listing("/proc/self/fd") if os.path.exists("/proc/self/fd/" + n)])
tell("queues", lambda: [lines("/proc/sysvipc/" + kind) for kind in ("msg", "sem", "shm")])
tell("sockets", lambda: lines("/proc/net/unix"))
tell("keys", lambda: lines("/proc/keys"))
tell("environment", lambda: sorted(os.environ.items()))
tell("limits", lambda: [resource.getrlimit(kind) for kind in range(16)])
tell("privileges", lambda: status("Seccomp", "NoNewPrivs", "CapEff", "CapBnd"))
tell("signals", lambda: status("SigBlk", "SigIgn", "SigPnd", "ShdPnd", "Threads"))
tell("umask", lambda: os.umask(0o077))
tell("priority", lambda: (os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0)))
tell("processors", lambda: len(os.sched_getaffinity(0)))
tell("disk priority", disk_priority)
tell("memory score", lambda: open("/proc/self/oom_score_adj").read())
tell("timers", lambda: (signal.getitimer(signal.ITIMER_REAL), time.tzname))
tell("host", lambda: len(socket.gethostname()) > 0)
tell("root", lambda: 0 in os.getresuid() + os.getresgid() + tuple(os.getgroups()))
tell("path", lambda: (sys.path, sys.argv, [type(entry).__name__ for entry in sys.meta_path]))
tell("modules", lambda: sorted(sys.modules))
tell("interpreter", lambda: (sys.getrecursionlimit(), sys.getswitchinterval(), sys.gettrace(), sys.getprofile()))
tell("collector", lambda: (gc.isenabled(), gc.callbacks, threading.active_count()))
tell("locale", lambda: (locale.setlocale(locale.LC_ALL), sys.getdefaultencoding(), sys.stdout.encoding))
tell("builtins", lambda: len(dir(__builtins__)))
tell("notes", lambda: sorted(name for name, module in sys.modules.items() if hasattr(module, "note")))
