"""Characters that a policy's tokenizer does not know: each becomes the same unknown token, whichever it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import Any, NamedTuple

from rlenv.core.task import Task, TaskSet, prompt_text
from rlenv.text.escaping import shown_line

LOOKED_AT = 200
"""Tasks that are looked at, evenly spread over the set."""
QUOTED = 5
"""How many of the characters are quoted, the most frequent first."""


class Unknown(NamedTuple):
    """What is lost of the prompts and references of a task set."""

    share: float
    """Of their characters."""
    characters: tuple[str, ...]
    """The most frequent of those that are lost."""
    model: str

    def __str__(self) -> str:
        quoted = " ".join(shown_line(character) for character in self.characters)
        return (
            f"{max(self.share, 0.001):.1%} of the characters of prompts and references are not known to the tokenizer "
            f"of {self.model} ({quoted}): it reads each as the same unknown token and can say none of them; write them "
            "otherwise (row_map=... in rlenv.register), or take a policy that knows them (--policy smollm2-135m, a "
            "folder or a hub id)"
        )


def unknown_to(policy: object, tasks: TaskSet) -> Unknown | None:
    """What a policy's tokenizer does not know of these tasks; None where it knows all, or tells no unknown token."""
    tokenizer: Any = getattr(policy, "tokenizer", None)
    if getattr(tokenizer, "unk_token_id", None) is None or not getattr(tokenizer, "is_fast", False):
        return None
    step = -(-len(tasks) // LOOKED_AT)
    texts = [text for i in range(0, len(tasks), step) for text in _texts(tasks[i])]
    lost = Counter(character for text in texts for character in _lost(tokenizer, text))
    if not lost:
        return None
    most = tuple(islice(sorted(lost, key=lambda character: (-lost[character], character)), QUOTED))
    return Unknown(lost.total() / sum(map(len, texts)), most, str(getattr(policy, "name", "the policy")))


def _texts(task: Task) -> list[str]:
    """What a model is asked, and what it is to say where that is a text."""
    return [prompt_text(task.prompt), *([task.reference] if isinstance(task.reference, str) else [])]


def _lost(tokenizer: Any, text: str) -> Iterable[str]:
    """The characters of a text that become the unknown token."""
    valid = text.encode("utf-8", "replace").decode()  # tokenizers refuse lone surrogates
    read = tokenizer(valid, add_special_tokens=False, return_offsets_mapping=True)
    for token, (start, end) in zip(read["input_ids"], read["offset_mapping"], strict=True):
        if token == tokenizer.unk_token_id:
            yield from valid[start:end]
