"""An environment for TRL (1.16): a train dataset, a reward function, and a `rollout_func` for several turns.

    train_dataset, reward_func = to_trl("math/arithmetic-v1")
    trainer = GRPOTrainer(model=..., reward_funcs=reward_func, train_dataset=train_dataset, args=...)

A column of the dataset holds the whole task, so that the reward function needs nothing else. A failed checker is None,
which TRL leaves out of the group. TRL's own way to several turns, `environment_factory`, is in `tools` beside this.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition, check_trainable
from rlenv.core.episode import Episode
from rlenv.core.errors import MISREAD, ConfigError, MissingExtra
from rlenv.core.jsontypes import Json, canonical
from rlenv.core.policy import Sampling
from rlenv.core.task import Task, prompt_messages
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import BatchVerifier
from rlenv.env.batch import EnvLike
from rlenv.env.batch import definition as definition_of
from rlenv.env.rows import GroupJudge
from rlenv.foreign.versions import check_version
from rlenv.integrations.adapter import drawn_tasks, message_completion
from rlenv.integrations.trl.tools import ToolEpisode, ended, tool_episodes
from rlenv.turns.play import play
from rlenv.workers.pool import PickledVerifier, Pool

if TYPE_CHECKING:
    from datasets import Dataset

    from rlenv.policies.transformers import TransformersPolicy

TASK_COLUMN, COMPLETION_COLUMN = "rlenv_task", "rlenv_completion"
TrlCompletion: TypeAlias = "str | Sequence[Mapping[str, object]]"
"""Text, or the chat messages that TRL makes of it where prompts are messages."""


class TrainerState(Protocol):
    """What we read of the state that TRL hands to reward functions."""

    @property
    def global_step(self) -> int: ...


class TrlEnvironment(NamedTuple):
    """What TRL's GRPOTrainer and RLOOTrainer take as `train_dataset` and `reward_funcs`."""

    train_dataset: Dataset
    reward_func: TrlReward

    @property
    def rollout_func(self) -> TurnRollout | None:
        """What TRL's GRPOTrainer takes as `rollout_func`; None for an environment of one turn, which needs none."""
        return self.reward_func.rollout

    @property
    def environment_factory(self) -> type[ToolEpisode] | None:
        """What it takes as `environment_factory` in place of a `rollout_func`: tools that TRL calls itself."""
        return None if self.rollout_func is None else tool_episodes(self.reward_func.definition)


def to_trl(
    env: EnvLike,
    *,
    size: int | None = None,
    seed: int = 0,
    chat: bool = False,
    eos_token_ids: Collection[int] | None = None,
    max_new_tokens: int | None = None,
    pool: Pool | None = None,
) -> TrlEnvironment:
    """The environment (an id, a definition, or an env with its wrappers) as TRL takes it.

    `size` tasks are drawn by `seed`; None takes every task of a set of up to 20,000. `chat` makes one user message of a
    text prompt, which TRL puts through the chat template, as rlenv's policies do with text wherever the model has one;
    without it TRL tokenises the bare text. With `eos_token_ids` a completion that ends otherwise is marked as cut.
    `max_new_tokens` bounds one turn of several; TRL's `max_completion_length` bounds the episode.

    Raises ConfigError when a size must be given or TRL is of a version that nobody tried, MissingExtra without
    `datasets`, and what the environment or its verifier raises when they cannot be made or sent to workers.
    """
    if find_spec("trl") is not None:  # the data set and the rewards can be looked at without it
        check_version("trl", known="1.16.0", below="2")
    definition = definition_of(env)
    check_trainable(definition)
    if not definition.inline and not isinstance(definition.verifier, BatchVerifier):
        PickledVerifier.of(definition.verifier)  # says now, not in the first step, that it cannot travel
    tasks = drawn_tasks(definition, size, seed)
    rollout = None if definition.interaction is None else TurnRollout(definition, max_new_tokens)
    reward = TrlReward(definition, eos_token_ids=eos_token_ids, pool=pool, rollout=rollout)
    try:
        from datasets import Dataset
    except ImportError as error:
        raise MissingExtra("datasets", "trl") from error
    rows = [canonical(task.to_json()) for task in tasks]
    chat = chat or any(not isinstance(task.prompt, str) for task in tasks)
    prompts: list[object] = [prompt_messages(task.prompt) if chat else task.prompt for task in tasks]
    if rollout is not None:
        prompts = [_task_messages(task, row) for task, row in zip(tasks, rows, strict=True)]
    return TrlEnvironment(Dataset.from_dict({"prompt": prompts, TASK_COLUMN: rows}), reward)


