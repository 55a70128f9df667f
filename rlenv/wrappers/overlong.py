"""A soft penalty for completions that come near the token limit (DAPO, arXiv 2503.14476, equation 13).

The penalty is 0 up to `limit - buffer` tokens and falls linearly to -1 at `limit` tokens, times `weight`:

>>> from rlenv import Completion, Episode, Task, Verdict
>>> overlong = OverlongPenalty(limit=100, buffer=20)
>>> episode = Episode(Task("?"), Completion("x", token_ids=tuple(range(90))), Verdict.of(("correct", 1.0)))
>>> overlong.judge([episode], {})[0].parts
(Part(name='correct', value=1.0), Part(name='overlong', value=-0.5))

Deviation: where no token ids are known, characters are counted instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.verdict import Flag, Verdict
from rlenv.core.wrapper import State


@dataclass(frozen=True)
class OverlongPenalty:
    """Lengths are in tokens that the policy said, or in characters where no tokens are known.

    In an episode of several turns they are those of all its turns, without what answered them.
    """

    limit: int
    buffer: int
    weight: float = 1.0
    name: str = "overlong"
    shaping: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 < self.buffer <= self.limit:
            raise ConfigError(f"expected 0 < buffer <= limit, got buffer {self.buffer} and limit {self.limit}")

    def judge(self, episodes: Sequence[Episode], state: State) -> list[Verdict]:
        return [self._judge(episode) for episode in episodes]

    def _judge(self, episode: Episode) -> Verdict:
        completion = episode.completion
        length = completion.said_tokens or completion.said_chars
        excess = min(length - (self.limit - self.buffer), self.buffer)
        if excess <= 0:
            return episode.verdict
        flag = Flag(self.name, 0, len(completion.text), f"{length} of {self.limit}")
        return episode.verdict.with_part(self.name, -self.weight * excess / self.buffer, flag)
