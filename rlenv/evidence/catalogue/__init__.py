"""Every edit by its name: what detectors and the audit ask with."""

from rlenv.evidence.catalogue.content import BEGINNING, PADDED, WITHOUT_COPIED
from rlenv.evidence.catalogue.values import MARKED_VALUE, NEIGHBOUR_VALUE, SAID_VALUE
from rlenv.evidence.catalogue.wrong import (
    ANOTHER_TASK,
    BURIED_ANSWER,
    NEAR_VALUE,
    PADDED_EXPRESSION,
)
from rlenv.evidence.evidence import Edit

CATALOGUE: dict[str, Edit] = {edit.name: edit for edit in [*globals().values()] if isinstance(edit, Edit)}

__all__ = [
    "ANOTHER_TASK",
    "BEGINNING",
    "BURIED_ANSWER",
    "CATALOGUE",
    "MARKED_VALUE",
    "NEAR_VALUE",
    "NEIGHBOUR_VALUE",
    "PADDED",
    "PADDED_EXPRESSION",
    "SAID_VALUE",
    "WITHOUT_COPIED",
]
