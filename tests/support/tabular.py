"""A policy that is a table, and all that it can say: an expectation is a sum over everything, not a sample.

Three symbols, of which 0 ends the sequence, and at most two tokens: seven sequences of one or two tokens.
Everything is float64, so that an equality can be asked for to 1e-12.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import torch

from rlenv.trainers.rollouts.rollout import Rollout

SYMBOLS, LENGTH, END = 3, 2, 0


def _all_sequences() -> list[tuple[int, ...]]:
    whole: list[tuple[int, ...]] = []
    open_ones: list[tuple[int, ...]] = [()]
    for place in range(LENGTH):
        longer = [(*s, symbol) for s in open_ones for symbol in range(SYMBOLS)]
        whole += [s for s in longer if s[-1] == END or place == LENGTH - 1]
        open_ones = [s for s in longer if s[-1] != END]
    return whole


SEQUENCES = _all_sequences()
STATES = list(dict.fromkeys(s[:i] for s in SEQUENCES for i in range(len(s))))
"""What has been said before a token: one row of the table for each."""
MASK = torch.tensor([[float(i < len(s)) for i in range(LENGTH)] for s in SEQUENCES], dtype=torch.float64)
REWARDS = torch.tensor([0.3, 1.0, 0.0, 0.3, 0.7, 0.0, 0.9], dtype=torch.float64)
"""One for each sequence; two pairs of them are equal."""
_ROW = torch.tensor([[STATES.index(s[:i]) if i < len(s) else 0 for i in range(LENGTH)] for s in SEQUENCES])
_TOKEN = torch.tensor([[s[i] if i < len(s) else 0 for i in range(LENGTH)] for s in SEQUENCES])


def buffer(mask: torch.Tensor, **given: torch.Tensor) -> Rollout:
    """A rollout with this mask, these tensors, and nothing in the others."""
    zeros, empty = torch.zeros_like(mask), torch.zeros(len(mask), 0)
    plain = dict.fromkeys(("old_logprobs", "token_rewards", "advantages"), zeros)
    plain |= dict.fromkeys(("ref_logprobs", "values", "returns"), empty)
    plain |= dict.fromkeys(("rewards", "signals"), zeros[:, 0])
    plain |= {"graded": torch.ones(len(mask)).bool(), "cut": torch.zeros(len(mask)).bool()}
    return Rollout(**{"ids": mask.long(), "attention_mask": mask.long(), "mask": mask, **plain, **given})


def table(seed: int, scale: float = 1.0) -> torch.Tensor:
    """A policy: logits of every symbol in every state. (states, SYMBOLS)"""
    generator = torch.Generator().manual_seed(seed)
    logits = scale * torch.randn(len(STATES), SYMBOLS, generator=generator, dtype=torch.float64)
    return logits.requires_grad_()


def logprobs(policy: torch.Tensor) -> torch.Tensor:
    """Log-prob of every token of every sequence, 0 behind the end. (7, LENGTH)"""
    return policy.log_softmax(-1)[_ROW, _TOKEN] * MASK


def entropies(policy: torch.Tensor) -> torch.Tensor:
    """Entropy of the distribution that each token was drawn from, 0 behind the end. (7, LENGTH)"""
    return _entropy(policy)[_ROW] * MASK


def probabilities(policy: torch.Tensor) -> torch.Tensor:
    """Probability of every sequence. (7,)"""
    return logprobs(policy).sum(1).exp()


def visits(policy: torch.Tensor) -> torch.Tensor:
    """How often each state is met in a sequence, a number without gradient. (states,)"""
    found = torch.zeros(len(STATES), dtype=torch.float64)
    chance = probabilities(policy).detach()
    return found.index_put((_ROW[MASK > 0],), chance[:, None].expand_as(MASK)[MASK > 0], accumulate=True)


def gradient(value: torch.Tensor, policy: torch.Tensor) -> torch.Tensor:
    """Of a number with respect to the table, 0 where it does not depend on it. (states, SYMBOLS)"""
    (found,) = torch.autograd.grad(value, policy, allow_unused=True, retain_graph=True)
    return torch.zeros_like(policy) if found is None else found


def expected_gradient(
    policy: torch.Tensor,
    size: int,
    loss: Callable[[torch.Tensor], torch.Tensor],
    behaviour: torch.Tensor | None = None,
) -> torch.Tensor:
    """Exact expectation of the gradient of `loss(index)` over all batches of `size` independent sequences.

    `index` (size,) says which sequences the batch holds. They are drawn from `behaviour`, by default the
    policy itself; the probability of a batch carries no gradient, as that of a sample does not.
    """
    chance = probabilities(policy if behaviour is None else behaviour).detach()
    total = torch.zeros((), dtype=torch.float64)
    for members in itertools.product(range(len(SEQUENCES)), repeat=size):
        index = torch.tensor(members)
        total = total + chance[index].prod() * loss(index)
    return gradient(total, policy)


def reward_gradient(policy: torch.Tensor, rewards: torch.Tensor = REWARDS) -> torch.Tensor:
    """Of the expected reward: what an unbiased estimator must give."""
    return gradient((probabilities(policy) * rewards).sum(), policy)


def kl_gradient(policy: torch.Tensor, reference: torch.Tensor) -> torch.Tensor:
    """Of KL(pi || ref) over whole sequences."""
    ratio = (logprobs(policy) - logprobs(reference)).sum(1)
    return gradient((probabilities(policy) * ratio).sum(), policy)


def token_kl_gradient(policy: torch.Tensor, reference: torch.Tensor, *, forward: bool = False) -> torch.Tensor:
    """Of the KL at each state, weighed by how often it is met, without the way in which visits change.

    KL(pi || ref), or KL(ref || pi) where `forward`.
    """
    p, q = policy.log_softmax(-1), reference.log_softmax(-1)
    at_states = (q.exp() * (q - p)).sum(1) if forward else (p.exp() * (p - q)).sum(1)
    return gradient((visits(policy) * at_states).sum(), policy)


def token_entropy_gradient(policy: torch.Tensor) -> torch.Tensor:
    """Of the entropy at each state, weighed as in token_kl_gradient."""
    return gradient((visits(policy) * _entropy(policy)).sum(), policy)


def same(found: torch.Tensor, expected: torch.Tensor, within: float = 1e-12) -> None:
    """Fail, saying where, unless the two differ nowhere by more than this, in absolute terms."""
    torch.testing.assert_close(found, expected, atol=within, rtol=0.0)


def _entropy(policy: torch.Tensor) -> torch.Tensor:
    distribution = policy.log_softmax(-1)
    return -(distribution.exp() * distribution).sum(-1)


def tilted(ref: torch.Tensor, rewards: torch.Tensor, beta: float) -> torch.Tensor:
    """ref * exp(rewards / beta), normalised: the policy that maximises E[reward] - beta KL(policy || ref). (N,)"""
    return (ref.log() + rewards / beta).softmax(-1)
