"""The correction of importance: what each kind and level makes of ratios that were chosen by hand."""

import math

import pytest
import torch

from rlenv.trainers.algorithms.choices import Correction
from rlenv.trainers.algorithms.correction import mismatch, unweighed_share, weights

RATIOS = torch.tensor([[0.1, 0.6, 1.0, 9.0], [1.2, 1.25, 7.0, 7.0]])
MASK = torch.tensor([[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 0.0, 0.0]])
"""The second completion has two tokens; what stands behind it counts nowhere."""
PRODUCT, MEAN = (0.54, 1.5), (0.54**0.25, 1.5**0.5)


def found(kind: str, per: str, cap: float = 2.0) -> tuple[list[list[float]], list[list[float]]]:
    rule = Correction(kind=kind, per=per, cap=cap)  # type: ignore[arg-type]
    weight, left = weights(RATIOS.log(), torch.zeros(2, 4), MASK, rule)
    return [[round(x, 4) for x in row] for row in (weight * MASK).tolist()], left.tolist()


@pytest.mark.parametrize(
    ("kind", "first", "left"),
    [
        ("truncate", [0.1, 0.6, 1.0, 2.0], [1, 1, 1, 1]),
        ("mask", [0.0, 0.6, 1.0, 0.0], [1, 1, 1, 1]),
        ("reject", [0.0, 0.6, 1.0, 0.0], [0, 1, 1, 0]),
    ],
)
def test_a_token_has_its_own_weight_within_the_cap(kind: str, first: list[float], left: list[float]) -> None:
    assert found(kind, "token") == ([first, [1.2, 1.25, 0, 0]], [left, [1, 1, 0, 0]])


@pytest.mark.parametrize("per", ["sequence", "geometric"])
@pytest.mark.parametrize("kind", ["truncate", "mask", "reject"])
def test_a_completion_has_one_weight_within_the_cap(kind: str, per: str) -> None:
    one, other = PRODUCT if per == "sequence" else MEAN
    cap = 1.45 if per == "sequence" else 1.16  # outside the bounds: both products but one is cut; one mean
    bounded = [w if 1 / cap <= w <= cap else 0.0 for w in (one, other)]
    if kind == "truncate":
        bounded = [min(one, cap), min(other, cap)]
    weight, left = found(kind, per, cap)
    assert weight == [[round(bounded[0], 4)] * 4, [round(bounded[1], 4)] * 2 + [0, 0]]
    kept = [1.0 if w or kind != "reject" else 0.0 for w in bounded]
    assert left == [[kept[0]] * 4, [kept[1]] * 2 + [0, 0]]


def test_a_product_that_overflows_is_silenced_and_not_nan() -> None:
    apart = torch.full((1, 400), 1.0)
    for kind in ("mask", "reject"):
        weight, left = weights(apart, torch.zeros(1, 400), torch.ones(1, 400), Correction(kind=kind, per="sequence"))
        assert float((weight * 1.0).sum()) == 0
        assert unweighed_share(weight, torch.ones(1, 400)) == 1
        assert float(left.sum()) == (400 if kind == "mask" else 0)


def test_what_was_measured_is_of_chosen_tokens_alone() -> None:
    metrics = mismatch(RATIOS.log(), torch.zeros(2, 4), MASK)
    chosen = [0.1, 0.6, 1.0, 9.0, 1.2, 1.25]
    assert metrics["sampling/importance_sampling_ratio/max"] == pytest.approx(9.0)
    assert metrics["sampling/sampling_logp_difference/max"] == pytest.approx(-math.log(0.1))
    assert metrics["sampling/kl"] == pytest.approx(sum(r - 1 - math.log(r) for r in chosen) / 6, rel=1e-5)
    assert mismatch(RATIOS, RATIOS, torch.zeros(2, 4)) == {}
