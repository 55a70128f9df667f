"""An episode that another library's sampler plays in token ids, of one turn or several.

    episode = TokenEpisode(definition, task, renderer, decoder, Sampling(max_new_tokens=512))
    while (ids := episode.ids()) is not None:          # the prompt and all that followed
        episode.say(sampled_ids, logprobs)
    episode.completion()                               # what a verifier judges

What was sampled is never tokenised again: what answers is rendered behind it (rlenv.turns.bridge).
"""

from __future__ import annotations

from collections.abc import Sequence

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.policy import Sampling
from rlenv.core.reading import ReadAs
from rlenv.core.task import Task
from rlenv.integrations.decoding import Decoder
from rlenv.turns.bridge import Renderer
from rlenv.turns.live import Live
from rlenv.turns.transcript import ready


class TokenEpisode:
    """One episode under way; `room` is how many tokens the next turn may have."""

    def __init__(
        self,
        definition: Definition,
        task: Task,
        renderer: Renderer,
        decoder: Decoder,
        sampling: Sampling,
        context: int | None = None,
    ) -> None:
        """`context` bounds the prompt and all that follows, in tokens."""
        self.definition, self.task, self.context = definition, task, context
        self.renderer, self.decoder, self.sampling = renderer, decoder, sampling
        self.room = sampling.max_new_tokens
        self._live = None if definition.interaction is None else Live.of(definition, task)
        self._said: Completion | None = None
        self.prompt_ids: tuple[int, ...] = ()

    @property
    def ended(self) -> bool:
        """Whether nothing more is to be said."""
        return self._said is not None if self._live is None else self._live.ended

    @property
    def turns(self) -> int:
        """How often the policy spoke."""
        return int(self._said is not None) if self._live is None else self._live.said

    def ids(self) -> list[int] | None:
        """What the policy reads before its next turn; None where the episode is over or has no room for one."""
        if self.ended:
            return None
        if self._live is None:
            self.prompt_ids = tuple(self.renderer.prompt(self.task.prompt))
            if self.context is not None:
                self.room = min(self.room, self.context - len(self.prompt_ids))
            if self.room < 1:
                self._said = Completion("", finished=False)
                return None
            return list(self.prompt_ids)
        found = ready([self._live], self.renderer, self.sampling, self.context)[0]
        self.prompt_ids = self._live.prompt_ids
        if found is None:
            self._live.end_cut()
            return None
        self.room = found.room
        return found.ids

    def say(self, ids: Sequence[int], logprobs: Sequence[float] = (), *, cut: bool | None = None) -> None:
        """Add what the policy said, and what answers it. `cut` where the sampler tells; else the last token does."""
        known = list(logprobs) if len(logprobs) == len(ids) else [0.0] * len(ids)
        finished = self.decoder.finished(ids) if cut is None else not cut
        said = Completion(
            self.decoder.text(ids),
            tuple(ids),
            tuple(known),
            finished=finished,
            read_as=self._read_as(),
        )
        if self._live is None:
            self._said = said
        else:
            self._live.step(said)

    def completion(self) -> Completion:
        """All that was said, with its turns where there are several."""
        if self._live is None:
            return self._said or Completion("", finished=False)
        return self._live.completion()

    def _read_as(self) -> ReadAs:
        before = self.prompt_ids if self._live is None else (*self._live.prompt_ids, *self._live.token_ids)
        return self.decoder.read_as(before)
