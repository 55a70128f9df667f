"""An evaluation that keeps a server busy: nothing waits, nothing is lost, nothing is asked twice."""

import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from json_server import Answer, Body, Server, serving
from number_game import guessing

import rlenv
from rlenv import Definition, Episode, Verdict
from rlenv.core.errors import PolicyError, RunError
from rlenv.core.wrapper import State
from rlenv.evaluation.savedrun import SavedRun
from rlenv.policies import Sampling
from rlenv.policies.endpoint import EndpointPolicy


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def definition(size: int = 12, **changes: Any) -> Definition:
    rows: list[dict[str, str]] = [{"prompt": f"say {i}", "answer": str(i)} for i in range(size)]

    def judge(completion: str, answer: str) -> bool:
        return completion.split("/")[0] == answer and not completion.endswith("0")

    made = Definition(tasks=rlenv.ListTasks.from_rows(rows), verifier=rlenv.FunctionVerifier(judge, cheap=True))
    return replace(made, **changes)


def told(body: Body) -> tuple[int, object]:
    """Says the number of the task, and one that follows from the seed and the choice."""
    said = body["messages"][-1]["content"].removeprefix("say ")
    choices = [
        {"index": i, "message": {"content": f"{said}/{(body['seed'] + i) % 10}"}, "finish_reason": "stop"}
        for i in range(body.get("n", 1))
    ]
    return 200, {"choices": choices, "usage": {"prompt_tokens": 3, "completion_tokens": 2 * len(choices)}}


def alone(number: int, body: Body) -> tuple[int, object]:
    """One completion a request, whatever n is."""
    return told({**body, "n": 1})


@contextmanager
def asked(answer: Answer, monkeypatch: pytest.MonkeyPatch, **options: Any) -> Iterator[tuple[Server, EndpointPolicy]]:
    """The server, and a policy of one name whatever its port is."""
    with serving(answer) as server:
        made = EndpointPolicy(server.url + "/v1", "m", **{"backoff_s": 0.0, "retries": 0, "concurrency": 4, **options})
        monkeypatch.setattr(EndpointPolicy, "name", "the server")
        yield server, made


def test_as_many_requests_as_asked_for_are_under_way_over_all_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    together = threading.Barrier(24)  # breaks, and fails the test, where fewer are under way

    def waits(number: int, body: Body) -> tuple[int, object]:
        together.wait(20)
        return told(body)

    with asked(waits, monkeypatch, concurrency=24) as (server, endpoint):
        report = rlenv.evaluate(definition(48), endpoint, n=3)
    assert (report.episodes, len(server.bodies)) == (144, 48)


def test_verdicts_are_given_while_others_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    judged = threading.Event()

    def check(completion: str) -> bool:
        judged.set()
        return True

    def waits(number: int, body: Body) -> tuple[int, object]:
        if body["messages"][-1]["content"] == "say 11":
            assert judged.wait(20)
        return told(body)

    seeing = definition(verifier=rlenv.FunctionVerifier(check, cheap=True))
    with asked(waits, monkeypatch) as (_, endpoint):
        assert rlenv.evaluate(seeing, endpoint).pass_at[1].value == 1.0


