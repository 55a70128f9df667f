# /// case
# attack = "Lowers the limits of the processes around it, so that later programs start with none."
# parts = ["others"]
# passes = true
# statuses = ["exited"]
# ///
import resource
for process in others:
    for kind, value in (
        (resource.RLIMIT_NOFILE, 4), (resource.RLIMIT_NPROC, 1), (resource.RLIMIT_AS, 1 << 20),
        (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_STACK, 4096), (resource.RLIMIT_CPU, 1),
    ):
        try:
            resource.prlimit(process, kind, (value, value))
        except (OSError, ValueError):
            pass
print(42)
