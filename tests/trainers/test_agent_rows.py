"""Episodes of several contexts: each row is read from its own beginning, and all of them are one member of a group."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from by_hand import by_hand, rows, two_steps_as_by_hand

from rlenv.agents.rows import completion_of
from rlenv.agents.session import Call
from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.policy import Sampling
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import ALGORITHMS, with_changes
from rlenv.trainers.algorithms.advantages import gae, returns_to_go
from rlenv.trainers.networks.models import Critic
from rlenv.trainers.rollouts.collect import tensors
from rlenv.trainers.updates.prepare import FrozenModels, prepared

REWARDS = [1.0, 0.0, 0.5, 0.0]


def sampled(policy: TransformersPolicy, prompt: Sequence[int], tokens: int, seed: int) -> Call:
    """A call as the policy server records it, drawn from the policy."""
    sample = policy._sampled([list(prompt)], 1, Sampling(max_new_tokens=tokens, seed=seed))[0]
    return Call(tuple(prompt), Completion("said", tuple(sample.token_ids), tuple(sample.logprobs)), 0)


def episodes(policy: TransformersPolicy) -> list[Episode]:
    """A conversation, one that was compacted, one with a sub-agent, one with parallel calls."""
    ids = policy.renderer.ids
    made = []
    for number in range(4):
        first = sampled(policy, ids(f"{number}+1=?"), 5, number)
        on = [*first.prompt_ids, *first.said.token_ids]
        calls = {
            0: [first, sampled(policy, [*on, *ids("again")], 4, 10)],
            1: [first, sampled(policy, ids("in short: one and a half words"), 6, 11)],
            2: [first, sampled(policy, ids("look"), 3, 12), sampled(policy, [*on, *ids(" seen")], 5, 13)],
            3: [first, *(sampled(policy, [*on, *ids(f" {i}")], 3 + i, 20 + i) for i in range(2))],
        }[number]
        verdict = Verdict.of(("reward", REWARDS[number]))
        made.append(Episode(Task("?"), completion_of(calls), verdict, tuple(ids("?")), index=number))
    return made


def judges(policy: TransformersPolicy, **more: object) -> FrozenModels:
    return FrozenModels(policy=policy.model, temperature=1.0, micro_batch_tokens=120, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("packing", ["prefix", "packed"])
def test_two_steps_of_grpo_are_those_of_a_batch_made_by_hand(packing: str) -> None:
    ours, theirs = tiny_policy(initializer_range=0.2), tiny_policy(initializer_range=0.2)
    ours.model.rlenv_packing = packing  # type: ignore[assignment]
    two_steps_as_by_hand(ours, theirs, episodes(ours), group_size=4)


@pytest.mark.parametrize("name", ["grpo", "rloo", "reinforce++", "ppo"])
def test_the_rows_of_an_episode_count_once(name: str) -> None:
    policy = tiny_policy(initializer_range=0.2)
    found = episodes(policy)
    row = with_changes(ALGORITHMS[name], {"kl.beta": 0.0})
    more = {"critic": Critic(policy.model)} if row.critic else {}
    rollout, _ = prepared(tensors(policy, found), row, 4, judges(policy, **more))
    assert rollout.rewards.tolist() == REWARDS
    assert len(rollout) == 4
    if name in ("grpo", "rloo"):  # the same at each token of all rows
        assert all(len(set(a[m > 0].tolist())) == 1 for a, m in zip(rollout.advantages, rollout.mask, strict=True))
        assert abs(sum(float(a[m > 0][0]) for a, m in zip(rollout.advantages, rollout.mask, strict=True))) < 1e-6
    assert bool((rollout.advantages[rollout.mask == 0] == 0).all())


def test_each_row_ends_with_the_reward_and_nothing_is_bootstrapped_across() -> None:
    contexts, mask = torch.tensor([[1, 1, 1, 2, 2, 0]]), torch.tensor([[0.0, 1, 1, 0, 1, 0]])
    paid, values = torch.tensor([[0.0, 0, 1, 0, 1, 0]]), torch.tensor([[0.0, 0.2, 0.4, 0, 0.7, 0]])
    assert returns_to_go(paid, mask, 0.5, contexts).tolist() == [[0, 0.5, 1, 0, 1, 0]]
    advantages, returns = gae(paid, values, mask, 1.0, 0.5, contexts=contexts)
    torch.testing.assert_close(advantages, torch.tensor([[0, 0.2 + 0.5 * 0.6, 0.6, 0, 0.3, 0]]))
    torch.testing.assert_close(returns, (advantages + values) * mask)


def test_rewards_stand_at_the_end_of_each_row_and_values_see_their_own_context() -> None:
    policy = tiny_policy(initializer_range=0.2)
    found, critic = episodes(policy), Critic(policy.model)
    torch.nn.init.normal_(critic.head.linear.weight)
    rollout = tensors(policy, found)
    values = critic(rollout.ids, rollout.attention_mask, rollout.mask)
    for number, episode in enumerate(found):
        first = 0
        for ids, mask in rows(episode.completion):
            last = first + max(place for place, chosen in enumerate(mask) if chosen)
            assert float(rollout.token_rewards[number, last]) == REWARDS[number]
            states = policy.model.base_model(torch.tensor([ids])).last_hidden_state
            own = critic.head.linear(states)[0, :-1, 0] * torch.tensor(mask[1:])
            torch.testing.assert_close(values[number, first + 1 : first + len(ids)], own, atol=1e-4, rtol=1e-4)
            first += len(ids)


def test_tokens_of_other_weights_are_corrected_as_for_staleness() -> None:
    old, now = tiny_policy(initializer_range=0.2), tiny_policy(seed=1, initializer_range=0.2)
    row = with_changes(ALGORITHMS["grpo"], {"kl.beta": 0.0, "correction.kind": "truncate", "correction.cap": 2.0})
    found = episodes(old)  # all that was said is of the old weights
    plain, _ = prepared(tensors(now, found), with_changes(row, {"correction.kind": "none"}), 4, judges(now))
    rollout, metrics = prepared(tensors(now, found), row, 4, judges(now))
    for number, episode in enumerate(found):
        said = episode.completion
        new = torch.cat([by_hand(now, ids, mask) for ids, mask in rows(said)])
        was = torch.tensor([p for p, chosen in zip(said.logprobs, said.mask, strict=True) if chosen])
        chosen = rollout.mask[number] > 0
        wanted = plain.advantages[number][chosen] * (new - was).exp().clamp(max=2.0)
        torch.testing.assert_close(rollout.advantages[number][chosen], wanted, atol=1e-4, rtol=1e-3)
    assert metrics["sampling/sampling_logp_difference/mean"] > 0.1


def test_a_row_begins_with_what_the_policy_reads() -> None:
    policy = tiny_policy()
    said = Completion("ab", (5, 6), (-1.0, -1.0), (1, 1), breaks=(0,))
    with pytest.raises(ConfigError, match="begin with what the policy reads"):
        tensors(policy, [Episode(Task("?"), said, Verdict.of(("reward", 1.0)), (3,))])
