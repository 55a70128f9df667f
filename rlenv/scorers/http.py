"""Reward models and process reward models behind an HTTP server: one table of dialects, DIALECTS.

    {"kind": "http", "url": "http://localhost:5000/get_reward"}
    {"kind": "http", "url": "http://localhost:8000", "dialect": "vllm_classify", "model": "Skywork/Skywork-Reward-V2"}
    {"kind": "http", "url": "http://localhost:8000", "model": "Qwen/Qwen2.5-Math-PRM-7B"}          as a scorer of steps
    {"kind": "http", "url": "http://localhost:9000/score_steps", "dialect": "steps"}               as a scorer of steps

Requests go out side by side and are made again while the server is busy (rlenv.door.posting). A batch that the
server refuses, or breaks at, is asked for one by one, so that one text costs nobody else the score. Whatever goes wrong
is a failure of the completions it concerns, never a low score: no answer, another number of scores, NaN, a step's
score that is no probability. Special tokens that a completion spells out are taken out of it, since the server would
read them as such.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias, cast

from rlenv.core.errors import MISREAD, ConfigError, PolicyError, VerifierContractError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Message, Prompt, prompt_messages, prompt_text
from rlenv.door.answer import Answer
from rlenv.door.posting import Patience, Poster, address, client, refusal, sendable
from rlenv.scorers.cleaning import cleaned
from rlenv.scorers.scorer import Job, Score, Stepped, StepScores, fingerprint

MOST_CLASSES = 1000
TOO_MUCH = frozenset({400, 413, 422})
"""Status codes of a request with something in it that the server does not take."""
_FIELDS = re.compile(r"\{prompt\}|\{completion\}")  # "{prompt} {completion}"
Values: TypeAlias = "list[float] | Mapping[str, float]"
"""The scores of the classes of one input, in order or by label; one alone for a reward model."""


class Scored(NamedTuple):
    """One completion to be scored, as text that a request can carry."""

    prompt: Prompt
    completion: str
    text: str
    """Prompt and completion in one string, as the template has them."""


@dataclass(frozen=True)
class Dialect:
    """What one kind of server is asked, and how it answers."""

    path: str
    """Goes behind the address, which is the server's root."""
    fields: Mapping[str, Callable[[Scored], Json]]
    """Fields of the request that hold one value a completion."""
    read: Callable[[object], list[Values]]
    """Raises one of MISREAD for an answer of another shape."""
    chats: bool = False
    """Takes `messages` instead, one conversation a request, to which the server applies its template."""
    extra: Mapping[str, Json] = field(default_factory=dict)
    raw: Mapping[str, Json] = field(default_factory=dict)
    """Fields that ask for the raw score in place of its sigmoid or softmax."""


def _rewards(answer: object) -> list[Values]:
    """{"rewards": [1.0, [2.0], ...]}: OpenRLHF's own server puts each in a list of its own."""
    rewards = cast("dict[str, list[object]]", answer)["rewards"]
    return [[_number(value[0] if isinstance(value, list) and len(value) == 1 else value)] for value in rewards]


def _data(name: str) -> Callable[[object], list[Values]]:
    """{"data": [{"index": 0, NAME: ...}, ...]}, in the order of their index."""

    def read(answer: object) -> list[Values]:
        rows = cast("dict[str, list[dict[str, object]]]", answer)["data"]
        by_index = {cast("int", row["index"]): row[name] for row in rows}
        if sorted(by_index) != list(range(len(rows))):
            raise ValueError(f"the indices {list(by_index)!r:.100}")
        return [_classes(by_index[index]) for index in range(len(rows))]

    return read


def _labelled(answer: object) -> list[Values]:
    """[[{"label": "good", "score": 1.0}, ...], ...]"""
    rows = cast("list[list[dict[str, object]]]", answer)
    return [{str(each["label"]): _number(each["score"]) for each in row} for row in rows]


