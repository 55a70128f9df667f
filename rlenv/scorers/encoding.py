"""A prompt and its completion as the token ids that a scoring model reads, the same in training and in scoring.

The tokenizer's chat template is used where there is one. A completion is never cut: what does not fit is an error,
unless the prompt may be cut from the left.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

from transformers import PreTrainedTokenizerBase

from rlenv.core.errors import ConfigError, PolicyError, ScorerError
from rlenv.core.task import Prompt, prompt_messages, prompt_text
from rlenv.door.templates import rendered
from rlenv.scorers.hostile_text import defused, special_tokens, template_marks


def encode(
    tokenizer: PreTrainedTokenizerBase,
    prompt: Prompt,
    completion: str,
    max_length: int | None = None,
    *,
    cut_prompt: bool = False,
    marks: Sequence[str] = (),
) -> list[int]:
    """The ids of the conversation, or of prompt and completion in a row closed by the end of sequence.

    Special tokens and the template's own marks in the completion, and `marks`, are read as plain characters. With
    `cut_prompt` the oldest tokens of the prompt give way; the first token stays where it begins the sequence.

    Raises ScorerError for what does not fit in `max_length` tokens, or what the template refuses.
    """
    broken = defused(completion, (*turn_marks(tokenizer), *marks))
    ids = conversation_ids(tokenizer, prompt, broken)
    frame = conversation_ids(tokenizer, prompt, "y" if broken.lstrip().startswith("x") else "x")
    check_specials(tokenizer, ids, frame)
    return fitted(tokenizer, ids, _shared(ids, frame), max_length, cut_prompt=cut_prompt)


def conversation_ids(tokenizer: PreTrainedTokenizerBase, prompt: Prompt, completion: str) -> list[int]:
    """The ids as the tokenizer's author would make them, of a completion that is taken as it is."""
    if tokenizer.chat_template is not None:
        messages = [*prompt_messages(prompt), {"role": "assistant", "content": completion}]
        return plain_ids(tokenizer, render(tokenizer, messages))
    ids = plain_ids(tokenizer, prompt_text(prompt) + completion, special=True)
    eos = cast("int | None", tokenizer.eos_token_id)
    return ids if eos is None or ids[-1:] == [eos] else [*ids, eos]


def render(tokenizer: PreTrainedTokenizerBase, messages: Sequence[dict[str, str]], *, answer: bool = False) -> str:
    """The chat template's text of the messages; with `answer` up to where the next one begins."""
    try:
        return rendered(tokenizer, messages, answer=answer)
    except (ConfigError, PolicyError) as error:
        raise ScorerError(str(error)) from error


def plain_ids(tokenizer: PreTrainedTokenizerBase, text: str, *, special: bool = False) -> list[int]:
    """The ids of a text in which marks count as marks; `special` adds what the tokenizer adds by itself."""
    valid = text.encode("utf-8", "replace").decode()
    found: Any = tokenizer(valid, add_special_tokens=special)
    return [int(i) for i in found["input_ids"]]


def check_specials(tokenizer: PreTrainedTokenizerBase, ids: Sequence[int], frame: Sequence[int]) -> None:
    """Raise ScorerError where the completion brought special tokens that the frame around it does not have."""
    special = _special_ids(tokenizer)
    if [i for i in ids if i in special] != [i for i in frame if i in special]:
        raise ScorerError("the completion holds text that its tokenizer reads as special tokens")


def fitted(
    tokenizer: PreTrainedTokenizerBase,
    ids: list[int],
    prompt_tokens: int,
    max_length: int | None,
    *,
    cut_prompt: bool,
) -> list[int]:
    """The ids, if need be without the oldest of the first `prompt_tokens`."""
    over = len(ids) - (max_length or len(ids))
    if over <= 0:
        return ids
    first = int(ids[0] == tokenizer.bos_token_id)
    if not cut_prompt or over > prompt_tokens - first:
        raise ScorerError(f"prompt and completion are {len(ids)} tokens, the scorer takes {max_length}")
    return ids[:first] + ids[first + over :]


def limit_of(tokenizer: PreTrainedTokenizerBase, config: object, max_length: int | None) -> int | None:
    """How many tokens are read at once: the setting, or what the tokenizer and the model's positions allow."""
    if max_length is not None:
        return max_length
    sizes = (tokenizer.model_max_length, getattr(config, "max_position_embeddings", None))
    known = [int(size) for size in sizes if size is not None and 0 < size < 10**9]
    return min(known) if known else None


def _shared(ids: Sequence[int], frame: Sequence[int]) -> int:
    """How many ids stand before anything that the completion says."""
    pairs = zip(ids, frame, strict=False)
    return next((place for place, (mine, other) in enumerate(pairs) if mine != other), min(len(ids), len(frame)))


@lru_cache(maxsize=16)
def turn_marks(tokenizer: PreTrainedTokenizerBase) -> tuple[str, ...]:
    """What a completion may not write: special tokens, and what the chat template puts between turns."""
    return (*special_tokens(tokenizer), *template_marks(tokenizer))


@lru_cache(maxsize=16)
def _special_ids(tokenizer: PreTrainedTokenizerBase) -> frozenset[int]:
    """Ids of special tokens but that of the unknown, which stands for any character the vocabulary lacks."""
    found: Any = tokenizer.convert_tokens_to_ids(list(special_tokens(tokenizer)))
    return frozenset(int(i) for i in found if i is not None and i != tokenizer.unk_token_id)
