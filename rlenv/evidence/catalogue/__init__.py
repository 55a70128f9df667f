"""Every edit by its name: what detectors and the audit ask with."""

from rlenv.evidence.catalogue.copied import WITHOUT_COPIED
from rlenv.evidence.catalogue.form import MADE_UP_WORDS, MIXED_WORDS
from rlenv.evidence.catalogue.listed import LISTED_VALUE
from rlenv.evidence.catalogue.neighbours import NEIGHBOUR_VALUE
from rlenv.evidence.catalogue.prefix import BEGINNING
from rlenv.evidence.catalogue.program import PROGRAM_EMPTIED
from rlenv.evidence.catalogue.repeats import SAID_ONCE
from rlenv.evidence.catalogue.tasks import ANOTHER_TASK
from rlenv.evidence.catalogue.values import MARKED_VALUE, SAID_VALUE
from rlenv.evidence.catalogue.wrong import BURIED_ANSWER, NEAR_VALUE, PADDED_EXPRESSION
from rlenv.evidence.edit import Edit

_ALL = (
    ANOTHER_TASK,
    BEGINNING,
    BURIED_ANSWER,
    LISTED_VALUE,
    MADE_UP_WORDS,
    MARKED_VALUE,
    MIXED_WORDS,
    NEAR_VALUE,
    NEIGHBOUR_VALUE,
    PADDED_EXPRESSION,
    PROGRAM_EMPTIED,
    SAID_ONCE,
    SAID_VALUE,
    WITHOUT_COPIED,
)
CATALOGUE: dict[str, Edit] = {edit.name: edit for edit in _ALL}

__all__ = [
    "ANOTHER_TASK",
    "BEGINNING",
    "BURIED_ANSWER",
    "CATALOGUE",
    "LISTED_VALUE",
    "MADE_UP_WORDS",
    "MARKED_VALUE",
    "MIXED_WORDS",
    "NEAR_VALUE",
    "NEIGHBOUR_VALUE",
    "PADDED_EXPRESSION",
    "PROGRAM_EMPTIED",
    "SAID_ONCE",
    "SAID_VALUE",
    "WITHOUT_COPIED",
]
