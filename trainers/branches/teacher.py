"""On-policy distillation: the student speaks, a teacher pays each token what it thinks of it.

    advantage_t = log teacher(y_t | ...) - log student(y_t | ...)        on samples y of the student

Its expectation is minus the reverse KL(student || teacher) at that token. With gamma = 0, as published, each token is
paid for itself alone and the gradient is that of the KL of every next-token distribution, the states held fixed; with
gamma = 1 it is that of the KL of whole completions. Agarwal et al. 2024, arXiv 2306.13649; Lu et al. 2025,
"On-Policy Distillation".

Over the whole vocabulary (the row `gkd`), the distributions of both are compared at every token that the student said,
and the states are held fixed:

    D = beta KL(teacher || m) + (1 - beta) KL(student || m),    m = beta teacher + (1 - beta) student
"""

from __future__ import annotations

import math

import torch

from rlenv.core.errors import ConfigError
from rlenv.policies.transformers import TransformersPolicy


def divergence(student: torch.Tensor, teacher: torch.Tensor, beta: float) -> torch.Tensor:
    """The generalised Jensen-Shannon divergence of two distributions, given as log-probs (N, V). (N,)

    Agarwal et al. 2024 (GKD), arXiv 2306.13649. At beta 0 it is KL(teacher || student), at 1 KL(student || teacher),
    to which D divided by beta, or by 1 - beta, tends there.
    """
    if beta == 0:
        return _kl(teacher, student)
    if beta == 1:
        return _kl(student, teacher)
    mixture = torch.logaddexp(teacher + math.log(beta), student + math.log1p(-beta))
    return beta * _kl(teacher, mixture) + (1 - beta) * _kl(student, mixture)


def _kl(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    return (first.exp() * (first - second)).sum(-1)


def check_same_tokens(student: TransformersPolicy, teacher: TransformersPolicy) -> None:
    """Raise ConfigError unless both number their tokens alike: the teacher reads what the student wrote, as tokens."""
    ours, theirs = student.tokenizer.get_vocab(), teacher.tokenizer.get_vocab()
    different = sorted(token for token in ours if theirs.get(token) != ours[token])
    if different or len(ours) != len(theirs):
        what = f"{len(different)} of the student's {len(ours)} tokens, such as {different[:3]}, " if different else ""
        raise ConfigError(
            f"expected a teacher with the student's tokenizer: {what}the teacher has {len(theirs)} tokens and the "
            f"student {len(ours)}; choose a teacher of the same family"
        )
    if student.eos_ids[0] not in teacher.eos_ids:
        raise ConfigError(
            f"expected a teacher that ends a sequence as the student does, with the token {student.eos_ids[0]}, got "
            f"{teacher.eos_ids}; choose a teacher of the same family"
        )
