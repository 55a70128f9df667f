"""Whether prompts and what is said to them fit into the model's context, known before the run begins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rlenv.definition import Definition
from rlenv.errors import ConfigError
from rlenv.policies.transformers import TransformersPolicy
from rlenv.task import Prompt, prompt_text
from rlenv.tasksets import ListTasks, TaskSet
from rlenv.trainers.config import TrainConfig
from rlenv.trainers.preference import Pair

MADE_BY_CODE = 1_000
"""Tasks that are made to be looked at, evenly spread, of a set made by code; of rows all are looked at."""
MOST_TOKENS_A_BYTE = 4
"""A prompt is not encoded where even this many tokens a byte would leave room: no tokenizer needs as many as one."""
TEMPLATE_TOKENS = 256
"""Room left for what a chat template puts around a prompt, where it is not encoded."""


def check_context(
    definition: Definition, policy: TransformersPolicy, config: TrainConfig, pairs: Sequence[Pair] | None
) -> None:
    """Raise ConfigError, with the count, where prompts leave no room for what is to be said to them.

    That is `max_new_tokens` of one's own, or the two completions of a pair. A model that states no context is believed
    to have room.
    """
    context = context_of(policy)
    if context is None:
        return
    if pairs is not None:
        room, what, lengths = context, "pairs of the file", _of_pairs(policy, pairs)
    else:
        room, what = context - config.max_new_tokens, "prompts"
        lengths = _of_prompts(policy, definition.tasks, room)
    found = list(lengths)
    too_long = [length for length in found if length > room]
    if too_long:
        of = "" if pairs is not None else f" less {config.max_new_tokens} for the completion (max_new_tokens)"
        raise ConfigError(
            f"{len(too_long)} of {len(found)} {what} are too long for the model, the longest has {max(too_long)} "
            f"tokens: its context is {context} tokens{of}; leave them out, or take a model with a longer context"
        )


def context_of(policy: TransformersPolicy) -> int | None:
    """How many tokens the model was made for, if it says so."""
    told = getattr(policy.model.config.get_text_config(), "max_position_embeddings", None)
    return int(told) if told else None


def _of_prompts(policy: TransformersPolicy, tasks: TaskSet, room: int) -> Iterator[int]:
    """Tokens of each prompt that is looked at; 0 for one that is short beyond doubt."""
    step = 1 if isinstance(tasks, ListTasks) else -(-len(tasks) // MADE_BY_CODE)
    for i in range(0, len(tasks), step):
        prompt: Prompt = tasks[i].prompt
        most = MOST_TOKENS_A_BYTE * len(prompt_text(prompt).encode("utf-8", "replace")) + TEMPLATE_TOKENS
        yield 0 if most <= room else len(policy.encode(prompt))


def _of_pairs(policy: TransformersPolicy, pairs: Iterable[Pair]) -> Iterator[int]:
    for pair in pairs:
        said = max(len(policy.encode_completion(text)) for text in (pair.chosen, pair.rejected))
        yield len(policy.encode(pair.prompt)) + said
