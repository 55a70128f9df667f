"""What need not be shown to a judge, because it cannot be good: nothing, marks alone, an opener alone, too much.

Judges pay for such answers (arXiv 2507.08794). A completion that is what the reference says is never among them.

>>> from rlenv import Completion, Task
>>> reject(Task("2+2?"), Completion("Thought process:"), 1000)
Flag(name='no_substance', start=0, end=16, detail='nothing but an opener')
>>> reject(Task("2+2?"), Completion("Four."), 1000) is None
True
"""

from __future__ import annotations

import unicodedata

from rlenv.core.completion import Completion
from rlenv.core.task import Task
from rlenv.core.verdict import OVER_LIMIT, Flag
from rlenv.scorers.cleaning import cleaned
from rlenv.text.folding import fold
from rlenv.text.master_keys import nothing_said

NO_SUBSTANCE = "no_substance"
_BLANK = "\u2800"
"""A braille pattern without dots, which Unicode takes for a symbol."""


def shown(completion: Completion) -> str:
    """What a judge is shown of a completion: what was said."""
    return cleaned(completion.content.text)


def reject(task: Task, completion: Completion, max_chars: int) -> Flag | None:
    """The flag of a completion that is graded 0 without asking a judge; None for all others."""
    text, answer = completion.text, shown(completion)
    if len(answer) > max_chars:
        return Flag(OVER_LIMIT, 0, len(text), f"{max_chars} characters")
    if isinstance(task.reference, str) and answer.strip() == task.reference.strip() != "":
        return None
    if not any(_says(character) for character in answer):
        return Flag(NO_SUBSTANCE, 0, len(text), "nothing but marks or white space")
    if not any(character.isalnum() for character in answer):  # a symbol can be an answer
        return None
    detail = nothing_said(fold(answer), task.reference)
    return None if detail is None else Flag(NO_SUBSTANCE, 0, len(text), detail)


def _says(character: str) -> bool:
    """Letters, digits and symbols say something; punctuation, space and controls do not."""
    return unicodedata.category(character)[0] in "LNS" and character != _BLANK
