"""A verifier that asks a server: the verdicts of the library, many requests under way, and nothing lost or made up."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from json_server import Answer, Body, Server, serving
from served import ENV, Running, running

import rlenv
from rlenv.cluster.client import RemoteVerifier
from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError, PolicyError
from rlenv.core.task import Task
from rlenv.core.turn import Turn
from rlenv.core.verdict import Verdict
from rlenv.env.rows import GroupJudge
from rlenv.serving.settings import KEY_ENV

VERSION = "stand-in-1"


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    with running() as started:
        yield started


def hostile(task: Task) -> list[Completion]:
    right = rlenv.load(ENV).solution(task)
    return [
        Completion(right),
        Completion(right, finished=False),
        Completion("\\boxed{1}"),
        Completion("\ud800\x00" + right, token_ids=(1, 2), logprobs=(-0.5, -1.5)),
        Completion("a" * 70_000 + right),
        Completion(f"<think>{right}</think>", read_as="text"),
        Completion("no, " + right, turns=(Turn("user", 0, 4), Turn("assistant", 4, 4 + len(right)))),
        Completion("", failure="the tool is gone"),
    ]


def jobs(count: int = 6) -> list[tuple[Task, Completion]]:
    tasks = rlenv.load(ENV).tasks
    return [(tasks[i], said) for i in range(count) for said in hostile(tasks[i])]


def locally(asked: list[tuple[Task, Completion]]) -> list[Verdict]:
    keys = [str(i) for i in range(len(asked))]
    judged = GroupJudge(rlenv.load(ENV)).judge([t for t, _ in asked], [c for _, c in asked], keys)
    return [episode.verdict for episode in judged]


@pytest.mark.parametrize("batch_size", [1, 5])
def test_verdicts_are_those_of_the_library(service: Running, batch_size: int) -> None:
    verifier = RemoteVerifier(service.url, ENV, kwargs={}, batch_size=batch_size)
    assert verifier.version == rlenv.load(ENV).verifier.version
    found = dict(verifier.verify_all(jobs()))
    assert [found[i] for i in range(len(found))] == locally(jobs())
    assert verifier.verify(*jobs()[0]).reward == 1.0


def test_the_key_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_ENV, "a key of enough letters")
    with running() as keyed:
        assert RemoteVerifier(keyed.url, ENV).verify(*jobs()[0]).reward == 1.0
        monkeypatch.delenv(KEY_ENV)
        with pytest.raises(PolicyError, match=f"the server refused: 401 .*environment variable {KEY_ENV}"):
            RemoteVerifier(keyed.url, ENV)


@pytest.mark.parametrize(
    ("env", "kwargs", "why"),
    [
        ("math/gsm8k-v0", None, "judges math/arithmetic-v1; start it with: rlenv serve math/gsm8k-v0"),
        (ENV, {"level": 3}, 'with {}, expected {"level":3}'),
    ],
)
def test_a_server_of_other_environments_is_known_at_once(service: Running, env: str, kwargs: Any, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        RemoteVerifier(service.url, env, kwargs=kwargs)


# --- what a server may do ---


def told(verdict: Verdict, version: str = VERSION) -> dict[str, Any]:
    return {**verdict.to_json(), "error": None, "verifier_version": version}


def rewards(body: Body) -> dict[str, Any]:
    """As a server answers that pays every completion by its length."""
    texts = [str(text) for group in body["groups"] for text in group["completions"]]
    return {"request_id": body["request_id"], "verdicts": [told(Verdict.of(("length", len(t)))) for t in texts]}


def asking(server: Server, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> RemoteVerifier:
    monkeypatch.setattr(RemoteVerifier, "_served", lambda self: {ENV: (VERSION, {})})
    return RemoteVerifier(server.url, ENV, **{"backoff_s": 0.0, "retries": 3, "concurrency": 1, **settings})


def answers(monkeypatch: pytest.MonkeyPatch, answer: Answer, texts: list[str], **settings: Any) -> list[Verdict]:
    with serving(answer) as server:
        verifier = asking(server, monkeypatch, **settings)
        found = dict(verifier.verify_all([(Task("?", "1"), Completion(text)) for text in texts]))
    return [found[i] for i in range(len(texts))]


def test_a_request_without_an_answer_is_sent_again_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    bodies: list[Body] = []

    def flaky(number: int, body: Body) -> tuple[int, object]:
        bodies.append(body)
        return [(0, ""), (503, {"error": "full"}), (500, "broken"), (200, rewards(body))][number % 4]

    found = answers(monkeypatch, flaky, ["a", "bb", "ccc"], batch_size=2)
    assert [verdict.reward for verdict in found] == [1.0, 2.0, 3.0]
    assert len(bodies) == 8
    assert bodies[0] == bodies[1] == bodies[2] == bodies[3]
    assert len({body["request_id"] for body in bodies}) == 2


def changed(**changes: Any) -> Answer:
    """A server that answers rightly but for these."""
    return lambda number, body: (200, {**rewards(body), **changes})


def with_reward(reward: float) -> Answer:
    return lambda number, body: (200, json.dumps(changed_verdict(rewards(body), reward)))


def changed_verdict(answer: dict[str, Any], reward: float) -> dict[str, Any]:
    return {**answer, "verdicts": [{**answer["verdicts"][0], "reward": reward}]}


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (changed(request_id="of another"), "for another request"),
        (
            changed(verdicts=[told(Verdict.of(("reward", 1.0)), "stand-in-2")]),
            "judges with version stand-in-2 of the verifier now, this run began with stand-in-1",
        ),
        (with_reward(float("nan")), "expected a finite reward"),
        (with_reward(99.0), "expected parts that sum"),
        (lambda number, body: (413, {"error": "too much"}), "the server refused: 413"),
        (lambda number, body: (0, ""), "no answer after 4 tries"),
        (lambda number, body: (200, "<html>a proxy</html>"), "not an answer of rlenv serve"),
    ],
)
def test_what_is_no_answer_is_a_failure_and_never_0(monkeypatch: pytest.MonkeyPatch, answer: Answer, why: str) -> None:
    verdict = answers(monkeypatch, answer, ["a"])[0]
    assert (verdict.reward, verdict.status) == (None, "verifier_error")
    assert why in verdict.reason


def test_a_server_that_is_away_costs_its_retries_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def away(number: int, body: Body) -> tuple[int, object]:
        asked.append(number)
        return 0, ""

    found = answers(monkeypatch, away, list("abcdefghij"), batch_size=1)
    assert [verdict.reward for verdict in found] == [None] * 10
    assert len(asked) == 4
