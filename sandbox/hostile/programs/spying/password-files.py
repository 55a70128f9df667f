# /// case
# attack = "Looks for accounts, keys and the sockets of container engines."
# statuses = ["exited"]
# shows = "HELD"
# ///
import os
for path in ("/etc/shadow", "/etc/gshadow", "/root/.ssh", "/root/.bash_history", "/home",
             "/var/run/docker.sock",
             "/run/docker.sock", "/run/containerd", "/var/lib/docker", "/var/run/secrets",
             "/run/podman/podman.sock", "/dev/mem", "/dev/kmem", "/proc/kcore", "/dev/kmsg", "/proc/kmsg",
             "/dev/sda", "/dev/vda", "/dev/nvidia0", "/dev/kvm", "/dev/fuse", "/dev/vsock"):
    try:
        if os.path.isdir(path):
            got = os.listdir(path)
        else:
            with open(path, "rb") as file:
                got = file.read(16)
    except OSError as error:
        print("HELD", path, error.strerror)
    else:
        print("HELD empty" if not got else "BREACH", path, got)
