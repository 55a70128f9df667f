# /// case
# attack = "Sends datagrams, which need no answer to leak, and asks for a name."
# refused = true
# ///
import socket
def send(kind, address):
    with socket.socket(kind, socket.SOCK_DGRAM) as plug:
        plug.settimeout(0.3)
        plug.sendto(b"secret", address)
attempt("udp", lambda: send(socket.AF_INET, ("8.8.8.8", 53)))
attempt("udp6", lambda: send(socket.AF_INET6, ("2001:4860:4860::8888", 53)))
attempt("broadcast", lambda: send(socket.AF_INET, ("255.255.255.255", 9)))
attempt("name", lambda: socket.getaddrinfo("example.org", 80))
