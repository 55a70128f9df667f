"""Where preference losses lead: on a bandit with known preferences, the exact expected loss has its known minimum."""

import itertools
import math
from collections.abc import Callable

import pytest
import torch
from tabular import tilted

from rlenv.core.errors import ConfigError
from rlenv.trainers.algorithms.branch_choices import Preference
from rlenv.trainers.algorithms.preference_losses import Scored, odds_ratio_loss, pair_losses

REF = torch.tensor([0.4, 0.3, 0.2, 0.1], dtype=torch.float64)
SAMPLER = torch.tensor([0.1, 0.2, 0.3, 0.4], dtype=torch.float64)
"""Whoever offered the pairs: not the reference, so that the two cannot be confused."""
REWARDS = torch.tensor([1.0, -0.5, 2.0, 0.25], dtype=torch.float64)
ARMS = range(len(REF))


def bradley_terry() -> torch.Tensor:
    """p(row beats column)."""
    return torch.sigmoid(REWARDS[:, None] - REWARDS[None, :])


def cyclic() -> torch.Tensor:
    """Preferences that no reward explains: 0 beats 1, 1 beats 2, 2 beats 0 for certain; 3 is as good as any."""
    table = torch.full((4, 4), 0.5, dtype=torch.float64)
    for better, worse in ((0, 1), (1, 2), (2, 0)):
        table[better, worse], table[worse, better] = 1.0, 0.0
    table[0, 3], table[3, 0] = 0.9, 0.1
    return table


def expected_loss(logits: torch.Tensor, rule: Preference, beats: torch.Tensor, ref: torch.Tensor) -> torch.Tensor:
    """Over pairs of independent draws of the sampler, and over which of the two wins."""
    places = torch.tensor([(w, v) for w, v in itertools.product(ARMS, ARMS) if w != v])
    won, lost = places.T
    logprobs, one = logits.log_softmax(-1), torch.ones(len(won), dtype=torch.float64)
    scored = Scored(logprobs[won], logprobs[lost], one, one, ref.log()[won], ref.log()[lost])
    weight = 2 * SAMPLER[won] * SAMPLER[lost] * beats[won, lost]
    return (weight * pair_losses(scored, rule)).sum()


