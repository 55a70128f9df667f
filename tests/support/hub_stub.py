"""As much of the Hugging Face hub as an upload needs: repositories and the files that commits brought."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer

import yaml
from json_server import Handler, up


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


class _Handler(Handler):
    server: Hub  # type: ignore[assignment]

    def do_POST(self) -> None:
        hub = self.server
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        hub.tokens.add(self.headers.get("authorization"))
        if hub.refuses:
            self.say(401, {"error": "Invalid username or password."})
        elif self.path == "/api/repos/create":
            hub.made.append(json.loads(body))
            self.say(
                200, {"url": f"{hub.url}/datasets/{hub.made[-1].get('organization', 'me')}/{hub.made[-1]['name']}"}
            )
        elif self.path == "/api/validate-yaml":
            head = yaml.safe_load(json.loads(body)["content"].split("---")[1])
            self.say(200, {"errors": [] if head["tags"] else [{"message": "no tags"}], "warnings": []})
        elif "/preupload/" in self.path:
            files = json.loads(body)["files"]
            told = [{"path": file["path"], "uploadMode": "regular", "shouldIgnore": False} for file in files]
            self.say(200, {"files": told})
        elif "/commit/" in self.path:
            for text in body.decode().splitlines():
                entry = json.loads(text)
                if entry["key"] == "header":
                    hub.commits.append(entry["value"]["summary"])
                else:
                    assert entry["key"] == "file", entry
                    hub.files[entry["value"]["path"]] = base64.b64decode(entry["value"]["content"])
            self.say(
                200, {"commitUrl": f"{hub.url}/datasets/me/words/commit/1", "commitOid": "1" * 40, "success": True}
            )
        else:
            self.say(404, {"error": f"no {self.path}"})


@contextmanager
def hub(*, refuses: bool = False) -> Iterator[Hub]:
    """The hub, up until the end of the block."""
    with up(Hub(refuses)) as server:
        yield server
