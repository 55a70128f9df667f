"""Episodes of several turns in TRL's GRPOTrainer: its `rollout_func`, with exact token ids and `env_mask`.

TRL gives it the prompts of a step, one for each completion, and takes ids, log-probs and any other column. The policy
is the model that TRL trains, as it stands; what it samples is never tokenised again. TRL's `environment_factory`, which
takes calls of tools alone for turns and parses them out of decoded text, is in trl_tools.

The prompts are chat messages whose first one carries its task beside `role` and `content`: TRL hands no other column to
a `rollout_func`, and games ask many tasks in the same words.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.core.policy import Sampling
from rlenv.core.task import Task, prompt_messages
from rlenv.turns.play import play

if TYPE_CHECKING:
    from rlenv.policies.transformers import TransformersPolicy

TASK_COLUMN, COMPLETION_COLUMN = "rlenv_task", "rlenv_completion"


class TurnRollout:
    """What TRL calls in place of its own generation. `max_new_tokens` bounds a turn, TRL's own limit the episode."""

    def __init__(self, definition: Definition, max_new_tokens: int | None = None) -> None:
        self.definition, self.max_new_tokens = definition, max_new_tokens
        self._calls = 0
        self._policy: TransformersPolicy | None = None

    def __call__(self, prompts: Sequence[Any], trainer: Any) -> dict[str, list[Any]]:
        """The episodes of these prompts, in order; `trainer` is TRL's. Raises ConfigError for foreign prompts."""
        rows = [_row(prompt) for prompt in prompts]
        asked = {row: Task.from_json(json.loads(row)) for row in rows}  # the members of a group share their task
        policy = self._policy_of(trainer)
        said = play(self.definition, policy, [asked[row] for row in rows], 1, self._sampling(trainer))
        end = policy.eos_ids[0]
        prompt_ids = {row: policy.encode(task.prompt, self.definition.tools) for row, task in asked.items()}
        return {
            "prompt_ids": [list(prompt_ids[row]) for row in rows],
            "completion_ids": [list(one.token_ids) or [end] for one in said],  # TRL looks at the last token of each
            "logprobs": [list(one.logprobs) or [0.0] for one in said],
            "env_mask": [list(one.mask) or [0] for one in said],
            COMPLETION_COLUMN: [json.dumps(one.to_json()) for one in said],
        }

    def _policy_of(self, trainer: Any) -> TransformersPolicy:
        from rlenv.policies.transformers import TransformersPolicy

        model, tokenizer = trainer.accelerator.unwrap_model(trainer.model), trainer.processing_class
        if self._policy is None or self._policy.model is not model:
            self._policy = TransformersPolicy(model, tokenizer)
        return self._policy

    def _sampling(self, trainer: Any) -> Sampling:
        """Of this call: its seed follows from TRL's, from the process and from the number of the call."""
        given = trainer.args
        self._calls += 1
        entropy = [given.seed, trainer.accelerator.process_index, self._calls]
        seed = int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0] >> 1)
        most = int(given.max_completion_length)
        return Sampling(
            max_new_tokens=min(most, self.max_new_tokens or most),
            max_episode_tokens=most,
            temperature=given.temperature,
            top_p=given.top_p,
            seed=seed,
        )


def task_messages(task: Task, row: str) -> list[dict[str, str]]:
    """The task's prompt as chat messages, the first of which carries the task's row."""
    messages = prompt_messages(task.prompt)
    return [{**messages[0], TASK_COLUMN: row}, *({**message, TASK_COLUMN: ""} for message in messages[1:])]


def completions_of(column: Sequence[str]) -> list[Completion]:
    """The episodes that TRL hands on to reward functions."""
    return [Completion.from_json(json.loads(text)) for text in column]


def _row(prompt: object) -> str:
    first = prompt[0] if isinstance(prompt, Sequence) and not isinstance(prompt, str) and prompt else None
    row = first.get(TASK_COLUMN) if isinstance(first, Mapping) else None
    if not row:
        raise ConfigError("expected prompts that carry their task; train on the dataset of to_trl() with its prompts")
    return str(row)
