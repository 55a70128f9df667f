"""What servers of reward models are asked, and how they answer: one row a dialect.

openrlhf        POST the address itself: {"query": [...], "prompts": [...]}, a query being prompt and completion
                {"rewards": [...]}
vllm_classify   /classify: {"model", "input": [...]}, or "messages" for a chat
                {"data": [{"index", "probs": [...]}]}
vllm_pooling    /pooling: the same
                {"data": [{"index", "data": [...]}]}, nested where tokens have scores of their own
vllm_score      /score: {"model", "text_1": [prompts], "text_2": [completions]}
                {"data": [{"index", "score"}]}
tei             /predict: {"inputs": [[text], ...], "raw_scores": true, "truncate": false}
                [[{"label", "score"}], ...]
sglang          /classify: {"model", "text": [...]}
                [{"embedding": [...]}, ...]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, cast

from rlenv.core.jsontypes import Json
from rlenv.core.task import Prompt, prompt_messages, prompt_text

Values: TypeAlias = "list[float] | Mapping[str, float]"
"""The scores of the classes of one input, in order or by label; one alone for a reward model."""

_FIELDS = re.compile(r"\{prompt\}|\{completion\}")


class Asked(NamedTuple):
    """One completion to be scored, as text that a request can carry."""

    prompt: Prompt
    completion: str
    template: str = "{prompt}{completion}"

    @property
    def messages(self) -> list[dict[str, str]]:
        """The conversation that ends with the completion."""
        return [*prompt_messages(self.prompt), {"role": "assistant", "content": self.completion}]

    @property
    def text(self) -> str:
        """Prompt and completion in one string, as the template has them."""
        known = {"{prompt}": prompt_text(self.prompt), "{completion}": self.completion}
        return _FIELDS.sub(lambda field: known[field[0]], self.template)


@dataclass(frozen=True)
class Dialect:
    """`read` raises KeyError, TypeError, ValueError or IndexError for an answer of another shape."""

    path: str
    """Goes behind the address, which is the server's root."""
    body: Callable[[Sequence[Asked]], dict[str, Json]]
    read: Callable[[object], list[Values]]
    chat_body: Callable[[Asked], dict[str, Json]] | None = None
    """A conversation to which the server applies the template; one a request."""
    no_activation: Mapping[str, Json] | None = None
    """Fields that ask for the raw score in place of its sigmoid or softmax."""


def _texts(name: str) -> Callable[[Sequence[Asked]], dict[str, Json]]:
    return lambda asked: {name: [one.text for one in asked]}


def _chat(one: Asked) -> dict[str, Json]:
    return {"messages": cast("list[Json]", one.messages)}


def _openrlhf(asked: Sequence[Asked]) -> dict[str, Json]:
    return {"query": [one.text for one in asked], "prompts": [prompt_text(one.prompt) for one in asked]}


def _pairs(asked: Sequence[Asked]) -> dict[str, Json]:
    return {"text_1": [prompt_text(one.prompt) for one in asked], "text_2": [one.completion for one in asked]}


def _rewards(answer: object) -> list[Values]:
    return [[_number(value)] for value in cast("dict[str, list[object]]", answer)["rewards"]]


def _data(name: str) -> Callable[[object], list[Values]]:
    """The rows of `data`, in the order of their index."""

    def read(answer: object) -> list[Values]:
        rows = cast("dict[str, list[dict[str, object]]]", answer)["data"]
        places = [row["index"] for row in rows]
        if sorted(cast("list[int]", places)) != list(range(len(rows))):
            raise ValueError(f"the indices {places!r:.100}")
        return [_flat(row[name]) for row in sorted(rows, key=lambda row: cast("int", row["index"]))]

    return read


def _labelled(answer: object) -> list[Values]:
    rows = cast("list[list[dict[str, object]]]", answer)
    return [{str(found["label"]): _number(found["score"]) for found in row} for row in rows]


def _embedded(answer: object) -> list[Values]:
    return [_flat(row["embedding"]) for row in cast("list[dict[str, object]]", answer)]


def _flat(value: object) -> list[float]:
    """The numbers of the last token where every token has some, of the whole otherwise."""
    while isinstance(value, list) and value and isinstance(value[0], list):
        value = value[-1]
    return [_number(one) for one in value] if isinstance(value, list) else [_number(value)]


def _number(value: object) -> float:
    """OpenRLHF's own server puts each reward in a list of its own."""
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r:.100} where a number was expected")
    return float(value)


_RAW: dict[str, Json] = {"use_activation": False}
DIALECTS = {
    "openrlhf": Dialect("", _openrlhf, _rewards),
    "vllm_classify": Dialect("/classify", _texts("input"), _data("probs"), _chat, _RAW),
    "vllm_pooling": Dialect("/pooling", _texts("input"), _data("data"), _chat, _RAW),
    "vllm_score": Dialect(
        "/score",
        lambda asked: {
            "text_1": [prompt_text(one.prompt) for one in asked],
            "text_2": [one.completion for one in asked],
        },
        _data("score"),
        no_activation=_RAW,
    ),
    "tei": Dialect(
        "/predict",
        lambda asked: {"inputs": [[one.text] for one in asked], "truncate": False},
        _labelled,
        no_activation={"raw_scores": True},
    ),
    "sglang": Dialect("/classify", _texts("text"), _embedded),
}
