"""The audit on plain reward functions and on those of TRL."""

import re
from collections.abc import Sequence
from typing import Any

import pytest

from rlenv.audit import audit_reward, reward_definition
from rlenv.core.errors import ConfigError
from rlenv.testing import assert_not_hackable

ROWS = [{"prompt": f"What is {a} + {a + 3}?", "answer": str(2 * a + 3)} for a in range(20, 32)]
CHAT = [{**row, "prompt": [{"role": "user", "content": row["prompt"]}]} for row in ROWS]
SOLUTIONS: list[dict[str, Any]] = [{"prompt": row["prompt"], "solution": row["answer"], "level": 1} for row in ROWS]


def contains(prompt: str, completion: str, reference: str) -> float:
    return float(reference in completion)


def equal(prompt: str, completion: str, reference: str) -> float:
    return float(completion.strip() == reference)


def trl_equal(prompts: Sequence[Any], completions: Sequence[Any], answer: Sequence[str], **columns: Any) -> list[float]:
    said = [one if isinstance(one, str) else one[0]["content"] for one in completions]
    return [float(text.strip() == right) for text, right in zip(said, answer, strict=True)]


def trl_contains(completions: list[str], solution: list[str]) -> list[float | None]:
    return [float(right in text) if text else None for text, right in zip(completions, solution, strict=True)]


def trl_ranked(completions: list[str], answer: list[str], **columns: Any) -> list[float]:
    """The longest right one of a call earns the reward."""
    longest = max(map(len, completions))
    return [
        float(text.strip() == right and len(text) == longest) for text, right in zip(completions, answer, strict=True)
    ]


def test_plain_function_is_audited_with_its_rows() -> None:
    done = audit_reward(contains, ROWS, tasks=6)
    assert done.env_id == "contains"
    assert {"attack/enumeration", "hedge"} <= {rule for finding in done.at_least("high") for rule in finding.rules}
    assert not audit_reward(equal, ROWS, tasks=6).at_least("medium")


def test_function_of_trl_gets_the_columns_it_names_and_may_skip() -> None:
    done = audit_reward(trl_contains, SOLUTIONS, tasks=6)
    assert "attack/enumeration" in {rule for finding in done.at_least("high") for rule in finding.rules}
    assert not [finding for finding in done.findings if "crash" in finding.rules]


def test_reward_that_depends_on_the_other_completions_of_a_call_is_seen() -> None:
    done = audit_reward(trl_ranked, ROWS, tasks=6)
    assert "group/batch" in {finding.rule for finding in done.at_least("medium")}


@pytest.mark.parametrize(
    ("function", "rows", "kwargs", "words"),
    [
        (equal, [], {}, "at least one row"),
        (equal, [{"prompt": "a?"}], {}, "expected a column 'answer'"),
        (equal, ROWS, {"reference": "gold"}, "expected a column 'gold'"),
        (lambda a, b: 1.0, ROWS, {}, r"expected f\(prompt, completion, reference\)"),
        (equal, ROWS, {"style": "verl"}, "expected a style out of"),
    ],
)
def test_what_cannot_be_audited_is_refused_in_words(
    function: Any, rows: list[dict[str, str]], kwargs: dict[str, Any], words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        reward_definition(function, rows, **kwargs)


def test_assertion_shows_the_text_that_is_paid() -> None:
    with pytest.raises(AssertionError, match=re.compile("findings of high or above.*answer_anywhere.*text ", re.S)):
        assert_not_hackable(contains, rows=ROWS, tasks=6, fail_on="high")


def test_assertion_passes_what_is_sound_or_allowed() -> None:
    assert assert_not_hackable(equal, rows=ROWS, tasks=6).tasks == 6
    assert assert_not_hackable("math/arithmetic-v0", tasks=6).env_id == "math/arithmetic-v0"
    (found,) = audit_reward(contains, ROWS, tasks=6).at_least("medium")
    for allowed in ([found.exploit.name], found.rules):
        assert assert_not_hackable(contains, rows=ROWS, tasks=6, allow=allowed).at_least("medium")
    with pytest.raises(AssertionError, match="answer_anywhere"):
        assert_not_hackable(contains, rows=ROWS, tasks=6, allow=["attack/enumeration"])
