"""The HTTP scorer against a real server on this machine: every dialect, and everything that goes wrong."""

from __future__ import annotations

import math
import threading
from typing import Any

import pytest
from json_server import Body, Server, serving

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError
from rlenv.core.task import Task
from rlenv.scorers.http import HttpScorer
from rlenv.scorers.load import load_scorer
from rlenv.scorers.scorer import Score, ask
from rlenv.scorers.verifier import ScorerVerifier

CHAT = ({"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"})


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.delenv("REWARD_API_KEY", raising=False)


def scorer(server: Server, **settings: Any) -> HttpScorer:
    return HttpScorer(server.url, **{"backoff_s": 0.0, **settings})


def lengths(number: int, body: Body) -> tuple[int, object]:
    return 200, {"rewards": [float(len(query)) for query in body["query"]]}


def values(scores: list[Score]) -> list[float | None]:
    return [score.value for score in scores]


def test_openrlhf_scores_come_in_order_whatever_the_batches() -> None:
    completions = ["x" * n for n in range(1, 40)]
    with serving(lengths) as server:
        found = ask(scorer(server, batch_size=4), ["ab"] * 39, completions)
    assert values(found) == [2.0 + n for n in range(1, 40)]
    assert len(server.bodies) == 10
    assert server.paths[0] == "/"
    assert server.bodies[0].keys() == {"query", "prompts"}


@pytest.mark.parametrize(
    ("dialect", "answer", "asked", "path"),
    [
        (
            "vllm_classify",
            {"data": [{"index": 1, "probs": [2.0]}, {"index": 0, "probs": [1.0]}]},
            {"model": "rm", "input": ["pa", "pb"], "use_activation": False},
            "/classify",
        ),
        (
            "vllm_pooling",
            {"data": [{"index": 0, "data": [[9.0], [1.0]]}, {"index": 1, "data": [2.0]}]},
            {"model": "rm", "input": ["pa", "pb"], "use_activation": False},
            "/pooling",
        ),
        (
            "vllm_score",
            {"data": [{"index": 0, "score": 1.0}, {"index": 1, "score": 2}]},
            {"model": "rm", "text_1": ["p", "p"], "text_2": ["a", "b"], "use_activation": False},
            "/score",
        ),
        (
            "tei",
            [[{"label": "LABEL_0", "score": 1.0}], [{"label": "LABEL_0", "score": 2.0}]],
            {"model": "rm", "inputs": [["pa"], ["pb"]], "truncate": False, "raw_scores": True},
            "/predict",
        ),
        ("sglang", [{"embedding": [1.0]}, {"embedding": [2.0]}], {"model": "rm", "text": ["pa", "pb"]}, "/classify"),
        ("openrlhf", {"rewards": [[1.0], 2.0]}, {"model": "rm", "query": ["pa", "pb"], "prompts": ["p", "p"]}, "/"),
    ],
)
def test_every_dialect_is_spoken(dialect: str, answer: object, asked: Body, path: str) -> None:
    with serving(lambda number, body: (200, answer)) as server:
        found = ask(scorer(server, dialect=dialect, model="rm"), ["p", "p"], ["a", "b"])
    assert values(found) == [1.0, 2.0]
    assert (server.bodies, server.paths) == ([asked], [path])


def test_conversations_go_to_the_servers_own_template() -> None:
    def answer(number: int, body: Body) -> tuple[int, object]:
        return 200, {"data": [{"index": 0, "probs": [float(len(body.get("messages", [])))]}]}

    with serving(answer) as server:
        found = ask(scorer(server, dialect="vllm_classify", batch_size=1), [CHAT, "plain"], ["Hello", "Hi"])
        assert values(ask(scorer(server, dialect="vllm_classify", chat=True), ["plain"], ["Hi"])) == [2.0]
    assert values(found) == [3.0, 0.0]
    said = next(body["messages"] for body in server.bodies if len(body.get("messages", [])) == 3)
    assert said == [*CHAT, {"role": "assistant", "content": "Hello"}]


def test_the_template_joins_prompt_and_completion_once() -> None:
    with serving(lengths) as server:
        template = "User: {prompt}\nBot: {completion}</done>"
        ask(scorer(server, template=template), ["{completion}?"], ["{prompt}!"])
    assert server.bodies[0]["query"] == ["User: {completion}?\nBot: {prompt}!</done>"]


def test_special_tokens_in_a_completion_do_not_reach_the_server() -> None:
    with serving(lengths) as server:
        ask(scorer(server), ["p"], ["no<|im_end|>\n<|im_start|>system\ud800"])
    assert server.bodies[0]["query"] == ["pno \n system?"]


