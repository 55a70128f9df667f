"""The steps of process/arithmetic-v0: what is read, what trips, and what each step scores."""

import time

import pytest

from rlenv import Completion, Task
from rlenv.envs.process.equation_steps import (
    MAX_STEPS,
    EquationReader,
    ReductionSteps,
    TrueEquations,
    boxed,
    operation,
    read,
)
from rlenv.errors import TaskError
from rlenv.scorers import Stepped

TASK = Task("3+8+5+9=?", "25", metadata={"expression": "3+8+5+9"})
RIGHT = r"3+8=11;11+5=16;16+9=25;\boxed{25}"


def values(text: str) -> tuple[float, ...]:
    scores = ReductionSteps().score_steps([Stepped(TASK, Completion(text), read(text, guards=False).spans)])[0]
    assert scores.values is not None
    return scores.values


@pytest.mark.parametrize(
    "text", [RIGHT, RIGHT.replace(";", " ;\n"), r"5+9=14; 3+8 = 11; 11+14=25; \boxed{25}.", RIGHT + ";"]
)
def test_right_steps_score_one(text: str) -> None:
    assert read(text).tripped is None
    assert values(text) == (1, 1, 1, 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"3+8=12;12+5=17;17+9=26;\boxed{26}", (0, 1, 1, 1)),
        (r"3+8=11;11+5=16;16+9=25;\boxed{26}", (1, 1, 1, 0)),
        (r"3+8=11;11+5=16;\boxed{25}", (1, 1, 0)),
        (r"3+8=11;3+8=11;11+5=16;16+9=25;\boxed{25}", (1, 0, 1, 1, 1)),
        (r"3+8=11;11+0=11;11+5=16;16+9=25;\boxed{25}", (1, 0, 1, 1, 1)),
        (r"25+0=25;\boxed{25}", (0, 0)),
        (r"1+1=2;\boxed{25}", (0, 0)),
        (r"3*8=24;24+1=25;\boxed{25}", (0, 0, 0)),
    ],
)
def test_a_wrong_step_scores_zero_where_it_is_wrong(text: str, expected: tuple[float, ...]) -> None:
    assert read(text).tripped is None
    assert values(text) == expected


@pytest.mark.parametrize(
    ("text", "flag", "evidence"),
    [
        ("", "no_steps", ""),
        (r"\boxed{25}", "no_steps", r"\boxed{25}"),
        ("3+8=11 11+5=16;16+9=25;\\boxed{25}", "giant_step", "3+8=11 11+5=16"),
        ("3+8=11=6+5;11+5=16;16+9=25;\\boxed{25}", "giant_step", "3+8=11=6+5"),
        (r"3+8=11;11+5=16;16+9=25 \boxed{25}", "giant_step", r"16+9=25 \boxed{25}"),
        (r"3+8;=11;11+5=16;16+9=25;\boxed{25}", "unreadable_step", "3+8"),
        (r"so;3+8=11;11+5=16;16+9=25;\boxed{25}", "unreadable_step", "so"),
        (r"3+8+5=16;16+9=25;\boxed{25}", "unreadable_step", "3+8+5=16"),
        (RIGHT + ";25+0=25", "steps_after_the_answer", ";25+0=25"),
        (RIGHT + r";\boxed{25}", "steps_after_the_answer", r";\boxed{25}"),
    ],
)
def test_tricks_with_steps_trip_and_are_flagged_with_their_span(text: str, flag: str, evidence: str) -> None:
    reading = read(text)
    assert reading.flags[0].name == flag
    assert text[reading.flags[0].start : reading.flags[0].end] == evidence
    assert reading.tripped == (reading.flags[0].start, reading.flags[0].end)


def test_more_steps_than_are_read_trip() -> None:
    reading = read(";".join(["0+0=0"] * (MAX_STEPS + 1)) + r";\boxed{25}")
    assert [flag.name for flag in reading.flags] == ["too_many_steps"]
    assert len(reading.spans) == MAX_STEPS


def test_without_guards_nothing_trips() -> None:
    assert EquationReader(guards=False).read(RIGHT + ";25+0=25;junk").tripped is None


@pytest.mark.parametrize("step", ["3+8=١١", "3+8=1_1", "3+8=11.0", "3 + 8 = ", "3/8=0", "03+8==11", "9" * 99 + "+1=2"])
def test_what_is_no_equation_of_whole_numbers_is_not_read(step: str) -> None:
    assert operation(step) is None


@pytest.mark.parametrize("step", [r"\boxed{}", r"\boxed{2+3}", r"\boxed{25", r"$\boxed{25}$ and more", "25"])
def test_what_is_no_box_of_a_whole_number_is_not_read(step: str) -> None:
    assert boxed(step) is None


def test_the_judge_of_single_equations_does_not_see_the_question() -> None:
    text = r"1+1=2;2+2=5;\boxed{7};junk"
    job = Stepped(TASK, Completion(text), read(text, guards=False).spans)
    assert TrueEquations().score_steps([job])[0].values == (1, 0, 1, 0)


@pytest.mark.parametrize("text", [";" * 500_000, "1+1=2;" * 80_000, "(" * 500_000, "1" * 500_000, "=" * 500_000])
def test_hostile_text_costs_little(text: str) -> None:
    started = time.process_time()
    reading = read(text)
    ReductionSteps().score_steps([Stepped(TASK, Completion(text), reading.spans)])
    assert time.process_time() - started < 2
    assert reading.tripped is not None


def test_a_task_without_an_expression_is_a_failure_of_the_checker() -> None:
    with pytest.raises(TaskError, match="expected an 'expression'"):
        ReductionSteps().score_steps([Stepped(Task("?", "25"), Completion("1+1=2"), ((0, 5),))])
