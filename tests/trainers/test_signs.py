"""Signs and ends that a slip would turn round unseen: worked by hand, asked of the code that training uses."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

from rlenv import Completion, Episode, Task, Verdict
from rlenv.core.jsontypes import Json
from rlenv.core.turn import Turn
from rlenv.trainers import ALGORITHMS, with_changes
from rlenv.trainers.algorithms.row import Algorithm
from rlenv.trainers.rollouts.collect import Journal
from rlenv.trainers.rollouts.rollout import Rollout, rollout_of
from rlenv.trainers.updates.prepare import FrozenModels, prepared, with_advantages
from rlenv.trainers.updates.update import Step, _terms, critic_step

OLD = torch.tensor([[-1.0, -2.0], [-3.0, -0.5]], dtype=torch.float64)
REF = torch.tensor([[-1.5, -1.0], [-2.0, -2.5]], dtype=torch.float64)
"""log(pi/ref) is 0.5 and -1.0 in the first completion, -1.0 and 2.0 in the second."""
BETA = 0.1
IN_REWARD: dict[str, Json] = {"kl.place": "reward", "kl.estimator": "k1", "kl.beta": BETA}


def rollout() -> Rollout:
    """A group of two completions of two tokens, paid 1 and 0."""
    said = [Completion("ab", (5, 6), (0.0, 0.0)) for _ in range(2)]
    episodes = [Episode(Task("?"), said[i], Verdict(1.0 - i), prompt_ids=(1, 2), index=i) for i in range(2)]
    made = rollout_of(episodes, 0, [[(0, 1), (1, 2)]] * 2)
    tensors = {n: t.double() if t.is_floating_point() else t for n, t in made.state().items()}
    return Rollout(**{**tensors, "old_logprobs": OLD, "ref_logprobs": REF})


def advantages(row: Algorithm, size: int = 2) -> list[list[float]]:
    found: list[list[float]] = with_advantages(rollout(), row, size).advantages.tolist()
    return found


def near(found: list[list[float]], expected: list[list[float]]) -> None:
    torch.testing.assert_close(torch.tensor(found), torch.tensor(expected), atol=1e-6, rtol=0)


def test_a_kl_in_the_reward_is_taken_off_the_tokens_from_where_it_was_said() -> None:
    near(advantages(with_changes(ALGORITHMS["reinforce"], IN_REWARD)), [[1.05, 1.1], [-0.1, -0.2]])


def test_a_kl_in_the_reward_is_taken_off_the_reward_of_a_whole_completion() -> None:
    """1 + 0.05 and 0 - 0.1: each against the other."""
    near(advantages(with_changes(ALGORITHMS["rloo"], IN_REWARD)), [[1.15, 1.15], [-1.15, -1.15]])


def test_a_kl_in_the_reward_is_a_cost_to_the_critic() -> None:
    row = with_changes(ALGORITHMS["ppo"], {**IN_REWARD, "advantage.whiten": False, "advantage.gae_lambda": 1.0})
    valued = rollout().with_(values=torch.full_like(OLD, 0.5))
    found = with_advantages(valued, row, 2)
    near(found.returns.tolist(), [[1.05, 1.1], [-0.1, -0.2]])
    near(found.advantages.tolist(), [[0.55, 0.6], [-0.6, -0.7]])


def test_entropy_in_the_loss_is_not_paid_in_the_reward_too() -> None:
    near(advantages(with_changes(ALGORITHMS["rloo"], {"entropy.coefficient": BETA})), [[1.0] * 2, [-1.0] * 2])


def test_tokens_that_the_policy_gives_less_than_it_was_drawn_with_count_less() -> None:
    """By the ratio, from below 1 unhindered: half as likely, half the advantage."""

    class Halved(FrozenModels):
        def logprobs(self, model: object, rollout: Rollout) -> torch.Tensor:
            return rollout.old_logprobs - math.log(2)

    row = with_changes(ALGORITHMS["rloo"], {"correction.kind": "truncate"})
    models = Halved(policy=None, temperature=1.0, micro_batch_tokens=99)  # type: ignore[arg-type]
    near(prepared(rollout(), row, 2, models)[0].advantages.tolist(), [[0.5] * 2, [-0.5] * 2])


@pytest.mark.parametrize(
    ("name", "expected"), [("rloo", [[0.95] * 2, [-0.95] * 2]), ("reinforce", [[1.3, 1.2], [0.35, 0.05]])]
)
def test_entropy_in_the_reward_pays_for_what_was_unlikely(name: str, expected: list[list[float]]) -> None:
    """0.1 times 3.0 nats in the first completion, 3.5 in the second."""
    near(advantages(with_changes(ALGORITHMS[name], {"entropy.place": "reward", "entropy.coefficient": BETA})), expected)


def test_what_stands_beside_the_objective_in_the_loss_pulls_the_right_way() -> None:
    """At logprobs log 2 above ref and old: k3 = 1/2 - 1 + log 2; KL(old || pi) by k3 = 2 - 1 - log 2."""
    row = with_changes(ALGORITHMS["ppo-kl"], {"kl.place": "loss", "kl.estimator": "k3", "kl.beta": BETA})
    step = Step(row=row, entropy_coefficient=0.25, kl_coefficient=3.0)
    part = rollout().with_(ref_logprobs=OLD, advantages=torch.zeros_like(OLD))
    now, ones = OLD + math.log(2), torch.ones_like(OLD)
    found = _terms(now, 0.5 * ones, OLD, part, ones, step)
    expected = BETA * (math.log(2) - 0.5) + 3.0 * (1 - math.log(2)) - 0.25 * 0.5
    torch.testing.assert_close(found, torch.full_like(OLD, expected))


class Values(nn.Module):
    """A critic whose values are its weights."""

    def __init__(self, values: list[list[float]]) -> None:
        super().__init__()
        self.values = nn.Parameter(torch.tensor(values, dtype=torch.float64))

    def forward(self, ids: torch.Tensor, attention_mask: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return self.values

    def trained_parameters(self) -> list[nn.Parameter]:
        return [self.values]


def test_a_value_that_has_moved_too_far_from_the_old_one_is_held_and_one_that_comes_back_is_not() -> None:
    """Old values 0.5, clip 0.2. Towards returns of 2: 1.0 counts as 0.7 and has no gradient, 0.6 has.

    Away from returns of 0: 1.0 is held by its own error, which is larger than that of 0.7.
    """
    critic = Values([[1.0, 0.6], [1.0, 0.4]])
    given = rollout().with_(
        values=torch.full_like(OLD, 0.5), returns=torch.tensor([[2.0, 2.0], [0.0, 0.0]], dtype=torch.float64)
    )
    step = Step(row=ALGORITHMS["ppo"], max_grad_norm=math.inf)
    optimiser = torch.optim.SGD(critic.parameters(), 4.0)  # the loss is a mean over four tokens
    metrics = critic_step(critic, optimiser, given, torch.arange(2), step)  # type: ignore[arg-type]
    assert metrics["critic/loss"] == pytest.approx((1.3**2 + 1.4**2 + 1.0**2 + 0.4**2) / 8)
    near(critic.values.tolist(), [[1.0, 2.0], [0.0, 0.0]])


def test_a_verdict_is_that_of_this_very_completion_alone(tmp_path: Path) -> None:
    said = Completion("ab", (5, 6), (0.0, 0.0))
    journal = Journal(tmp_path / "verdicts.jsonl")
    journal.step, journal.env = 3, "one"
    journal.record(0, said, Verdict(0.25))
    journal.close()
    again = Journal(tmp_path / "verdicts.jsonl")
    again.step, again.env = 3, "one"
    assert again.known([said])[0].reward == 0.25
    turn = Turn("assistant", 0, 2, 0, 2)
    others = (
        replace(said, text="ac"),
        replace(said, token_ids=(5, 7)),
        replace(said, finished=False),
        replace(said, turns=(turn,)),
    )
    for other in others:
        assert not again.known([other]), other
    assert not again.known([Completion("", (), ()), said])  # it was said at another place
    for step, draw, env in ((4, 0, "one"), (3, 1, "one"), (3, 0, "two")):
        again.step, again.draw, again.env = step, draw, env
        assert not again.known([said])
    again.close()
