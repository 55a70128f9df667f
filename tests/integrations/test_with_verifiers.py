"""The real verifiers scores traces as `rlenv.make` pays, and runs the packages that we write."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from conformity import GAME, cases, differences, differences_of_games, games, needs

vf = needs("verifiers.v1")

from verifiers.v1.errors import TaskError  # noqa: E402

import rlenv  # noqa: E402
from rlenv.integrations.verifiers import main, to_verifiers  # noqa: E402
from rlenv.integrations.verifiers.taskset import completion_of, task_of  # noqa: E402


def scored(row: str, turns: tuple[str, ...], finished: bool) -> float | None:
    """What verifiers' own scoring makes of a trace with these turns; None where it ends in a typed error."""
    task = task_of(row)
    told = vf.TraceTask(type="RlenvTask", data=task.data, key=task.key, hash=task.hash)
    trace = vf.Trace(task=told, agent=vf.AgentInfo(config=vf.AgentConfig()))
    for text in turns:
        trace.nodes.append(vf.MessageNode(message=vf.AssistantMessage(content=text), sampled=True))
        trace.calls.append(vf.ModelCall(finish_reason="stop"))
    trace.calls[-1].finish_reason = "stop" if finished else "length"
    try:
        asyncio.run(task.score(trace))
    except TaskError as error:
        return None if "not graded" in str(error) else float("nan")
    return float(trace.reward)


def test_verifiers_scores_what_the_environment_pays() -> None:
    assert differences([scored(case.row, (case.text,), case.finished) for case in cases()]) == []


def test_games_are_scored_as_the_environment_pays_them() -> None:
    assert differences_of_games([scored(game.row, game.turns, game.finished) for game in games()]) == []


def test_reasoning_that_is_told_apart_is_no_answer() -> None:
    [case] = [case for case in cases() if case.kind == "right" and case.task.prompt == "Say 1."]
    task = task_of(case.row)
    told = vf.TraceTask(type="RlenvTask", data=task.data, key=task.key, hash=task.hash)
    trace = vf.Trace(task=told, agent=vf.AgentInfo(config=vf.AgentConfig()))
    message = vf.AssistantMessage(content="2", reasoning_content="1")
    trace.nodes.append(vf.MessageNode(message=message, sampled=True))
    asyncio.run(task.score(trace))
    assert trace.reward == 0.0


class Model(BaseHTTPRequestHandler):
    """An endpoint that adds and that guesses 1; every third sum is wrong."""

    protocol_version = "HTTP/1.1"
    asked = 0

    def log_message(self, *_: Any) -> None:
        pass

    def says(self, body: dict[str, Any]) -> tuple[str, str]:
        """What is said, and why it ends there."""
        found = re.findall(r"(\d+) ?([-+*]) ?(\d+)=\?", json.dumps(body["messages"]))
        Model.asked += 1
        if not found:
            return "[1]", "stop"
        first, sign, second = found[-1]
        does = {"+": int.__add__, "-": int.__sub__, "*": int.__mul__}[sign]
        return rf"\boxed{{{does(int(first), int(second)) + (Model.asked % 3 == 0)}}}", "stop"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text, end = self.says(body)
        usage = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
        told = {"id": "x", "created": 1, "model": "m", "usage": usage}
        said = {"role": "assistant", "content": text}
        if body.get("stream"):
            choices = [
                {"index": 0, "delta": said, "finish_reason": None},
                {"index": 0, "delta": {}, "finish_reason": end},
            ]
            chunks = [json.dumps({**told, "object": "chat.completion.chunk", "choices": [one]}) for one in choices]
            return self.answer("text/event-stream", "".join(f"data: {chunk}\n\n" for chunk in [*chunks, "[DONE]"]))
        choice = {"index": 0, "finish_reason": end, "message": said}
        return self.answer("application/json", json.dumps({**told, "object": "chat.completion", "choices": [choice]}))

    def answer(self, kind: str, body: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())


@contextmanager
def listening(model: type[Model]) -> Iterator[str]:
    """The address of such an endpoint."""
    with ThreadingHTTPServer(("127.0.0.1", 0), model) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


@pytest.fixture
def url() -> Iterator[str]:
    with listening(Model) as address:
        yield address


def called(command: list[str], folder: Path, packages: list[Path]) -> str:
    settings = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, packages)), "OPENAI_API_KEY": "x", "NO_COLOR": "1"}
    done = subprocess.run(
        [str(Path(sys.executable).parent / command[0]), *command[1:]],
        cwd=folder,
        env=settings,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_a_package_of_one_command_is_valid(tmp_path: Path) -> None:
    main(["math/arithmetic-v0", str(tmp_path), "--size", "4", "--set", "level=2"])
    package = tmp_path / "rlenv-math-arithmetic-v0"
    called(
        ["vf-validate", package.name, "--only-gold", "--runtime.type", "subprocess", "-o", "out"], tmp_path, [package]
    )
    rows = [json.loads(line) for path in tmp_path.glob("out/**/results.jsonl") for line in path.open()]
    assert [row["gold"]["reason"] if "gold" in row else row["reason"] for row in rows] == ["valid"] * 4


@pytest.mark.parametrize(("env", "seat"), [("math/arithmetic-v0", "agent"), (GAME, "player")])
def test_its_evaluation_pays_what_a_row_pays(env: str, seat: str, url: str, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"level": 2} if env != GAME else {}
    name = to_verifiers(env, tmp_path, size=3, **settings)
    command = ["vf-eval", name, "-m", "m", "--client.base-url", url, "--client.api-key-var", "OPENAI_API_KEY"]
    command += [f"--env.{seat}.harness.id", "null", f"--env.{seat}.runtime.type", "subprocess", "-r", "2"]
    called([*command, "--no-push", "--no-rich", "-o", "out"], tmp_path, [tmp_path / name])
    lines = [line for path in tmp_path.glob("out/**/traces.jsonl") for line in path.open()]
    traces = [trace for line in lines for trace in vf.WireEpisode.model_validate_json(line).traces]
    assert [trace.errors for trace in traces] == [[]] * 6
    again = [rlenv.judge_row(row, completion_of(row, trace)) for trace in traces if (row := trace.task.data.row)]
    assert [trace.reward for trace in traces] == [pytest.approx(verdict.reward) for verdict in again]
    if env == GAME:
        assert min(trace.num_turns for trace in traces) > 1
    else:
        assert {trace.reward for trace in traces} == {0.0, 1.0}