class TrlReward:
    """The verifier and the wrappers of an environment as a reward function of TRL.

    TRL calls it with the completions of a step and the columns of their rows. Rows of one call that carry
    the same task are one group for the wrappers. `__name__`, which names TRL's metrics, is made of the id.
    """

    def __init__(
        self,
        definition: Definition,
        *,
        eos_token_ids: Collection[int] | None = None,
        pool: Pool | None = None,
        rollout: TurnRollout | None = None,
    ) -> None:
        self.definition, self.rollout = definition, rollout
        self.__name__ = re.sub(r"\W+", "_", definition.id) or "rlenv_reward"
        self._eos = frozenset(eos_token_ids or ())
        self._judge = GroupJudge(definition, pool)
        self._metrics: set[str] = set()
        """Names that were logged; one that is left out when it is 0 would be averaged too high."""

    def __call__(
        self,
        prompts: Sequence[object],
        completions: Sequence[TrlCompletion],
        completion_ids: Sequence[Sequence[int]] | None = None,
        *,
        rlenv_task: Sequence[str] | None = None,
        rlenv_completion: Sequence[str] | None = None,
        environments: Sequence[ToolEpisode] | None = None,
        trainer_state: TrainerState | None = None,
        log_extra: Callable[[str, list[str]], None] | None = None,
        log_metric: Callable[[str, float], None] | None = None,
        **columns: object,
    ) -> list[float | None]:
        """One reward a completion, None where the checker failed. Never raises for what it is asked to judge.

        Logs the mean of each part, the number of checker failures and of flags, and the reasons.
        Raises ConfigError when the dataset is not the one that was made for it.
        """
        if rlenv_task is None:
            raise ConfigError(f"expected a dataset with the column {TASK_COLUMN!r}; train on the one of to_trl()")
        if self.rollout is not None and rlenv_completion is None and environments is None:
            raise ConfigError(
                "expected episodes of several turns; give the trainer rollout_func=... or environment_factory=... of "
                "to_trl() too"
            )
        step = trainer_state.global_step if trainer_state is not None else 0
        played = None
        if environments is not None:
            finished = self._finished(completions, completion_ids)
            last = [_message(said) if _last_word(said) else {} for said in completions]
            played = [ended(*one[:2], finished=one[2]) for one in zip(environments, last, finished, strict=True)]
        elif rlenv_completion is not None:
            played = [Completion.from_json(json.loads(text)) for text in rlenv_completion]
        episodes = self.judge(rlenv_task, completions, completion_ids, played=played, step=step)
        verdicts = [episode.verdict for episode in episodes]
        if log_metric is not None:
            metrics = _metrics(verdicts)
            self._metrics |= metrics.keys()
            for name in sorted(self._metrics):
                log_metric(name, metrics.get(name, 0.0))
        if log_extra is not None:
            log_extra("reason", [verdict.reason for verdict in verdicts])
        return [verdict.reward for verdict in verdicts]

    def judge(
        self,
        tasks: Sequence[str],
        completions: Sequence[TrlCompletion],
        completion_ids: Sequence[Sequence[int]] | None = None,
        *,
        played: Sequence[Completion] | None = None,
        step: int = 0,
    ) -> list[Episode]:
        """The episodes of one call, in order, with their whole verdicts. `tasks` is the column of the dataset.

        `played` is what stands for the completions where they have several turns.
        """
        if played is None:
            played = [
                message_completion(_message(said), finished=finished, read_as=self.definition.read_as)
                for said, finished in zip(completions, self._finished(completions, completion_ids), strict=True)
            ]
            if completion_ids is not None:
                ids = [tuple(map(int, tokens)) for tokens in completion_ids]
                played = [replace(one, token_ids=tokens) for one, tokens in zip(played, ids, strict=True)]
        read = [_task(text) for text in tasks]
        problems = {i: Verdict.error(task) for i, task in enumerate(read) if isinstance(task, str)}
        held = [Task("", id="unreadable") if isinstance(task, str) else task for task in read]
        return self._judge.judge(held, played, tasks, step=step, known=problems)

    def state_dict(self) -> dict[str, Json]:
        """What the wrappers have learned, as JSON."""
        return self._judge.state_dict()

    def load_state_dict(self, state: Mapping[str, Json]) -> None:
        self._judge.load_state_dict(state)

    def _finished(self, said: Sequence[TrlCompletion], ids: Sequence[Sequence[int]] | None) -> list[bool]:
        """Which completions end in an end of sequence; all, where nobody says what ends one."""
        if not self._eos or ids is None:
            return [True] * len(said)
        return [not len(tokens) or tokens[-1] in self._eos for tokens in ids]


