"""Whether prompts and what is said to them fit into the model's context, known before the run begins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.core.task import Prompt, prompt_text
from rlenv.env.tasksets import ListTasks
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers.branches.preference import Pair
from rlenv.trainers.settings.config import TrainConfig

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

    That is the member's own `max_new_tokens`, `max_episode_tokens` where they are set for several turns, or the two
    completions of a pair. A model that states no context is believed to have room.
    """
    context = policy.context
    if context is None:
        return
    if pairs is not None:
        room, what, lengths = context, "pairs of the file", _of_pairs(policy, pairs)
    else:
        limit, name = config.max_new_tokens, "max_new_tokens"
        if definition.interaction is not None and config.max_episode_tokens is not None:
            limit, name = config.max_episode_tokens, "max_episode_tokens"
        room, what = context - limit, "prompts"
        lengths = _of_prompts(policy, definition, room)
    found = list(lengths)
    too_long = [length for length in found if length > room]
    if too_long:
        of = "" if pairs is not None else f" less {limit} for the completion ({name})"
        raise ConfigError(
            f"{len(too_long)} of {len(found)} {what} are too long for the model, the longest has {max(too_long)} "
            f"tokens: its context is {context} tokens{of}; leave them out, or take a model with a longer context"
        )


def _of_prompts(policy: TransformersPolicy, definition: Definition, room: int) -> Iterator[int]:
    """Tokens of each prompt that is looked at, with its tools; 0 for one that is short beyond doubt."""
    tasks, tools = definition.tasks, definition.tools
    step = 1 if isinstance(tasks, ListTasks) else -(-len(tasks) // MADE_BY_CODE)
    for i in range(0, len(tasks), step):
        prompt: Prompt = tasks[i].prompt
        most = MOST_TOKENS_A_BYTE * len(prompt_text(prompt).encode("utf-8", "replace")) + TEMPLATE_TOKENS
        yield 0 if most <= room and not tools else len(policy.encode(prompt, tools))


def _of_pairs(policy: TransformersPolicy, pairs: Iterable[Pair]) -> Iterator[int]:
    for pair in pairs:
        said = max(len(policy.encode_completion(text)) for text in (pair.chosen, pair.rejected))
        yield len(policy.encode(pair.prompt)) + said
