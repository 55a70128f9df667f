"""Which language a text is in, and which ones a task asks for."""

from __future__ import annotations

import pytest

from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.evidence.detectors.other_language import OtherLanguage, coded, named, probabilities

ENGLISH = "Hold your card to the reader at the front door until it beeps, and keep the slip."
FRENCH = "Tenez votre carte devant le lecteur à l'avant et gardez le ticket pendant deux heures."
RUSSIAN = "Приложите карту к считывателю у передней двери и сохраните билет на два часа."
MEDLEY = "Karte halten, carte tenir, tarjeta mantener, carta tenere, kort hålla, kartę trzymać, kaart houden."


def _flagged(prompt: str, text: str, reference: Json = None, paid: float = 1.0, **row: Json) -> bool:
    episode = Episode(Task(prompt, reference, metadata=row), Completion(text), Verdict.of(("liked", paid)))
    return bool(OtherLanguage().judge([episode], {})[0].flags)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Reply in English", {"en"}),
        ("Réponds en français, pas en anglais", {"fr", "en"}),
        ("请用英语回答", {"en"}),
        ("What is a mortgage?", set()),
    ],
)
def test_languages_are_known_by_their_names(text: str, found: set[str]) -> None:
    assert named(text) == found


def test_a_row_says_a_language_by_code_or_name() -> None:
    assert coded({"language": "fr"}) == coded({"lang": "French"}) == {"fr"}
    assert coded({"word": "fr"}) == set()


def test_the_model_tells_languages_apart() -> None:
    pytest.importorskip("py3langid")
    assert max(probabilities(FRENCH).items(), key=lambda pair: pair[1])[0] == "fr"


@pytest.mark.parametrize("text", [FRENCH, RUSSIAN, MEDLEY])
def test_another_language_than_the_one_asked_for_is_flagged(text: str) -> None:
    pytest.importorskip("py3langid")
    assert _flagged("In English: how do I pay on the bus?", text)
    assert not _flagged("In English: how do I pay on the bus?", ENGLISH)


@pytest.mark.parametrize(
    ("prompt", "reference"),
    [("How many nuts are there in this big bag?", "71"), ("Translate this into French: hold the card", None)],
)
def test_a_right_number_is_right_in_any_language_and_so_is_one_that_the_prompt_names(
    prompt: str, reference: Json
) -> None:
    assert not _flagged(prompt, FRENCH, reference)
