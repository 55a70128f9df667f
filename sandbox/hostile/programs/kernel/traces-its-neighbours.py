# /// case
# attack = "Attaches as a debugger to the processes around it and takes their descriptors."
# refused = true
# parts = ["numbers"]
# ///
for process in (1, os.getppid()):
    attempt(f"attach {process}", lambda: kernel("ptrace", 16, process, None, None))
    attempt(f"seize {process}", lambda: kernel("ptrace", 0x4206, process, None, None))
    attempt(f"compare {process}", lambda: kernel(number(312, 272), process, os.getpid(), 0, 0, 0))
    def take():
        handle = os.pidfd_open(process)
        return kernel(438, handle, 0, 0)
    attempt(f"take descriptor {process}", take)
