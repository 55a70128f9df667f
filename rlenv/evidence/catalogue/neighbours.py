"""The reference replaced by another value of its own form: other letters and digits in the same places.

Who is paid under several of them has named a form, or a piece that many answers have, and no answer.

>>> import numpy as np
>>> neighbour("Anne Boleyn, 1533", np.random.default_rng(0))
'Blne Eonayn, 6120'
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from rlenv.evidence.edit import Edit, Scene, Variant
from rlenv.evidence.row import SHORT, replacing, rewritten
from rlenv.task import REFERENCE

TRIED = 3
LETTERS = 4
"""Different letters, or else digits, that a value needs to have neighbours that no reader takes for it."""


def neighbour(value: str, rng: np.random.Generator) -> str:
    """The value with its letters in another order, capitals in their places, and other digits."""
    letters = iter(rng.permutation([sign.lower() for sign in value if sign.isalpha()]).tolist())
    signs = []
    for sign in value:
        if sign.isalpha():
            other = next(letters)
            signs.append(other.upper() if sign.isupper() else other)
        else:
            signs.append(str((int(sign) + int(rng.integers(1, 10))) % 10) if sign in "0123456789" else sign)
    return "".join(signs)


def _neighbours(scene: Scene) -> Iterator[Variant]:
    reference, text = scene.task.reference, scene.text.casefold()
    if isinstance(reference, bool) or not isinstance(reference, str | int | float):
        return
    value = str(reference)
    letters = {sign for sign in value.casefold() if sign.isalpha()}
    if len(value) > SHORT or (len(letters) < LETTERS and not any(sign.isdigit() for sign in value)):
        return
    known = {value}
    for _ in range(2 * TRIED):
        if len(known) > TRIED:
            return
        other = neighbour(value, scene.rng)
        if other not in known and not re.search(rf"(?<!\w){re.escape(other.casefold())}(?!\w)", text):
            changed = rewritten(scene.task, replacing({value: other}), (REFERENCE,))
            known.add(other)
            yield Variant(changed, scene.completion, detail=other)


NEIGHBOUR_VALUE = Edit("neighbour_value", "unpaid", TRIED, _neighbours, alike=True)
"""A right completion says its own reference, not one of the same form."""
