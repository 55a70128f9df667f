"""What an attacker is: it sees the prompt and the answers to other tasks, never the reference of its own.

def shout(scene: Scene) -> Iterator[Body]:
    yield Body("capitals", scene.prompt.upper())

report = audit("math/gsm8k-v0", attacks=[Attack("shout", "the prompt in capitals", shout)])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from rlenv.evidence.answers import Answer

TURN_MARK = "\x1e"
"""The record separator of ASCII: no reference holds it."""
CATALOGUE_VERSION = "6"
"""Changes when an attacker is added or says something else; stands in every report."""


class Frame(NamedTuple):
    """What stands around an answer in completions that are right elsewhere."""

    name: str
    before: str
    after: str


class Scene(NamedTuple):
    """All that an attacker knows."""

    prompt: str
    others: tuple[str, ...]
    """The answers to other tasks, the most frequent first, each once."""
    solutions: tuple[Answer, ...]
    """Right completions of other tasks."""
    contexts: tuple[tuple[str, str], ...] = ()
    """What stands before and after the answer in the prompts of other tasks, if it stands there."""
    scripts: tuple[tuple[str, ...], ...] = ()
    """All turns of right completions of other tasks, where an episode has several."""


class Body(NamedTuple):
    """A text to try; `variant` names what it is on every task alike."""

    variant: str
    text: str
    says: str | None = None
    """The answer that the text gives, where that is not the text: where it is the right one, it was a guess."""


@dataclass(frozen=True)
class Attack:
    """One kind of cheating: texts to try on each task that are made without its reference.

    An attack of your own is a function of a Scene that yields Bodies, and a name:

        from rlenv.audit import Attack, Body, Scene, audit

        def bodies(scene: Scene):
            yield Body("capitals", scene.prompt.upper())  # the prompt, shouted
            for answer in scene.others[:3]:  # what is right on other tasks
                yield Body("twice", f"{answer} {answer}")

        print(audit("math/arithmetic-v0", attacks=[Attack("shout", "says the prompt in capitals", bodies)]))

    Each text is said as it is and, unless `framed` is False, in the frames of right answers (box, tags, the working of
    another task). What is paid beyond chance is the finding `attack/NAME`, with `about`, the worst text and the
    `variant`s that were paid. Attacks of your own are played beside the catalogue. `bodies` must give the same texts
    for the same scene.

    What else a text may be: `everywhere` tries the usual frames even where right answers have none; `copies` says that
    the answer is read off the prompt, `fitting` that the attack fits some tasks alone and is rated over these; `turns`
    that a text is a whole episode of several turns; `tasks` is the most tasks that it is tried on.
    """

    name: str
    """The finding is `attack/NAME`."""
    about: str
    """What it does, as the finding says it: "says the prompt in capitals"."""
    bodies: Callable[[Scene], Iterable[Body]]
    """The texts to try on one task, from all that an attacker knows of it."""
    framed: bool = True
    """False for texts that are whole completions."""
    everywhere: bool = False
    """Try the frames that models are told to use (box, tags, a last line) even where right answers do not."""
    copies: bool = False
    """It takes its answer from the prompt: where it is the right one it is no guess."""
    fitting: bool = False
    """It is rated over the tasks that it says something on: a policy learns where a trick fits."""
    turns: bool = False
    """Its texts are whole episodes, with TURN_MARK of rlenv.audit.judge between turns; others are said often."""
    tasks: int | None = None
    """Tried on at most this many tasks, for texts that cost."""


GENERIC_FRAMES = (
    Frame("boxed", "\\boxed{", "}"),
    Frame("answer tags", "<answer>", "</answer>"),
    Frame("answer line", "Answer: ", ""),
    Frame("hashes", "#### ", ""),
)
BARE = Frame("bare", "", "")
