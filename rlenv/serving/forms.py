"""The forms of requests and answers: ours, OpenRLHF's and NeMo Gym's, as JSON in and JSON out.

Each form is two functions: what a request asks (`..._asked`, which raises an RlenvError that says what is wrong) and
what the verdicts are told as (`..._told`). A failed checker is a reward of null with an `error`; NeMo Gym's form cannot
hold null, and has "NaN" there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from rlenv.core.completion import Completion, as_completion
from rlenv.core.errors import ConfigError, RlenvError
from rlenv.core.jsontypes import Json, line, read_json
from rlenv.core.reading.message import message_text
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.serving.judging import Environments, Job, Served

ROW = "rlenv_row"
"""Where a row of NeMo Gym's data carries ours."""
NEMO_TASK = "_ng_task_index"
"""Equal in what NeMo Gym rolled out for one task."""
ID_CHARS = 200
MOST_VALUES = 1_000_000
"""In the JSON of one request."""


@dataclass(frozen=True)
class Asked:
    """What a request wants judged."""

    jobs: list[Job]
    request_id: str = ""
    """Of a client that may send it again; empty where it says none."""
    wrappers: bool = True


def read_object(body: bytes) -> Mapping[str, Json]:
    """The JSON object of a request. Raises ConfigError for anything else."""
    try:
        data = read_json(body, MOST_VALUES)
    except (ValueError, UnicodeDecodeError) as error:
        raise ConfigError(f"expected a body of JSON: {error}") from error
    return _object(data, "a JSON object as the body")


def request_id(data: Mapping[str, Json]) -> str:
    """The id of a request that may be sent again."""
    id = data.get("request_id", "")
    if not isinstance(id, str) or len(id) > ID_CHARS:
        raise ConfigError(f"expected request_id to be a text of at most {ID_CHARS} characters")
    return id


# --- ours ---


def one_asked(data: Mapping[str, Json], environments: Environments) -> Asked:
    """`{"env", "task", "completion"}`, and where wanted `kwargs`, `finished`, `wrappers`, `request_id`."""
    served, task = _row(data, environments)
    completion = _completion(data.get("completion"), data.get("finished", True), served)
    return Asked([Job(served, task, completion, "0")], request_id(data), _flag(data, "wrappers", True))


def one_told(asked: Asked, verdicts: Sequence[Verdict]) -> bytes:
    """The verdict, with `error` and the version of the verifier."""
    return _written({"request_id": asked.request_id, **_verdict(asked.jobs[0], verdicts[0])})


def batch_asked(data: Mapping[str, Json], environments: Environments) -> Asked:
    """`{"groups": [{"env", "task", "completions"}]}`: the completions of a group answer the same task."""
    jobs: list[Job] = []
    for number, given in enumerate(_list(data.get("groups"), "groups")):
        group = _object(given, f"group {number} to be an object")
        served, task = _row(group, environments)
        texts = _list(group.get("completions"), "completions")
        ends = _list(group.get("finished", [True] * len(texts)), "finished")
        if len(ends) != len(texts):
            raise ConfigError(f"group {number}: expected {len(texts)} values of finished, got {len(ends)}")
        said = [_completion(text, end, served) for text, end in zip(texts, ends, strict=True)]
        jobs += [Job(served, task, completion, str(number)) for completion in said]
    return Asked(jobs, request_id(data), _flag(data, "wrappers", True))


def batch_told(asked: Asked, verdicts: Sequence[Verdict]) -> bytes:
    """One list of verdicts, group by group as they were asked."""
    told = [_verdict(job, verdict) for job, verdict in zip(asked.jobs, verdicts, strict=True)]
    return _written({"request_id": asked.request_id, "verdicts": told})


# --- OpenRLHF ---


