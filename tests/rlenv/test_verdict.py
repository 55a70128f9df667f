"""Verdicts: parts and step rewards that sum exactly, and nothing that is not a number."""

import json
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rlenv.core.completion import Completion
from rlenv.core.errors import VerifierContractError
from rlenv.core.reading import Span
from rlenv.core.verdict import Flag, Part, StepReward, Verdict

amounts = st.floats(-1e100, 1e100) | st.sampled_from([1.0, -1.0, 1e-20, 5e-324, 0.1, 1e16])
named = st.lists(st.tuples(st.text(max_size=5), amounts), max_size=6)


def stepped(values: list[float]) -> Verdict:
    steps = tuple(StepReward(value, i, i + 1) for i, value in enumerate(values))
    return Verdict(math.fsum(values), step_rewards=steps)


@settings(deadline=None)
@given(named, named)
def test_parts_sum_exactly_whatever_is_added(parts: list[tuple[str, float]], more: list[tuple[str, float]]) -> None:
    verdict = Verdict.of(*parts)
    for name, value in more:
        verdict = verdict.with_part(name, value)
    assert verdict.reward == math.fsum(part.value for part in verdict.parts)
    assert [part.name for part in verdict.parts[-len(more) :]] == [name for name, _ in more] or not more


@settings(deadline=None)
@given(st.lists(amounts, min_size=1, max_size=6), named)
@example([1.0, 1e-20], [("all", -1.0)])  # what is left needs two floats
def test_step_rewards_sum_exactly_whatever_is_added(values: list[float], more: list[tuple[str, float]]) -> None:
    verdict = stepped(values)
    for name, value in more:
        verdict = verdict.with_part(name, value)
    assert verdict.reward == math.fsum(step.value for step in verdict.step_rewards)
    assert verdict.step_rewards[: len(values)] == stepped(values).step_rewards


def test_added_part_lands_on_the_end_of_the_last_step() -> None:
    verdict = Verdict(1.0, step_rewards=(StepReward(0.25, 0, 4), StepReward(0.75, 4, 9))).with_part("short", -0.5)
    assert verdict.step_rewards[-1] == StepReward(-0.5, 9, 9)


@pytest.mark.parametrize("reward", [math.nan, math.inf, -math.inf, None])
def test_reward_that_is_no_finite_number_is_refused(reward: float | None) -> None:
    with pytest.raises(VerifierContractError, match="expected a finite reward"):
        Verdict(reward)


def test_part_that_is_nan_is_refused() -> None:
    with pytest.raises(VerifierContractError, match="finite reward"):
        Verdict.of(("a", math.nan))


def test_parts_that_do_not_sum_to_the_reward_are_refused() -> None:
    with pytest.raises(VerifierContractError, match=r"parts that sum to the reward 1\.0, got 0\.5"):
        Verdict(1.0, parts=(Part("a", 0.5),))
    with pytest.raises(VerifierContractError, match="step_rewards that sum"):
        Verdict(1.0, step_rewards=(StepReward(0.5, 0, 1),))


def test_error_has_no_reward_and_takes_none() -> None:
    error = Verdict.error("judge away", [Flag("late")])
    assert (error.reward, error.graded, error.parts) == (None, False, ())
    with pytest.raises(VerifierContractError, match="a verifier_error has no reward"):
        Verdict(0.0, "verifier_error")


def test_numbers_of_numpy_become_plain_ones() -> None:
    verdict = Verdict(
        np.float32(0.5),  # type: ignore[arg-type]
        parts=(Part("a", np.float32(0.5)),),  # type: ignore[arg-type]
        step_rewards=(StepReward(np.float64(0.5), np.int64(0), np.int64(3)),),  # type: ignore[arg-type]
        scores={"raw": np.float32(7)},  # type: ignore[dict-item]
    )
    assert Verdict.from_json(json.loads(json.dumps(verdict.to_json()))) == verdict


@settings(deadline=None)
@given(named, st.dictionaries(st.text(), st.floats(allow_nan=False)), st.text(), st.booleans())
def test_verdict_survives_json(
    parts: list[tuple[str, float]], scores: dict[str, float], reason: str, failed: bool
) -> None:
    flags = (Flag("odd", 1, 4, reason),)
    verdict = Verdict.error(reason, flags) if failed else Verdict.of(*parts, scores=scores, flags=flags, reason=reason)
    assert Verdict.from_json(json.loads(json.dumps(verdict.to_json()))) == verdict


def test_a_verdict_on_the_content_is_placed_in_the_whole_text_and_back() -> None:
    completion = Completion("<think>41?</think>It is 42.")
    steps = (StepReward(0.25, 0, 5), StepReward(0.75, 6, 8))
    judged = Verdict(1.0, step_rewards=steps, flags=(Flag("odd", 6, 8),), answer=Span(6, 8))
    placed = judged.placed(completion.content)
    assert placed.answer is not None
    assert completion.text[slice(*placed.answer)] == "42"
    assert [completion.text[start:end] for _, start, end in placed.step_rewards] == ["It is", "42"]
    assert completion.text[placed.flags[0].start : placed.flags[0].end] == "42"
    assert placed.within(completion.content) == judged


def test_a_whole_number_that_no_float_holds_is_rounded_in_reward_and_parts_alike() -> None:
    verdict = Verdict(2**53 + 1, parts=(Part("r", 2**53 + 1),))
    assert verdict.reward == verdict.parts[0].value == 2.0**53