class TurnRollout:
    """TRL's `rollout_func`: episodes of several turns with exact token ids and `env_mask`.

    TRL gives it the prompts of a step, one for each completion, and takes ids, log-probs and any other column. The
    policy is the model that TRL trains, as it stands; what it samples is never tokenised again. `max_new_tokens` bounds
    a turn, TRL's own limit the episode.

    The prompts are chat messages whose first one carries its task beside `role` and `content`: TRL hands no other
    column to a `rollout_func`, and games ask many tasks in the same words.
    """

    def __init__(self, definition: Definition, max_new_tokens: int | None = None) -> None:
        self.definition, self.max_new_tokens = definition, max_new_tokens
        self._calls = 0
        self._policy: TransformersPolicy | None = None

    def __call__(self, prompts: Sequence[Any], trainer: Any) -> dict[str, list[Any]]:
        """The episodes of these prompts, in order; `trainer` is TRL's. Raises ConfigError for foreign prompts."""
        rows = [_row(prompt) for prompt in prompts]
        tasks = {row: Task.from_json(json.loads(row)) for row in rows}  # the members of a group share their task
        policy = self._policy_of(trainer)
        said = play(self.definition, policy, [tasks[row] for row in rows], 1, self._sampling(trainer))
        end = policy.eos_ids[0]
        prompt_ids = {row: policy.encode(task.prompt, self.definition.tools) for row, task in tasks.items()}
        taken = [_one_row(one, prompt_ids[row]) for one, row in zip(said, rows, strict=True)]
        return {
            "prompt_ids": [prompt for prompt, _ in taken],
            "completion_ids": [list(one.token_ids[own]) or [end] for one, (_, own) in zip(said, taken, strict=True)],
            "logprobs": [list(one.logprobs[own]) or [0.0] for one, (_, own) in zip(said, taken, strict=True)],
            "env_mask": [list(one.mask[own]) or [0] for one, (_, own) in zip(said, taken, strict=True)],
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
        self._calls += 1
        args, entropy = trainer.args, [trainer.args.seed, trainer.accelerator.process_index, self._calls]
        most = int(args.max_completion_length)
        return Sampling(
            max_new_tokens=min(most, self.max_new_tokens or most),
            max_episode_tokens=most,
            temperature=args.temperature,
            top_p=args.top_p,
            seed=int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0] >> 1),
        )


def _one_row(said: Completion, prompt: Sequence[int]) -> tuple[list[int], slice]:
    """What TRL takes of an episode: a prompt, and what tokens follow. Of several rows, that in which most was said."""
    ends = [0, *said.breaks, len(said.token_ids)]
    first, last = max(pairwise(ends), key=lambda row: (sum(said.mask[slice(*row)]), row[1] - row[0]))
    if first not in said.breaks:
        return list(prompt), slice(first, last)
    start = first + said.mask[first:last].index(1) if any(said.mask[first:last]) else last
    return list(said.token_ids[first:start]), slice(start, last)


def _task_messages(task: Task, row: str) -> list[dict[str, str]]:
    """The task's prompt as chat messages, the first of which carries the task's row."""
    messages = prompt_messages(task.prompt)
    return [{**messages[0], TASK_COLUMN: row}, *({**message, TASK_COLUMN: ""} for message in messages[1:])]


def _row(prompt: object) -> str:
    first = prompt[0] if isinstance(prompt, Sequence) and not isinstance(prompt, str) and prompt else None
    row = first.get(TASK_COLUMN) if isinstance(first, Mapping) else None
    if not row:
        raise ConfigError("expected prompts that carry their task; train on the dataset of to_trl() with its prompts")
    return str(row)


def _task(text: str) -> Task | str:
    """The task of a row, or what is wrong with it."""
    try:
        return Task.from_json(json.loads(text))
    except MISREAD:
        return f"the column {TASK_COLUMN!r} does not hold a task; train on the dataset of to_trl() as it is"


def _message(said: TrlCompletion) -> Mapping[str, object]:
    """The assistant's last message, or one that says this text."""
    if isinstance(said, str):
        return {"content": said}
    return next((message for message in reversed(said) if message.get("role") == "assistant"), {})


def _last_word(said: TrlCompletion) -> bool:
    """Whether the policy said the last word, and no tool did."""
    return isinstance(said, str) or (bool(said) and said[-1].get("role") == "assistant")


def _metrics(verdicts: Sequence[Verdict]) -> dict[str, float]:
    """The mean of each part over what was graded, and how often the checker failed and each flag was raised."""
    graded = [verdict for verdict in verdicts if verdict.graded]
    metrics = {"verifier_errors": float(len(verdicts) - len(graded))}
    for verdict in graded:
        for part in verdict.parts:
            name = f"rewards/{part.name}/mean"
            metrics[name] = metrics.get(name, 0.0) + part.value / len(graded)
    for verdict in verdicts:
        for flag in {flag.name for flag in verdict.flags}:
            metrics[f"flags/{flag}"] = metrics.get(f"flags/{flag}", 0.0) + 1
    return metrics
