# /// case
# attack = "Opens raw, packet and netlink sockets, and changes its interfaces."
# refused = true
# ///
import socket
def raw(*kind):
    socket.socket(*kind).close()
attempt("raw icmp", lambda: raw(socket.AF_INET, socket.SOCK_RAW, 1))
attempt("packet", lambda: raw(socket.AF_PACKET, socket.SOCK_RAW, 0x300))
attempt("netfilter", lambda: raw(socket.AF_NETLINK, socket.SOCK_RAW, 12))
def raise_interface():
    import fcntl, struct
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as plug:
        fcntl.ioctl(plug, 0x8914, struct.pack("16sH14x", b"lo", 1))
attempt("interface up", raise_interface)
