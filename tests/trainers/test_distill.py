"""On-policy distillation: exactly the gradient of the KL to a teacher, token by token and over the whole vocabulary."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from digits import config, digits, policy
from scripted import LONGEST, ScriptedPolicy
from tabular import buffer, same
from tokenizers import AddedToken

from rlenv.core.errors import ConfigError
from rlenv.env.batch import BatchEnvironment
from rlenv.policies.tiny import tiny_policy, tiny_tokenizer
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import ALGORITHMS, changed, train
from rlenv.trainers.algorithms.losses import policy_terms
from rlenv.trainers.algorithms.row import Algorithm
from rlenv.trainers.branches.sft import check_same_tokens
from rlenv.trainers.networks import logprobs as chunks
from rlenv.trainers.records.logs import read_metrics
from rlenv.trainers.rollouts.collect import collect
from rlenv.trainers.updates.branch_steps import distillation_step, divergence
from rlenv.trainers.updates.prepare import with_advantages
from rlenv.trainers.updates.update import Step

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
    ones = torch.ones_like(old)
    rollout = buffer(ones, ids=SEQUENCES, old_logprobs=old, token_rewards=token_logprobs(teacher) - old)
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


BETAS = [0.0, 0.1, 0.5, 0.9, 1.0]
SIZE = 2


def _logits(seed: int) -> torch.Tensor:
    return 2 * torch.randn(4, 5, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def _by_hand(student: list[float], teacher: list[float], beta: float) -> float:
    """beta KL(teacher || m) + (1 - beta) KL(student || m), m = beta teacher + (1 - beta) student, in probabilities."""
    if beta in (0.0, 1.0):
        first, second = (teacher, student) if beta == 0.0 else (student, teacher)
        return math.fsum(p * math.log(p / q) for p, q in zip(first, second, strict=True))
    total = []
    for q, p in zip(student, teacher, strict=True):
        mixed = beta * p + (1 - beta) * q
        total += [beta * p * math.log(p / mixed), (1 - beta) * q * math.log(q / mixed)]
    return math.fsum(total)


@pytest.mark.parametrize("beta", BETAS)
def test_it_is_the_sum_over_the_vocabulary(beta: float) -> None:
    student, teacher = _logits(0), _logits(1)
    found = divergence(student.log_softmax(-1), teacher.log_softmax(-1), beta)
    rows = zip(student.softmax(-1).tolist(), teacher.softmax(-1).tolist(), strict=True)
    same(found, torch.tensor([_by_hand(q, p, beta) for q, p in rows], dtype=torch.float64), 1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("beta", BETAS)
def test_value_and_gradient_are_those_of_trl(beta: float) -> None:
    trl: Any = pytest.importorskip("trl.experimental.gkd.gkd_trainer", reason="needs the extra: trl")
    student, again, teacher = _logits(0).requires_grad_(), _logits(0).requires_grad_(), _logits(1)
    labels = torch.tensor([[1, 2, -100, 3]])
    theirs = trl.GKDTrainer.generalized_jsd_loss(student[None], teacher[None], labels, beta=beta)
    kept = torch.tensor([0, 1, 3])
    ours = divergence(again.log_softmax(-1), teacher.log_softmax(-1), beta)[kept].sum() / 3
    same(ours.detach(), theirs.detach(), 1e-6)
    same(torch.autograd.grad(ours, again)[0], torch.autograd.grad(theirs, student)[0], 1e-6)


@pytest.mark.parametrize(("tokens", "elements"), [(100_000, 1 << 24), (1, 1 << 24), (100_000, 300)])
@pytest.mark.parametrize("beta", [0.0, 0.5])
def test_the_step_follows_the_gradient_of_the_mean_over_what_the_student_said(
    beta: float, tokens: int, elements: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Micro-batches and chunks of the vocabulary change memory only."""
    monkeypatch.setattr(chunks, "CHUNK_ELEMENTS", elements)
    student, teacher, rate = tiny_policy(0), tiny_policy(1).model, 0.3
    row = changed(ALGORITHMS["gkd"], "divergence", beta)
    settings = config(algorithm=row, groups=4, group_size=SIZE, max_new_tokens=LONGEST)
    scripted = ScriptedPolicy(student, lambda text: 1.0, SIZE, interrupted=True)
    rollout = collect(BatchEnvironment(digits(), group_size=SIZE), scripted, settings, 0).rollout
    width, parameters = rollout.mask.shape[1], list(student.model.parameters())
    ours, theirs = (
        model(
            input_ids=rollout.ids,
            attention_mask=rollout.attention_mask,
            position_ids=(rollout.attention_mask.cumsum(1) - 1).clamp(min=0),
        )
        .logits[:, -width - 1 : -1]
        .log_softmax(-1)
        for model in (student.model, teacher)
    )
    p, q = theirs.detach().exp(), ours.exp()
    mixed = (beta * p + (1 - beta) * q).log()
    of_token = beta * (p * (theirs.detach() - mixed)).sum(-1) + (1 - beta) * (q * (ours - mixed)).sum(-1)
    if beta == 0.0:
        of_token = (p * (theirs.detach() - ours)).sum(-1)
    loss = (of_token * rollout.mask).sum() / rollout.mask.sum()
    gradient = torch.cat([g.flatten() for g in torch.autograd.grad(loss, parameters)])
    before = torch.cat([x.detach().flatten() for x in parameters]).clone()
    step = Step(
        row=row, micro_batch_tokens=tokens, max_new_tokens=LONGEST, group_size=SIZE, max_grad_norm=1e9, teacher=teacher
    )
    rows = torch.arange(len(rollout))
    metrics = distillation_step(student.model, torch.optim.SGD(parameters, rate), rollout, rows, step)
    after = torch.cat([x.detach().flatten() for x in parameters])
    assert gradient.abs().max() > 1e-3
    same(after - before, -rate * gradient, 1e-6)
    assert metrics["loss"] == pytest.approx(loss.item(), abs=1e-5)
