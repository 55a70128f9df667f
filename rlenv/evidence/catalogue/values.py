"""The reference replaced by another value: by one that is said, or one of its own form.

A completion is right under one reference. One that is paid under several, which exclude each other, names them all and
leaves the choice to the verifier. One that is paid under a value that stands nowhere in it was not read at all, or for
being near: such values are asked beside the others, as variants without a detail. The last value of the text is asked
first, and where there are many, some from all over it.

The reference replaced by another value of its own form: other letters and digits in the same places.

Who is paid under several of them has named a form, or a piece that many answers have, and no answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise

from rlenv.core.jsontypes import Json
from rlenv.core.reading import Span
from rlenv.core.task import Task, prompt_text
from rlenv.evidence.evidence import Edit, Scene, Variant
from rlenv.evidence.parts import Part, marked, numbers, other_signs, standing
from rlenv.evidence.row import SHORT, under

_BETWEEN = re.compile(r"\s*(?:[,;/|]|\b(?:and|or|und|oder|et|ou|y|o)\b|(?:^|(?<=\s))\(?[a-hA-H][).:](?=\s))\s*")
# takes ", ", " or " and the " (b) " and " B: " of a list of choices; a list of words of five languages, so a guess
_SAID = re.compile(r"[\w'-]+")  # so, don't and first-class
_CLAUSE = re.compile(r"[:.?!()'\"]")  # what stands behind "bad" in "bad: 'The soup'"
_ENDS = " .?!\n"
MOST = 6
"""Values that are tried."""
STRANGE = ("61473", "8209", "35917")
"""Values that hardly any text holds."""
NOWHERE = Part("", Span(0, 0))
SMALL = 12
"""Whole numbers up to this one are often written as words, so that their digits may be missing."""
LONGEST = 80
"""Characters of an answer that is looked for as a whole."""


def _marked_values(scene: Scene) -> Iterator[Variant]:
    return _under(scene, marked(scene.text))


def _plain_values(scene: Scene) -> Iterator[Variant]:
    return _under(scene, numbers(scene.text) if is_number(scene.task.reference) else _labels(scene))


def strange(text: str, like: Json) -> str:
    """A value that does not stand in a text, a number where the other one is."""
    drawn = next((value for value in STRANGE if value not in text), STRANGE[0])
    return drawn if is_number(like) else f"zq{drawn}"


def _under(scene: Scene, parts: Iterable[Part]) -> Iterator[Variant]:
    """The completion judged under values that are not the reference, the last one first, and under a strange one."""
    said = {part.text: part for part in parts if part.text and part.text != str(scene.task.reference)}
    asked = list(reversed(said.values()))[:: len(said) // MOST or 1]
    variants = (_variant(scene, part.text, part) for part in asked)
    known = list(islice((one for one in variants if one is not None), MOST))
    right = str(scene.task.reference)
    unsaid = (strange(scene.text, scene.task.reference), *_between((*said, right))) if known else ()
    yield from known[:1]
    yield from (made for value in unsaid if (made := _variant(scene, value)) is not None)
    yield from known[1:]


def _between(values: Iterable[str]) -> Iterator[str]:
    """A number between two of these, none of them: it is paid where a reward takes what is near enough, said or not."""
    whole = sorted({int(value) for value in values if value.isdecimal() and len(value) < LONGEST})
    yield from islice((str((low + high) // 2) for low, high in pairwise(whole) if high - low > 1), 1)


def _variant(scene: Scene, value: str, part: Part = NOWHERE) -> Variant | None:
    """The completion under another reference; None where the value cannot be one."""
    task = under(scene.task, value)
    return None if task is None else Variant(task, scene.completion, part.place, part.text)


def _labels(scene: Scene) -> Iterator[Part]:
    """What may be the answer as well and stands in the content: references of other tasks, options of the prompt."""
    known = [other.reference for other in scene.others if isinstance(other.reference, str)]
    if isinstance(scene.task.reference, str):
        known += options(prompt_text(scene.task.prompt), scene.task.reference)
    folded = scene.text.casefold()
    text = folded if len(folded) == len(scene.text) else scene.text  # its places are those of the text
    for label in dict.fromkeys(known):
        if label.strip() and len(label) <= LONGEST:
            place = standing(text, label.casefold())
            if place:
                yield Part(label, place)


def options(prompt: str, reference: str) -> Iterator[str]:
    """What stands beside the reference in an enumeration of the prompt; in front of it, as many words as it has.

    >>> list(options("Is it good, so so or bad: 'The soup was cold'?", "so so"))
    ['it good', 'bad']
    """
    parts, size, value = _BETWEEN.split(prompt), len(reference.split()), reference.strip().casefold()
    for place, part in enumerate(parts):
        said = part.strip(_ENDS).casefold()
        with_article = len(said.split()) <= size + 1
        if value and (said.startswith(value) or (said.endswith(value) and with_article)):
            for before in reversed(parts[:place]):
                yield " ".join(_SAID.findall(before)[-size:])
                if len(before.split()) > size + 1:
                    break
        if value and said.endswith(value):
            for after in parts[place + 1 :]:
                words = _SAID.findall(_CLAUSE.split(after)[0])
                yield from dict.fromkeys((" ".join(words), " ".join(words[-size:])))
                if len(after.split()) > size + 1:
                    break


def is_number(reference: Json) -> bool:
    """Whether a reference is one number.

    >>> is_number("1,250"), is_number(-3.5), is_number("3 apples"), is_number(None)
    (True, True, False, False)
    """
    if isinstance(reference, bool) or not isinstance(reference, str | int | float):
        return False
    found = numbers(str(reference))
    return len(found) == 1 and found[0].place == (0, len(str(reference).rstrip()))


def answers(text: str, task: Task) -> bool:
    """Whether a text marks the right number, and no other, as its answer: whatever pays it, the task is done.

    >>> answers("So \\\\boxed{7}.", Task("?", "7")), answers("7 or \\\\boxed{8}", Task("?", "7"))
    (True, False)
    """
    right = str(task.reference).replace(",", "")
    return is_number(task.reference) and {part.text.replace(",", "") for part in marked(text)} == {right}


MARKED_VALUE = Edit("marked_value", MOST + 2, _marked_values, alike=True)
"""Under a value that stands in another box, tag or answer line."""
SAID_VALUE = Edit("said_value", MOST + 2, _plain_values, alike=True)
"""Under a value that stands anywhere: any number where the reference is one, else the answers of other tasks."""


TRIED = 3
LETTERS = 4
"""Different letters, or else digits, that a value needs to have neighbours that no reader takes for it."""


def _neighbours(scene: Scene) -> Iterator[Variant]:
    value, text = str(scene.task.reference), scene.text.casefold()
    letters = {sign for sign in value.casefold() if sign.isalpha()}
    if len(value) > SHORT or (len(letters) < LETTERS and not any(sign.isdigit() for sign in value)):
        return
    made = dict.fromkeys(other_signs(value, turn, turn, 2 * turn) for turn in range(1, 2 * TRIED))
    unsaid = (other for other in made if standing(text, other.casefold()) is None)
    tasks = ((under(scene.task, other), other) for other in unsaid)
    for task, other in islice((one for one in tasks if one[0] is not None), TRIED):
        yield Variant(task or scene.task, scene.completion, detail=other)


NEIGHBOUR_VALUE = Edit("neighbour_value", TRIED, _neighbours, alike=True)
"""A right completion says its own reference, not one of the same form."""
