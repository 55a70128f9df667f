"""The endpoint policy against a real server on this machine."""

from collections.abc import Callable
from typing import Any

import pytest
from json_server import Answer, Body, Server, serving

from rlenv.core.errors import ConfigError, PolicyError
from rlenv.policies import Sampling
from rlenv.policies.endpoint import EndpointPolicy
from rlenv.policies.load import load_policy


def echo(number: int, body: Body) -> tuple[int, object]:
    """Says the prompt back, with the number of the choice."""
    said = body["messages"][-1]["content"]
    choices = [
        {"index": i, "message": {"role": "assistant", "content": f"{said}/{i}"}, "finish_reason": "stop"}
        for i in range(body.get("n", 1))
    ]
    return 200, {"choices": choices[::-1]}


def one_at_a_time(number: int, body: Body) -> tuple[int, object]:
    """A server that ignores n."""
    return echo(number, {**body, "n": 1})


def policy(server: Server, **options: Any) -> EndpointPolicy:
    return EndpointPolicy(server.url + "/v1", "model", **{"backoff_s": 0.0, **options})


def test_completions_come_prompt_by_prompt() -> None:
    with serving(echo) as server:
        found = policy(server, concurrency=4).generate([f"p{i}" for i in range(20)], n=3)
    assert [c.text for c in found] == [f"p{i}/{j}" for i in range(20) for j in range(3)]
    assert set(server.paths) == {"/v1/chat/completions"}
    assert len(server.bodies) == 20


def test_the_sampling_settings_and_chat_messages_are_sent() -> None:
    chat = ({"role": "system", "content": "Be short."}, {"role": "user", "content": "Hi \ud800"})
    with serving(echo) as server:
        settings = Sampling(max_new_tokens=7, temperature=0.5, top_p=0.9, seed=3)
        policy(server, extra_body={"top_k": 5}).generate([chat, "second"], sampling=settings)
    first = next(body for body in server.bodies if len(body["messages"]) == 2)
    assert first == {
        "model": "model",
        "messages": [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Hi ?"}],
        "max_tokens": 7,
        "temperature": 0.5,
        "top_p": 0.9,
        "seed": 3,
        "top_k": 5,
    }
    assert len({body["seed"] for body in server.bodies}) == 2


def refuses_n(number: int, body: Body) -> tuple[int, object]:
    return (400, {"error": "n > 1 is not supported"}) if "n" in body else echo(number, body)


@pytest.mark.parametrize("answer", [one_at_a_time, refuses_n])
def test_a_server_that_does_not_take_n_is_asked_n_times(answer: Answer) -> None:
    with serving(answer) as server:
        asking = policy(server, concurrency=1)
        assert [c.text for c in asking.generate(["a", "b"], n=3)] == ["a/0"] * 3 + ["b/0"] * 3
        before = len(server.bodies)
        asking.generate(["c"], n=3)
    assert len({body["seed"] for body in server.bodies[-3:]}) == 3
    assert len(server.bodies) == before + 3  # n is not tried again


def test_what_was_cut_and_the_logprobs_are_kept() -> None:
    choice = {
        "message": {"content": None},
        "finish_reason": "length",
        "logprobs": {"content": [{"token": "a", "logprob": -0.25}, {"token": "b", "logprob": -1}]},
    }
    with serving(lambda number, body: (200, {"choices": [choice]})) as server:
        found = policy(server, logprobs=True).generate(["a"])[0]
    assert (found.text, found.finished, found.logprobs) == ("", False, (-0.25, -1.0))
    assert server.bodies[0]["logprobs"] is True


@pytest.mark.parametrize("status", [429, 503, 0])
def test_a_busy_server_is_asked_again_and_that_is_said_once(status: int, caplog: pytest.LogCaptureFixture) -> None:
    with serving(lambda number, body: (status, "busy") if number < 2 else echo(number, body)) as server:
        assert policy(server, concurrency=1, retries=2).generate(["a"])[0].text == "a/0"
    assert len(server.bodies) == 3
    assert [told.getMessage().endswith("; asking again, up to 3 times") for told in caplog.records] == [True]


def test_one_refusal_stops_the_requests_that_wait_and_is_the_error_that_is_raised() -> None:
    def one_is_refused(number: int, body: Body) -> tuple[int, object]:
        return (401, "no key") if body["messages"][0]["content"] == "p1" else (503, "busy")

    with serving(one_is_refused) as server, pytest.raises(PolicyError, match="401 no key"):
        policy(server, concurrency=2, retries=5, backoff_s=30.0).generate(["p0", "p1", "p2"])


@pytest.mark.parametrize(("status", "hint"), [(401, "OPENAI_API_KEY"), (404, "/v1"), (400, "context too long")])
def test_a_refusal_is_not_retried_and_says_what_to_do(status: int, hint: str) -> None:
    with serving(lambda number, body: (status, "context too long")) as server, pytest.raises(PolicyError, match=hint):
        policy(server).generate(["a"])
    assert len(server.bodies) == 1


@pytest.mark.parametrize("answer", ["<html>", {"choices": []}, {"choices": [{"message": None}]}])
def test_an_answer_of_something_else_is_an_error(answer: object) -> None:
    not_chat = pytest.raises(PolicyError, match="not an answer of a chat model")
    with serving(lambda number, body: (200, answer)) as server, not_chat:
        policy(server).generate(["a"])


def test_the_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(echo) as server:
        policy(server).generate(["a"])
        monkeypatch.setenv("MY_KEY", "secret")
        policy(server, api_key_env="MY_KEY").generate(["a"])
    assert "authorization" not in server.headers[0]
    assert server.headers[1]["authorization"] == "Bearer secret"
    assert "secret" not in repr(policy(server, api_key_env="MY_KEY"))


def test_reasoning_and_calls_that_a_server_tells_apart_are_believed() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "add", "arguments": '{"a": "</tool_call>"}'}}
    message = {"reasoning_content": "I </think> so.", "content": "See <think>.", "tool_calls": [call]}

    def reasoning(number: int, body: Body) -> tuple[int, object]:
        return 200, {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}

    with serving(reasoning) as server:
        found = policy(server).generate(["?"])[0]
    assert (found.reasoning.text, found.content.text) == ("I </think> so.", "See <think>.")
    assert [(one.name, one.arguments) for one in found.tool_calls] == [("add", {"a": "</tool_call>"})]


