"""Guards against tricks with steps of worked solutions in prose."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from work import assert_linear

from rlenv.core.errors import ConfigError
from rlenv.envs.process.guards import Cut, StepGuards

HONEST = "He bakes 6*12=72 buns.\nAfter selling 50 there are 72-50=22 left.\nSo the answer is \\boxed{22}"


def names(text: str, guards: StepGuards | None = None) -> list[str]:
    return [flag.name for flag in (guards or StepGuards()).read(text).flags]


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
        ("22 = 22 \\boxed{22}", "no_steps", "\\boxed{22}"),
        ("\\boxed{22}", "no_steps", "\\boxed{22}"),
        ("", "no_steps", ""),
        ("I think that it is simply\n\\boxed{22}", "no_steps", "I think that it is simply\n\\boxed{22}"),
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


def test_too_many_steps_trip() -> None:
    text = "\n".join(f"{i}+1={i + 1}" for i in range(65)) + "\\boxed{65}"
    reading = StepGuards().read(text)
    assert names(text) == ["too_many_steps"]
    assert len(reading.spans) == 64


@pytest.mark.parametrize("cut", ["lines", "paragraphs"])
def test_pieces_are_joined_to_the_step_before_and_flagged(cut: str) -> None:
    glue = "\n" if cut == "lines" else "\n\n"
    text = glue.join(["6*12", "=72 buns", "so", "...", "72-50=", "22 left", "\\boxed{22}"])
    reading = StepGuards(cut=cut).read(text)  # type: ignore[arg-type]
    steps = [text[start:end].replace(glue, "|") for start, end in reading.spans]
    assert steps == ["6*12|=72 buns|so|...", "72-50=|22 left", "\\boxed{22}"]
    assert [flag.name for flag in reading.flags] == ["split_step"]
    assert reading.tripped is None


def test_other_cuts_ask_for_words_beside_the_answer_instead_of_equations() -> None:
    guards = StepGuards(cut="paragraphs")
    assert names("The sum of both is even.\n\nHence \\boxed{2}", guards) == []
    assert names("\\boxed{2}", guards) == ["no_steps"]


def test_without_guards_nothing_is_joined_and_nothing_trips() -> None:
    reading = StepGuards(cut="lines", guarded=False).read("a\na\n1=\n1")
    assert (len(reading.spans), reading.flags, reading.tripped) == (4, (), None)


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
def test_hostile_text_takes_linear_work(unit: str, cut: Cut) -> None:
    assert_linear(lambda length: StepGuards(cut=cut).read(unit * (length // len(unit)) + "="), 400_000)


def test_a_cut_that_does_not_exist_is_named() -> None:
    with pytest.raises(ConfigError, match="expected a cut out of equations"):
        StepGuards(cut="words")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="separator"):
        StepGuards(cut="separators", separator="")
