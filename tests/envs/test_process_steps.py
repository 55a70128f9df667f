"""Steps are spans: in order, disjoint, never blank, and nothing that can be seen is lost but the separators."""

from __future__ import annotations

from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from work import assert_linear

from rlenv.core.errors import ConfigError
from rlenv.envs.process.steps import Kind, split

KINDS: tuple[Kind, ...] = get_args(Kind)
PIECES = [*"\n ;a\té😀\u200b\u2028", "\n\n", "\r\n", "Step 1:", "1.", "2)", "(3)", "**4.**", "12.5", "3+4=7", "step 2"]
MARKED_UP = st.lists(st.sampled_from(PIECES)).map("".join)
TEXTS = st.one_of(st.text(), MARKED_UP)


def texts(text: str, kind: Kind = "auto", separator: str = ";") -> list[str]:
    return [text[start:end] for start, end in split(text, kind, separator)]


def seen(text: str) -> list[int]:
    return [at for at, character in enumerate(text) if character.isprintable() and not character.isspace()]


@given(TEXTS, st.sampled_from(KINDS))
def test_spans_are_in_order_disjoint_and_start_and_end_at_what_can_be_seen(text: str, kind: Kind) -> None:
    spans = split(text, kind)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    visible = set(seen(text))
    assert all(start in visible and end - 1 in visible for start, end in spans)


@given(TEXTS, st.sampled_from(KINDS))
def test_every_character_that_can_be_seen_lies_in_a_step_or_is_a_separator(text: str, kind: Kind) -> None:
    covered = {at for start, end in split(text, kind) for at in range(start, end)}
    missed = {text[at] for at in seen(text) if at not in covered}
    assert missed <= ({";"} if kind == "separators" else set())


@given(TEXTS)
def test_a_step_of_separators_holds_no_separator_and_a_line_no_break(text: str) -> None:
    assert not any(";" in step for step in texts(text, "separators"))
    assert not any("\n" in step or "\r" in step for step in texts(text, "lines"))


@given(TEXTS, st.sampled_from(KINDS))
def test_the_same_text_is_cut_the_same_way_and_blanks_around_it_change_nothing(text: str, kind: Kind) -> None:
    assert texts(text, kind) == texts(text, kind)
    assert texts(f"\n \n{text}\n\n", kind) == texts(text, kind)


@pytest.mark.parametrize(
    "blank", ["", "   ", "\n\n\n", "\u200b\u200b\n\u200b", "\t\r\n", "\ufeff", "\x00\x01", ";;; ;"]
)
def test_what_shows_nothing_has_no_steps(blank: str) -> None:
    assert not split(blank, "separators" if ";" in blank else "auto")


@pytest.mark.parametrize(
    "heading", ["{}. ", "{}) ", "({}) ", "Step {}: ", "**Step {}:** ", "### Step {}\n", "- Step {}. "]
)
def test_numbered_headings_in_the_ways_that_people_write_them(heading: str) -> None:
    one, two = f"{heading.format(1)}3 + 4 = 7\nso seven.", f"{heading.format(2)}7 * 2 = 14"
    assert texts(f"Let us see.\n{one}\n\n{two}") == ["Let us see.", one, two]


@pytest.mark.parametrize(
    "text",
    [
        "She has 12.\n16. That is all.",
        "1.5 cups\n2.5 cups",
        "3. apples\n7. pears",
        "1. first\n1. first again\n1. and again",
        "2024: the year\n2026: another",
    ],
)
def test_numbers_that_are_no_numbering_open_no_step(text: str) -> None:
    assert len(split(text, "numbered")) == 1


def test_paragraphs_keep_their_lines_and_lines_do_not() -> None:
    text = "a\nb\n \t\nc\r\nd"
    assert texts(text, "paragraphs") == ["a\nb", "c\r\nd"]
    assert texts(text, "lines") == ["a", "b", "c", "d"]
    assert texts("a\nb\nc") == ["a", "b", "c"]


def test_a_separator_of_ones_own() -> None:
    assert texts("a => b ==> c", "separators", "=+>") == ["a", "b", "c"]


@pytest.mark.parametrize("separator", ["", "x*", "("])
def test_a_separator_that_cannot_separate_is_refused(separator: str) -> None:
    with pytest.raises(ConfigError):
        split("abc", "separators", separator)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ConfigError, match="paragraphs"):
        split("abc", "sentences")  # type: ignore[arg-type]


@pytest.mark.parametrize("unit", ["\n", "1.\n", " ", "\n \n", ";", "Step 1:\n", "\u200b", "**", "(1", "\t1"])
def test_the_work_is_linear_in_the_length(unit: str) -> None:
    def cut(length: int) -> None:
        for kind in KINDS:
            split(unit * (length // len(unit)), kind)

    assert_linear(cut, 200_000)
