"""The expressions that a text writes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlenv.text.formulas import MAX_FORMULAS, formulas


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (r"Simplify $\sqrt{8}$.", (r"\sqrt{8}",)),
        (r"Simplify \[\frac12 + x.\]", (r"\frac12 + x",)),
        (r"$$x^2 = 4$$", ("x^2 = 4", "x^2", "4")),
        ("What is 3 + 4*5?", ("3 + 4*5",)),
        ("Evaluate 8^(2/3) and 5!", ("8^(2/3)", "5!")),
        ("Simplify sqrt(75).", ("sqrt(75)",)),
        ("Tom has 3 apples and 4 pears - all of them red.", ()),
        (r"It costs \$5 and \$6.", ()),
        ("", ()),
    ],
)
def test_what_is_found(text: str, found: tuple[str, ...]) -> None:
    assert formulas(text) == found


@settings(deadline=None)
@given(st.text())
def test_any_text_has_few(text: str) -> None:
    assert len(formulas(text)) <= MAX_FORMULAS
