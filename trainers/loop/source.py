"""Where a rollout comes from: the environments' prompts, what the policy says to them, and the verdicts.

Or a file of pairs, or the environments' own solutions (rlenv.trainers.branches.sft). With `staleness`, completions
were drawn beside the updates (rlenv.trainers.loop.async_rollouts). With the generator `vllm` another engine draws.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F

from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.task import Prompt, prompt_text
from rlenv.env.batch import BatchEnvironment, EnvLike
from rlenv.env.tasksets import ListTasks
from rlenv.policies.transformers import TransformersPolicy
from rlenv.policies.unknown import unknown_to
from rlenv.trainers.branches.preference import Pair
from rlenv.trainers.branches.rationalise import continued, rationalised
from rlenv.trainers.branches.sft import (
    SftConfig,
    demonstrated_rollout,
    fingerprint_of,
    paired,
    refuse_answerless,
    supervised,
)
from rlenv.trainers.loop.async_rollouts import AsyncRollouts
from rlenv.trainers.loop.environments import Environments, most_said
from rlenv.trainers.networks.models import generator_of
from rlenv.trainers.networks.processes import Processes
from rlenv.trainers.networks.sharding import averaged, whole
from rlenv.trainers.records.logs import Alarm, Display
from rlenv.trainers.rollouts.collect import SFT, Collected, Given, Journal, collect, derived_seed
from rlenv.trainers.rollouts.measured import measured
from rlenv.trainers.rollouts.rollout import Part, Rollout
from rlenv.trainers.settings.config import Mixture, TrainConfig
from rlenv.workers.pool import Pool

if TYPE_CHECKING:
    from rlenv.policies.vllm import VllmPolicy


class Source:
    """Gives the rollout of each step; what it draws follows from (seed, step), the weights and its own state."""

    def __init__(
        self,
        env: EnvLike | Mixture,
        config: TrainConfig,
        policy: TransformersPolicy,
        processes: Processes,
        *,
        sft: SftConfig,
        pool: Pool | None = None,
        pairs: Sequence[Pair] | None = None,
    ) -> None:
        self._config, self._policy, self._processes, self._pool = config, policy, processes, pool
        self.pairs, self._sft = pairs, sft
        self.envs = Environments(env, config, pool)
        self.ahead: AsyncRollouts | None = None
        self.generator: VllmPolicy | None = None
        self.journal: Journal | None = None
        """Where verdicts are written down as they are given; of the main process."""
        rule = config.row.selection
        for definition in self.envs.definitions:
            check_context(definition, policy, config, pairs)
            if rule is not None and rule.kind == "demonstrations":
                refuse_answerless(definition)

    @property
    def env(self) -> BatchEnvironment:
        """The environment, or the first of a mixture."""
        return next(iter(self.envs.envs.values()))

    @property
    def longest(self) -> int:
        """The most tokens that the policy says in an episode."""
        return max(most_said(definition, self._config) for definition in self.envs.definitions)

    def settings(self) -> dict[str, Any]:
        """What decides the run of where its rollouts come from."""
        return {
            **self.envs.settings(),
            "sft": asdict(self._sft),
            "pairs": None if self.pairs is None else fingerprint_of(self.pairs),
            "cache_tokens": self._policy.max_batch_tokens,
            "chat_template_kwargs": dict(self._policy.renderer.template_kwargs),
        }

    def warm_start(self, out: Path, *, again: bool, quiet: bool) -> None:
        """The supervised steps; `again` where a run is resumed that was stopped in them, of which nothing is kept."""
        sft = self._sft
        if sft.steps == 0:
            return
        data = self.envs.demonstrations(self._policy, sft.max_demonstrations)
        config = replace(sft, seed=derived_seed(sft.seed, 0, SFT))
        # every process takes every step
        with Display("warm start", config.steps, quiet=quiet) as display, averaged(self._policy.model):
            if again:
                display.warn(
                    f"{out} was stopped before the end of its warm start, of which nothing is saved: all "
                    f"{config.steps} supervised steps are taken again"
                )
            supervised(self._policy, data, config, lambda i, loss: display.update(i + 1, f"loss {loss:.3f}"))

    def open(self, out: Path, saved: Mapping[str, Any] | None) -> None:
        """Start what draws; `saved` is the checkpoint of a run that goes on."""
        policy, engine = self._policy, self._config.engine
        with whole(policy) if engine.generator == "vllm" else nullcontext():
            self.generator = generator_of(policy, engine, out / f"generator-{self._processes.rank}")
        if self._config.staleness:
            self.ahead = AsyncRollouts(policy, self.envs, self._config, self._processes)
            if saved is not None:
                self.ahead.load(saved["ahead"])

    def rollout(self, step: int) -> Collected:
        """Tasks out, completions in, verdicts; or what needs none: the next pairs of a file, the next solutions."""
        with whole(self._policy):
            return self._drawn(step)

    def observe(self, step: int, found: Collected) -> None:
        """Learn from a rollout that is written down. Raises TooManyVerifierErrors where the checker fails too often."""
        self.envs.observe(step, found.episodes, self._config.max_error_share)

    def alarms(self, step: int) -> list[Alarm]:
        """What is said without a monitor: after the first rollout also what the tokenizer does not know."""
        alarms = self.envs.alarms(step)
        if step == 0:
            found = (unknown_to(self._policy, definition.tasks) for definition in self.envs.definitions)
            alarms += [Alarm("unknown_characters", 0, str(one), one.share, 0.0) for one in found if one is not None]
        return alarms

    def state(self) -> dict[str, Any]:
        """What goes on after a stop; waits for what is being drawn."""
        return {
            "ahead": None if self.ahead is None else self.ahead.state(),
            "env": json.dumps(self.envs.state_dict()),
            "told": [list(one) for one in sorted(self.envs.told)],
        }

    def begin(self, saved: Mapping[str, Any] | None) -> None:
        """Go on from what `state` gave, if anything; what is drawn ahead is taken up by `open`."""
        if saved is None:
            return
        self.envs.load_state_dict(json.loads(saved["env"]))
        self.envs.told = {(name, exploit) for name, exploit in saved.get("told") or ()}

    def close(self) -> None:
        """End the processes that draw."""
        with ExitStack() as stack:
            for part in (self.ahead, self.generator):
                if part is not None:
                    stack.callback(part.close)

    def _drawn(self, step: int) -> Collected:
        policy, config = self._policy, self._config
        if self.pairs is not None:
            return paired(self.pairs, policy, config, step)
        if self.generator is not None:
            self.generator.send_weights()
        if self.ahead is not None:
            self.ahead.go_on(step)
        now = ((*own, None) for own in self.envs.drawing(step))
        mixed, made = self.envs.mixture is not None, list[_Made]()
        for name, env, own, given in now if self.ahead is None else self.ahead.drawing(step):
            if self.journal is not None:
                self.journal.env = name if mixed else ""
            made.append(_Made(name, own.group_size, self._drawn_from(step, env, own, given)))
        if self.generator is not None:
            self.generator.rest()
        return joined(made, policy.eos_ids[0], config.metrics_by) if mixed else made[0].collected

    def _drawn_from(self, step: int, env: BatchEnvironment, config: TrainConfig, given: Given | None) -> Collected:
        """What one environment gives to a rollout."""
        policy, rule, definition = self._policy, config.row.selection, env.definition
        if rule is not None and rule.kind == "demonstrations":
            return demonstrated_rollout(definition, policy, config, step)
        collected = collect(env, policy, config, step, self.journal, self._processes, self.generator, given)
        said = (definition, policy, config, step, self.journal, self._processes, self._pool)
        return continued(rationalised(collected, *said), *said)


BEFORE = {"ids", "attention_mask"}
"""Tensors of a rollout that hold the prompt, padded on the left, before what is padded on the right."""
OF_GROUPS = ("reward_std", "frac_reward_zero_std")
"""Metrics that are means over groups."""


@dataclass(frozen=True, slots=True)
class _Made:
    """What one environment gave."""

    name: str
    group_size: int
    collected: Collected

    @property
    def part(self) -> Part:
        return Part(self.name, len(self.collected.rollout), self.group_size)

    @property
    def groups_drawn(self) -> int:
        return len(self.collected.episodes) // self.group_size


def joined(made: Sequence[_Made], pad_id: int, metrics_by: str) -> Collected:
    """The episodes one environment behind the other, numbered through, with metrics of each and of all."""
    episodes: list[Episode] = []
    places: list[int] = []
    groups = 0
    for each in made:
        own, first = each.collected, len(episodes)
        places += [first + i for i in (range(len(own.episodes)) if own.kept is None else own.kept)]
        episodes += [replace(e, group=groups + e.group, index=first + e.index) for e in own.episodes]
        groups += each.groups_drawn
    return Collected(
        episodes,
        joined_rollouts([each.collected.rollout for each in made], pad_id),
        _metrics(made, metrics_by),
        places,
        tuple(each.part for each in made),
    )


def joined_rollouts(rollouts: Sequence[Rollout], pad_id: int) -> Rollout:
    """The rows of all, padded to the longest prompt and the longest completion."""
    width = max(r.mask.shape[1] for r in rollouts)
    front = max(r.ids.shape[1] - r.mask.shape[1] for r in rollouts)

    def wide(rollout: Rollout, name: str, tensor: torch.Tensor) -> torch.Tensor:
        own = rollout.mask.shape[1]
        if name in BEFORE:
            before = front - (tensor.shape[1] - own)
            return F.pad(tensor, (before, width - own), value=pad_id if name == "ids" else 0)
        return F.pad(tensor, (0, width - own)) if tensor.dim() == 2 and tensor.shape[1] else tensor

    states = [{name: wide(r, name, tensor) for name, tensor in r.state().items()} for r in rollouts]
    return Rollout(**{name: torch.cat([state[name] for state in states]) for name in states[0]})


def _metrics(made: Sequence[_Made], by: str) -> dict[str, float]:
    """Of each environment, `env/ID/reward`; of all: means over episodes or groups, and sums of what is counted."""
    episodes = [e for each in made for e in each.collected.episodes]
    found = measured(episodes, 1, by) if episodes else {}
    counted: dict[str, float] = {}
    for each in made:
        of_itself = each.collected.metrics
        for name, value in of_itself.items():
            if name in OF_GROUPS:
                having = [m for m in made if name in m.collected.metrics]
                value *= each.groups_drawn / sum(m.groups_drawn for m in having)
            elif name in found or not (episodes or name.startswith("time/")):
                continue
            counted[name] = counted.get(name, 0.0) + value
        of_itself = {**of_itself, "groups": float(each.part.episodes // each.group_size)}
        found |= {f"env/{each.name}/{name}": v for name, v in of_itself.items() if not name.startswith("time/")}
    return {**found, **counted}


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
        room, what = context, "pairs of the file"
        said = [max(len(policy.encode_completion(text)) for text in (pair.chosen, pair.rejected)) for pair in pairs]
        found = [len(policy.encode(pair.prompt)) + longest for pair, longest in zip(pairs, said, strict=True)]
    else:
        limit, name = config.max_new_tokens, "max_new_tokens"
        if definition.interaction is not None and config.max_episode_tokens is not None:
            limit, name = config.max_episode_tokens, "max_episode_tokens"
        room, what = context - limit, "prompts"
        found = list(_of_prompts(policy, definition, room))
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
