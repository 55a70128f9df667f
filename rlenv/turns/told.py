"""An episode turn by turn, as a person reads it.

>>> from rlenv.turns.turn import Turn
>>> said = Completion("5\\nhigher\\n7", turns=(Turn("assistant", 0, 1), Turn("user", 2, 8), Turn("assistant", 9, 10)))
>>> told(said)
['assistant: 5', 'user: higher', 'assistant: 7']
"""

from __future__ import annotations

from rlenv.core.completion import Completion
from rlenv.text.escaping import shown_line

MOST_TURNS, MOST_CHARS = 12, 200
"""How many turns are told, and how many characters of each."""


def told(completion: Completion) -> list[str]:
    """One line a turn, the middle turns of a long episode left out; none for an episode of one turn."""
    lines = [f"{turn.role}: {_line(completion.text[turn.start : turn.end])}" for turn in completion.turns]
    if len(lines) <= MOST_TURNS:
        return lines
    half = MOST_TURNS // 2
    return [*lines[:half], f"({len(lines) - 2 * half} turns left out)", *lines[-half:]]


def _line(text: str) -> str:
    head = text if len(text) <= 2 * MOST_CHARS else f"{text[:MOST_CHARS]} ... {text[-MOST_CHARS:]}"
    return shown_line(head, MOST_CHARS)