@pytest.mark.parametrize("answer", [lambda number, body: told(body), alone])
def test_a_server_that_dies_twice_is_asked_nothing_twice(
    answer: Answer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All its answers are saved; what it did not answer is asked again, and the report does not tell the difference."""
    given: Counter[tuple[str, int]] = Counter()
    lock, left = threading.Lock(), [0]

    def mortal(number: int, body: Body) -> tuple[int, object]:
        with lock:
            left[0] -= 1
            if left[0] < 0:
                return 0, ""  # hangs up
        status, found, *_ = answer(number, body)
        with lock:
            for i, _ in enumerate(found["choices"]):  # type: ignore[index]
                given[body["messages"][-1]["content"], body["seed"] * 100 + i] += 1
        return status, found

    for lives in (5, 4):
        left[0] = lives
        with asked(mortal, monkeypatch) as (_, endpoint), pytest.raises(PolicyError, match="no answer after 1 tries"):
            rlenv.evaluate(definition(), endpoint, n=4, out=tmp_path)
        assert len(list(rlenv.read_episodes(tmp_path))) == given.total()
    left[0] = 1_000
    with asked(mortal, monkeypatch) as (_, endpoint):
        report = rlenv.evaluate(definition(), endpoint, n=4, k=(1, 2), out=tmp_path)
        again = rlenv.evaluate(definition(), endpoint, n=4, k=(1, 2), out=tmp_path)
    assert given.total() == 48
    assert set(given.values()) == {1}
    episodes = list(rlenv.read_episodes(tmp_path))
    assert sorted(e.index for e in episodes) == list(range(48))
    assert all(e.index // 4 == e.group for e in episodes)
    assert again == report
    assert [p.judged for p in report.problems] == [4] * 12
    assert [p.task_id for p in report.problems] == [definition().tasks[i].id for i in range(12)]


def test_the_report_does_not_depend_on_the_order_of_the_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrived = [threading.Event() for _ in range(12)]

    def backwards(number: int, body: Body) -> tuple[int, object]:
        place = int(body["messages"][-1]["content"].removeprefix("say "))
        if place < 11:
            arrived[place + 1].wait(20)
        arrived[place].set()
        return told(body)

    with asked(lambda number, body: told(body), monkeypatch, concurrency=1) as (_, endpoint):
        expected = rlenv.evaluate(definition(), endpoint, n=2, k=2, out=tmp_path / "forwards")
    with asked(backwards, monkeypatch, concurrency=12) as (_, endpoint):
        report = rlenv.evaluate(definition(), endpoint, n=2, k=2, out=tmp_path / "backwards")
    assert report == expected
    first = next(rlenv.read_episodes(tmp_path / "backwards"))
    assert first.group > 0
    assert (tmp_path / "forwards/report.md").read_text() == (tmp_path / "backwards/report.md").read_text()
    assert rlenv.rescore(tmp_path / "backwards", definition()).report.pass_at == expected.pass_at


def test_n_of_a_saved_run_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with asked(lambda number, body: told(body), monkeypatch) as (server, endpoint):
        rlenv.evaluate(definition(), endpoint, n=2, out=tmp_path)
        asked_before = len(server.bodies)
        report = rlenv.evaluate(definition(), endpoint, n=5, k=5, out=tmp_path)
    assert [body["n"] for body in server.bodies[asked_before:]] == [3] * 12
    assert (report.there, report.episodes) == (24, 60)
    assert [p.judged for p in report.problems] == [5] * 12
    assert len({body["seed"] for body in server.bodies}) == 24


def test_wrappers_see_whole_groups_in_the_order_of_the_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []

    @dataclass(frozen=True)
    class Marks:
        name: str = "marks"

        def judge(self, episodes: Sequence[Episode], state: State) -> list[Verdict]:
            seen.append([e.task.reference for e in episodes])  # type: ignore[misc]
            state["seen"] = len(seen)
            return [e.verdict for e in episodes]

    dies = iter([True] * 20 + [False])
    marked = definition(wrappers=[Marks()])
    with asked(alone, monkeypatch) as (server, endpoint):
        server.answer = lambda number, body: alone(number, body) if next(dies, True) else (0, "")
        with pytest.raises(PolicyError):
            rlenv.evaluate(marked, endpoint, n=3, out=tmp_path)
        report = rlenv.evaluate(marked, endpoint, n=3, out=tmp_path)
    assert seen == [[str(i)] * 3 for i in range(12)]
    assert report.episodes == 36
    assert (tmp_path / "states.jsonl").read_text().count("\n") == 12


def test_episodes_of_several_turns_go_on_without_waiting_for_one_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = threading.Barrier(5)

    def guesses(number: int, body: Body) -> tuple[int, object]:
        if number < 5:
            together.wait(20)
        choice = {"message": {"content": str(body["seed"] % 7)}, "finish_reason": "stop"}
        return 200, {"choices": [choice], "usage": {"prompt_tokens": 4, "completion_tokens": 1}}

    game = guessing(max_turns=4)
    tasks = [game.tasks[i] for i in range(4)]
    game = replace(game, tasks=rlenv.ListTasks(tasks))
    with asked(guesses, monkeypatch, concurrency=5) as (server, endpoint):
        report = rlenv.evaluate(game, endpoint, n=3, out=tmp_path, max_error_share=0.0)
    episodes = list(rlenv.read_episodes(tmp_path))
    assert (report.episodes, len(episodes)) == (12, 12)
    assert sum(len(e.completion.said_turns) for e in episodes) == len(server.bodies)
    assert all(game.verifier.verify(e.task, e.completion).reward == e.verdict.reward for e in episodes)


def test_an_interrupted_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()
    calls = []

    def check(completion: str) -> bool:
        calls.append(completion)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return True

    def hangs(number: int, body: Body) -> tuple[int, object]:
        if number >= 6:
            release.wait(20)
        return told(body)

    interrupted = definition(verifier=rlenv.FunctionVerifier(check, cheap=True, version="1"))
    with asked(hangs, monkeypatch, concurrency=1) as (_, endpoint):
        with pytest.raises(KeyboardInterrupt):
            rlenv.evaluate(interrupted, endpoint, out=tmp_path)
        release.set()
        report = rlenv.evaluate(interrupted, endpoint, out=tmp_path)
    assert report.episodes == 12


def test_a_killed_process_loses_what_was_not_judged_alone(tmp_path: Path) -> None:
    program = """
import sys, rlenv
from rlenv.policies.endpoint import EndpointPolicy
tasks = [{"prompt": f"say {i}", "answer": str(i)} for i in range(60)]
rlenv.register("test/served-v0", tasks=tasks, verifier=lambda completion, answer: completion == answer, cheap=True)
endpoint = EndpointPolicy(sys.argv[1] + "/v1", "m", concurrency=4, retries=0)
print(rlenv.evaluate("test/served-v0", endpoint, out=sys.argv[2]).episodes)
"""
    started: list[subprocess.Popen[str]] = []

    def kills(number: int, body: Body) -> tuple[int, object]:
        if number == 30:
            started[0].kill()
        return told(body)

    with serving(kills) as server:
        for _ in range(2):
            command = [sys.executable, "-c", program, server.url, str(tmp_path / "run")]
            started.insert(0, subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
            said = started[0].communicate()[0]
    assert [process.returncode for process in started] == [0, -signal.SIGKILL]
    assert said == "60\n"
    assert 60 < len(server.bodies) < 60 + 30
    assert sorted(e.index for e in rlenv.read_episodes(tmp_path / "run")) == list(range(60))


def test_another_request_is_another_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with asked(lambda number, body: told(body), monkeypatch) as (server, endpoint):
        rlenv.evaluate(definition(2), endpoint, out=tmp_path, sampling=Sampling(stop=("\n",)))
        assert server.bodies[0]["stop"] == ["\n"]
        with pytest.raises(RunError, match="stop was"):
            rlenv.evaluate(definition(2), endpoint, out=tmp_path)
        other = replace(endpoint, extra_body={"top_k": 5}, concurrency=1)
        with pytest.raises(RunError, match="extra_body was None"):
            rlenv.evaluate(definition(2), other, out=tmp_path, sampling=Sampling(stop=("\n",)))


def test_a_server_that_does_not_sample_is_told_of() -> None:
    def greedy(number: int, body: Body) -> tuple[int, object]:
        return told({**body, "seed": 1, "n": 1})

    for answer, unsampled in ((greedy, True), (lambda number, body: told(body), False)):
        with serving(answer) as server:
            endpoint = EndpointPolicy(server.url + "/v1", "m", concurrency=2)
            report = rlenv.evaluate(definition(), endpoint, n=3)
            others = [rlenv.evaluate(definition(), endpoint, n=1), rlenv.evaluate(definition(4), endpoint, n=3)]
        assert ("does not sample" in str(report)) == unsampled
        assert not any("does not sample" in str(few) for few in others)  # 8 repeats may be chance


def test_tokens_and_seconds_are_kept_beside_the_episodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with asked(lambda number, body: told(body), monkeypatch) as (_, endpoint):
        rlenv.evaluate(definition(), endpoint, n=4, out=tmp_path)
    usage = SavedRun(tmp_path).usage()
    totals = {name: sum(one[name] for one in usage) for name in usage[0]}
    assert totals.pop("seconds") > 0
    assert totals == {"completions": 48, "requests": 12, "prompt_tokens": 36, "completion_tokens": 96}