def _embedded(answer: object) -> list[Values]:
    """[{"embedding": [1.0]}, ...]"""
    return [_classes(row["embedding"]) for row in cast("list[dict[str, object]]", answer)]


def _classes(value: object) -> list[float]:
    """The numbers of the last token where every token has some, of the whole otherwise."""
    while isinstance(value, list) and value and isinstance(value[0], list):
        value = value[-1]
    return [_number(one) for one in value] if isinstance(value, list) else [_number(value)]


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r:.100} where a number was expected")
    return float(value)


def _prompt(one: Scored) -> Json:
    return prompt_text(one.prompt)


def _text(one: Scored) -> Json:
    return one.text


_RAW: dict[str, Json] = {"use_activation": False}
DIALECTS = {
    "openrlhf": Dialect("", {"query": _text, "prompts": _prompt}, _rewards),
    "vllm_classify": Dialect("/classify", {"input": _text}, _data("probs"), chats=True, raw=_RAW),
    "vllm_pooling": Dialect("/pooling", {"input": _text}, _data("data"), chats=True, raw=_RAW),
    "vllm_score": Dialect(
        "/score", {"text_1": _prompt, "text_2": lambda one: one.completion}, _data("score"), raw=_RAW
    ),
    "tei": Dialect(
        "/predict", {"inputs": lambda one: [one.text]}, _labelled, extra={"truncate": False}, raw={"raw_scores": True}
    ),
    "sglang": Dialect("/classify", {"text": _text}, _embedded),
}


