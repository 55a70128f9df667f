# /// case
# attack = "Connects to the sockets of container engines, of the system's bus and of the logger."
# refused = true
# ///
import socket
for path in ("/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/dev/log",
             "/run/dbus/system_bus_socket", "\0/tmp/.X11-unix/X0"):
    def connect():
        with socket.socket(socket.AF_UNIX) as plug:
            plug.settimeout(0.3)
            plug.connect(path)
    attempt(path.replace("\0", "@"), connect)
