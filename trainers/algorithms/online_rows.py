"""The rows of the online branch: what each algorithm of policy gradients chooses."""

from __future__ import annotations

import math

from rlenv.trainers.algorithms.choices import AdvantageRule, Control, CriticRule, Drawing, Entropy, Kl
from rlenv.trainers.algorithms.row import Algorithm

_CLIP = Control(ratio="token", bound="clip")
_STANDARDISED = AdvantageRule(kind="group_standardised")
_CRITIC = AdvantageRule(kind="gae", whiten=True, gae_lambda=0.95)
_K1_IN_REWARD = Kl(place="reward", estimator="k1")
_BETA = 0.001
"""REINFORCE++'s for mathematics, which a verifier judges; it has 0.01 for general rewards."""

ONLINE: tuple[Algorithm, ...] = (
    Algorithm(
        name="reinforce",
        paper="Williams 1992",
        averaging="sequence",
        kl=_K1_IN_REWARD,
    ),
    Algorithm(
        name="reinforce-baseline",
        paper="Williams 1992",
        advantage=AdvantageRule(moving_baseline=0.9),
        averaging="sequence",
        kl=_K1_IN_REWARD,
    ),
    Algorithm(
        name="reinforce++",
        paper="Hu 2025, arXiv 2501.03262",
        advantage=AdvantageRule(whiten=True),
        control=_CLIP,
        kl=Kl(place="reward", estimator="k1", beta=_BETA),
    ),
    Algorithm(
        name="reinforce++-baseline",
        paper="Hu 2025, arXiv 2501.03262",
        advantage=AdvantageRule(kind="group_centred", whiten=True),
        control=_CLIP,
        kl=Kl(estimator="k2", beta=_BETA),
    ),
    Algorithm(
        name="rloo",
        paper="Ahmadian et al. 2024, arXiv 2402.14740",
        advantage=AdvantageRule(kind="leave_one_out"),
        averaging="sequence",
        kl=_K1_IN_REWARD,
    ),
    Algorithm(
        name="grpo",
        paper="Shao et al. 2024, arXiv 2402.03300",
        advantage=_STANDARDISED,
        control=_CLIP,
        averaging="response",
    ),
    Algorithm(
        name="dr-grpo",
        paper="Liu et al. 2025, arXiv 2503.20783",
        advantage=AdvantageRule(kind="group_centred"),
        control=_CLIP,
        averaging="constant",
    ),
    Algorithm(
        name="dapo",
        paper="Yu et al. 2025, arXiv 2503.14476",
        advantage=_STANDARDISED,
        control=Control(ratio="token", bound="clip", clip_low=0.2, clip_high=0.28),
        drawing=Drawing(refill=True, overlong_buffer=0.2, drop_constant_groups=True),
    ),
    Algorithm(
        name="high-entropy",
        paper="Wang et al. 2025, arXiv 2506.01939",
        advantage=AdvantageRule(kind="group_standardised", entropy_share=0.2),
        control=Control(ratio="token", bound="clip", clip_low=0.2, clip_high=0.28),
        drawing=Drawing(refill=True, overlong_buffer=0.2, drop_constant_groups=True),
    ),
    Algorithm(
        name="kl-cov",
        paper="Cui et al. 2025, arXiv 2505.22617",
        advantage=_STANDARDISED,
        control=Control(ratio="token", bound="kl", kl_share=0.002, kl_target=None),
    ),
    Algorithm(
        name="gfpo",
        paper="Shrivastava et al. 2025, arXiv 2508.09726",
        advantage=AdvantageRule(kind="group_standardised", kept_share=0.5),
        control=_CLIP,
    ),
    Algorithm(
        name="length-aware",
        paper="Arora and Zanette 2025, arXiv 2502.04463",
        advantage=AdvantageRule(kind="leave_one_out", length_weight=0.4),
        averaging="sequence",
    ),
    Algorithm(
        name="darling",
        paper="Li et al. 2025, arXiv 2509.02534",
        advantage=AdvantageRule(kind="group_centred", diversity=True),
        control=_CLIP,
    ),
    Algorithm(
        name="entropy-target",
        paper="He et al. 2025, arXiv 2505.22312",
        advantage=_STANDARDISED,
        control=_CLIP,
        entropy=Entropy(target=0.2),
        drawing=Drawing(drop_constant_groups=True),
    ),
    Algorithm(
        name="reinforce-rej",
        paper="Xiong et al. 2025, arXiv 2504.11343",
        control=_CLIP,
        averaging="response",
        drawing=Drawing(drop_constant_groups=True),
    ),
    Algorithm(
        name="pass-at-k",
        paper="Walder and Karkhanis 2025, arXiv 2505.15201",
        advantage=AdvantageRule(kind="pass_at_k"),
        averaging="sequence",
    ),
    Algorithm(
        name="max-entropy",
        paper="Haarnoja et al. 2018, arXiv 1801.01290",
        advantage=AdvantageRule(kind="leave_one_out"),
        averaging="sequence",
        entropy=Entropy(place="reward", coefficient=0.001),
    ),
    Algorithm(
        name="gmpo",
        paper="Zhao et al. 2025, arXiv 2507.20673",
        advantage=_STANDARDISED,
        control=Control(ratio="geometric", bound="clip", clip_low=1 - math.exp(-0.4), clip_high=math.exp(0.4) - 1),
        averaging="response",
    ),
    Algorithm(
        name="gspo",
        paper="Zheng et al. 2025, arXiv 2507.18071",
        advantage=_STANDARDISED,
        control=Control(ratio="sequence", bound="clip", clip_low=3e-4, clip_high=4e-4),
        averaging="response",
    ),
    Algorithm(
        name="cispo",
        paper="MiniMax 2025, arXiv 2506.13585",
        advantage=_STANDARDISED,
        control=Control(ratio="token", bound="weight", clip_low=1.0, clip_high=4.0),
    ),
    Algorithm(
        name="ppo",
        paper="Schulman et al. 2017, arXiv 1707.06347",
        advantage=_CRITIC,
        control=_CLIP,
        kl=_K1_IN_REWARD,
        critic=CriticRule(),
    ),
    Algorithm(
        name="ppo-kl",
        paper="Schulman et al. 2017, arXiv 1707.06347, equation 8",
        advantage=_CRITIC,
        control=Control(ratio="token", bound="kl"),
        kl=_K1_IN_REWARD,
        critic=CriticRule(),
    ),
    Algorithm(
        name="vapo",
        paper="Yue et al. 2025, arXiv 2504.05118",
        advantage=AdvantageRule(kind="gae", whiten=True, length_lambda=0.05, critic_lambda=1.0),
        control=Control(ratio="token", bound="clip", clip_low=0.2, clip_high=0.28),
        kl=_K1_IN_REWARD,
        critic=CriticRule(pretrain=50),
        positive_nll=0.1,
    ),
    Algorithm(
        name="vineppo",
        paper="Kazemnejad et al. 2024, arXiv 2410.01679",
        advantage=AdvantageRule(kind="continued", whiten=True),
        control=_CLIP,
    ),
    Algorithm(
        name="a2c",
        paper="Mnih et al. 2016, arXiv 1602.01783",
        advantage=AdvantageRule(kind="gae"),
        kl=_K1_IN_REWARD,
        entropy=Entropy(coefficient=0.01, final_coefficient=0.0),
        critic=CriticRule(shared_trunk=True, value_clip=float("inf")),
    ),
    Algorithm(
        name="trpo",
        paper="Schulman et al. 2015, arXiv 1502.05477",
        advantage=_CRITIC,
        control=Control(ratio="token", bound="natural"),
        kl=_K1_IN_REWARD,
        critic=CriticRule(),
    ),
)
