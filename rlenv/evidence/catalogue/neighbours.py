"""The reference replaced by another value of its own form: other letters and digits in the same places.

Who is paid under several of them has named a form, or a piece that many answers have, and no answer.

>>> neighbour("Anne Boleyn, 1533", 1), neighbour("Anne Boleyn, 1533", 2)
('Yelo Bennan, 4866', 'Elob Ennany, 7199')
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from rlenv.core.task import REFERENCE
from rlenv.evidence.edit import Edit, Scene, Variant
from rlenv.evidence.parts import standing
from rlenv.evidence.row import SHORT, replacing, rewritten

TRIED = 3
STEP = 3
"""Between digits: it has no factor with ten, so that each of nine turns gives another one."""
LETTERS = 4
"""Different letters, or else digits, that a value needs to have neighbours that no reader takes for it."""


def neighbour(value: str, turn: int) -> str:
    """The value with its letters from behind, turned by so many, capitals in their places, and other digits."""
    backwards = [sign.lower() for sign in reversed(value) if sign.isalpha()]
    turned = turn % max(1, len(backwards))
    letters = iter(backwards[turned:] + backwards[:turned])
    signs = []
    for sign in value:
        if sign.isalpha():
            other = next(letters)
            signs.append(other.upper() if sign.isupper() else other)
        else:
            signs.append(str((int(sign) + STEP * turn) % 10) if sign in "0123456789" else sign)
    return "".join(signs)


def _neighbours(scene: Scene) -> Iterator[Variant]:
    reference, text = scene.task.reference, scene.text.casefold()
    if isinstance(reference, bool) or not isinstance(reference, str | int | float):
        return
    value = str(reference)
    letters = {sign for sign in value.casefold() if sign.isalpha()}
    if len(value) > SHORT or (len(letters) < LETTERS and not any(sign.isdigit() for sign in value)):
        return
    made = (neighbour(value, turn) for turn in range(1, 2 * TRIED))
    for other in islice((one for one in made if one != value and standing(text, one.casefold()) is None), TRIED):
        changed = rewritten(scene.task, replacing({value: other}), (REFERENCE,))
        yield Variant(changed, scene.completion, detail=other)


NEIGHBOUR_VALUE = Edit("neighbour_value", "unpaid", TRIED, _neighbours, alike=True)
"""A right completion says its own reference, not one of the same form."""
