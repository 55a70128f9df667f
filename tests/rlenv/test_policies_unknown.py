"""Characters that a tokenizer does not know are told once, with their share and what to do."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra train")

from digits import config, policy

import rlenv
from rlenv import Definition, FunctionVerifier, ListTasks
from rlenv.policies.unknown import unknown_to
from rlenv.trainers import train
from rlenv.trainers.monitors import read_alarms

ROWS: list[dict[str, Any]] = [{"prompt": "3 × 4 ≈ ?", "answer": "12"}, {"prompt": "2 × 5 = ?", "answer": "dix ½ "}]
"""23 characters, of which × twice, ≈ and ½ once are not ASCII."""


def environment(rows: list[dict[str, Any]]) -> Definition:
    verifier = FunctionVerifier(lambda completion, answer: completion == answer, cheap=True)
    return Definition(tasks=ListTasks.from_rows(rows), verifier=verifier, id="test/unknown-v0")


def test_the_share_is_that_of_the_characters_of_prompts_and_references() -> None:
    total = sum(len(row["prompt"]) + len(row["answer"]) for row in ROWS)
    found = unknown_to(policy(), environment(ROWS).tasks)
    assert found is not None
    assert found.share == pytest.approx(4 / total)
    assert found.characters == ("×", "½", "≈")
    assert f"{4 / total:.1%} of the characters" in str(found)
    assert "take a policy that knows them" in str(found)


def test_a_training_says_it_once_and_an_evaluation_in_its_report(tmp_path: Path) -> None:
    train(config(steps=2), environment(ROWS), policy(), tmp_path / "run", quiet=True)
    [alarm] = read_alarms(tmp_path / "run")
    assert (alarm.name, alarm.step, alarm.stop) == ("unknown_characters", 0, False)
    assert "(× ½ ≈)" in alarm.message
    train(config(steps=3), environment(ROWS), policy(), tmp_path / "run", resume=True, quiet=True)
    assert len(read_alarms(tmp_path / "run")) == 1
    report = rlenv.evaluate(environment(ROWS), policy(), quiet=True)
    assert str(report).count("are not known to the tokenizer of tiny-0.1m (× ½ ≈)") == 1
    assert "not known" not in str(rlenv.evaluate(environment(ROWS), "reference", quiet=True))
