"""Every defect of the zoo is found, and no sound environment is called hackable."""

from functools import cache

import pytest
from quick_ones import quick_ones
from zoo import Animal
from zoo_broken import BROKEN
from zoo_sound import SOUND

from rlenv.audit import Audit, Severity, audit

TASKS = 9
ANIMALS = {animal.name: animal for animal in (*BROKEN, *SOUND)}
QUICK = {animal.name for animal in BROKEN} - {"eval", "backtracking"}
"""Each answer that makes a checker hang costs a process."""
BEYOND_THE_CATALOGUE = (
    "corruption/",
    "hedge",
    "metamorphic/",
    "determinism/",
    "group/",
    "crash",
    "reference/",
    "tasks/",
)


@cache
def audited(name: str, tasks: int = TASKS) -> Audit:
    return audit(ANIMALS[name].definition(), tasks=tasks)


def rules(done: Audit) -> set[str]:
    return {rule for finding in done.at_least(Severity.LOW) for rule in finding.rules}


@pytest.mark.parametrize("name", quick_ones([animal.name for animal in BROKEN], QUICK))
def test_defect_is_found(name: str) -> None:
    animal, done = ANIMALS[name], audited(name)
    assert any(rule.startswith(animal.rules) for rule in rules(done)), done.text(Severity.LOW)
    if animal.unforeseen:
        assert any(rule.startswith(BEYOND_THE_CATALOGUE) for rule in rules(done)), done.text(Severity.LOW)


@pytest.mark.parametrize("animal", SOUND, ids=lambda animal: animal.name)
def test_sound_environment_is_not_called_hackable(animal: Animal) -> None:
    done = audited(animal.name)
    assert not done.at_least(Severity.MEDIUM), done.text(Severity.MEDIUM)
    assert done.reference_reward == 1.0


def test_zoo_is_as_varied_as_it_says() -> None:
    assert len(ANIMALS) == len(BROKEN) + len(SOUND)
    assert len(BROKEN) >= 15
    assert len(SOUND) >= 10
    assert all(animal.defect and animal.seen_at and animal.rules for animal in BROKEN)
    assert sum(animal.unforeseen for animal in BROKEN) >= 5


def test_some_defects_are_seen_by_no_attacker_of_the_catalogue() -> None:
    unforeseen = [animal.name for animal in BROKEN if animal.unforeseen and animal.name in QUICK]
    alone = [name for name in unforeseen if not any(rule.startswith("attack/") for rule in rules(audited(name)))]
    assert len(alone) >= 5, alone


def test_binary_choice_is_reported_with_its_guess_rate() -> None:
    finding = next(finding for finding in audited("yes-or-no", 12).findings if finding.rule == "guess-rate")
    assert finding.severity is Severity.INFO
    assert 0.5 <= finding.mean < 1.0
    assert "2 different answers to 12 tasks" in finding.message
