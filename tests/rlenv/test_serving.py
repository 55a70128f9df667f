"""Judging over HTTP: the verdicts are those of the library, in each of the forms, and what is wrong is said."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest
from served import ENV, Running, running

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.env import registry
from rlenv.env.rows import GroupJudge, rows_of, to_row
from rlenv.serving.app import Service
from rlenv.serving.judging import Environments
from rlenv.serving.settings import ServeSettings
from rlenv.wrappers import State

SAID = [
    "{right}",
    "\\boxed{{1}}",
    "",
    "\ud800 \x00 \\boxed{{{{",
    "<think>{right}</think>",
    "I say {right} or \\boxed{{7}}",
]
FAILING, RANKED = "test/failing-v0", "test/ranked-v0"


class Ranked:
    """Pays the first of a group a point more, and counts the groups that it saw."""

    name = "ranked"

    def judge(self, episodes: Sequence[Episode], state: State) -> list[Verdict]:
        state["groups"] = int(str(state.get("groups", 0))) + 1
        return [e.verdict.with_part("first", float(i == 0)) for i, e in enumerate(episodes)]


def fails(completion: str) -> float:
    raise RuntimeError(f"no verdict on {completion}")


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    rlenv.register(FAILING, tasks=[{"prompt": "?", "answer": "1"}], verifier=fails, cheap=True)
    rlenv.register(RANKED, tasks=[{"prompt": "?", "answer": "1"}], verifier=lambda completion: 0.0, cheap=True)
    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(registry._definitions, RANKED, replace(rlenv.load(RANKED), wrappers=(Ranked(),)))
            patch.setattr(Environments, "check", lambda self: None)  # one of them always fails
            started = stack.enter_context(running(ENV, FAILING, RANKED, eos="<eos>"))
        yield started


def tasks(count: int = 5) -> list[Task]:
    definition = rlenv.load(ENV)
    return [definition.tasks[i] for i in range(count)]


def said(task: Task) -> list[str]:
    return [text.format(right=rlenv.load(ENV).solution(task)) for text in SAID]


def locally(jobs: list[tuple[Task, Completion]]) -> list[Verdict]:
    keys = [str(i) for i in range(len(jobs))]
    episodes = GroupJudge(rlenv.load(ENV)).judge([t for t, _ in jobs], [c for _, c in jobs], keys)
    return [episode.verdict for episode in episodes]


def told(answer: dict[str, Any]) -> Verdict:
    return Verdict.from_json(answer)


def posted(service: Running, path: str, body: object) -> dict[str, Any]:
    """As the client posts: ASCII, which lone surrogates need."""
    response = service.http.post(path, content=json.dumps(body), headers={"Content-Type": "application/json"})
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


@pytest.mark.parametrize("finished", [True, False])
def test_one_completion_is_judged_as_the_library_judges_it(service: Running, finished: bool) -> None:
    for task in tasks(2):
        for text in said(task):
            body = {"env": ENV, "task": task.to_json(), "completion": text, "finished": finished}
            answer = posted(service, "/judge", body)
            assert told(answer) == locally([(task, Completion(text, finished=finished))])[0]
            assert answer["error"] is None
            assert answer["verifier_version"] == rlenv.load(ENV).verifier.version


def test_groups_are_judged_in_order(service: Running) -> None:
    groups = [{"env": ENV, "kwargs": {}, "task": task.to_json(), "completions": said(task)} for task in tasks()]
    answer = posted(service, "/judge_batch", {"groups": groups})
    assert [told(one) for one in answer["verdicts"]] == locally([(t, Completion(s)) for t in tasks() for s in said(t)])
    assert posted(service, "/judge_batch", {"groups": []})["verdicts"] == []


def test_a_failed_checker_is_null_with_an_error_and_never_0(service: Running) -> None:
    task = {"prompt": "?", "reference": "1"}
    one = service.ask("/judge", {"env": FAILING, "task": task, "completion": "x"})
    many = service.ask("/judge_batch", {"groups": [{"env": FAILING, "task": task, "completions": ["x", "y"]}]})
    for answer in [one, *many["verdicts"]]:
        assert (answer["reward"], answer["status"]) == (None, "verifier_error")
        assert "RuntimeError: no verdict on" in answer["error"]


def test_wrappers_see_the_groups_of_a_request(service: Running) -> None:
    group = {"env": RANKED, "task": {"prompt": "?", "reference": "1"}, "completions": ["a", "b"]}
    before = seen(service)
    answer = service.ask("/judge_batch", {"request_id": "an id of its own", "groups": [group, group]})
    assert answer["request_id"] == "an id of its own"
    assert [one["reward"] for one in answer["verdicts"]] == [1.0, 0.0, 1.0, 0.0]
    assert seen(service) - before == 2
    plain = service.ask("/judge_batch", {"groups": [group], "wrappers": False})
    assert [one["reward"] for one in plain["verdicts"]] == [0.0, 0.0]


def seen(service: Running) -> int:
    states = service.service.environments.find(RANKED).judge.states
    return sum(int(str(state.get("groups", 0))) for state in states.values())


def openrlhf(task: Task, text: str, prompt: str = "<bos>user: ?\n") -> tuple[str, str, str]:
    return "<s>" + prompt + text, prompt, to_row(ENV, task)


def test_openrlhf_s_form(service: Running) -> None:
    samples = [openrlhf(task, text + "<eos>") for task in tasks(3) for text in said(task)[:3]]
    query, prompts, labels = zip(*samples, strict=True)
    answer = service.ask("/openrlhf", {"query": query, "prompts": prompts, "labels": labels})
    wanted = [v.reward for v in locally([(t, Completion(s)) for t in tasks(3) for s in said(t)[:3]])]
    assert answer == {"rewards": wanted, "scores": wanted, "extra_logs": {}, "errors": [None] * 9}
    assert set(wanted) == {0.0, 1.0}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"labels": ["11"]}, "expected a row of rlenv.to_row: expected a JSON object, got int"),
        ({"labels": ["no json"]}, "expected a row of rlenv.to_row: expected JSON"),
        ({"labels": ['{"env": "no/such-v0", "task": {"prompt": "?"}}']}, "this server judges math/arithmetic-v1"),
        ({"query": ["another text"]}, "does not hold its prompt"),
    ],
)
def test_a_sample_of_openrlhf_that_nobody_can_judge_has_no_reward(service: Running, change: Any, why: str) -> None:
    query, prompt, label = openrlhf(tasks(1)[0], "x<eos>")
    answer = service.ask("/openrlhf", {"query": [query], "prompts": [prompt], "labels": [label], **change})
    assert answer["rewards"] == [None]
    assert why in answer["errors"][0]


def test_nemo_gym_s_form(service: Running) -> None:
    task, row = tasks(1)[0], rows_of(ENV, [0])[0]
    right = said(task)[0]
    thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "It is \\boxed{-1}."}]}
    message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": right}]}
    body = {"responses_create_params": {"input": "?"}, "response": {"output": [thought, message]}, "rlenv_row": row}
    answer = service.ask("/verify", body)
    assert {name: answer[name] for name in body} == body
    assert (answer["reward"], answer["mask_sample"], answer["error"]) == (1.0, False, None)
    inside = {**body, "rlenv_row": None, "verifier_metadata": {"rlenv_row": row}, "response": {"output": [thought]}}
    assert service.ask("/verify", inside)["reward"] == 0.0
    failing = {**body, "rlenv_row": to_row(FAILING, Task("?", "1"))}
    answer = service.ask("/verify", failing)
    assert (answer["reward"], answer["mask_sample"], answer["_ng_failure_class"]) == ("NaN", True, "verifier_error")
    assert "RuntimeError" in answer["error"]


def asks(**changes: Any) -> str:
    return json.dumps({"env": ENV, "task": {"prompt": "?"}, "completion": "1", **changes})


@pytest.mark.parametrize(
    ("path", "body", "status", "why"),
    [
        ("/judge", "[", 400, "expected JSON"),
        ("/judge", "[" * 100_000, 400, "brackets"),
        ("/judge", "\xff", 400, "JSON"),
        ("/judge", asks(env="math/gsm8k-v0"), 404, "this server judges math/arithmetic-v1"),
        ("/judge", asks(kwargs={"level": 9}), 404, "is served with {}"),
        ("/judge", '{"env": "math/arithmetic-v1"}', 400, "expected 'task', got ['env']"),
        ("/judge", asks(task="?"), 400, "task: expected an object, got str"),
        ("/judge", asks(completion={"read_as": "x"}), 400, "a completion cannot be read"),
        ("/judge", asks(finished=1), 400, "finished: Input should be a valid boolean, got int"),
        ("/judge", asks(request_id="x" * 201), 400, "request_id: String should have at most 200 characters"),
        ("/judge_batch", '{"groups": [' + "7," * 400_000 + "7]}", 400, "groups.0: "),
        ("/openrlhf", '{"query": ["a"], "prompts": [], "labels": []}', 400, "as many query, prompts and labels"),
        ("/verify", '{"response": {}}', 400, "expected the text of a row"),
    ],
)
def test_what_is_wrong_with_a_request_is_said(service: Running, path: str, body: str, status: int, why: str) -> None:
    response = service.http.post(path, content=body.encode("latin-1"), headers={"Content-Type": "application/json"})
    assert response.status_code == status
    assert why in response.json()["error"]


def test_a_full_queue_says_when_to_come_back() -> None:
    entered, go_on = threading.Event(), threading.Event()

    def waits(completion: str) -> bool:
        if completion == "wait":
            entered.set()
            assert go_on.wait(30)
        return True

    rlenv.register("test/waits-v0", tasks=[{"prompt": "?", "answer": "1"}], verifier=waits, isolation="inline")
    body = {"env": "test/waits-v0", "task": {"prompt": "?"}, "completion": "wait"}
    with running("test/waits-v0", queue=1, max_batch=1) as service:
        first = threading.Thread(target=service.ask, args=("/judge", body))
        first.start()
        try:
            assert entered.wait(30)
            refused = service.http.post("/judge", json={**body, "completion": "more"})
            assert service.http.get("/health").json()["waiting"] == 1
        finally:
            go_on.set()
            first.join()
        assert service.ask("/judge", {**body, "completion": "more"})["reward"] == 1.0
    assert refused.status_code == 503
    assert int(refused.headers["Retry-After"]) >= 1
    assert "ask again in" in refused.json()["error"]


def test_metrics_are_told_as_prometheus_reads_them(service: Running) -> None:
    service.ask("/judge", {"env": ENV, "task": {"prompt": "?", "reference": "1"}, "completion": "\\boxed{1}"})
    service.http.post("/judge", content=b"[", headers={"Content-Type": "application/json"})
    service.http.get("/anything/of/a/stranger")
    response = service.http.get("/metrics")
    assert response.headers["Content-Type"].startswith("text/plain; version=")
    text = response.text
    assert "# TYPE rlenv_requests_total counter" in text
    assert 'rlenv_verdicts_total{env="math/arithmetic-v1",status="graded"}' in text
    assert 'rlenv_requests_total{path="/judge",status="400"}' in text
    assert 'rlenv_requests_total{path="other",status="404"}' in text
    assert "rlenv_judge_seconds_bucket" in text
    assert "stranger" not in text


def test_a_checker_that_cannot_work_here_is_known_at_the_start() -> None:
    rlenv.register("test/broken-v0", tasks=[{"prompt": "?", "answer": "1"}], verifier=fails, cheap=True)
    with pytest.raises(ConfigError, match="test/broken-v0 cannot judge here: RuntimeError"):
        Service([("test/broken-v0", {})], ServeSettings())


def test_an_environment_for_evaluation_only_is_served_where_that_was_said(monkeypatch: pytest.MonkeyPatch) -> None:
    id = "test/looks-v0"
    rlenv.register(id, tasks=[{"prompt": "?", "answer": "1"}], verifier=lambda completion: True, cheap=True)
    monkeypatch.setitem(registry._definitions, id, replace(rlenv.load(id), evaluation_only="its tests are its own"))
    with pytest.raises(ConfigError, match="evaluation only"):
        Service([(id, {})], ServeSettings())
    with running(id, evaluation=True) as service:
        assert service.http.get("/environments").json()["environments"][0]["evaluation_only"] == "its tests are its own"
