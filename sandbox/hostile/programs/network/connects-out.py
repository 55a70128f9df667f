# /// case
# attack = "Connects to addresses of the net, of the cloud's metadata service, of the host and of itself."
# refused = true
# ///
import socket
for host, port in (("1.1.1.1", 53), ("169.254.169.254", 80), ("172.17.0.1", 2375), ("127.0.0.1", 22)):
    def connect():
        with socket.socket() as plug:
            plug.settimeout(0.3)
            plug.connect((host, port))
    attempt(f"{host}:{port}", connect)
