"""Pays the share of its group that a completion beats, in the eyes of a judge of pairs.

    wrapper = GroupWins(PairJudge(asking("http://localhost:8000/v1", "Qwen/Qwen2.5-7B-Instruct")))

The share goes from 0 to 1, a tie is half a win, and it is added to the reward with a weight. It says how good a
completion is among its group and nothing else: use it with group-relative algorithms (GRPO, RLOO). A group of one has
nothing to compare: its reward stays and the flag says so. Whoever is left with fewer than half of its comparisons
because the judge failed has no reward.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.verdict import Flag, Verdict
from rlenv.core.wrapper import State
from rlenv.scorers.pairwise import Comparing, Draw, play


@dataclass(frozen=True)
class GroupWins:
    """Compares the completions that the verifier graded; the others stay what they are."""

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
