"""A number in place of a reward that is not there, for trainers that know only numbers.

What is not graded gets the mean of its group: its advantage is 0 and the group's mean stays. Where a group has nothing
that was graded it is the mean of what the environment paid so far, the same for all of the group, so that nothing is
learned from it; before anything was paid it is 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from rlenv.core.episode import Episode


class MeanFill:
    """Remembers what each environment paid so far."""

    def __init__(self) -> None:
        self._paid: dict[str, tuple[float, int]] = {}

    def rewards(self, episodes: Sequence[Episode]) -> list[float]:
        """One number an episode; episodes of one group have equal `group`."""
        groups: dict[int, list[float]] = {}
        for episode in episodes:
            reward = episode.verdict.reward
            if reward is not None:
                groups.setdefault(episode.group, []).append(reward)
                total, count = self._paid.get(episode.env_id, (0.0, 0))
                self._paid[episode.env_id] = (total + reward, count + 1)
        return [self._filled(episode, groups.get(episode.group, [])) for episode in episodes]

    def _filled(self, episode: Episode, group: Sequence[float]) -> float:
        if episode.verdict.reward is not None:
            return episode.verdict.reward
        total, count = (sum(group), len(group)) if group else self._paid.get(episode.env_id, (0.0, 0))
        return total / count if count else 0.0
