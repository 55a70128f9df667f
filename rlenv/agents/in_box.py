"""The box's end of a relay, run there by any python3 of 3.8 or later: it imports nothing of ours.

It listens on the box's loopback. What a client says goes out by stdout, and what comes in by stdin is said to it, in
frames: the connection's number, the length, and so many bytes. No bytes are the end of what that side says.
"""

from __future__ import annotations

import asyncio
import struct
import sys

FRAME = struct.Struct(">LL")
PIECE_BYTES = 1 << 16


def say(number: int, data: bytes) -> None:
    """Send one frame out."""
    sys.stdout.buffer.write(FRAME.pack(number, len(data)) + data)
    sys.stdout.buffer.flush()


async def main() -> None:
    """Say the port as connection 0; end with the input, or where that connection ends."""
    clients: dict[int, asyncio.StreamWriter] = {}

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        number = len(clients) + 1
        clients[number] = writer
        try:
            while data := await reader.read(PIECE_BYTES):
                say(number, data)
        except OSError:  # it hung up
            pass
        say(number, b"")

    heard = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(heard), sys.stdin)
    await heard.readline()
    server = await asyncio.start_server(carry, "127.0.0.1", 0)
    say(0, b"%d" % server.sockets[0].getsockname()[1])
    while True:
        number, length = FRAME.unpack(await heard.readexactly(FRAME.size))
        if not number:
            return
        if length:
            clients[number].write(await heard.readexactly(length))
        else:
            clients[number].close()


if __name__ == "__main__":
    asyncio.run(main())
