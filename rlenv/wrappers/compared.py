"""Wrappers that pay for how scores compare: of several scorers, with a reference policy, within the group.

>>> from rlenv import Completion, Episode, Task, Verdict
>>> verdict = Verdict.of(("a", 0.5), ("b", 0.1), ("brief", 0.2), scores={"a": 1.0, "b": 0.2})
>>> judged = Ensemble(("a", "b"), rule="min").judge([Episode(Task("?"), Completion("x"), verdict)], {})[0]
>>> judged.reward, judged.scores["ensemble_spread"]
(0.4, 0.8)
>>> episode = Episode(Task("?", id="t1"), Completion("x"), Verdict.of(("reward_model", 2.0)))
>>> ReferenceCentred({"t1": [1.0, 3.0]}).judge([episode], {})[0].reward
0.5
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError, VerifierContractError
from rlenv.core.verdict import Flag, Verdict, is_over_limit, to_reward
from rlenv.core.wrapper import State
from rlenv.judges.pairs import Comparing, Draw, play
from rlenv.scorers.ensemble import Combination, Rule, spread
from rlenv.store.saved_episodes import read_episodes
from rlenv.wrappers.changing import Change


@dataclass(frozen=True)
class Ensemble(Change):
    """Combines several scores of one thing, so that fooling one of them does not pay.

    `min` is worst-case, `cautious` uncertainty-weighted optimisation (arXiv 2310.02743, equations 4 and 5): the mean
    less `k` times the population variance. What parts of the same names paid is replaced by the combination; the
    spread is reported as the score `ensemble_spread`. A verdict that lacks one of the scores is an error: an ensemble
    with a member left out would be another one. That of a completion over a limit stays as it is: it has none, by its
    own doing.
    """

    scores: tuple[str, ...]
    rule: Rule = "min"
    k: float = 1.0
    """How much of the variance `cautious` takes off."""
    disagreement: float | None = None
    """A spread above this is flagged."""
    name: str = "ensemble"

    def __post_init__(self) -> None:
        Combination(self.rule, self.k)
        if len(set(self.scores)) < 2 or len(set(self.scores)) < len(self.scores):
            raise ConfigError(f"expected at least two different scores, got {self.scores!r}")

    def paid(self, verdict: Verdict, reward: float, episode: Episode) -> Verdict:
        missing = [name for name in self.scores if name not in verdict.scores]
        if missing and is_over_limit(verdict.flags):
            return verdict
        if missing:
            raise VerifierContractError(f"expected the scores {missing}, got {sorted(verdict.scores)}")
        values = [verdict.scores[name] for name in self.scores]
        apart = spread(values)
        rest = [part.value for part in verdict.parts if part.name not in self.scores]
        combined = to_reward(verdict, math.fsum((*rest, Combination(self.rule, self.k).of(values))), self.name)
        combined = replace(combined, scores={**verdict.scores, "ensemble_spread": apart})
        if self.disagreement is None or apart <= self.disagreement:
            return combined
        detail = f"scores between {min(values):.3g} and {max(values):.3g}"
        return combined.with_flag(Flag(self.name, 0, len(episode.completion.text), detail))


@dataclass(frozen=True)
class ReferenceCentred(Change):
    """Pays how often a completion beats those of a reference policy: bounded, centred, steep where it matters.

    PAR, preference as reward (arXiv 2502.18770): r' = 1/M sum_m sigmoid(r - r_m), with r_1 ... r_M the rewards of the
    reference policy's completions of the same task. For a Bradley-Terry reward model each term is the probability that
    it prefers the completion, so the reward lies between 0 and 1. The references come from a run of the reference
    policy, judged by the same reward; the paper finds one a task enough.

        rlenv eval safety/rm-v0 --set scorer=FOLDER --policy MODEL --n 4 --out runs/reference
        wrapper = ReferenceCentred.from_episodes("runs/reference")

    A task without a reference is an error: paid on another scale it would be another reward.
    """

    references: Mapping[str, Sequence[float]]
    """Rewards of the reference policy by task id."""
    name: str = "reference_centred"
    shaping: ClassVar[bool] = True

    def __post_init__(self) -> None:
        given = {task: tuple(float(reward) for reward in rewards) for task, rewards in self.references.items()}
        if not given or not all(rewards and all(map(math.isfinite, rewards)) for rewards in given.values()):
            raise ConfigError("expected a finite reward or more for every task of the reference policy")
        object.__setattr__(self, "references", given)

    @classmethod
    def from_episodes(cls, path: str | Path, name: str = "reference_centred") -> ReferenceCentred:
        """The references that a saved run holds; what its checker failed at is left out.

        Raises ConfigError where none was graded, and RunError for what does not hold episodes.
        """
        rewards: defaultdict[str, list[float]] = defaultdict(list)
        for episode in read_episodes(path):
            if episode.verdict.reward is not None:
                rewards[episode.task.id].append(episode.verdict.reward)
        return cls(rewards, name)

    def paid(self, verdict: Verdict, reward: float, episode: Episode) -> Verdict:
        references = self.references.get(episode.task.id)
        if references is None:
            raise VerifierContractError(f"no reference reward for task {episode.task.id}; judge it with the reference")
        # 1 / (1 + exp(-x)) is (1 + tanh(x / 2)) / 2, which overflows nowhere
        beaten = 0.5 + math.fsum(math.tanh((reward - reference) / 2) for reference in references) / len(references) / 2
        return to_reward(verdict, beaten, self.name)


@dataclass(frozen=True)
class GroupWins:
    """Pays the share of its group that a completion beats, in the eyes of a judge of pairs.

        wrapper = GroupWins(PairJudge(asking("http://localhost:8000/v1", "Qwen/Qwen2.5-7B-Instruct")))

    The share goes from 0 to 1, a tie is half a win, and it is added to the reward with a weight. It says how good a
    completion is among its group and nothing else: use it with group-relative algorithms (GRPO, RLOO). A group of one
    has nothing to compare: its reward stays and the flag says so. Whoever is left with fewer than half of its
    comparisons because the judge failed has no reward. Only completions that the verifier graded are compared.
    """

    judge_of_pairs: Comparing
    weight: float = 1.0
    draw: Draw = "all"
    name: str = "group_wins"

    def __post_init__(self) -> None:
        if not math.isfinite(self.weight):
            raise ConfigError(f"expected a finite weight, got {self.weight!r}")

    def judge(self, episodes: Sequence[Episode], state: State) -> list[Verdict]:
        verdicts = [episode.verdict for episode in episodes]
        graded = [i for i, verdict in enumerate(verdicts) if verdict.reward is not None]
        if len(graded) < 2:
            alone = Flag(self.name, detail="no other completion to compare with")
            return [verdict.with_flag(alone) if verdict.reward is not None else verdict for verdict in verdicts]
        group = (episodes[graded[0]].task, [episodes[i].completion for i in graded])
        for i, share in zip(graded, play(self.judge_of_pairs, [group], self.draw)[0].shares, strict=True):
            verdicts[i] = self._paid(verdicts[i], share)
        return verdicts

    def _paid(self, verdict: Verdict, share: float | None) -> Verdict:
        if share is None:
            return Verdict.error(f"{self.name}: fewer than half of the comparisons were judged", verdict.flags)
        scored = replace(verdict, scores={**verdict.scores, self.name: share})
        return scored.with_part(self.name, self.weight * share)