def openrlhf_asked(data: Mapping[str, Json], environments: Environments, eos: str) -> Asked:
    """`{"query", "prompts", "labels"}`, one each a sample; a label is a row of `rlenv.to_row`.

    A query is the prompt and what was said, with special tokens. With `eos`, one that does not end in it was cut.
    """
    columns = [_list(data.get(name), name) for name in ("query", "prompts", "labels")]
    if len({len(column) for column in columns}) != 1:
        raise ConfigError(f"expected as many query, prompts and labels, got {[len(column) for column in columns]}")
    samples = zip(*columns, strict=True)
    return Asked([_openrlhf_job(str(q), str(p), str(label), environments, eos) for q, p, label in samples])


def openrlhf_told(asked: Asked, verdicts: Sequence[Verdict]) -> bytes:
    """`{"rewards", "scores", "extra_logs"}` and `errors`: null where the checker worked."""
    rewards: list[Json] = [verdict.reward for verdict in verdicts]
    errors: list[Json] = [_error(verdict) for verdict in verdicts]
    return _written({"rewards": rewards, "scores": rewards, "extra_logs": {}, "errors": errors})


def _openrlhf_job(query: str, prompt: str, label: str, environments: Environments, eos: str) -> Job:
    try:
        served, task = _row(_object(_read(label), "the label to be a row of rlenv.to_row"), environments)
        # a token that opens the text may stand before the prompt; what the policy said never stands within it
        start = query.find(prompt)
        if start < 0:
            raise ConfigError("the query does not hold its prompt, so where the completion begins is not known")
        text = query[start + len(prompt) :]
        finished = not eos or text.endswith(eos)
        return Job(served, task, _completion(text.removesuffix(eos), finished, served), label)
    except (RlenvError, ValueError, KeyError, TypeError) as problem:
        return Job(None, Task(""), Completion(""), label, f"this sample cannot be judged: {problem}")


# --- NeMo Gym ---


def nemo_asked(data: Mapping[str, Json], environments: Environments) -> Asked:
    """`{"responses_create_params", "response", "rlenv_row"}`; the row may stand in `verifier_metadata` too."""
    metadata = data.get("verifier_metadata")
    row = data.get(ROW) or (metadata.get(ROW) if isinstance(metadata, Mapping) else None)
    if not isinstance(row, str):
        raise ConfigError(f"expected the text of a row (rlenv.to_row) in {ROW!r} or in verifier_metadata[{ROW!r}]")
    served, task = _row(_object(_read(row), f"{ROW} to be a row of rlenv.to_row"), environments)
    response = _object(data.get("response"), "response to be an object of OpenAI's Responses API")
    text, segments = message_text(_message(response))
    cut = response.get("status") == "incomplete" or bool(response.get("incomplete_details"))
    completion = as_completion(Completion(text, finished=not cut, segments=segments), served.definition.read_as)
    return Asked([Job(served, task, completion, "0")])


def nemo_told(data: Mapping[str, Json], verdict: Verdict) -> bytes:
    """The request itself with `reward`.

    NeMo Gym wants a number: a failed checker is NaN, as pydantic writes it in JSON, and carries the words by which its
    agents leave a sample out (`mask_sample`) and its collector puts it into the file of failures.
    """
    told: dict[str, Json] = {"reward": verdict.reward, "mask_sample": not verdict.graded, "error": _error(verdict)}
    if not verdict.graded:
        told |= {"reward": "NaN", "failure_reason": verdict.reason, "_ng_failure_class": "verifier_error"}
    return _written({**data, **told})


def nemo_summary(data: Mapping[str, Json]) -> bytes:
    """The answer to `/aggregate_metrics`: the mean of what was graded, and how much was not."""
    given = _list(data.get("verify_responses"), "verify_responses")
    rows = [_object(row, "verify_responses to be objects") for row in given]
    groups: dict[str, list[Json]] = {}
    for row in rows:
        groups.setdefault(line(row.get(NEMO_TASK, 0)), []).append(row.get("reward"))
    tasks: list[Json] = [{NEMO_TASK: read_json(task), **_means(paid)} for task, paid in groups.items()]
    told = _means([row.get("reward") for row in rows])
    return _written({"group_level_metrics": tasks, "agent_metrics": told, "key_metrics": told})


