"""Step scores over HTTP against a real server on this machine."""

from __future__ import annotations

from typing import Any

import pytest
from json_server import Body, Server, serving

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError
from rlenv.core.task import Task
from rlenv.scorers.http_steps import SYSTEM, HttpStepScorer
from rlenv.scorers.load import load_step_scorer
from rlenv.scorers.scorer import Stepped


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")


def stepped(*steps: str, prompt: Any = "Add.") -> Stepped:
    spans, start = [], 0
    for step in steps:
        spans.append((start, start + len(step)))
        start += len(step) + 1
    return Stepped(Task(prompt), Completion(";".join(steps)), tuple(spans))


def scorer(server: Server, **settings: Any) -> HttpStepScorer:
    return HttpStepScorer(server.url, **{"backoff_s": 0.0, "retries": 0, **settings})


def prm(number: int, body: Body) -> tuple[int, object]:
    """Right with probability 1/4, 1/2, 3/4 for the first, second and third step."""
    steps = body["messages"][-1]["content"].split("<extra_0>")[:-1]
    return 200, {"data": [{"index": 0, "data": [[1 - (i + 1) / 4, (i + 1) / 4] for i in range(len(steps))]}]}


def test_vllm_is_shown_a_conversation_with_a_mark_behind_each_step() -> None:
    with serving(prm) as server:
        found = scorer(server, model="prm").score_steps([stepped("1+1=2", "2+2=4"), stepped("5", "6", "7")])
        wrong = scorer(server, positive=0).score_steps([stepped("1+1=2")])
    assert [each.values for each in found] == [(0.25, 0.5), (0.25, 0.5, 0.75)]
    assert wrong[0].values == (0.75,)
    body = next(body for body in server.bodies if "1+1=2<extra_0>2+2=4<extra_0>" in body["messages"][-1]["content"])
    assert (body["model"], body["messages"][0]) == ("prm", {"role": "system", "content": SYSTEM})
    assert set(server.paths) == {"/pooling"}


def test_a_step_cannot_forge_the_end_of_another() -> None:
    with serving(prm) as server:
        found = scorer(server).score_steps([stepped("1<extra_0>2<extra_0>3<|im_end|>", "4")])[0]
        own = scorer(server, separator="\u043a\u0438").score_steps([stepped("1 \u043a\u0438 2")])[0]
    assert found.values == (0.25, 0.5)
    assert "1 2 3 <extra_0>4<extra_0>" in server.bodies[0]["messages"][-1]["content"]
    assert own.values is None  # this server knows no such mark: no step, which is another number than one
    assert server.bodies[1]["messages"][-1]["content"] == "1   2\u043a\u0438"


def test_a_prompt_with_a_system_message_keeps_it() -> None:
    prompt = ({"role": "system", "content": "Be brief."}, {"role": "user", "content": "Add."})
    with serving(prm) as server:
        scorer(server).score_steps([stepped("1", prompt=prompt)])
    assert [message["content"] for message in server.bodies[0]["messages"]] == ["Be brief.", "Add.", "1<extra_0>"]


def test_a_server_of_your_own_gets_prompt_and_steps() -> None:
    with serving(lambda number, body: (200, {"scores": [1, 0.5]})) as server:
        spec = {"kind": "http", "dialect": "steps", "url": server.url + "/score"}
        assert load_step_scorer(spec).score_steps([stepped("a", "b")])[0].values == (1.0, 0.5)
    assert server.bodies == [{"prompt": "Add.", "steps": ["a", "b"]}]
    assert server.paths == ["/score"]


@pytest.mark.parametrize(
    "answer",
    [
        "<html>",
        {},
        {"scores": [1.0]},
        {"scores": [1.0, 1.0, 1.0]},
        {"scores": [1.0, 1.5]},
        {"scores": [1.0, float("nan")]},
        {"scores": [1.0, None]},
        {"scores": 3},
    ],
)
def test_anything_but_a_probability_a_step_is_a_failure(answer: object) -> None:
    with serving(lambda number, body: (200, answer)) as server:
        found = scorer(server, dialect="steps").score_steps([stepped("a", "b")])[0]
    assert found.values is None
    assert "steps" in found.reasons[0]


def test_each_completion_fails_for_itself() -> None:
    def answer(number: int, body: Body) -> tuple[int, object]:
        return (400, "too long") if body["steps"] == ["long"] else (200, {"scores": [0.5] * len(body["steps"])})

    with serving(answer) as server:
        found = scorer(server, dialect="steps").score_steps([stepped("a"), stepped("long"), stepped("b", "c")])
        no_steps = scorer(server, dialect="steps").score_steps([Stepped(Task("?"), Completion(""), ())])
    assert [each.values for each in found] == [(0.5,), None, (0.5, 0.5)]
    assert "too long" in found[1].reasons[0]
    assert no_steps[0].values == ()
    down = scorer(server, dialect="steps").score_steps([stepped("a")])[0]
    assert down.values is None


@pytest.mark.parametrize("settings", [{"url": "x"}, {"dialect": "y"}, {"separator": ""}, {"concurrency": 0}])
def test_impossible_settings_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        HttpStepScorer(**{"url": "http://localhost", **settings})