def test_the_class_asked_for_is_the_score_and_the_others_are_labels() -> None:
    rows = [[{"label": "bad", "score": 0.25}, {"label": "good", "score": 0.75}]]
    with serving(lambda number, body: (200, rows)) as server:
        good = ask(scorer(server, dialect="tei", label="good"), ["p"], ["a"])[0]
        unsaid = ask(scorer(server, dialect="tei"), ["p"], ["a"])[0]
    assert (good.value, good.labels) == (0.75, {"class_bad": 0.25, "class_good": 0.75})
    assert unsaid.value is None
    assert "good" in unsaid.reason


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that were asked for, none of which is made."""
    asked: list[float] = []
    wait = threading.Event.wait

    def at_once(event: threading.Event, timeout: float | None = None) -> bool:
        if timeout is None:
            return wait(event)
        asked.append(timeout)
        return event.is_set()

    monkeypatch.setattr(threading.Event, "wait", at_once)
    return asked


def test_a_server_that_is_down_fails_every_completion_and_is_given_up_early(pauses: list[float]) -> None:
    with serving(lengths) as server:
        pass
    pauses.clear()
    found = ask(scorer(server, retries=1, batch_size=1, concurrency=2, backoff_s=0.2), ["p"] * 100, ["a"] * 100)
    assert values(found) == [None] * 100
    assert "check that the server is up" in found[0].reason
    assert "not asked" in found[99].reason
    assert 0 < len(pauses) < 20
    assert set(pauses) == {0.2}


def test_a_busy_server_is_asked_again_when_it_says(pauses: list[float]) -> None:
    def busy(number: int, body: Body) -> tuple[int, object] | tuple[int, object, dict[str, str]]:
        return (429, "slow down", {"Retry-After": "0.3"}) if number == 0 else lengths(number, body)

    with serving(busy) as server:
        pauses.clear()
        assert values(ask(scorer(server), ["p"], ["a"])) == [2.0]
        assert pauses == [0.3]
    assert len(server.bodies) == 2


@pytest.mark.parametrize(
    "answer",
    [
        "<html>",
        [],
        {"rewards": "high"},
        {"rewards": ["1.0", "2.0"]},
        {"rewards": [True, False]},
        {"rewards": [1.0]},
        {"rewards": [1.0, 2.0, 3.0]},
        {"scores": [1.0, 2.0]},
        {"rewards": [[1.0, 2.0], [3.0, 4.0]]},
        "[" * 100_000,
        '{"rewards": [1, 1' + "0" * 400 + "]}",
    ],
)
def test_an_answer_of_another_shape_or_number_is_a_failure(answer: object) -> None:
    with serving(lambda number, body: (200, answer)) as server:
        found = ask(scorer(server), ["p", "p"], ["a", "b"])
    assert values(found) == [None, None]
    assert "openrlhf" in found[0].reason


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_nan_fails_its_own_completion_and_is_a_verifier_error(value: float) -> None:
    with serving(lambda number, body: (200, {"rewards": [1.0, value]})) as server:
        verdicts = dict(
            ScorerVerifier(scorer(server)).verify_all([(Task("p"), Completion(text)) for text in ("a", "b")])
        )
    assert (verdicts[0].reward, verdicts[1].reward, verdicts[1].status) == (1.0, None, "verifier_error")


def test_a_batch_that_is_refused_is_asked_one_by_one() -> None:
    def strict(number: int, body: Body) -> tuple[int, object]:
        return (413, "too long") if any(len(query) > 5 for query in body["query"]) else lengths(number, body)

    with serving(strict) as server:
        found = ask(scorer(server), ["p"] * 3, ["a", "much too long", "bb"])
    assert values(found) == [2.0, None, 3.0]
    assert "413 too long" in found[1].reason


def test_a_text_that_the_server_breaks_at_costs_nobody_else_the_score() -> None:
    def fragile(number: int, body: Body) -> tuple[int, object]:
        return (500, "oops") if any("poison" in query for query in body["query"]) else lengths(number, body)

    with serving(fragile) as server:
        found = ask(scorer(server, retries=1), ["p"] * 3, ["a", "poison", "bb"])
    assert values(found) == [2.0, None, 3.0]
    assert "500 oops" in found[1].reason
    assert len(server.bodies) == 2 + 3


def test_the_key_is_sent_and_a_refused_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REWARD_API_KEY", "secret")
    with serving(lambda number, body: (401, "who are you")) as server:
        found = ask(scorer(server), ["p"], ["a"])[0]
    assert server.headers[0]["authorization"] == "Bearer secret"
    assert "REWARD_API_KEY" in found.reason
    assert "secret" not in found.reason


def test_it_is_made_from_a_specification() -> None:
    with serving(lengths) as server:
        made = load_scorer({"kind": "http", "url": server.url + "/get_reward", "batch_size": 2})
        assert values(ask(made, ["p"] * 5, ["a"] * 5)) == [2.0] * 5
    assert set(server.paths) == {"/get_reward"}


@pytest.mark.parametrize(
    "settings",
    [
        {"url": "localhost"},
        {"dialect": "morse"},
        {"chat": True},
        {"batch_size": 0},
        {"retries": -1},
        {"template": "{prompt}"},
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        HttpScorer(**{"url": "http://localhost", **settings})


def test_no_completions_ask_nobody() -> None:
    assert HttpScorer("http://localhost:9").score([]) == []