def _means(paid: Sequence[Json]) -> dict[str, Json]:
    graded = [reward for reward in paid if isinstance(reward, int | float)]
    mean: dict[str, Json] = {"mean/reward": sum(graded) / len(graded)} if graded else {}
    return {**mean, "verifier_errors": 1 - len(graded) / len(paid)} if paid else {}


def _message(response: Mapping[str, Json]) -> dict[str, object]:
    """What the model said last in a response: all that stands behind the last output of a tool."""
    items = [_object(item, "items of output to be objects") for item in _list(response.get("output"), "output")]
    tools = [i for i, item in enumerate(items) if item.get("type") == "function_call_output"]
    last = items[tools[-1] + 1 :] if tools else items
    thoughts = [_texts(item, "content") or _texts(item, "summary") for item in last if item.get("type") == "reasoning"]
    said = [_texts(item, "content") for item in last if item.get("type") == "message"]
    calls = [{"function": item} for item in last if item.get("type") == "function_call"]
    return {"reasoning_content": "\n".join(thoughts), "content": "".join(said), "tool_calls": calls}


def _texts(item: Mapping[str, Json], name: str) -> str:
    parts = item.get(name)
    if isinstance(parts, str):
        return parts
    blocks = parts if isinstance(parts, list) else []
    return "".join(str(block.get("text", "")) for block in blocks if isinstance(block, Mapping))


# --- parts of them ---


def _row(data: Mapping[str, Json], environments: Environments) -> tuple[Served, Task]:
    """The environment and the task that a row names."""
    served = environments.find(data.get("env"), data.get("kwargs"))
    task = _object(data.get("task"), "'task' to be an object as Task.to_json gives it")
    try:
        return served, Task.from_json(task)
    except KeyError as error:
        raise ConfigError(f"expected a task with {error}, got {sorted(task)[:20]}") from error


def _completion(said: Json, finished: Json, served: Served) -> Completion:
    if not isinstance(finished, bool):
        raise ConfigError(f"expected finished to be true or false, got {finished!r:.100}")
    if isinstance(said, str):
        completion = Completion(said, finished=finished)
    else:
        given = _object(said, "a completion to be a text, or an object as Completion.to_json gives it")
        try:
            completion = Completion.from_json(given)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ConfigError(f"a completion cannot be read: {type(error).__name__}: {error}") from error
    return as_completion(completion, served.definition.read_as)


def _verdict(job: Job, verdict: Verdict) -> dict[str, Json]:
    version = "" if job.served is None else job.served.definition.verifier.version
    return {**verdict.to_json(), "error": _error(verdict), "verifier_version": version}


def _error(verdict: Verdict) -> str | None:
    return None if verdict.graded else verdict.reason or "the checker failed"


def _flag(data: Mapping[str, Json], name: str, default: bool) -> bool:
    value = data.get(name, default)
    if not isinstance(value, bool):
        raise ConfigError(f"expected {name} to be true or false, got {value!r:.100}")
    return value


def _read(text: str) -> Json:
    try:
        return read_json(text)
    except ValueError as error:
        raise ConfigError(f"a row is no JSON: {error}") from error


def _object(value: Json, what: str) -> Mapping[str, Json]:
    if not isinstance(value, Mapping):
        raise ConfigError(f"expected {what}, got {type(value).__name__}")
    return value


def _list(value: Json, name: str) -> list[Json]:
    if not isinstance(value, list):
        raise ConfigError(f"expected {name} to be a list, got {type(value).__name__}")
    return cast("list[Json]", value)


def _written(value: Mapping[str, Json]) -> bytes:
    """ASCII, so that lone surrogates of a hostile completion travel."""
    return line(value).encode("ascii")
