"""As much of the Hugging Face hub as an upload needs: repositories and the files that commits brought."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import yaml


class Hub(ThreadingHTTPServer):
    """Remembers what it was told."""

    daemon_threads = True

    def __init__(self, refuses: bool) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url, self.refuses = f"http://127.0.0.1:{self.server_address[1]}", refuses
        self.made: list[dict[str, object]] = []
        self.files: dict[str, bytes] = {}
        self.commits: list[str] = []
        self.tokens: set[str | None] = set()


class _Handler(BaseHTTPRequestHandler):
    server: Hub

    def do_POST(self) -> None:
        hub = self.server
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        hub.tokens.add(self.headers.get("authorization"))
        if hub.refuses:
            self._answer(401, {"error": "Invalid username or password."})
        elif self.path == "/api/repos/create":
            hub.made.append(json.loads(body))
            self._answer(
                200, {"url": f"{hub.url}/datasets/{hub.made[-1].get('organization', 'me')}/{hub.made[-1]['name']}"}
            )
        elif self.path == "/api/validate-yaml":
            head = yaml.safe_load(json.loads(body)["content"].split("---")[1])
            self._answer(200, {"errors": [] if head["tags"] else [{"message": "no tags"}], "warnings": []})
        elif "/preupload/" in self.path:
            files = json.loads(body)["files"]
            told = [{"path": file["path"], "uploadMode": "regular", "shouldIgnore": False} for file in files]
            self._answer(200, {"files": told})
        elif "/commit/" in self.path:
            for text in body.decode().splitlines():
                entry = json.loads(text)
                if entry["key"] == "header":
                    hub.commits.append(entry["value"]["summary"])
                else:
                    assert entry["key"] == "file", entry
                    hub.files[entry["value"]["path"]] = base64.b64decode(entry["value"]["content"])
            self._answer(
                200, {"commitUrl": f"{hub.url}/datasets/me/words/commit/1", "commitOid": "1" * 40, "success": True}
            )
        else:
            self._answer(404, {"error": f"no {self.path}"})

    def _answer(self, status: int, answer: object) -> None:
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args: object) -> None:
        pass


@contextmanager
def hub(*, refuses: bool = False) -> Iterator[Hub]:
    """The hub, up until the end of the block."""
    server = Hub(refuses)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
