"""A reward model behind an HTTP server: OpenRLHF's remote reward model, vLLM, text-embeddings-inference, SGLang.

    {"kind": "http", "url": "http://localhost:5000/get_reward"}
    {"kind": "http", "url": "http://localhost:8000", "dialect": "vllm_classify", "model": "Skywork/Skywork-Reward-V2"}

Requests go out side by side and are made again while the server is busy (rlenv.door.posting). A batch that the
server refuses, or breaks at, is asked for one by one, so that one text costs nobody else the score. Whatever goes wrong
is a failure of the completions it concerns, never a low score; NaN as well. Special tokens that a completion spells out
are taken out of it, since the server would read them as such.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from rlenv.core.errors import ConfigError, PolicyError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Prompt
from rlenv.door.answer import Answer
from rlenv.door.posting import Patience, Poster, address, client, refusal, sendable
from rlenv.scorers.cleaning import cleaned
from rlenv.scorers.http_dialects import DIALECTS, Asked, Dialect, Values
from rlenv.scorers.scorer import Job, Score
from rlenv.scorers.settings import fingerprint

MOST_CLASSES = 1000
TOO_MUCH = frozenset({400, 413, 422})
"""Status codes of a request with something in it that the server does not take."""


@dataclass(frozen=True)
class HttpScorer(Patience):
    """`url` is the server's root, or for OpenRLHF's dialect the whole address."""

    url: str
    dialect: str = "openrlhf"
    model: str = ""
    """The server's name for the model, where it asks for one."""
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
    timeout_s: float = field(default=120.0, kw_only=True)
    api_key_env: str = "REWARD_API_KEY"
    """The environment variable that holds the key; none is sent where it is not set."""
    extra_body: Mapping[str, Json] = field(default_factory=dict)
    """Fields of the request that only this server knows."""
    name: str = "reward_model"
    model_version: str = ""
    """Change it when the server gets another model under the same name: nobody else can tell."""

    def __post_init__(self) -> None:
        if self.dialect not in DIALECTS:
            raise ConfigError(f"expected a dialect of {', '.join(DIALECTS)}, got {self.dialect!r}")
        if self.chat and self.speaks.chat_body is None:
            raise ConfigError(f"the dialect {self.dialect} has no conversations; leave chat out")
        if "{completion}" not in self.template:
            raise ConfigError(f"expected a template with {{completion}} in it, got {self.template!r:.100}")
        if self.batch_size < 1:
            raise ConfigError(f"expected a batch size of at least 1, got {self.batch_size}")
        object.__setattr__(self, "url", address(self.url))
        super().__post_init__()

    @property
    def speaks(self) -> Dialect:
        """The row of its dialect."""
        return DIALECTS[self.dialect]

    @property
    def version(self) -> str:
        return fingerprint(
            self.model_version,
            self.dialect,
            self.model,
            self.label,
            self.chat,
            self.template,
            self.raw,
            self.extra_body,
        )

    def score(self, jobs: Sequence[Job]) -> list[Score]:
        """One score a job; those of requests that failed have the reason in place of a value."""
        asked = [
            Asked(_sendable(task.prompt), cleaned(completion.content.text), self.template) for task, completion in jobs
        ]
        with client(self, self.api_key_env) as http, ThreadPoolExecutor(self.concurrency) as threads:
            requests = _Requests(self, Poster(http, self, outages=self.concurrency))
            batches = list(self._batches(asked))
            scores: dict[int, Score] = {}
            for places, found in zip(batches, threads.map(requests.scores, _parts(asked, batches)), strict=True):
                scores |= dict(zip(places, found, strict=True))
        return [scores[place] for place in range(len(jobs))]

    def _batches(self, asked: Sequence[Asked]) -> Iterator[list[int]]:
        """The places of the completions that go together: conversations each alone."""
        texts = [place for place, one in enumerate(asked) if not self.as_chat(one)]
        for start in range(0, len(texts), self.batch_size):
            yield texts[start : start + self.batch_size]
        for place, one in enumerate(asked):
            if self.as_chat(one):
                yield [place]

    def as_chat(self, one: Asked) -> bool:
        """True where the server is to apply its template."""
        if self.speaks.chat_body is None:
            return False
        return not isinstance(one.prompt, str) if self.chat is None else self.chat


class _Requests:
    """The requests of one call of score."""

    def __init__(self, scorer: HttpScorer, poster: Poster) -> None:
        self.scorer, self.poster = scorer, poster

    def scores(self, asked: Sequence[Asked], retries: int | None = None) -> list[Score]:
        """One score each; a batch that gets no answer or is refused is asked for one by one."""
        try:
            response = self.poster.post(self.scorer.url + self.scorer.speaks.path, self._body(asked), retries)
        except PolicyError as error:
            if len(asked) > 1:  # one text may be what the server breaks at; no pauses, in case it is down
                return [self.scores([one], retries=0)[0] for one in asked]
            return [Score.failure(str(error))]
        if response.status_code == 200:
            return self._read(response, len(asked))
        if len(asked) > 1 and response.status_code in TOO_MUCH:
            return [self.scores([one])[0] for one in asked]
        return [Score.failure(refusal(self.scorer.url, response, self.scorer.api_key_env))] * len(asked)

    def _body(self, asked: Sequence[Asked]) -> dict[str, Json]:
        scorer, dialect = self.scorer, self.scorer.speaks
        chat = dialect.chat_body if scorer.as_chat(asked[0]) else None
        body = dialect.body(asked) if chat is None else chat(asked[0])
        model: dict[str, Json] = {"model": scorer.model} if scorer.model else {}
        raw = dialect.no_activation if scorer.raw and dialect.no_activation else {}
        return {**model, **body, **raw, **scorer.extra_body}

    def _read(self, response: Answer, expected: int) -> list[Score]:
        try:
            found = self.scorer.speaks.read(response.json())
            if len(found) != expected:
                raise ValueError(f"{len(found)} scores for {expected} completions")
            return [self._picked(values) for values in found]
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError, RecursionError) as error:
            excerpt = response.excerpt[:200]
            problem = f"{self.scorer.url}: not an answer in the dialect {self.scorer.dialect} ({error!r}): {excerpt}"
            return [Score.failure(problem)] * expected

    def _picked(self, values: Values) -> Score:
        """The score of the class asked for; several classes and none asked for is a failure."""
        named = dict(values) if isinstance(values, Mapping) else {str(i): value for i, value in enumerate(values)}
        label = next(iter(named)) if self.scorer.label is None and len(named) == 1 else str(self.scorer.label)
        if label not in named or len(named) > MOST_CLASSES:
            return Score.failure(
                f"expected one score or the label {self.scorer.label!r}, got the labels {list(named)!r:.500}"
            )
        return Score(named[label], {} if len(named) == 1 else {f"class_{name}": value for name, value in named.items()})


def _parts(asked: Sequence[Asked], batches: Sequence[Sequence[int]]) -> list[list[Asked]]:
    return [[asked[place] for place in places] for places in batches]


def _sendable(prompt: Prompt) -> Prompt:
    if isinstance(prompt, str):
        return sendable(prompt)
    return tuple({key: sendable(text) for key, text in message.items()} for message in prompt)
