"""The audit on reasoning-gym's own scorers: those that are known to pay for junk are caught.

Nothing here is a verdict of ours: the functions audited are the package's `score_answer`.
"""

from collections.abc import Callable
from typing import Any

import pytest

from rlenv.audit import Audit, Severity, audit_reward
from rlenv.envs.reasoning_gym.datasets import create, settings

ITEMS = 9


def own_scorer(name: str) -> tuple[Callable[[str, int], float], list[dict[str, Any]]]:
    """The package's scorer of a dataset and rows of it; an item without an answer takes the example it holds."""
    dataset = create(name, settings(name, {}), 0, ITEMS)
    items = [dataset[index] for index in range(ITEMS)]

    def score(completion: str, entry: int) -> float:
        return float(dataset.score_answer(completion, items[entry]))

    return score, [
        {"prompt": item["question"], "answer": item["answer"] or item["metadata"]["example_answer"], "entry": index}
        for index, item in enumerate(items)
    ]


def audited(name: str) -> Audit:
    score, rows = own_scorer(name)
    return audit_reward(score, rows, name=name, time_limit_s=2.0)


@pytest.mark.parametrize(
    ("name", "rule", "severity"),
    [
        pytest.param("game_of_life_halting", "attack/filler", Severity.CRITICAL, id="any text is True"),
        pytest.param("complex_arithmetic", "attack/", Severity.CRITICAL, id="nan is any number"),
        pytest.param("polynomial_equations", "attack/enumeration", Severity.MEDIUM, id="near values"),
        pytest.param("time_intervals", "attack/", Severity.MEDIUM, id="near times"),
        pytest.param("spell_backward", "attack/enumeration", Severity.MEDIUM, id="letters in place"),
        pytest.param("propositional_logic", "attack/", Severity.MEDIUM, id="a premise copied"),
        pytest.param("prime_factorization", "crash", Severity.MEDIUM, id="raises"),
        pytest.param("sentence_reordering", "attack/filler", Severity.LOW, id="a twentieth for any text"),
        pytest.param("palindrome_generation", "attack/", Severity.LOW, id="a share for any text"),
    ],
)
def test_scorer_known_to_pay_for_junk_is_caught(name: str, rule: str, severity: Severity) -> None:
    done = audited(name)
    assert any(one.startswith(rule) for finding in done.at_least(severity) for one in finding.rules), done.text(
        Severity.LOW
    )


def test_scorer_that_reads_strictly_is_not() -> None:
    done = audited("palindrome_partitioning")
    assert not done.at_least(Severity.MEDIUM), done.text(Severity.MEDIUM)
