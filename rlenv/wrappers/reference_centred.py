"""Pays how often a completion beats those of a reference policy: bounded, centred, steep where it matters.

PAR, preference as reward (arXiv 2502.18770): r' = 1/M sum_m sigmoid(r - r_m), with r_1 ... r_M the rewards of the
reference policy's completions of the same task. For a Bradley-Terry reward model each term is the probability that it
prefers the completion, so the reward lies between 0 and 1 and the model's scale beyond a few points pays nothing more.
The references come from a run of the reference policy, judged by the same reward; the paper finds one a task enough.

    rlenv eval safety/rm-v0 --set scorer=FOLDER --policy MODEL --n 4 --out runs/reference
    wrapper = ReferenceCentred.from_episodes("runs/reference")

>>> from rlenv import Completion, Episode, Task, Verdict
>>> par = ReferenceCentred({"t1": [1.0, 3.0]})
>>> episode = Episode(Task("?", id="t1"), Completion("x"), Verdict.of(("reward_model", 2.0)))
>>> par.judge([episode], {})[0].reward
0.5
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError, VerifierContractError
from rlenv.core.verdict import Verdict, to_reward
from rlenv.core.wrapper import State
from rlenv.store.saved_episodes import read_episodes


@dataclass(frozen=True)
class ReferenceCentred:
    """A task without a reference is an error: paid on another scale it would be another reward."""

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

    def judge(self, episodes: Sequence[Episode], state: State) -> list[Verdict]:
        return [self._centred(episode) for episode in episodes]

    def _centred(self, episode: Episode) -> Verdict:
        reward = episode.verdict.reward
        if reward is None:
            return episode.verdict
        references = self.references.get(episode.task.id)
        if references is None:
            raise VerifierContractError(f"no reference reward for task {episode.task.id}; judge it with the reference")
        beaten = math.fsum(_sigmoid(reward - reference) for reference in references) / len(references)
        return to_reward(episode.verdict, beaten, self.name)


def _sigmoid(x: float) -> float:
    """1 / (1 + exp(-x)) without overflow.

    >>> _sigmoid(-1000.0), _sigmoid(0.0), _sigmoid(1000.0)
    (0.0, 0.5, 1.0)
    """
    small = math.exp(-abs(x))
    return 1 / (1 + small) if x >= 0 else small / (1 + small)
