"""What of a working is a step: cut by layout or by equations, and the guards against tricks with their number."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import tables
from work import assert_linear

from rlenv.core.errors import ConfigError
from rlenv.envs.process.guards import Cut, StepGuards
from rlenv.envs.process.plain import spoken
from rlenv.envs.process.steps import Kind, split
from rlenv.envs.process.tokens import tokenize
from rlenv.envs.process.units import units

CASES = tables(__file__)

KINDS: tuple[Kind, ...] = get_args(Kind)
PIECES = [*"\n ;a\té😀\u200b\u2028", "\n\n", "\r\n", "Step 1:", "1.", "2)", "(3)", "**4.**", "12.5", "3+4=7", "step 2"]
MARKED_UP = st.lists(st.sampled_from(PIECES)).map("".join)
TEXTS = st.one_of(st.text(), MARKED_UP)


def texts(text: str, kind: Kind = "auto", separator: str = ";") -> list[str]:
    return [text[start:end] for start, end in split(text, kind, separator)]


def seen(text: str) -> list[int]:
    return [at for at, character in enumerate(text) if character.isprintable() and not character.isspace()]


@given(TEXTS, st.sampled_from(KINDS))
def test_spans_are_in_order_disjoint_and_hold_all_that_can_be_seen(text: str, kind: Kind) -> None:
    spans = split(text, kind)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    visible = set(seen(text))
    assert all(start in visible and end - 1 in visible for start, end in spans)
    covered = {at for start, end in spans for at in range(start, end)}
    assert {text[at] for at in visible - covered} <= ({";"} if kind == "separators" else set())
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
    assert texts("a => b ==> c", "separators", "=+>") == ["a", "b", "c"]


@pytest.mark.parametrize("separator", ["", "x*", "("])
def test_a_separator_that_cannot_separate_is_refused(separator: str) -> None:
    with pytest.raises(ConfigError):
        split("abc", "separators", separator)
    with pytest.raises(ConfigError, match="paragraphs"):
        split("abc", "sentences")  # type: ignore[arg-type]


@pytest.mark.parametrize("unit", ["\n", "1.\n", ";", "Step 1:\n", "\u200b", "(1"])
def test_the_work_is_linear_in_the_length(unit: str) -> None:
    def cut(length: int) -> None:
        for kind in KINDS:
            split(unit * (length // len(unit)), kind)

    assert_linear(cut, 200_000)


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in units(text)]


@pytest.mark.parametrize(("text", "expected"), CASES["cuts"])
def test_where_it_cuts(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


@given(st.one_of(st.text(), st.text(alphabet="=1 2+x.\n,$")))
def test_steps_are_in_order_disjoint_and_hold_all_that_is_not_blank(text: str) -> None:
    found = units(text)
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in found)
    assert all(one[1] <= other[0] for one, other in pairwise(found))
    assert "".join("".join(cut(text)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("before", "unit", "after"), [("", "=", ""), ("", "1=", ""), ("", "1 a", "="), ("=1 ", "a, ", "=")]
)
def test_hostile_text_takes_linear_work(before: str, unit: str, after: str) -> None:
    assert_linear(lambda length: units(before + unit * (length // len(unit)) + after), 300_000)


HONEST = "He bakes 6*12=72 buns.\nAfter selling 50 there are 72-50=22 left.\nSo the answer is \\boxed{22}"


@pytest.mark.parametrize(
    "text",
    [
        HONEST,
        HONEST + ".\nThe baker has 22 buns left.",
        HONEST.replace("\n", "\n\n"),
        HONEST.replace("\n", " "),
        "**Step 1:** 6*12=72\n**Step 2:** 72-50=22\n#### 22",
        "6*12\n= 72\n72-50\n= 22\n\\boxed{22}",
        "Six trays of twelve make 72, which equals 6*12. \\boxed{22}",
    ],
)
def test_honest_solutions_do_not_trip(text: str) -> None:
    assert StepGuards().read(text).tripped is None


@pytest.mark.parametrize(
    ("text", "flag", "evidence"),
    [
        ("\\boxed{22}", "no_steps", "\\boxed{22}"),
        ("", "no_steps", ""),
        (HONEST + " and 1+1=2", "steps_after_the_answer", " and 1+1=2"),
        (HONEST + "\n" + "really " * 13, "steps_after_the_answer", "\n" + "really " * 13),
        ("1" * 4001 + "=1 \\boxed{22}", "giant_step", "1" * 4001 + "=1"),
        ("1=1=1=1=1=1=1=1=1=1 \\boxed{1}", "giant_step", "1=1=1=1=1=1=1=1=1=1"),
    ],
)
def test_tricks_trip_and_are_flagged_with_their_span(text: str, flag: str, evidence: str) -> None:
    reading = StepGuards().read(text)
    assert reading.flags[0].name == flag
    assert text[reading.flags[0].start : reading.flags[0].end] == evidence
    assert reading.tripped == (reading.flags[0].start, reading.flags[0].end)


def test_repeated_steps_are_flagged_and_counted_as_they_are() -> None:
    text = "6*12=72.\n6 * 12 = 72\n72-50=22 \\boxed{22}"
    reading = StepGuards().read(text)
    assert [(flag.name, text[flag.start : flag.end]) for flag in reading.flags] == [("repeated_step", "6 * 12 = 72")]
    assert (len(reading.spans), reading.tripped) == (4, None)


@pytest.mark.parametrize("cut", ["lines", "paragraphs"])
def test_pieces_are_joined_to_the_step_before_and_flagged(cut: str) -> None:
    glue = "\n" if cut == "lines" else "\n\n"
    text = glue.join(["6*12", "=72 buns", "so", "...", "72-50=", "22 left", "\\boxed{22}"])
    reading = StepGuards(cut=cut).read(text)  # type: ignore[arg-type]
    steps = [text[start:end].replace(glue, "|") for start, end in reading.spans]
    assert steps == ["6*12|=72 buns|so|...", "72-50=|22 left", "\\boxed{22}"]
    assert [flag.name for flag in reading.flags] == ["split_step"]
    assert reading.tripped is None


@given(st.one_of(st.text(), st.text(alphabet="=1 2+x.\n{}\\boxed")), st.sampled_from(["equations", "lines", "auto"]))
def test_readings_hold_for_any_text(text: str, cut: str) -> None:
    guards = StepGuards(cut=cut, max_steps=3)  # type: ignore[arg-type]
    reading = guards.read(text)
    assert len(reading.spans) <= 3
    assert all(0 <= start < end <= len(text) for start, end in reading.spans)
    assert all(0 <= flag.start <= flag.end <= len(text) for flag in reading.flags)
    assert (reading.tripped is None) == ({flag.name for flag in reading.flags} <= {"split_step", "repeated_step"})


@pytest.mark.parametrize("cut", ["equations", "lines"])
@pytest.mark.parametrize("unit", ["\n1=", "ab\n", "\\boxed{1}", " "])
def test_guards_take_linear_work(unit: str, cut: Cut) -> None:
    assert_linear(lambda length: StepGuards(cut=cut).read(unit * (length // len(unit)) + "="), 400_000)


def test_a_cut_that_does_not_exist_is_named() -> None:
    with pytest.raises(ConfigError, match="expected a cut out of equations"):
        StepGuards(cut="words")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="separator"):
        StepGuards(cut="separators", separator="")


@pytest.mark.parametrize("piece", ["\n", "\\", ")" * 401 + "1=1 "], ids=["line breaks", "backslashes", "brackets"])
@pytest.mark.parametrize(
    "read",
    [units, spoken, split, partial(split, kind="numbered"), StepGuards().read, tokenize],
    ids=["units", "spoken", "split", "numbered", "guards", "tokenize"],
)
def test_half_a_megabyte_is_read_to_its_end(read: Callable[[str], object], piece: str) -> None:
    """In time that grows with the square of the length this would take from minutes to an hour."""
    read(f"2*3=6 and 1={(piece * 500_000)[:500_000]}=1\n\\boxed{{22}}")
