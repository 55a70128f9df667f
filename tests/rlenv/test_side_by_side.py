"""An evaluation that keeps a server busy: nothing waits, nothing is lost, nothing is asked twice."""

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
from rlenv.core.errors import PolicyError
from rlenv.core.wrapper import State
from rlenv.policies.endpoint import EndpointPolicy


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
