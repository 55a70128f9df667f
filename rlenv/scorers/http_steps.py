"""A process reward model behind an HTTP server: the probability that each step is right.

    {"kind": "http", "url": "http://localhost:8000", "model": "Qwen/Qwen2.5-Math-PRM-7B"}
    {"kind": "http", "url": "http://localhost:9000/score_steps", "dialect": "steps"}

`vllm_prm` asks vLLM's /pooling about a conversation whose steps each end in `separator`, and reads one row of class
probabilities a step, of which `positive` is right. `steps` is for a server of your own: it is sent
`{"prompt": ..., "steps": [...]}` and answers `{"scores": [...]}`. Whatever goes wrong is a failure of that completion:
another number of scores than steps, a number that is no probability, no answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast, get_args

from rlenv.core.errors import ConfigError, PolicyError, VerifierContractError
from rlenv.core.jsontypes import Json
from rlenv.core.task import prompt_messages, prompt_text
from rlenv.door.answer import Answer
from rlenv.door.posting import Patience, Poster, address, client, refusal, sendable
from rlenv.scorers.cleaning import cleaned
from rlenv.scorers.scorer import Stepped, StepScores
from rlenv.scorers.settings import fingerprint

StepDialect: TypeAlias = Literal["vllm_prm", "steps"]
SYSTEM = "Please reason step by step, and put your final answer within \\boxed{}."
"""What Qwen's process reward models were trained with; a prompt that has a system message of its own keeps it."""


@dataclass(frozen=True)
class HttpStepScorer(Patience):
    """One request a completion, side by side. `url` is the server's root for vLLM, the whole address for `steps`."""

    url: str
    dialect: StepDialect = "vllm_prm"
    model: str = ""
    separator: str = "<extra_0>"
    system: str = SYSTEM
    positive: int = 1
    """Which of the classes means right: 1 for Qwen's models, 0 where `+` was named first."""
    timeout_s: float = field(default=120.0, kw_only=True)
    api_key_env: str = "REWARD_API_KEY"
    extra_body: Mapping[str, Json] = field(default_factory=dict)
    name: str = "prm"
    model_version: str = ""
    """Change it when the server gets another model under the same name: nobody else can tell."""

    def __post_init__(self) -> None:
        if self.dialect not in get_args(StepDialect):
            raise ConfigError(f"expected a dialect of {', '.join(get_args(StepDialect))}, got {self.dialect!r}")
        if not self.separator:
            raise ConfigError("expected a separator that marks the end of a step, got none")
        object.__setattr__(self, "url", address(self.url))
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
        if not job.spans:
            return StepScores(())
        path = "/pooling" if self.dialect == "vllm_prm" else ""
        try:
            response = poster.post(self.url + path, self._body(job))
        except PolicyError as error:
            return StepScores.failure(str(error))
        if response.status_code != 200:
            return StepScores.failure(refusal(self.url, response, self.api_key_env))
        try:
            return StepScores(self._values(response, len(job.spans)))
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError, RecursionError) as error:
            excerpt = response.excerpt[:200]
            return StepScores.failure(f"{self.url}: not step scores in the dialect {self.dialect} ({error}): {excerpt}")

    def _body(self, job: Stepped) -> dict[str, Json]:
        steps = [self._step(text) for text in job.texts]
        model: dict[str, Json] = {"model": self.model} if self.model else {}
        if self.dialect == "steps":
            return {**model, "prompt": sendable(prompt_text(job.task.prompt)), "steps": steps, **self.extra_body}
        asked = [{key: sendable(text) for key, text in each.items()} for each in prompt_messages(job.task.prompt)]
        system = [] if not self.system or asked[0]["role"] == "system" else [{"role": "system", "content": self.system}]
        said = {"role": "assistant", "content": "".join(step + self.separator for step in steps)}
        return {**model, "messages": cast("list[Json]", [*system, *asked, said]), **self.extra_body}

    def _step(self, text: str) -> str:
        """A step in which nothing passes for the end of a step."""
        return cleaned(text).replace(self.separator, " ")

    def _values(self, response: Answer, expected: int) -> tuple[float, ...]:
        """Raises whatever an answer of another shape makes it raise."""
        answer: Any = response.json()
        rows = answer["scores"] if self.dialect == "steps" else answer["data"][0]["data"]
        found = tuple(float(row if self.dialect == "steps" else row[self.positive]) for row in rows)
        if len(found) != expected:
            raise VerifierContractError(f"{len(found)} scores for {expected} steps")
        return found
