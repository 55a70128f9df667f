# /// case
# attack = "Tries to leave the seccomp filter and no-new-privileges, and checks in /proc that both still hold."
# refused = true
# ///
attempt("seccomp off", lambda: kernel("prctl", 22, 0, 0, 0, 0))
attempt("seccomp strict to none", lambda: kernel("prctl", 22, 1 << 20, 0, 0, 0))
attempt("new privileges", lambda: kernel("prctl", 38, 0, 0, 0, 0))
status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
for name, right in (("Seccomp", "2"), ("NoNewPrivs", "1")):
    print("HELD" if status[name].strip() == right else "BREACH", name, status[name].strip())
for name in ("CapEff", "CapPrm", "CapInh", "CapAmb"):
    print("HELD" if int(status[name], 16) == 0 else "BREACH", name, status[name].strip())
