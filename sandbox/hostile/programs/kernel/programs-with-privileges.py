# /// case
# attack = "Looks for programs that run as another user, and whether the kernel would still honour their mark."
# refused = true
# ///
import stat
for folder in ("/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/libexec", "/usr/lib"):
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        try:
            mode = os.stat(path).st_mode
        except OSError:
            continue
        if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
            print("found", path, oct(mode))
status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
print("HELD" if status["NoNewPrivs"].strip() == "1" else "BREACH", "no new privileges")
ids = os.getresuid() + os.getresgid()
print("HELD" if 0 not in ids else "BREACH", ids)
print("HELD" if 0 not in os.getgroups() else "BREACH", "groups", os.getgroups())
