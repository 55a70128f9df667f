"""Every dataset of the default set pays for its right answer, and for nothing cheap: its own scorer is the judge."""

import json
from typing import NamedTuple

import pytest
from quick_ones import quick_ones

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.task import Task
from rlenv.core.verdict import VERIFIER_ERROR, Flag
from rlenv.core.verifier import judge
from rlenv.envs.reasoning_gym.answer_tags import Answer, read, write
from rlenv.envs.reasoning_gym.catalogue import KEPT, env_id
from rlenv.envs.reasoning_gym.verifier import ScorerVerifier

ITEMS = 3
CONSTANTS = ("True", "False", "0", "1", "-1", "Yes", "No", "infeasible", "A", "[]", "[[]]", "{}", "()", "None", "nan")
JUNK = ("", " \n\t", "I do not know", "The answer is clear.", "the the the the the", "0 1 2 3 4 5 6 7 8 9", "?", '""')
HOSTILE = (
    "9" * 50_000,
    "[" * 50_000,
    "(" * 50_000,
    "-" * 1_900 + "1",
    "1," * 9_000,
    "1 " * 9_000,
    "[" * 900 + "]" * 900,
    "(" * 39 + "9**9**9**9" + ")" * 39,
    "\x00",
    "\ud800\udfff",
    "\u202e1\u202c",
    "1e999999999",
    "NaN",
    '{"0": NaN, "0": 1}',
    "__import__('os').abort()",
    "().__class__.__bases__[0].__subclasses__()",
)


class Case(NamedTuple):
    """A dataset and some of its tasks."""

    name: str
    definition: Definition
    tasks: list[Task]

    def answer(self, index: int) -> str:
        return str(self.tasks[index].reference)

    def reward(self, index: int, completion: str) -> float | None:
        """The reward itself: an exception of the verifier fails the test."""
        return self.definition.verifier.verify(self.tasks[index], Completion(completion)).reward


@pytest.fixture(scope="module", params=quick_ones(KEPT, KEPT[::7]))
def case(request: pytest.FixtureRequest) -> Case:
    name = str(request.param)
    definition = rlenv.load(env_id(name), split="all")
    return Case(name, definition, [definition.tasks[index] for index in range(ITEMS + 1)])


def test_right_answer_is_paid_in_full(case: Case) -> None:
    for index in range(ITEMS):
        answer = case.answer(index)
        for completion in (
            case.definition.solution(case.tasks[index]),
            f"So it is:\n<answer>\n{answer}\n</answer>\nThat is all.",
            f"<think>first <answer>no</answer></think>{write(answer)}",
            f"{write(answer)} as I said {write(answer)}",
        ):
            assert case.reward(index, completion) == 1.0


def test_tags_that_leave_the_answer_open_are_refused(case: Case) -> None:
    answer = case.answer(0)
    for completion in (
        answer,
        f"<think>{write(answer)}</think>",
        f"<think>{write(answer)}",
        f"{write(answer)}{write('something else')}",
        f"<answer>{answer}",
        f"{answer}</answer>",
        write(write(answer)),
        f"<ANSWER>{answer}</ANSWER>",
        str(case.tasks[0].prompt),
    ):
        assert case.reward(0, completion) == 0.0


def test_right_answer_beside_a_wrong_one_is_refused(case: Case) -> None:
    for index in range(ITEMS):
        answer, other = case.answer(index), case.answer(index + 1)
        if answer != other:
            for hedge in (f"{answer} or {other}", f"{other} or {answer}", f"{answer}\n{other}", f"{answer}, {other}"):
                assert case.reward(index, write(hedge)) == 0.0, hedge


def test_everything_else_earns_nothing(case: Case) -> None:
    for index in range(ITEMS):
        for probe in (*JUNK, *CONSTANTS, *HOSTILE, str(case.tasks[index].prompt)):
            assert case.reward(index, probe) == 0.0
            assert case.reward(index, write(probe)) == 0.0 or probe == case.answer(index), probe


def test_a_share_of_the_scorer_is_not_paid() -> None:
    task = Task("?", "12")
    assert ScorerVerifier("gcd")._score("12 or 13", task) == 0.25
    assert ScorerVerifier("gcd").verify(task, Completion(write("12 or 13"))).reward == 0.0


def test_boards_are_compared_after_the_task_has_been_json() -> None:
    definition = rlenv.load(env_id("arc_agi"))
    task = Task.from_json(json.loads(json.dumps(definition.tasks[0].to_json())))
    assert definition.verifier.verify(task, Completion(definition.solution(task))).reward == 1.0


def test_answer_on_which_the_scorer_fails_is_wrong() -> None:
    verdict = ScorerVerifier("prime_factorization").verify(Task("?", "2 × 3"), Completion(write("two × three")))
    assert (verdict.reward, verdict.reason) == (0.0, "the scorer fails on 'two × three': ValueError")


def test_reference_on_which_the_scorer_fails_is_a_failure_of_the_checker() -> None:
    verdict = judge(ScorerVerifier("prime_factorization"), Task("?", "many"), Completion(write("1")))
    assert verdict.status == VERIFIER_ERROR


def test_answer_far_longer_than_any_right_one_is_not_read() -> None:
    verdict = ScorerVerifier("gcd").verify(Task("?", "7"), Completion(write("7" + " x" * 20_000)))
    assert (verdict.reward, "too long" in verdict.reason) == (0.0, True)


@pytest.mark.parametrize(
    ("completion", "flag"),
    [
        ("", "no_answer"),
        ("42", "no_answer"),
        ("<answer>42", "broken_tags"),
        ("</answer>42<answer>", "broken_tags"),
        ("<answer><answer>42</answer></answer>", "broken_tags"),
        ("<answer>42</answer><answer></answer>", "several_answers"),
    ],
)
def test_completion_without_one_answer_is_flagged(completion: str, flag: str) -> None:
    found = read(completion)
    assert isinstance(found, Flag)
    assert found.name == flag
    assert 0 <= found.start <= found.end <= len(completion)


def test_the_span_is_that_of_the_last_answer() -> None:
    said = "<answer>42</answer> or <answer> 42</answer>"
    found = read(said)
    assert isinstance(found, Answer)
    assert (found.text, found.start) == ("42", said.rindex("42"))
