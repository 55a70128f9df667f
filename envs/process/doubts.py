"""Words by which a writer turns back, supplies what was not given, or meets the impossible.

>>> doubts("However, the question does not say so; assuming a standard week of 5 days ...")
('however', 'assuming', 'standard')

Word problems of the kind that is checked here hold all that their solution needs, and a sound solution of one seldom
turns back. The words say nothing about the mathematics: a policy that is paid for it leaves them out and errs as
before, so they serve to find errors in solutions that were not written for this checker, and no reward uses them.
"""

from __future__ import annotations

import re

_TURNING_BACK = (
    r"however|but wait|wait|oops|actually|instead|on second thought|apolog\w+|sorry|mistake\w*|errors?|incorrect\w*"
    r"|wrong\w*|correction|corrected|re-?(?:evaluat|calculat|consider|examin|check)\w*|mis(?:read|underst\w+|interpret\w*"
    r"|calculat\w*)|confus\w+|discrepanc\w+|overlooked|interpretations?|adjust(?:ing|ment)?"
)
_SUPPLYING = (
    r"assum\w+|presum\w+|suppos(?:e|ing)|(?:most |un)?likely|probably|perhaps|maybe|seems?|appears|typical(?:ly)?"
    r"|usually|standard|hypothetical\w*|if we (?:consider|take|interpret)|unclear|ambigu\w+"
)
_IMPOSSIBLE = (
    r"impossible|not (?:possible|make sense|enough|provided|given|stated|specified|mentioned|clear|realistic|directly)"
    r"|can(?:no|')t|cannot|contradict\w*|inconsisten\w+|insufficient"
    r"|n't (?:make sense|provided|given|stated|specified|mention)|negative"
)
_DOUBT = re.compile(rf"\b(?:{_TURNING_BACK}|{_SUPPLYING}|{_IMPOSSIBLE})\b", re.IGNORECASE)


def doubts(text: str) -> tuple[str, ...]:
    """The words of doubt in a text, in order."""
    return tuple(match[0].lower() for match in _DOUBT.finditer(text.replace("’", "'")))
