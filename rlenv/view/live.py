"""The page on localhost, as new as the run: the browser asks again, and gets one where files have changed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from hashlib import blake2b
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock

from rlenv.core.errors import RlenvError, RunError
from rlenv.view.page_file import html
from rlenv.view.viewed import ViewedRun

HOST = "127.0.0.1"
EVERY_S = 5.0
SHARE = 0.1
"""At most this share of the time goes into making pages: a long run's takes longer, and is made less often."""


class LivePage:
    """The newest page of some runs, made again when a file of theirs has changed."""

    def __init__(
        self, folders: Sequence[Path], viewed: Callable[[Path], ViewedRun], *, max_bytes: int | None = None
    ) -> None:
        self._folders, self._viewed, self._max_bytes = folders, viewed, max_bytes
        self._lock = Lock()
        self._tag, self._page, self._took_s, self._made = "", b"", 0.0, 0.0

    def newest(self) -> tuple[str, bytes]:
        """The page, and the tag of the state of the files that it was made of."""
        with self._lock:
            tag = self._state()
            early = time.monotonic() - self._made < self._took_s / SHARE
            if not self._page or (tag != self._tag and not early):
                started = time.monotonic()
                try:
                    self._page = html(
                        map(self._viewed, self._folders), max_bytes=self._max_bytes, live_s=EVERY_S
                    ).encode()
                except (RlenvError, OSError, ValueError):  # a line that is being written: the page before stands
                    if not self._page:
                        raise
                else:
                    self._tag, self._made = tag, time.monotonic()
                    self._took_s = self._made - started
            return self._tag, self._page

    def _state(self) -> str:
        """Names, sizes and times of the files in the folders."""
        files = [path for folder in self._folders for path in sorted(folder.iterdir()) if path.is_file()]
        stats = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files]
        return f'"{blake2b(repr(stats).encode(), digest_size=8).hexdigest()}"'


def handler(page: LivePage) -> type[BaseHTTPRequestHandler]:
    """Answers with the page, or with 304 where the asker has it already."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.headers.get("Host", "").rpartition(":")[0]
            if name not in (HOST, "localhost"):  # another site's name that was made to lead here may not read the run
                self.send_error(403, "ask for 127.0.0.1")
                return
            if self.path != "/":
                self.send_error(404)
                return
            tag, body = page.newest()
            known = self.headers.get("If-None-Match") == tag
            self.send_response(304 if known else 200)
            self.send_header("ETag", tag)
            self.send_header("Cache-Control", "no-store")
            if not known:
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if not known:
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: the terminal is the run's."""

    return Handler


def serve(
    folders: Sequence[Path],
    viewed: Callable[[Path], ViewedRun],
    *,
    port: int = 0,
    max_bytes: int | None = None,
    started: Callable[[str], None],
) -> None:
    """Serve the page of these runs on localhost until it is interrupted. Raises RunError for a folder without a run
    and for a port that is taken.
    """
    page = LivePage(folders, viewed, max_bytes=max_bytes)
    page.newest()  # a folder that is no run's is told before anybody opens the page
    try:
        server = ThreadingHTTPServer((HOST, port), handler(page))
    except OSError as error:
        raise RunError(f"cannot listen on {HOST} port {port}: {error.strerror}; give another --port") from error
    with server:
        started(f"http://{HOST}:{server.server_address[1]}/")
        server.serve_forever()
