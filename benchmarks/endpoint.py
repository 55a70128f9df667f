"""How near `rlenv eval` comes to the ideal time against a server that takes 200 ms for each request.

    OMP_NUM_THREADS=1 python benchmarks/endpoint.py

The server is a process of its own on this very machine, which answers every request after `--wait` seconds, however
many are under way, and counts how many were at most. Ideal is requests / concurrency x wait, rounded up to whole
rounds: nothing else to do on either side. Each round makes the connections, judges with a verifier, saves every episode
and writes the report.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import rlenv
from rlenv.policies.endpoint import EndpointPolicy

SLOW, GOOD = "slow", "/count"


async def serve(wait: float) -> None:
    """Answers as a chat model would; `/count` says how many requests there were, and how many at once."""
    under_way = most = requests = 0

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal under_way, most, requests
        while head := await reader.readuntil(b"\r\n\r\n"):
            length = next((int(h[15:]) for h in head.lower().split(b"\r\n") if h.startswith(b"content-length:")), 0)
            body = json.loads(await reader.readexactly(length) or b"{}")
            if GOOD.encode() in head.split(b"\r\n")[0]:
                answer: dict[str, object] = {"requests": requests, "most": most}
                under_way = most = requests = 0
            else:
                under_way, requests = under_way + 1, requests + 1
                most = max(most, under_way)
                await asyncio.sleep(wait)
                under_way -= 1
                message = {"role": "assistant", "content": body["messages"][-1]["content"].split()[-1]}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                answer = {"choices": [choice], "usage": {"prompt_tokens": 12, "completion_tokens": 1}}
            text = json.dumps(answer).encode()
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(text) + text)
            await writer.drain()

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await handle(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(connection, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def served(wait: float) -> Iterator[str]:
    """The address of the server."""
    command = [sys.executable, __file__, "--serve", str(wait)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.terminate()


def counted(url: str) -> dict[str, int]:
    """What the server has seen since it was asked last."""
    import httpx2

    found: dict[str, int] = httpx2.post(url + GOOD, trust_env=False).json()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", type=float)
    parser.add_argument("--requests", type=int, default=1_000)
    parser.add_argument("--concurrency", type=int, nargs="+", default=[8, 64, 256])
    parser.add_argument("--wait", type=float, default=0.2)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    if args.serve is not None:
        asyncio.run(serve(args.serve))
        return
    rows = [{"prompt": f"say {i}", "answer": str(i)} for i in range(args.requests)]
    check = rlenv.FunctionVerifier(lambda completion, answer: completion == answer, cheap=True)
    definition = rlenv.Definition(tasks=rlenv.ListTasks.from_rows(rows), verifier=check, id="bench/say-v0")
    ratios: dict[int, list[float]] = {at_once: [] for at_once in args.concurrency}
    most: dict[int, int] = {}
    with served(args.wait) as url:
        for _ in range(args.rounds):
            for at_once in args.concurrency:
                with tempfile.TemporaryDirectory() as folder:
                    policy = EndpointPolicy(url + "/v1", SLOW, concurrency=at_once)
                    started = time.perf_counter()
                    report = rlenv.evaluate(definition, policy, out=Path(folder) / "run", quiet=True)
                    took = time.perf_counter() - started
                seen = counted(url)
                assert report.mean_reward == 1.0
                assert seen["requests"] == args.requests, seen
                most[at_once] = max(most.get(at_once, 0), seen["most"])
                ratios[at_once].append(took / (math.ceil(args.requests / at_once) * args.wait))
    print(f"{args.requests:,} requests of {args.wait:g} s, {args.rounds} rounds that take turns")
    print("| concurrency | ideal | times the ideal, median (least to most) | most at once |\n|---|---|---|---|")
    for at_once, found in ratios.items():
        ideal = math.ceil(args.requests / at_once) * args.wait
        spread = f"{statistics.median(found):.3f} ({min(found):.3f} to {max(found):.3f})"
        print(f"| {at_once} | {ideal:.1f} s | {spread} | {most[at_once]} |")


if __name__ == "__main__":
    main()