def as_text(number: int, body: Body) -> tuple[int, object]:
    """A base model: continues the text."""
    logprobs = {"token_logprobs": [-0.5, None if body["prompt"] == "odd" else -0.25]}
    choices = [
        {"index": i, "text": f"{body['prompt']}/{i}", "finish_reason": "length", "logprobs": logprobs}
        for i in range(body.get("n", 1))
    ]
    return 200, {"choices": choices, "usage": {"prompt_tokens": 2, "completion_tokens": 2}}


def test_a_base_model_gets_the_prompt_as_text() -> None:
    chat = ({"role": "system", "content": "Be short."}, {"role": "user", "content": "Hi"})
    with serving(as_text) as server:
        asking = load_policy(f"{server.url}/v1/completions#base", endpoint={"logprobs": True})
        found = asking.generate(["Once", "odd", chat], n=2, sampling=Sampling(max_new_tokens=7, stop=("\n", "Q:")))
    assert set(server.paths) == {"/v1/completions"}
    assert [c.text for c in found] == [
        f"{prompt}/{i}" for prompt in ("Once", "odd", "system: Be short.\n\nuser: Hi") for i in range(2)
    ]
    assert (found[0].logprobs, found[2].logprobs, found[0].finished) == ((-0.5, -0.25), (), False)
    body = next(body for body in server.bodies if body["prompt"] == "Once")
    expected = {"model": "base", "prompt": "Once", "max_tokens": 7, "n": 2, "stop": ["\n", "Q:"], "logprobs": 0}
    assert {key: body[key] for key in expected} == expected
    assert asking.name.endswith("/v1/completions#base")


def context_of(tokens: int, prompt_tokens: int) -> Answer:
    """A server with so much room, whose prompts are all so long."""

    def answer(number: int, body: Body) -> tuple[int, object]:
        if prompt_tokens + body["max_tokens"] > tokens:
            return 400, {"error": {"message": f"This model's maximum context length is {tokens} tokens."}}
        choices = [{"index": i, "message": {"content": "so"}} for i in range(body.get("n", 1))]
        return 200, {"choices": choices, "usage": {"prompt_tokens": prompt_tokens}}

    return answer


def test_a_request_that_is_too_long_is_made_again_with_the_room_that_is_left() -> None:
    with serving(context_of(100, 90)) as server:
        found = policy(server, max_context=100).generate(["a"], n=2)
        assert [body["max_tokens"] for body in server.bodies] == [256, 1, 10]
        assert [body.get("n", 1) for body in server.bodies] == [2, 1, 2]
        assert [c.text for c in found] == ["so", "so"]


def test_a_prompt_without_any_room_has_an_empty_completion_that_was_cut() -> None:
    with serving(context_of(100, 120)) as server:
        found = policy(server, max_context=100).generate(["a"], n=2)
        assert [(c.text, c.finished) for c in found] == [("", False)] * 2
        with pytest.raises(PolicyError, match="--max-context"):
            policy(server).generate(["a"])


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (lambda: load_policy("http://localhost/v1"), "http://localhost/v1#MODEL"),
        (lambda: load_policy("http://localhost/v1#m", endpoint={"speed": 3}), "unexpected keyword argument 'speed'"),
        (lambda: EndpointPolicy("http://localhost", "model", concurrency=0), "concurrency"),
        (lambda: Sampling(stop=("",)), "stop to be texts"),
    ],
)
def test_settings_that_cannot_be_are_refused(asked: Callable[[], object], message: str) -> None:
    with pytest.raises((ConfigError, PolicyError), match=message):
        asked()
