"""The rollout buffer: what stands where."""

import pytest
import torch

from rlenv import Completion, Episode, StepReward, Task, Verdict
from rlenv.trainers.rollouts.rollout import reward_places, rollout_of

PAD = 9


def _episode(prompt: tuple[int, ...], said: Completion, verdict: Verdict) -> Episode:
    return Episode(Task("?"), said, verdict, prompt_ids=prompt)


LONG = Completion("abcd", (3, 4, 5), (-0.1, -0.2, -0.3))
SHORT = Completion("x", (6, 1), (-0.5, -0.6))
OBSERVED = Completion("a!b", (3, 7, 4), (-0.1, 0.0, -0.2), mask=(1, 0, 1))


def test_prompts_stand_on_the_left_and_completions_on_the_right() -> None:
    rollout = rollout_of(
        [_episode((1,), LONG, Verdict.of(("r", 0.5))), _episode((1, 2), SHORT, Verdict.error("-"))], PAD, [[], []]
    )
    assert rollout.ids.tolist() == [[PAD, 1, 3, 4, 5], [1, 2, 6, 1, PAD]]
    assert rollout.attention_mask.tolist() == [[0, 1, 1, 1, 1], [1, 1, 1, 1, 0]]
    torch.testing.assert_close(rollout.old_logprobs, torch.tensor([[-0.1, -0.2, -0.3], [-0.5, -0.6, 0.0]]))
    assert rollout.mask.tolist() == [[1, 1, 1], [0, 0, 0]]
    assert rollout.token_rewards.tolist() == [[0, 0, 0.5], [0, 0, 0]]
    assert rollout.graded.tolist() == [True, False]


def test_tokens_of_the_environment_are_not_trained_on_and_earn_nothing() -> None:
    rollout = rollout_of([_episode((1,), OBSERVED, Verdict.of(("r", 1.0)))], PAD, [[]])
    assert rollout.mask.tolist() == [[1, 0, 1]]
    assert rollout.token_rewards.tolist() == [[0, 0, 1]]


@pytest.mark.parametrize(
    ("spans", "chosen", "expected"),
    [
        ([(0, 2), (2, 4)], [1, 1, 1], [1, 2]),
        ([(0, 1), (1, 4)], [1, 1, 1], [0, 2]),
        ([(0, 2), (2, 4)], [1, 0, 1], [0, 2]),
        ([(0, 4)], [1, 1, 1], [2]),
    ],
)
def test_a_step_is_rewarded_at_the_last_chosen_token_that_overlaps_it(
    spans: list[tuple[int, int]], chosen: list[int], expected: list[int]
) -> None:
    offsets = [(0, 1), (1, 2), (2, 4)]
    steps = [StepReward(0.5, start, end) for start, end in spans]
    assert reward_places(steps, offsets, chosen) == expected


def test_a_part_of_the_buffer_is_cut_to_its_longest_row() -> None:
    rollout = rollout_of(
        [_episode((1, 2, 3), LONG, Verdict.of(("r", 1.0))), _episode((1,), SHORT, Verdict.of(("r", 0.0)))],
        PAD,
        [[], []],
    )
    part = rollout.rows(torch.tensor([1]))
    assert part.ids.tolist() == [[1, 6, 1]]
    assert part.mask.tolist() == [[1, 1]]
    assert part.old_logprobs.shape == (1, 2)
