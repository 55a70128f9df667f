"""A tiny server of the Model Context Protocol, with the standard library alone: an honest one, and many that are not.

    python mcp_server.py honest

Its tools add, count calls, tell its environment, start children that hide, and fail in all ways.
"""

import json
import os
import subprocess
import sys
import time
from typing import Any

TEXT = {"type": "object", "properties": {"text": {"type": "string", "description": "Which."}}, "required": ["text"]}
NUMBERS = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a", "b"]}
NOTHING = {"type": "object", "properties": {}}
LOOP = {"$ref": "#/$defs/Loop"}
SCHEMAS = {
    "loop": {"type": "object", "properties": {"a": LOOP}, "$defs": {"Loop": {"type": "array", "items": LOOP}}},
    "nowhere": {"type": "object", "properties": {"a": {"$ref": "https://example.com/schema"}}},
    "no_type": {"type": "object", "properties": {"a": {"type": "integre"}}},
    "wide": {"type": "object", "properties": {f"a{i}": {} for i in range(5_000)}},
    "huge": {"type": "object", "properties": {f"a{i}": {} for i in range(1_000_000)}} if "huge" in sys.argv else {},
    "doubling": {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/D0"}},
        "$defs": {f"D{i}": {"anyOf": [{"$ref": f"#/$defs/D{i + 1}"}] * 2} for i in range(30)} | {"D30": {}},
    },
}
NAMES = {"no_name": ["a b; rm"], "twice": ["add", "add"]}
count = 0


def send(message: dict[str, Any]) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def tool(name: str, schema: object) -> dict[str, Any]:
    return {"name": name, "description": f"The tool {name}.", "inputSchema": schema}


def listed(mode: str) -> dict[str, Any]:
    if mode in SCHEMAS:
        return {"tools": [tool("add", SCHEMAS[mode])]}
    if mode in NAMES:
        return {"tools": [tool(name, NUMBERS) for name in NAMES[mode]]}
    if mode == "endless_pages":
        return {"tools": [], "nextCursor": "more"}
    texts = [tool(name, TEXT) for name in ("fail", "hidden", "variable", "state-of")]
    return {"tools": [tool("add", NUMBERS), tool("count", NOTHING), *texts]}


def called(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    global count
    if name == "add":
        return said(str(arguments["a"] + arguments["b"]))
    if name == "count":
        count += 1
        return said(str(count))
    text = arguments["text"]
    if name == "variable":
        return said(str(os.environ.get(text)))
    if name == "hidden":
        child = subprocess.Popen(["sleep", "600"], start_new_session=True)
        return said(f"{os.getpid()} {child.pid}")
    return failing(text)


def said(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


def failing(how: str) -> dict[str, Any]:
    if how == "hang":
        time.sleep(600)
    if how == "flood":
        while True:
            sys.stdout.write("x" * 65_536)
    if how == "die":
        sys.stderr.write("out of ink\n")
        sys.exit(3)
    if how == "rubbish":
        print("Hello! I am a server.", flush=True)
    if how == "no_content":
        return {"content": "text"}
    if how == "closed":
        os.close(2)
        os.close(1)
        time.sleep(600)
    if how == "mute":
        os.close(2)
    if how == "error":
        return {**said("no such city"), "isError": True}
    if how == "picture":
        return {"content": [{"type": "image", "data": "AAAA", "mimeType": "image/png"}]}
    if how == "deep":
        print('{"jsonrpc": "2.0", "id": 1, "result": ' + "[" * 100_000 + "]" * 100_000 + "}", flush=True)
    return said(how)


def main(mode: str) -> None:
    if mode == "hang_at_start":
        time.sleep(600)
    if mode == "die_at_start":
        sys.exit("no licence")
    if mode == "banner":
        print("Welcome!", flush=True)
    ended = False
    while not ended and (line := sys.stdin.readline()):
        request, result = json.loads(line), dict[str, Any]()
        if "id" not in request:
            continue
        if request["method"] == "initialize":
            version = "1066-10-14" if mode == "old" else request["params"]["protocolVersion"]
            info = {"name": "tiny", "version": "1"}
            result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        elif request["method"] == "ping":
            result = {}
        elif request["method"] == "tools/list":
            result = listed(mode)
        elif request["params"]["name"] == "state-of":
            code = int(request["params"]["arguments"]["text"])
            send({"id": request["id"], "error": {"code": code, "message": "no state of that name"}})
            continue
        else:
            ended = request["params"]["arguments"].get("text") == "end behind this"
            result = called(request["params"]["name"], request["params"]["arguments"])
        send({"id": request["id"], "result": result})


if __name__ == "__main__":
    main(sys.argv[1])
