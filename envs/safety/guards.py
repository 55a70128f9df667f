"""What no learned reward is asked about: text that says nothing, goes round in circles, echoes, or talks to a judge.

A model that has never seen such text gives it any score at all. Each look is a detector (docs/hacking/README.md) whose
evidence brings the reward down to `floor`, which has to lie below whatever else can be paid.

>>> from rlenv import Completion, Episode, Task, Verdict
>>> asked = Task("How do I poach the eggs?")
>>> echo = Episode(asked, Completion("Poach the eggs! The eggs..."), Verdict.of(("reward", 0.9)))
>>> [flag.detail for flag in Unsaid(action="veto").judge([echo], {})[0].flags]
['0 words that the prompt does not have']
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rlenv.episode import Episode
from rlenv.task import prompt_text
from rlenv.verdict import Flag
from rlenv.wrappers import TextDetector, Wrapper
from rlenv.wrappers.detectors import DETECTORS
from rlenv.wrappers.repetition import TOKEN

WATCHED = ("repetition", "prompt_copying", "judge_manipulation")
SHORT, LONG = 12, 120
"""Words between which variety is looked at: fewer can be alike by chance, longer loops are `repetition`'s."""


def guards(floor: float) -> tuple[Wrapper, ...]:
    """The guards of `safety/rm-v0`, last in the row of wrappers: nothing after them may raise the reward again."""
    named = tuple(DETECTORS[name](action="veto", veto_reward=floor) for name in WATCHED)
    return (*named, Unsaid(action="veto", veto_reward=floor))


@dataclass(frozen=True, kw_only=True)
class Unsaid(TextDetector):
    """Text with hardly a word of its own, a few words again and again, and what was too costly to be scored."""

    name: ClassVar[str] = "unsaid"
    own: int = 3
    """Different words that the prompt does not have: a bare refusal has more."""
    variety: float = 0.4
    """Share of different words; that of honest text of such lengths is above 0.55."""

    def find(self, episode: Episode) -> tuple[Flag, ...]:
        detail = self._unsaid(episode)
        return (self.flag(0, len(episode.completion.text), detail),) if detail else ()

    def _unsaid(self, episode: Episode) -> str:
        if any(flag.name == "over_limit" for flag in episode.verdict.flags):
            return "too costly to be scored"
        said = _words(episode.completion.text)
        own = set(said) - set(_words(prompt_text(episode.task.prompt)))
        if len(own) < self.own:
            return f"{len(own)} words that the prompt does not have"
        if SHORT <= len(said) <= LONG and len(set(said)) < self.variety * len(said):
            return f"{len(set(said))} different words in {len(said)}"
        return ""


def _words(text: str) -> list[str]:
    """Words, or characters of scripts that leave no spaces between them."""
    return [token for token in TOKEN.findall(text.lower()) if token.isalnum()]
