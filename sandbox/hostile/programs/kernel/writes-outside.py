# /// case
# attack = "Writes wherever the file system has a place, above all to the code that later programs will run."
# refused = true
# ///
import json, sysconfig
def write(path):
    with open(path, "a") as file:
        file.write("#")
code = [json.__file__, os.__file__, sys.executable, "/forkserver.py", "/proc/self/exe"]
code += [sysconfig.get_paths()[name] + "/usercustomize.py" for name in ("stdlib", "purelib")]
for path in (*code, "/note", "/usr/note", "/etc/note", "/var/tmp/note", "/var/note", "/run/note", "/dev/note",
             "/home/note", "/root/note", "/proc/note", "/sys/note", "/opt/note", "/lib/note", "/mnt/note"):
    attempt(path, lambda: write(path))
for path in ("/usr/bin", "/etc", os.path.dirname(os.__file__)):
    attempt("rename " + path, lambda: os.rename(path, path + ".old"))
    attempt("chmod " + path, lambda: os.chmod(path, 0o777))
    attempt("times " + path, lambda: os.utime(path, (0, 0)))
