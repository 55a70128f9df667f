"""Outcome and steps in one verdict, with any scorer: who is asked, when, and what a failure costs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

import rlenv
from rlenv import Completion, Flag, FunctionVerifier, Task, Verdict
from rlenv.core.errors import ConfigError, VerifierContractError
from rlenv.env.tasksets import ListTasks
from rlenv.envs.process.credit import CREDITS, Credit
from rlenv.envs.process.guards import StepGuards
from rlenv.envs.process.verifier import (
    BatchProcessVerifier,
    CreditRule,
    ProcessVerifier,
    StepsIn,
    process_verifier,
)
from rlenv.judge.judge import Judge
from rlenv.scorers import Stepped, StepScores

TASK = Task("Two and two?", "4")
RIGHT = FunctionVerifier(lambda completion, answer: f"{{{answer}}}" in completion, cheap=True, name="correct")
SAID = "We have two apples and two more.\n\nTogether that is 2+2=4 apples.\n\n\\boxed{4}"


@dataclass
class Scripted:
    """Gives every step of a completion the next of its values, and remembers what it was asked."""

    values: tuple[float, ...] = (1.0, 0.5, 1.0)
    failure: str = ""
    name: str = "scripted"
    version: str = "1"
    asked: list[list[tuple[str, ...]]] = field(default_factory=list)

    def score_steps(self, jobs: Sequence[Stepped]) -> list[StepScores]:
        self.asked.append([job.texts for job in jobs])
        if self.failure:
            return [StepScores.failure(self.failure) for _ in jobs]
        return [StepScores(self.values[: len(job.spans)]) for job in jobs]


def verifier(scorer: Scripted, rule: CreditRule | None = None) -> ProcessVerifier:
    return process_verifier(RIGHT, scorer, StepGuards(cut="paragraphs"), rule or CreditRule(weight=0.5))


def graded(scorer: Scripted, *texts: str) -> list[Verdict]:
    made = rlenv.Definition(tasks=ListTasks([TASK]), verifier=verifier(scorer))
    return Judge(made).verdicts([(TASK, Completion(text)) for text in texts])


def test_a_scorer_that_may_cost_is_asked_once_for_all_completions() -> None:
    scorer = Scripted()
    verdicts = graded(scorer, SAID, SAID.replace("{4}", "{5}"), SAID)
    assert [verdict.reward for verdict in verdicts] == [0.75, -0.25, 0.75]
    assert [len(jobs) for jobs in scorer.asked] == [3]
    assert isinstance(verifier(scorer), BatchProcessVerifier)


@pytest.mark.parametrize("steps_in", ["content", "reasoning"])
def test_steps_are_read_where_the_verifier_says_and_paid_where_they_stand(steps_in: StepsIn) -> None:
    scorer = Scripted()
    made = process_verifier(RIGHT, scorer, StepGuards(cut="paragraphs"), CreditRule(weight=0.5), steps_in=steps_in)
    thoughts = "Two and two, said plainly.\n\nThat is 2+2=4 then."
    completion = Completion(f"<think>{thoughts}</think>\n{SAID}")
    verdict = made.verify(TASK, completion)
    read = SAID if steps_in == "content" else thoughts
    assert scorer.asked == [[tuple(read.split("\n\n"))]]
    paid = [completion.text[start:end] for _, start, end in verdict.step_rewards]
    assert [text.strip() for text in paid] == [*read.split("\n\n"), ""]
    assert verdict.step_rewards[-1][1:] == (len(completion.text),) * 2


def test_the_two_places_of_steps_are_two_versions_and_no_other_exists() -> None:
    parts = RIGHT, Scripted(), StepGuards(), CreditRule()
    assert process_verifier(*parts).version != process_verifier(*parts, steps_in="reasoning").version
    with pytest.raises(ConfigError, match="steps_in"):
        process_verifier(*parts, steps_in="text")  # type: ignore[arg-type]


def test_only_steps_before_a_trip_are_scored() -> None:
    scorer = Scripted(values=(0.25, 1.0))
    (verdict,) = graded(scorer, "First some words here.\n\n" + "long " * 900 + "\n\n\\boxed{4}")
    assert scorer.asked == [[("First some words here.",)]]
    assert verdict.reward == 0.5
    assert [step.value for step in verdict.step_rewards] == [0.0, -0.5, 1.0]


def test_what_is_too_long_for_the_scorer_has_the_worst_steps() -> None:
    @dataclass
    class Short(Scripted):
        def score_steps(self, jobs: Sequence[Stepped]) -> list[StepScores]:
            return [StepScores.failure("512 tokens", (Flag("over_limit", 0, 9, "512 tokens"),)) for _ in jobs]

    right, wrong = graded(Short(), SAID, SAID.replace("{4}", "{5}"))
    assert (right.reward, wrong.reward) == (0.5, -0.5)
    assert right.flags[-1].name == "over_limit"
    assert math.fsum(step.value for step in right.step_rewards) == right.reward


def test_a_scorer_that_raises_leaves_the_others_their_verdicts() -> None:
    class Broken(Scripted):
        def score_steps(self, jobs: Sequence[Stepped]) -> list[StepScores]:
            raise OSError("gone")

    right, empty = graded(Broken(), SAID, "\\boxed{4}")
    assert right.status == "verifier_error"
    assert "gone" in right.reason
    assert empty.reward == 0.5


def test_a_failing_outcome_is_no_verdict_whatever_the_steps_are() -> None:
    def broken(completion: str) -> bool:
        raise OSError("no judge")

    made = process_verifier(FunctionVerifier(broken, cheap=True), Scripted(), StepGuards(), CreditRule())
    definition = rlenv.Definition(tasks=ListTasks([TASK]), verifier=made)
    assert Judge(definition).verdict(TASK, Completion(SAID)).status == "verifier_error"


@pytest.mark.parametrize("values", [(1.0,), ()])
def test_scores_that_are_not_one_a_step_break_the_contract(values: tuple[float, ...]) -> None:
    with pytest.raises(VerifierContractError, match="expected 3 step scores"):
        verifier(Scripted(values=values)).verify(TASK, Completion(SAID))


@pytest.mark.parametrize("credit", CREDITS)
@pytest.mark.parametrize("weight", [0.1, 1 / 3, 1.0])
def test_step_rewards_sum_exactly_for_any_weight(credit: Credit, weight: float) -> None:
    rule = CreditRule(credit=credit, weight=weight)
    for text in (SAID, SAID + "\n\n" + "more " * 20, "", "\\boxed{4}"):
        verdict = verifier(Scripted(values=(0.3, 0.7, 0.1)), rule).verify(TASK, Completion(text))
        assert math.fsum(step.value for step in verdict.step_rewards) == verdict.reward
        assert math.fsum(part.value for part in verdict.parts) == verdict.reward


def test_the_version_changes_with_everything_that_changes_verdicts() -> None:
    scorer = Scripted()
    versions = {
        verifier(scorer).version,
        verifier(scorer, CreditRule(credit="product", weight=0.5)).version,
        verifier(scorer, CreditRule(weight=0.25)).version,
        verifier(Scripted(version="2")).version,
        process_verifier(RIGHT, scorer, StepGuards(cut="lines"), CreditRule()).version,
    }
    assert len(versions) == 5