@dataclass(frozen=True)
class Server(Patience):
    """What both kinds of scorers know of their server."""

    url: str
    """The server's root, or for the dialects `openrlhf` and `steps` the whole address."""
    dialect: str = ""
    model: str = ""
    """The server's name for the model, where it asks for one."""
    timeout_s: float = field(default=120.0, kw_only=True)
    api_key_env: str = "REWARD_API_KEY"
    """The environment variable that holds the key; none is sent where it is not set."""
    extra_body: Mapping[str, Json] = field(default_factory=dict)
    """Fields of the request that only this server knows."""
    model_version: str = ""
    """Change it when the server gets another model under the same name: nobody else can tell."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "url", address(self.url))
        super().__post_init__()


@dataclass(frozen=True)
class HttpScorer(Server):
    """Asks for the scores of completions, many in one request."""

    dialect: str = "openrlhf"
    label: str | int | None = None
    """Which class is the score, by name or place, where the model has several."""
    chat: bool | None = None
    """Send the conversation and let the server apply its template; by default where the dialect can and the prompt
    is made of messages."""
    template: str = "{prompt}{completion}"
    """How prompt and completion are joined where the server applies no template: what its model was trained on."""
    raw: bool = True
    """Ask for the score itself, not for its sigmoid or softmax."""
    batch_size: int = 16
    """Completions in one request."""
    name: str = "reward_model"

    def __post_init__(self) -> None:
        if self.dialect not in DIALECTS:
            raise ConfigError(f"expected a dialect of {', '.join(DIALECTS)}, got {self.dialect!r}")
        if self.chat and not DIALECTS[self.dialect].chats:
            raise ConfigError(f"the dialect {self.dialect} has no conversations; leave chat out")
        if "{completion}" not in self.template:
            raise ConfigError(f"expected a template with {{completion}} in it, got {self.template!r:.100}")
        if self.batch_size < 1:
            raise ConfigError(f"expected a batch size of at least 1, got {self.batch_size}")
        super().__post_init__()

    @property
    def version(self) -> str:
        shape = (self.dialect, self.model, self.label, self.chat, self.template, self.raw, self.extra_body)
        return fingerprint(self.model_version, *shape)

    def score(self, jobs: Sequence[Job]) -> list[Score]:
        """One score a job; those of requests that failed have the reason in place of a value."""
        rows = [self._row(job) for job in jobs]
        batches = list(self._batches(rows))
        scores: dict[int, Score] = {}
        with client(self, self.api_key_env) as http, ThreadPoolExecutor(self.concurrency) as threads:
            poster = Poster(http, self, outages=self.concurrency)
            answers = threads.map(lambda batch: self._scores(poster, [rows[place] for place in batch]), batches)
            for batch, answer in zip(batches, answers, strict=True):
                scores |= zip(batch, answer, strict=True)
        return [scores[place] for place in range(len(jobs))]

    def _row(self, job: Job) -> Scored:
        prompt = job[0].prompt
        prompt = sendable(prompt) if isinstance(prompt, str) else tuple(_messages(prompt))
        texts = {"{prompt}": prompt_text(prompt), "{completion}": cleaned(job[1].content.text)}
        text = _FIELDS.sub(lambda place: texts[place[0]], self.template)
        return Scored(prompt, texts["{completion}"], text)

    def _batches(self, rows: Sequence[Scored]) -> Iterator[list[int]]:
        """The places of the completions that go together: conversations each alone."""
        texts = [place for place, row in enumerate(rows) if not self._as_chat(row)]
        for start in range(0, len(texts), self.batch_size):
            yield texts[start : start + self.batch_size]
        yield from ([place] for place, row in enumerate(rows) if self._as_chat(row))

    def _as_chat(self, row: Scored) -> bool:
        """True where the server is to apply its template."""
        chat = not isinstance(row.prompt, str) if self.chat is None else self.chat
        return chat and DIALECTS[self.dialect].chats

    def _scores(self, poster: Poster, rows: Sequence[Scored], retries: int | None = None) -> list[Score]:
        """One score each; a batch that gets no answer or is refused is asked for one by one."""
        try:
            response = poster.post(self.url + DIALECTS[self.dialect].path, self._body(rows), retries)
        except PolicyError as error:
            if len(rows) > 1:  # one text may be what the server breaks at; no pauses, in case it is down
                return [self._scores(poster, [row], retries=0)[0] for row in rows]
            return [Score.failure(str(error))]
        if response.status_code == 200:
            return self._read(response, len(rows))
        if len(rows) > 1 and response.status_code in TOO_MUCH:
            return [self._scores(poster, [row])[0] for row in rows]
        return [Score.failure(refusal(self.url, response, self.api_key_env))] * len(rows)

    def _body(self, rows: Sequence[Scored]) -> dict[str, Json]:
        dialect = DIALECTS[self.dialect]
        body: dict[str, Json] = {"model": self.model} if self.model else {}
        if self._as_chat(rows[0]):
            said = {"role": "assistant", "content": rows[0].completion}
            body["messages"] = cast("list[Json]", [*prompt_messages(rows[0].prompt), said])
        else:
            body |= {name: [value(row) for row in rows] for name, value in dialect.fields.items()}
            body |= dialect.extra
        return {**body, **(dialect.raw if self.raw else {}), **self.extra_body}

    def _read(self, response: Answer, expected: int) -> list[Score]:
        try:
            values = DIALECTS[self.dialect].read(response.json())
            if len(values) != expected:
                raise ValueError(f"{len(values)} scores for {expected} completions")
            return [self._picked(each) for each in values]
        except MISREAD as error:
            return [Score.failure(_misread(self.url, self.dialect, response, error))] * expected

    def _picked(self, values: Values) -> Score:
        """The score of the class asked for; several classes and none asked for is a failure."""
        named = dict(values) if isinstance(values, Mapping) else {str(i): value for i, value in enumerate(values)}
        label = next(iter(named)) if self.label is None and len(named) == 1 else str(self.label)
        if label not in named or len(named) > MOST_CLASSES:
            return Score.failure(f"expected one score or the label {self.label!r}, got the labels {list(named)!r:.500}")
        return Score(named[label], {} if len(named) == 1 else {f"class_{name}": value for name, value in named.items()})


STEP_DIALECTS = {"vllm_prm": "/pooling", "steps": ""}
"""What goes behind the address."""
SYSTEM = "Please reason step by step, and put your final answer within \\boxed{}."
"""What Qwen's process reward models were trained with; a prompt that has a system message of its own keeps it."""


