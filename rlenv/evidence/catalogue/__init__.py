"""Every edit by its name: what detectors and the audit ask with."""

from rlenv.evidence.catalogue.answer import ITEM_LEFT_OUT, MIXED_LETTERS
from rlenv.evidence.catalogue.copied import WITHOUT_COPIED
from rlenv.evidence.catalogue.form import MADE_UP_WORDS, MIXED_WORDS
from rlenv.evidence.catalogue.listed import LISTED_VALUE
from rlenv.evidence.catalogue.neighbours import NEIGHBOUR_VALUE
from rlenv.evidence.catalogue.prefix import BEGINNING
from rlenv.evidence.catalogue.program import PROGRAM_EMPTIED
from rlenv.evidence.catalogue.renamed import RENAMED
from rlenv.evidence.catalogue.repeats import SAID_ONCE
from rlenv.evidence.catalogue.tasks import ANOTHER_TASK
from rlenv.evidence.catalogue.tests import WRONG_TESTS
from rlenv.evidence.catalogue.values import MARKED_VALUE, SAID_VALUE
from rlenv.evidence.edit import Edit

_ALL = (
    ANOTHER_TASK,
    BEGINNING,
    ITEM_LEFT_OUT,
    LISTED_VALUE,
    MADE_UP_WORDS,
    MARKED_VALUE,
    MIXED_LETTERS,
    MIXED_WORDS,
    NEIGHBOUR_VALUE,
    PROGRAM_EMPTIED,
    RENAMED,
    SAID_ONCE,
    SAID_VALUE,
    WITHOUT_COPIED,
    WRONG_TESTS,
)
CATALOGUE: dict[str, Edit] = {edit.name: edit for edit in _ALL}

__all__ = [
    "ANOTHER_TASK",
    "BEGINNING",
    "CATALOGUE",
    "ITEM_LEFT_OUT",
    "LISTED_VALUE",
    "MADE_UP_WORDS",
    "MARKED_VALUE",
    "MIXED_LETTERS",
    "MIXED_WORDS",
    "NEIGHBOUR_VALUE",
    "PROGRAM_EMPTIED",
    "RENAMED",
    "SAID_ONCE",
    "SAID_VALUE",
    "WITHOUT_COPIED",
    "WRONG_TESTS",
]
