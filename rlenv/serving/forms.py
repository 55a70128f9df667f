"""The forms of requests and answers: ours, OpenRLHF's and NeMo Gym's, as pydantic models.

A form says what a request holds, which jobs that is (`jobs`, which raises an RlenvError that says what is wrong) and
how verdicts answer it (`answer`). A failed checker is a reward of null with an `error`; NeMo Gym's form cannot hold
null, and has "NaN" there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, TypeAlias, TypeVar, cast

from pydantic import BaseModel, ConfigDict, FailFast, Field, GetCoreSchemaHandler, PrivateAttr, ValidationError
from pydantic_core import CoreSchema, core_schema

from rlenv.core.completion import Completion, as_completion
from rlenv.core.errors import MISREAD, ConfigError, RlenvError
from rlenv.core.jsontypes import Json, line, read_json
from rlenv.core.reading.message import response_message
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.integrations.adapter import ROW, message_completion
from rlenv.serving.judging import Environments, Job, Served

NEMO_TASK = "_ng_task_index"
"""Equal in what NeMo Gym rolled out for one task."""
ID_CHARS = 200
MOST_VALUES = 1_000_000
"""In the JSON of one request."""


class _Kept:
    """A field that is looked at and kept as it is: pydantic would copy it, and reads no lone surrogates."""

    def __init__(self, what: str, **kinds: type) -> None:
        """`kinds` are Python's types by the names of JSON's."""
        self.what, self.kinds = what, kinds

    def __get_pydantic_core_schema__(self, source: type, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._checked)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: object) -> dict[str, list[str]]:
        return {"type": list(self.kinds)}

    def _checked(self, value: Json) -> Json:
        if not isinstance(value, tuple(self.kinds.values())):
            raise ValueError(f"expected {self.what}")
        return value


Object: TypeAlias = Annotated[Mapping[str, Json], _Kept("an object", object=dict)]
TaskObject: TypeAlias = Annotated[Object, Field(description="What Task.to_json() gives")]
Text: TypeAlias = Annotated[str, _Kept("a text", string=str)]
Said: TypeAlias = Annotated[
    str | Mapping[str, Json],
    _Kept("a completion to be a text, or an object as Completion.to_json gives it", string=str, object=dict),
]
Texts: TypeAlias = Annotated[list[Text], FailFast()]


class _Request(BaseModel):
    """What our own forms share."""

    model_config = ConfigDict(strict=True)
    request_id: str = Field("", max_length=ID_CHARS, description="Comes back with the answer")
    wrappers: bool = Field(True, description="false leaves the environment's wrappers out")


class _Row(BaseModel):
    """Which environment judges which task."""

    model_config = ConfigDict(strict=True)
    env: str
    kwargs: Object | None = Field(None, description="Refused where they are not those of the service")
    task: TaskObject


class JudgeRequest(_Request, _Row):
    """One completion."""

    completion: Said
    finished: bool = Field(True, description="false where the policy was cut")

    def jobs(self, environments: Environments, eos: str) -> list[Job]:
        served, task = _row(self, environments)
        return [Job(served, task, _completion(self.completion, self.finished, served), "0")]

    def answer(self, jobs: Sequence[Job], verdicts: Sequence[Verdict]) -> Mapping[str, Json]:
        """The verdict, with `error` and the version of the verifier."""
        return {"request_id": self.request_id, **_verdict(jobs[0], verdicts[0])}


class Group(_Row):
    """The completions of one task, which are a group for the wrappers."""

    completions: Annotated[list[Said], FailFast()]
    finished: Annotated[list[bool] | None, FailFast()] = None


class BatchRequest(_Request):
    """Groups of completions."""

    groups: Annotated[list[Group], FailFast()]

    def jobs(self, environments: Environments, eos: str) -> list[Job]:
        jobs: list[Job] = []
        for number, group in enumerate(self.groups):
            served, task = _row(group, environments)
            ends = [True] * len(group.completions) if group.finished is None else group.finished
            if len(ends) != len(group.completions):
                raise ConfigError(
                    f"group {number}: expected {len(group.completions)} values of finished, got {len(ends)}"
                )
            said = zip(group.completions, ends, strict=True)
            jobs += [Job(served, task, _completion(one, end, served), str(number)) for one, end in said]
        return jobs

    def answer(self, jobs: Sequence[Job], verdicts: Sequence[Verdict]) -> Mapping[str, Json]:
        """One list of verdicts, group by group as they were asked."""
        given = [_verdict(job, verdict) for job, verdict in zip(jobs, verdicts, strict=True)]
        return {"request_id": self.request_id, "verdicts": given}


class OpenRLHFRequest(BaseModel):
    """As OpenRLHF asks a reward model: one each a sample; a label is a row of `rlenv.to_row`.

    A query is the prompt and what was said, with special tokens.
    """

    model_config = ConfigDict(strict=True)
    query: Texts
    prompts: Texts
    labels: Texts
    request_id: str = Field("", max_length=ID_CHARS)
    wrappers: ClassVar[bool] = True

    def jobs(self, environments: Environments, eos: str) -> list[Job]:
        """With `eos`, a query that does not end in it was cut."""
        sizes = [len(self.query), len(self.prompts), len(self.labels)]
        if len(set(sizes)) != 1:
            raise ConfigError(f"expected as many query, prompts and labels, got {sizes}")
        samples = zip(self.query, self.prompts, self.labels, strict=True)
        return [_openrlhf_job(query, prompt, label, environments, eos) for query, prompt, label in samples]

    def answer(self, jobs: Sequence[Job], verdicts: Sequence[Verdict]) -> Mapping[str, Json]:
        rewards = [verdict.reward for verdict in verdicts]
        return {"rewards": rewards, "scores": rewards, "extra_logs": {}, "errors": [_error(v) for v in verdicts]}


def _openrlhf_job(query: str, prompt: str, label: str, environments: Environments, eos: str) -> Job:
    try:
        served, task = _row_of_text(label, environments)
        # a token that opens the text may stand before the prompt; what the policy said never stands within it
        start = query.find(prompt)
        if start < 0:
            raise ConfigError("the query does not hold its prompt, so where the completion begins is not known")
        text = query[start + len(prompt) :]
        finished = not eos or text.endswith(eos)
        return Job(served, task, _completion(text.removesuffix(eos), finished, served), label)
    except (RlenvError, ValueError, KeyError, TypeError) as problem:
        return Job(None, Task(""), Completion(""), label, f"this sample cannot be judged: {problem}")


class VerifyRequest(BaseModel):
    """As NeMo Gym asks a resources server; the row may stand in `verifier_metadata` too."""

    model_config = ConfigDict(strict=True, extra="ignore", json_schema_extra={"additionalProperties": True})
    response: Annotated[Object, Field(description="Of OpenAI's Responses API")]
    rlenv_row: Text | None = Field(None, description="A row of rlenv.to_row")
    verifier_metadata: Object | None = None
    request_id: ClassVar[str] = ""
    wrappers: ClassVar[bool] = True
    _data: Mapping[str, Json] = PrivateAttr(default_factory=dict)

    def jobs(self, environments: Environments, eos: str) -> list[Job]:
        row = self.rlenv_row or (self.verifier_metadata or {}).get(ROW)
        if not isinstance(row, str):
            raise ConfigError(f"expected the text of a row (rlenv.to_row) in {ROW!r} or in verifier_metadata[{ROW!r}]")
        served, task = _row_of_text(row, environments)
        cut = self.response.get("status") == "incomplete" or bool(self.response.get("incomplete_details"))
        message = _last_message(self.response.get("output"))
        said = message_completion(message, finished=not cut, read_as=served.definition.read_as)
        return [Job(served, task, said, "0")]

    def answer(self, jobs: Sequence[Job], verdicts: Sequence[Verdict]) -> Mapping[str, Json]:
        """The request itself with `reward`.

        NeMo Gym wants a number: a failed checker is NaN, as pydantic writes it in JSON, and carries the words by which
        its agents leave a sample out (`mask_sample`) and its collector puts it into the file of failures.
        """
        [verdict] = verdicts
        error = {"reward": verdict.reward, "mask_sample": not verdict.graded, "error": _error(verdict)}
        if not verdict.graded:
            error |= {"reward": "NaN", "failure_reason": verdict.reason, "_ng_failure_class": "verifier_error"}
        return {**self._data, **error}


class SessionRequest(BaseModel):
    """By which NeMo Gym opens and closes a rollout; since 0.7 it gives the session an id and wants it back."""

    resources_session_id: Text | None = None

    def answer(self) -> Mapping[str, Json]:
        """The id, where there is one."""
        return {} if self.resources_session_id is None else {"resources_session_id": self.resources_session_id}


class AggregateRequest(BaseModel):
    """What NeMo Gym asks for the metrics of a whole run."""

    verify_responses: Annotated[list[Object], FailFast()]

    def summary(self) -> Mapping[str, Json]:
        """The mean of what was graded, and how much was not."""
        groups: dict[str, list[Json]] = {}
        for row in self.verify_responses:
            groups.setdefault(line(row.get(NEMO_TASK, 0)), []).append(row.get("reward"))
        tasks: list[Json] = [{NEMO_TASK: read_json(task), **_means(rewards)} for task, rewards in groups.items()]
        whole = _means([row.get("reward") for row in self.verify_responses])
        return {"group_level_metrics": tasks, "agent_metrics": whole, "key_metrics": whole}


def _means(rewards: Sequence[Json]) -> dict[str, Json]:
    graded = [reward for reward in rewards if isinstance(reward, int | float)]
    mean: dict[str, Json] = {"mean/reward": sum(graded) / len(graded)} if graded else {}
    return {**mean, "verifier_errors": 1 - len(graded) / len(rewards)} if rewards else {}


def _last_message(output: Json) -> dict[str, object]:
    """What the model said last in a response."""
    if not isinstance(output, list) or not all(isinstance(item, Mapping) for item in output):
        raise ConfigError("expected output of the response to be a list of objects")
    return response_message(cast("list[Mapping[str, object]]", output))


JudgingForm: TypeAlias = JudgeRequest | BatchRequest | OpenRLHFRequest | VerifyRequest
FormT = TypeVar("FormT", bound=BaseModel)


def read_form(form: type[FormT], body: bytes) -> FormT:
    """The request in this form. Raises ConfigError, with the first thing that is wrong."""
    try:
        data = read_json(body, MOST_VALUES)
    except (ValueError, UnicodeDecodeError) as error:
        raise ConfigError(f"expected JSON: {error}") from error
    if not isinstance(data, Mapping):
        raise ConfigError(f"expected a JSON object, got {type(data).__name__}")
    try:
        made = form.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place, problem = ".".join(map(str, first["loc"])), first["msg"].removeprefix("Value error, ")
        if first["type"] == "missing":
            raise ConfigError(f"expected {place!r}, got {sorted(first['input'])[:20]}") from error
        raise ConfigError(f"{place}: {problem}, got {type(first['input']).__name__}") from error
    if isinstance(made, VerifyRequest):
        made._data = data
    return made


def _row(row: _Row, environments: Environments) -> tuple[Served, Task]:
    """The environment and the task that a row names."""
    served = environments.find(row.env, row.kwargs)
    try:
        return served, Task.from_json(row.task)
    except KeyError as error:
        raise ConfigError(f"expected a task with {error}, got {sorted(row.task)[:20]}") from error


def _row_of_text(text: str, environments: Environments) -> tuple[Served, Task]:
    try:
        return _row(read_form(_Row, text.encode("utf-8", "surrogatepass")), environments)
    except ConfigError as error:
        raise ConfigError(f"expected a row of rlenv.to_row: {error}") from error


def _completion(said: str | Mapping[str, Json], finished: bool, served: Served) -> Completion:
    if isinstance(said, str):
        completion = Completion(said, finished=finished)
    else:
        try:
            completion = Completion.from_json(said)
        except MISREAD as error:
            raise ConfigError(f"a completion cannot be read: {type(error).__name__}: {error}") from error
    return as_completion(completion, served.definition.read_as)


def _verdict(job: Job, verdict: Verdict) -> dict[str, Json]:
    version = "" if job.served is None else job.served.definition.verifier.version
    return {**verdict.to_json(), "error": _error(verdict), "verifier_version": version}


def _error(verdict: Verdict) -> str | None:
    return None if verdict.graded else verdict.reason or "the checker failed"