@dataclass(frozen=True)
class HttpStepScorer(Server):
    """The probability that each step is right; one request a completion.

    `vllm_prm` asks vLLM's /pooling about a conversation whose steps each end in `separator`, and reads one row of
    class probabilities a step, of which `positive` is right. `steps` sends `{"prompt": ..., "steps": [...]}` to a
    server of your own, which answers `{"scores": [...]}`.
    """

    dialect: str = "vllm_prm"
    separator: str = "<extra_0>"
    system: str = SYSTEM
    positive: int = 1
    """Which of the classes means right: 1 for Qwen's models, 0 where `+` was named first."""
    name: str = "prm"

    def __post_init__(self) -> None:
        if self.dialect not in STEP_DIALECTS:
            raise ConfigError(f"expected a dialect of {', '.join(STEP_DIALECTS)}, got {self.dialect!r}")
        if not self.separator:
            raise ConfigError("expected a separator that marks the end of a step, got none")
        super().__post_init__()

    @property
    def version(self) -> str:
        shape = (self.dialect, self.model, self.separator, self.system, self.positive, self.extra_body)
        return fingerprint(self.model_version, *shape)

    def score_steps(self, jobs: Sequence[Stepped]) -> list[StepScores]:
        """One answer a job; those whose request failed have the reason in place of scores."""
        with client(self, self.api_key_env) as http, ThreadPoolExecutor(self.concurrency) as threads:
            poster = Poster(http, self, outages=self.concurrency)
            return list(threads.map(lambda job: self._one(poster, job), jobs))

    def _one(self, poster: Poster, job: Stepped) -> StepScores:
        try:
            response = poster.post(self.url + STEP_DIALECTS[self.dialect], self._body(job))
        except PolicyError as error:
            return StepScores.failure(str(error))
        if response.status_code != 200:
            return StepScores.failure(refusal(self.url, response, self.api_key_env))
        try:
            values = self._values(response)
            if len(values) != len(job.spans):
                raise VerifierContractError(f"{len(values)} scores for {len(job.spans)} steps")
            return StepScores(values)
        except MISREAD as error:
            return StepScores.failure(_misread(self.url, f"{self.dialect} of steps", response, error))

    def _body(self, job: Stepped) -> dict[str, Json]:
        steps = [cleaned(text).replace(self.separator, " ") for text in job.texts]  # none passes for the end of one
        model: dict[str, Json] = {"model": self.model} if self.model else {}
        if self.dialect == "steps":
            return {**model, "prompt": sendable(prompt_text(job.task.prompt)), "steps": steps, **self.extra_body}
        messages = _messages(prompt_messages(job.task.prompt))
        if self.system and messages[0]["role"] != "system":
            messages.insert(0, {"role": "system", "content": self.system})
        said = {"role": "assistant", "content": "".join(step + self.separator for step in steps)}
        return {**model, "messages": cast("list[Json]", [*messages, said]), **self.extra_body}

    def _values(self, response: Answer) -> tuple[float, ...]:
        if self.dialect == "steps":
            return tuple(map(float, cast("dict[str, list[float]]", response.json())["scores"]))
        answer = cast("dict[str, list[dict[str, list[list[float]]]]]", response.json())
        return tuple(float(row[self.positive]) for row in answer["data"][0]["data"])


def _messages(messages: Sequence[Message]) -> list[dict[str, str]]:
    return [{key: sendable(text) for key, text in message.items()} for message in messages]


def _misread(url: str, dialect: str, response: Answer, error: Exception) -> str:
    return f"{url}: not an answer in the dialect {dialect} ({error!r}): {response.excerpt[:200]}"
