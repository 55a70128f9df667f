# /// case
# attack = "Asks for more than its limits allow."
# refused = true
# ///
import resource
for name in ("AS", "FSIZE", "NOFILE", "NPROC", "STACK", "MEMLOCK", "CORE", "MSGQUEUE"):
    kind = getattr(resource, "RLIMIT_" + name)
    soft, hard = resource.getrlimit(kind)
    more = resource.RLIM_INFINITY if hard != resource.RLIM_INFINITY else 1
    if more == 1:
        print("BREACH no limit at all:", name)
    else:
        attempt(name, lambda: resource.setrlimit(kind, (more, more)))
