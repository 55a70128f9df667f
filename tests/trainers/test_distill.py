"""Distillation: its expected gradient is that of the reverse KL to a teacher, whose tokens must be the student's."""

from pathlib import Path

import pytest
import torch
from digits import config, digits, policy
from tokenizers import AddedToken

from rlenv.core.errors import ConfigError
from rlenv.policies.tiny import tiny_tokenizer
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import ALGORITHMS, changed, train
from rlenv.trainers.algorithms.losses import averaging_weights, policy_terms
from rlenv.trainers.algorithms.row import Algorithm
from rlenv.trainers.branches.given import check_same_tokens
from rlenv.trainers.records.logs import read_metrics
from rlenv.trainers.rollouts.rollout import Rollout
from rlenv.trainers.updates.prepare import with_advantages

SYMBOLS, LENGTH = 3, 3
SEQUENCES = torch.cartesian_prod(*[torch.arange(SYMBOLS)] * LENGTH)
"""Every completion of a tabular policy, whose next symbol depends on the one before."""


def table(seed: int) -> torch.Tensor:
    return torch.randn(1 + SYMBOLS, SYMBOLS, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def token_logprobs(logits: torch.Tensor) -> torch.Tensor:
    """Of every sequence, with row 0 for its first symbol and row 1 + a for the one after a. (27, 3)"""
    before = torch.cat([torch.zeros(len(SEQUENCES), 1, dtype=torch.long), 1 + SEQUENCES[:, :-1]], 1)
    return logits.log_softmax(-1)[before, SEQUENCES]


def expected_gradient(
    row: Algorithm, student: torch.Tensor, teacher: torch.Tensor, weights: torch.Tensor
) -> torch.Tensor:
    """Of the row's loss, over all that the student can say."""
    logprobs, old = token_logprobs(student), token_logprobs(student).detach()
    ones, empty = torch.ones_like(old), torch.zeros(len(old), 0)
    rollout = Rollout(
        ids=SEQUENCES,
        attention_mask=ones.long(),
        mask=ones,
        old_logprobs=old,
        rewards=torch.zeros(len(old), dtype=torch.float64),
        graded=torch.ones(len(old), dtype=torch.bool),
        token_rewards=token_logprobs(teacher) - old,
        advantages=torch.zeros_like(old),
        ref_logprobs=empty,
        values=empty,
        returns=empty,
        signals=torch.zeros(len(old)),
        cut=torch.zeros(len(old), dtype=torch.bool),
    )
    advantages = with_advantages(rollout, row, 1).advantages
    terms = policy_terms(logprobs, old, advantages, ones, row.control)
    loss = (old.sum(1).exp()[:, None] * weights * terms).sum()
    return torch.autograd.grad(loss, student)[0]


def test_with_gamma_one_it_is_the_gradient_of_the_kl_of_whole_completions() -> None:
    student, teacher = table(0).requires_grad_(), table(1)
    found = expected_gradient(changed(ALGORITHMS["distill"], "advantage.gamma", 1.0), student, teacher, torch.ones(()))
    said = token_logprobs(student).sum(1)
    kl = (said.exp() * (said - token_logprobs(teacher).sum(1))).sum()
    torch.testing.assert_close(found, torch.autograd.grad(kl, student)[0], atol=1e-12, rtol=0)


def test_a_token_at_a_time_it_is_the_gradient_of_the_kl_of_each_next_token_with_the_states_held() -> None:
    student, teacher = table(0).requires_grad_(), table(1)
    found = expected_gradient(ALGORITHMS["distill"], student, teacher, torch.ones(()))
    visits = torch.zeros(1 + SYMBOLS, dtype=torch.float64)
    before = torch.cat([torch.zeros(len(SEQUENCES), 1, dtype=torch.long), 1 + SEQUENCES[:, :-1]], 1)
    chance = token_logprobs(student).detach().sum(1).exp()
    visits.index_add_(0, before.flatten(), chance[:, None].expand(-1, LENGTH).flatten())
    now = student.log_softmax(-1)
    kl = (visits[:, None] * now.exp() * (now - teacher.log_softmax(-1))).sum()
    torch.testing.assert_close(found, torch.autograd.grad(kl, student)[0], atol=1e-12, rtol=0)


def test_a_student_that_equals_its_teacher_has_no_gradient() -> None:
    student = table(0).requires_grad_()
    weights = averaging_weights(torch.ones(len(SEQUENCES), LENGTH), "token", LENGTH).double()
    found = expected_gradient(ALGORITHMS["distill"], student, table(0), weights)
    torch.testing.assert_close(found, torch.zeros_like(found), atol=1e-12, rtol=0)


def other_tokens() -> TransformersPolicy:
    plain = policy()
    tokenizer = tiny_tokenizer()
    tokenizer.add_tokens([AddedToken("\\frac{", normalized=False)])
    return TransformersPolicy(plain.model, tokenizer, "other")


def test_a_teacher_of_other_tokens_is_refused_before_the_run_begins(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"the student's tokenizer.*104 tokens.*103.*same family"):
        train(config(algorithm="distill"), digits(), policy(), tmp_path / "a", teacher=other_tokens(), quiet=True)
    with pytest.raises(ConfigError, match="1 of the student's 104 tokens"):
        train(config(algorithm="distill"), digits(), other_tokens(), tmp_path / "b", teacher=policy(), quiet=True)
    assert not (tmp_path / "a").exists()


def test_a_teacher_that_ends_otherwise_is_refused() -> None:
    teacher = policy()
    teacher.eos_ids = [7]
    with pytest.raises(ConfigError, match="ends a sequence"):
        check_same_tokens(policy(), teacher)


def test_a_teacher_is_given_exactly_where_one_is_listened_to(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="got none for distill"):
        train(config(algorithm="distill"), digits(), policy(), tmp_path, quiet=True)
    with pytest.raises(ConfigError, match="got one for grpo"):
        train(config(), digits(), policy(), tmp_path, teacher=policy(), quiet=True)


def test_a_run_goes_on_with_its_own_teacher_only(tmp_path: Path) -> None:
    train(config(algorithm="distill", steps=1), digits(), policy(), tmp_path, teacher=policy(1), quiet=True)
    longer = config(algorithm="distill", steps=2)
    with pytest.raises(ConfigError, match="teacher"):
        train(longer, digits(), policy(), tmp_path, teacher=policy(2), resume=True, quiet=True)


def test_rewards_are_reported_and_not_learned_from(tmp_path: Path) -> None:
    """Two runs whose verifiers disagree end with the same weights."""
    found = []
    for name, verifier in (("a", lambda: 0.0), ("b", lambda: 1.0)):
        student = train(
            config(algorithm="distill", steps=2),
            digits(verifier),
            policy(),
            tmp_path / name,
            teacher=policy(1),
            quiet=True,
        )
        found.append(torch.cat([p.detach().flatten() for p in student.model.parameters()]))
        assert read_metrics(tmp_path / name / "metrics.jsonl")[0]["reward"] == float(name == "b")
    assert torch.equal(*found)
