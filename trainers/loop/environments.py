"""The environments of a run, one or several: their shares, group sizes and samplers, and which of them have stopped.

    mixture = Mixture([Member(env="math/arithmetic-v0", weight=3), Member(env="games/guess-v0", group_size=16)])
    train(config, mixture, policy, "runs/mixed")

Their rewards never meet: groups, whitening and moving baselines are each environment's own
(rlenv.trainers.rollouts.rollout.Part).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import cycle, islice
from typing import Any, cast

import numpy as np

from rlenv.core.definition import Definition, check_trainable
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError, TooManyVerifierErrors
from rlenv.core.fingerprint import code_version, recorded
from rlenv.core.jsontypes import Json
from rlenv.env.batch import BatchEnvironment, EnvLike, definition
from rlenv.env.sampler import sampler_named
from rlenv.evaluation.passk import lower_bound
from rlenv.evidence.exploits.finding import Finding
from rlenv.judge.wrapping import at_fault
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers.algorithms.advantages import varied
from rlenv.trainers.branches.sft import Demonstration, demonstrations
from rlenv.trainers.records.logs import Alarm
from rlenv.trainers.rollouts.collect import derived_seed, refuse_failing_checker
from rlenv.trainers.rollouts.measured import signals_of
from rlenv.trainers.settings.config import Member, Mixture, TrainConfig
from rlenv.workers.pool import Pool
from rlenv.wrappers import OverlongPenalty

FLOOR = 0.1
"""Share of the groups that a curriculum leaves to the plain shares, so that every environment is measured again."""
MEMORY = 0.8
"""What was known of an environment counts this many times as much at each rollout in which it comes."""


MIX = 4
"""What a derived seed is for, beside those of rlenv.trainers.rollouts.collect and rationalise."""
STOPPED = "environment_stopped"
"""The alarm of an environment whose checker failed too often."""
TOLD_FROM, LEAST_SEEN = 0.02, 3
"""A hole is told during the run from this share of the paid completions on, by its 95 % interval, and from so many."""
ENOUGH = 32
"""Episodes of an environment after which its share of verifier errors is looked at."""


class Environments:
    """The members of a mixture; a run in one environment has one member, and draws as if there were no mixture."""

    def __init__(self, env: EnvLike | Mixture, config: TrainConfig, pool: Pool | None) -> None:
        self._config, self.mixture = config, env if isinstance(env, Mixture) else None
        members = env.members if isinstance(env, Mixture) else (Member(env=env),)
        self.envs: dict[str, BatchEnvironment] = {}
        self._configs: dict[str, TrainConfig] = {}
        for place, member in enumerate(members):
            own = config
            if self.mixture is not None:
                own = replace(
                    config,
                    group_size=member.group_size or config.group_size,
                    sampler=member.sampler or config.sampler,
                    seed=derived_seed(config.seed, 0, MIX, place),
                    minibatches=1,  # of the whole rollout, not of what one environment gives
                )
            made = training_environment(member.env, own, pool)
            self.envs[made.definition.id], self._configs[made.definition.id] = made, own
        self.told: set[tuple[str, str]] = set()
        """Holes that were told, by environment and exploit."""
        self._stopped: dict[str, dict[str, Json]] = {}
        self._failed = dict.fromkeys(self.envs, (0, 0))
        """Verifier errors and episodes of each environment since its share was looked at."""
        self._signal = dict.fromkeys(self.envs, (0.0, 0.0))
        """Groups with a difference and groups of each environment; old ones fade."""

    @property
    def definitions(self) -> list[Definition]:
        return [env.definition for env in self.envs.values()]

    @property
    def title(self) -> str:
        return " + ".join(name or "environment" for name in self.envs)

    @property
    def evidence(self) -> list[str]:
        """What detectors asked so far and found, a line each."""
        found = [(name, line) for name, env in self.envs.items() for line in env.evidence]
        return [f"{name}: {line}" if self.mixture else line for name, line in found]

    def settings(self) -> dict[str, Any]:
        """What decides the run of its environments."""
        each = {
            d.id: (recorded(d.verifier), [f"{wrapper.name}:{code_version(wrapper)}" for wrapper in d.wrappers])
            for d in self.definitions
        }
        mixture = self.mixture
        if mixture is None:
            ((name, (version, wrappers)),) = each.items()
            return {"env": name, "verifier": version, "wrappers": wrappers}
        members = {
            name: {"weight": m.weight, "group_size": m.group_size, "sampler": m.sampler}
            for name, m in zip(each, mixture.members, strict=True)
        }
        return {
            "env": self.title,
            "verifier": {name: version for name, (version, _) in each.items()},
            "wrappers": {name: wrappers for name, (_, wrappers) in each.items()},
            "mixture": {"members": members, "temperature": mixture.temperature, "curriculum": mixture.curriculum},
        }

    def shares(self) -> dict[str, float]:
        """The share of the groups of the next rollout that each environment has that has not stopped; they sum to 1."""
        mixture = self.mixture
        if mixture is None:
            return dict.fromkeys(self.envs, 1.0)
        names = [name for name in self.envs if name not in self._stopped]
        weights = {name: m.weight for name, m in zip(self.envs, mixture.members, strict=True)}
        plain = np.array([weights[name] for name in names]) ** (1 / mixture.temperature)
        plain /= plain.sum()
        if mixture.curriculum:  # an environment that was never seen counts as if half of its groups differed
            signal = [(found + 0.5) / (groups + 1) for found, groups in map(self._signal.__getitem__, names)]
            learnt = plain * signal
            plain = FLOOR * plain + (1 - FLOOR) * learnt / learnt.sum()
        return dict(zip(names, plain.tolist(), strict=True))

    def drawing(self, step: int) -> Iterator[tuple[str, BatchEnvironment, TrainConfig]]:
        """The environments of this rollout, each with the settings that it is drawn with.

        The groups of a rollout are dealt out systematically: each environment has its share of them to within one.
        """
        if self.mixture is None:
            ((name, env),) = self.envs.items()
            yield name, env, self._config
            return
        shares = self.shares()
        start = np.random.default_rng(derived_seed(self._config.seed, step, MIX)).random()
        edges = np.floor(np.cumsum([0.0, *shares.values()]) * self._config.groups + start).astype(int)
        edges[-1] = self._config.groups  # whatever the sum of the shares was rounded to
        for name, groups in zip(shares, np.diff(edges).tolist(), strict=True):
            if groups:
                yield name, *self.drawn_with(name, groups)

    def drawn_with(self, name: str, groups: int) -> tuple[BatchEnvironment, TrainConfig]:
        """An environment and the settings with which so many groups of it are drawn."""
        return self.envs[name], self._config if self.mixture is None else replace(self._configs[name], groups=groups)

    def observe(self, step: int, episodes: Sequence[Episode], max_share: float) -> None:
        """Learn from a rollout. An environment whose verifier failed on more than `max_share` of its episodes stops.

        Raises TooManyVerifierErrors where none is left.
        """
        if self.mixture is None:
            refuse_failing_checker(episodes, max_share)
            return
        for name in self.envs:
            own = [e for e in episodes if e.env_id == name]
            if own and name not in self._stopped:  # what was drawn ahead may still come
                self._measure(name, own)
                self._judge(step, name, own, max_share)
        if len(self._stopped) == len(self.envs):
            reasons = "; ".join(f"{name}: {told['reason']}" for name, told in self._stopped.items())
            raise TooManyVerifierErrors(f"every environment of the mixture has stopped: {reasons}")

    def alarms(self, step: int) -> list[Alarm]:
        """Those environments that stopped at this rollout, and the holes of their rewards that were found by now."""
        holes = [
            Alarm(one.exploit.name, step, str(one), lower_bound(one.share, one.tried), TOLD_FROM)
            for name, one in self._holes()
            if (name, one.exploit.name) not in self.told
        ]
        self.told |= {(name, one.exploit.name) for name, one in self._holes()}
        return holes + [
            Alarm(
                STOPPED,
                step,
                f"{name} has stopped and the others go on in its place: {told['reason']}; fix it and "
                "continue with --resume --set changed_verifier=true",
                cast("float", told["share"]),
                self._config.max_error_share,
            )
            for name, told in self._stopped.items()
            if told["step"] == step
        ]

    def _holes(self) -> list[tuple[str, Finding]]:
        """What was found often enough to be told, each with its environment."""
        every = [
            (name, one) for name, env in self.envs.items() for one in env.found if one.tried >= one.paid >= LEAST_SEEN
        ]
        return [(name, one) for name, one in every if lower_bound(one.share, one.tried) > TOLD_FROM]

    def demonstrations(self, policy: TransformersPolicy, limit: int) -> list[Demonstration]:
        """What a warm start learns from: as much of each environment as its share."""
        found = {d.id: demonstrations(d, policy, limit) for d in self.definitions}
        if self.mixture is None:
            return next(iter(found.values()))
        shares = self.shares()
        total = min(limit, max(int(len(shown) / shares[name]) for name, shown in found.items()))
        return [d for name, shown in found.items() for d in islice(cycle(shown), max(1, round(total * shares[name])))]

    def state_dict(self) -> dict[str, Json]:
        """What samplers, wrappers and the mixture have learned, as JSON."""
        states: dict[str, Json] = {name: env.state_dict() for name, env in self.envs.items()}
        if self.mixture is None:
            return cast("dict[str, Json]", next(iter(states.values())))
        return {
            "members": states,
            "stopped": {name: dict(told) for name, told in self._stopped.items()},
            "failed": {name: list(counts) for name, counts in self._failed.items()},
            "signal": {name: list(counts) for name, counts in self._signal.items()},
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """An environment that had stopped is there again where its verifier has changed."""
        if self.mixture is None:
            next(iter(self.envs.values())).load_state_dict(state)
            return
        for name, env in self.envs.items():
            env.load_state_dict(state["members"][name])
            self._failed[name], self._signal[name] = tuple(state["failed"][name]), tuple(state["signal"][name])
        self._stopped = {
            name: told
            for name, told in state["stopped"].items()
            if told["verifier"] == self.envs[name].definition.verifier.version
        }

    def _measure(self, name: str, episodes: Sequence[Episode]) -> None:
        config = self._configs[name]
        differ = varied(*signals_of(episodes, config.row.drawing.signal), config.group_size)
        found, groups = self._signal[name]
        self._signal[name] = (MEMORY * found + float(differ.sum()), MEMORY * groups + len(differ))

    def _judge(self, step: int, name: str, episodes: Sequence[Episode], max_share: float) -> None:
        """Stop the environment where enough of its episodes say so."""
        errors = [e.verdict.reason for e in episodes if not e.verdict.graded]
        failed, seen = self._failed[name][0] + len(errors), self._failed[name][1] + len(episodes)
        self._failed[name] = (failed, seen)
        if seen < ENOUGH:
            return
        self._failed[name] = (0, 0)
        if failed > max_share * seen:
            self._stopped[name] = {
                "step": step,
                "share": failed / seen,
                "verifier": self.envs[name].definition.verifier.version,
                "reason": f"the {at_fault(errors)} failed on {failed} of its last {seen} episodes, "
                f"more than the allowed share {max_share:g}" + (f", and said: {errors[-1]}" if errors else ""),
            }


def training_environment(env: EnvLike, config: TrainConfig, pool: Pool | None) -> BatchEnvironment:
    """The batch form for this run. Raises ConfigError for what is for evaluation only."""
    given, share = definition(env), config.row.drawing.overlong_buffer
    if share:
        limit = most_said(given, config)
        given = replace(given, wrappers=(*given.wrappers, OverlongPenalty(limit, max(1, round(share * limit)))))
    check_trainable(given)
    if config.row.advantage.kind == "continued" and given.interaction is not None:
        raise ConfigError(f"{config.row.name} goes on from the middle of one turn: use ppo or grpo with several turns")
    sampler = sampler_named(config.sampler, given.tasks, config.seed, by_reward=config.row.drawing.signal == "reward")
    return BatchEnvironment(given, group_size=config.group_size, seed=config.seed, sampler=sampler, pool=pool)


def most_said(given: Definition, config: TrainConfig) -> int:
    """How many tokens a policy can say in one episode."""
    if given.interaction is None:
        return config.max_new_tokens
    most = given.max_turns * config.max_new_tokens
    return most if config.max_episode_tokens is None else min(most, config.max_episode_tokens)
