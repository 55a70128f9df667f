"""Distillation over the whole vocabulary: the divergence, its limits, the step that lowers it; and TRL's own."""

import math
from typing import Any

import pytest
import torch
from digits import config, digits
from scripted import LONGEST, ScriptedPolicy
from tabular import same

from rlenv.core.errors import ConfigError
from rlenv.env.batch import BatchEnvironment
from rlenv.policies.tiny import tiny_policy
from rlenv.trainers import ALGORITHMS, changed, with_changes
from rlenv.trainers.networks import head as chunks
from rlenv.trainers.rollouts.collect import collect
from rlenv.trainers.updates.distillation_step import distillation_step, divergence
from rlenv.trainers.updates.update import Step

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


def test_near_its_ends_it_is_a_share_of_the_two_kls() -> None:
    student, teacher, small = _logits(0).log_softmax(-1), _logits(1).log_softmax(-1), 1e-6
    same(divergence(student, teacher, small) / small, divergence(student, teacher, 0.0), 1e-4)
    same(divergence(student, teacher, 1 - small) / small, divergence(student, teacher, 1.0), 1e-3)


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


def test_what_does_nothing_beside_a_divergence_is_refused() -> None:
    with pytest.raises(ConfigError, match="the whole loss"):
        changed(ALGORITHMS["gkd"], "kl.beta", 0.1)
    with pytest.raises(ConfigError, match="one from a teacher"):
        changed(ALGORITHMS["reinforce"], "divergence", 0.5)
    with pytest.raises(ConfigError, match="the whole loss"):
        with_changes(ALGORITHMS["distill"], {"divergence": 0.5})