def minimised(loss: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    """The policy at the minimum."""
    logits = torch.zeros(len(REF), dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS(
        [logits],
        max_iter=2000,
        max_eval=10_000,
        tolerance_grad=1e-14,
        tolerance_change=0.0,
        history_size=20,
        line_search_fn="strong_wolfe",
    )

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        value = loss(logits)
        value.backward()
        return value

    optimizer.step(closure)
    return logits.detach().softmax(-1)


@pytest.mark.parametrize("share", [0.25, 0.75, 1.0])
def test_dpo_shift_counts_a_share_of_the_rejected_one(share: float) -> None:
    """-log sigmoid(beta log pi(w)/ref(w) - f beta log pi(l)/ref(l)); its gradient holds up the chosen one."""
    beta, rule = 0.3, Preference(loss="dpo", beta=0.3, rejected_share=share)
    won, lost, one = -2.0, -3.5, torch.ones(1, dtype=torch.float64)
    spoken = torch.tensor([won, lost], dtype=torch.float64, requires_grad=True)
    scored = Scored(spoken[:1], spoken[1:], one, one, -2.5 * one, -3.0 * one)
    found = pair_losses(scored, rule)
    margin = beta * (won + 2.5) - share * beta * (lost + 3.0)
    assert found.item() == pytest.approx(math.log1p(math.exp(-margin)), abs=1e-7)
    slope = beta / (1 + math.exp(margin))
    found.backward()
    assert spoken.grad is not None
    assert spoken.grad.tolist() == pytest.approx([-slope, share * slope], abs=1e-7)


def test_dpo_shift_is_a_setting_of_dpo() -> None:
    with pytest.raises(ConfigError, match="is a setting of 'dpo'"):
        Preference(loss="ipo", rejected_share=0.5)


@pytest.mark.parametrize("beta", [0.5, 1.0, 3.0])
def test_dpo_on_bradley_terry_preferences_ends_at_the_reference_tilted_by_the_reward(beta: float) -> None:
    rule = Preference(loss="dpo", beta=beta)
    found = minimised(lambda logits: expected_loss(logits, rule, bradley_terry(), REF))
    torch.testing.assert_close(found, tilted(REF, REWARDS, beta), atol=1e-8, rtol=0)


@pytest.mark.parametrize("beats", [bradley_terry, cyclic])
@pytest.mark.parametrize("tau", [0.1, 1.0])
def test_ipo_ends_at_the_reference_tilted_by_how_often_an_answer_wins(
    tau: float, beats: Callable[[], torch.Tensor]
) -> None:
    rule = Preference(loss="ipo", beta=tau)
    found = minimised(lambda logits: expected_loss(logits, rule, beats(), REF))
    wins = beats() @ SAMPLER
    torch.testing.assert_close(found, tilted(REF, wins, tau), atol=1e-8, rtol=0)


def test_ipo_stays_near_the_reference_where_preferences_are_certain_and_dpo_does_not() -> None:
    """DPO's loss has no minimum where one answer always wins: the policy runs away from the reference."""
    certain = (REWARDS[:, None] > REWARDS[None, :]).double()

    def slope(loss: str, logits: torch.Tensor) -> float:
        logits = logits.clone().requires_grad_()
        rule = Preference(loss=loss, beta=1.0)  # type: ignore[arg-type]
        expected_loss(logits, rule, certain, REF).backward()
        return float((logits.grad * REWARDS).sum())  # type: ignore[operator]

    far = REF.log() + 10 * REWARDS
    assert slope("dpo", far) < 0 < slope("ipo", far)


def test_orpo_has_a_gradient_where_a_completion_is_certain() -> None:
    """A mean log-prob of 0 has infinite odds; the loss is then nothing and pulls on nothing, instead of being NaN."""
    chosen, rejected = torch.zeros(1, requires_grad=True), torch.tensor([-1.0], requires_grad=True)
    loss = odds_ratio_loss(chosen, rejected).sum()
    loss.backward()
    assert loss < 1e-5
    for gradient in (chosen.grad, rejected.grad):
        assert gradient is not None
        assert abs(float(gradient)) < 1e-5


def test_the_tilted_policy_of_the_worked_example() -> None:
    """pi* = ref exp(r / beta) / Z for ref = [.5, .3, .2] and r = [5, 2, 1].

    The odds are pi_1/pi_2 = 5/3 exp(3/beta) and pi_2/pi_3 = 3/2 exp(1/beta). At beta 1, divided by e:
    weights .5 e^4 = 27.29907, .3 e = .81548 and .2, together 28.31456.
    """
    ref, rewards = (torch.tensor(v, dtype=torch.float64) for v in ([0.5, 0.3, 0.2], [5.0, 2.0, 1.0]))
    worked = {
        1.0: [0.9641356050, 0.0288008912, 0.0070635038],
        0.1: [1.0, 5.614573781e-14, 1.699341702e-18],
        5.0: [0.6626823696, 0.2182126773, 0.1191049531],
    }
    for beta, expected in worked.items():
        found = tilted(ref, rewards, beta)
        torch.testing.assert_close(found, torch.tensor(expected, dtype=torch.float64), atol=0, rtol=1e-8)
        assert float(found[0] / found[1]) == pytest.approx(5 / 3 * torch.tensor(3 / beta).double().exp())
        assert float(found[1] / found[2]) == pytest.approx(3 / 2 * torch.tensor(1 / beta).double().exp())


@pytest.mark.parametrize("beta", [0.1, 1.0, 5.0])
def test_no_policy_earns_more_reward_less_divergence_than_the_tilted_one(beta: float) -> None:
    """Its value is beta log Z, and everyone else's is less by beta times the divergence from it."""
    ref, rewards = (torch.tensor(v, dtype=torch.float64) for v in ([0.5, 0.3, 0.2], [5.0, 2.0, 1.0]))
    best = tilted(ref, rewards, beta)

    def divergence(p: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
        terms: torch.Tensor = torch.special.xlogy(p, p) - p * q.log()
        return terms.sum()

    def value(policy: torch.Tensor) -> torch.Tensor:
        return (policy * rewards).sum() - beta * divergence(policy, ref)

    log_z = (ref.log() + rewards / beta).logsumexp(-1)
    torch.testing.assert_close(value(best), beta * log_z, atol=1e-12, rtol=1e-12)
    generator = torch.Generator().manual_seed(0)
    for _ in range(20):
        other = torch.rand(3, generator=generator, dtype=torch.float64) + 0.01
        other = other / other.sum()
        torch.testing.assert_close(value(other), beta * (log_z - divergence(other, best)), atol=1e-9, rtol=1e-9)
