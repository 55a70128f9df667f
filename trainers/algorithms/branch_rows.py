"""The rows of the branches that do not weigh a score function by rewards: preferences, self-training, distillation.

The preference rows learn from pairs: of a file (offline), or ranked by the environment among the policy's own
completions (online; with `kl.reset_every` and several epochs, iterative).
"""

from __future__ import annotations

from rlenv.trainers.algorithms.branch_choices import Preference, Selection
from rlenv.trainers.algorithms.choices import AdvantageRule, Control
from rlenv.trainers.algorithms.row import Algorithm

_KEPT = AdvantageRule(kind="selected")

BRANCHES: tuple[Algorithm, ...] = (
    Algorithm(
        name="dpo",
        branch="preference",
        paper="Rafailov et al. 2023, arXiv 2305.18290",
        preference=Preference(loss="dpo"),
    ),
    Algorithm(
        name="dpo-shift",
        branch="preference",
        paper="Yang et al. 2025, arXiv 2502.07599",
        preference=Preference(loss="dpo", rejected_share=0.75),
    ),
    Algorithm(
        name="ipo",
        branch="preference",
        paper="Azar et al. 2023, arXiv 2310.12036",
        preference=Preference(loss="ipo"),
    ),
    Algorithm(
        name="kto",
        branch="preference",
        paper="Ethayarajh et al. 2024, arXiv 2402.01306",
        preference=Preference(loss="kto"),
    ),
    Algorithm(
        name="simpo",
        branch="preference",
        paper="Meng et al. 2024, arXiv 2405.14734",
        preference=Preference(loss="simpo", beta=2.0, margin=1.0),
    ),
    Algorithm(
        name="orpo",
        branch="preference",
        paper="Hong et al. 2024, arXiv 2403.07691",
        preference=Preference(loss="orpo", nll_weight=1.0),
    ),
    Algorithm(
        name="sft",
        branch="self-training",
        paper="Ouyang et al. 2022, arXiv 2203.02155, section 3.5",
        advantage=_KEPT,
        selection=Selection(kind="demonstrations"),
    ),
    Algorithm(
        name="star",
        branch="self-training",
        paper="Zelikman et al. 2022, arXiv 2203.14465",
        advantage=_KEPT,
        selection=Selection(kind="threshold", from_initial=True, rationalise=True),
    ),
    Algorithm(
        name="rest",
        branch="self-training",
        paper="Gulcehre et al. 2023, arXiv 2308.08998",
        advantage=_KEPT,
        selection=Selection(kind="threshold", thresholds=(0.5, 0.75, 1.0)),
    ),
    Algorithm(
        name="raft",
        branch="self-training",
        paper="Dong et al. 2023, arXiv 2304.06767",
        advantage=_KEPT,
        selection=Selection(kind="top_k"),
    ),
    Algorithm(
        name="distill",
        branch="distillation",
        paper="Agarwal et al. 2024, arXiv 2306.13649 (reverse KL, own samples)",
        advantage=AdvantageRule(kind="teacher", gamma=0.0),
        control=Control(ratio="token"),
    ),
    Algorithm(
        name="gkd",
        branch="distillation",
        paper="Agarwal et al. 2024, arXiv 2306.13649",
        advantage=AdvantageRule(kind="teacher"),
        divergence=0.5,
    ),
)
