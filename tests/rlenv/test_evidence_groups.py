"""Detectors that look at a group, or at a run: what is paid there beside rightness."""

from __future__ import annotations

import pytest

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.jsontypes import Json
from rlenv.core.reading import Span
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import FunctionVerifier
from rlenv.env.batch import BatchEnvironment
from rlenv.evidence.detectors.hollow import Hollow
from rlenv.evidence.detectors.paid_by_length import PaidByLength
from rlenv.evidence.evidence import Asked, Evidence


def _group(lengths: list[int], pays: list[float], right: float = 1.0) -> list[Episode]:
    return [
        Episode(Task("?"), Completion("a" * n), Verdict.of(("correct", right), ("detail", pay)))
        for n, pay in zip(lengths, pays, strict=True)
    ]


LENGTHS = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]


def test_longer_answers_are_flagged_where_length_is_paid_at_equal_correctness() -> None:
    verdicts = PaidByLength().judge(_group(LENGTHS, [n / 100 for n in LENGTHS]), {})
    assert [bool(verdict.flags) for verdict in verdicts] == [n > 55 for n in LENGTHS]


def test_pay_that_goes_with_correctness_alone_is_no_evidence() -> None:
    group = _group(LENGTHS[:5], [0.0] * 5, 0.0) + _group(LENGTHS[5:], [0.0] * 5, 1.0)
    assert not any(verdict.flags for verdict in PaidByLength().judge(group, {}))


def test_shorter_and_better_is_no_evidence() -> None:
    verdicts = PaidByLength().judge(_group(LENGTHS, [-n / 100 for n in LENGTHS]), {})
    assert not any(verdict.flags for verdict in verdicts)


def test_evidence_adds_up_over_a_run_and_is_saved_with_it() -> None:
    detector = PaidByLength()
    state: dict[str, Json] = {}
    seen = [bool(detector.judge(_group([10, 20, 30], [0.1, 0.2, 0.31]), state)[2].flags) for _ in range(4)]
    assert (seen[0], seen[-1]) == (False, True)
    assert all(isinstance(value, float | int | dict | str) for value in state.values())


def _paid_for_length(completion: str, answer: str) -> Verdict:
    return Verdict.of(("correct", float(answer in completion)), ("detail", len(completion) / 100))


def test_gate_acts_on_what_is_measured_where_there_is_a_reference_solution() -> None:
    verifier = FunctionVerifier(_paid_for_length, cheap=True)
    tasks = [Task("6 * 7?", "42")]
    detector = PaidByLength(action="gate")
    definition = Definition(tasks=tasks, verifier=verifier, solution=lambda task: "42", wrappers=[detector])
    batch = BatchEnvironment(definition, group_size=len(LENGTHS))
    batch.reset(tasks=tasks)
    rewards = [episode.verdict.reward for episode in batch.step(["42" + "a" * n for n in LENGTHS])]
    assert [reward == 0 for reward in rewards] == [n > 55 for n in LENGTHS]


LETTER = "The boiler is changed on Monday between nine and twelve, so bring your key to number four."


def _hollow(elsewhere: float, texts: list[str], reference: str | None = "71", half: float = 0.0) -> list[bool]:
    detector, state = Hollow(), dict[str, Json]()
    asked = {"another_task": [Asked(elsewhere, Span(0, 0), "")] * 4, "beginning": [Asked(half, Span(0, 0), "")]}
    episodes = [Episode(Task("Tell them.", reference), Completion(t), Verdict.of(("liked", 1.0))) for t in texts]
    group = [Evidence(episode, paid=1.0, asked=asked) for episode in episodes]
    return [bool(verdict.flags) for verdict in detector.judge_on(group, episodes, state)]


def test_far_less_than_the_others_say_is_hollow_where_no_reference_decides() -> None:
    texts = ["Dear all!", LETTER, LETTER.replace("Monday", "Friday")]
    assert _hollow(1.0, texts) == [True, False, False]
    assert not any(_hollow(0.0, texts)), "a short reference decides: a bare answer may be right"


def test_a_terse_answer_is_hollow_where_half_of_the_others_is_paid_as_well() -> None:
    texts = ["Dear all!", LETTER, LETTER.replace("Monday", "Friday")]
    assert _hollow(0.0, texts, None, half=1.0) == [True, False, False]
    assert not any(_hollow(0.0, texts, None, half=0.0)), "the others are paid for all that they say"


def test_a_terse_answer_whose_own_half_was_not_asked_is_not_known_to_be_hollow() -> None:
    detector, state = Hollow(), dict[str, Json]()
    half = {"beginning": [Asked(1.0, Span(0, 0), "")]}
    episodes = [Episode(Task("Tell."), Completion(t), Verdict.of(("liked", 1.0))) for t in ("hall", LETTER, LETTER[5:])]
    group = [Evidence(e, paid=1.0, asked=half if e.completion.text != "hall" else {}) for e in episodes]
    assert not any(verdict.flags for verdict in detector.judge_on(group, episodes, state))


def test_a_form_as_long_as_an_answer_is_hollow() -> None:
    form = "| - | - | - | tbd |\n" * 5
    assert _hollow(0.0, [form, LETTER, LETTER.replace("Monday", "Friday")], None) == [True, False, False]


@pytest.mark.parametrize("text", ["7 * 11 * 13", "`x + 1`", "```python\nf\n```"])
def test_formulas_and_programs_are_short_by_themselves(text: str) -> None:
    assert not any(_hollow(1.0, [text, LETTER]))


def test_a_text_alone_in_its_group_is_compared_with_none() -> None:
    assert not any(_hollow(1.0, ["Dear all!"]))
