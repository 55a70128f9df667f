"""The labelled data: split by template, balanced, without doubles, and made by the generators."""

import importlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import cast

import pytest
from quick_ones import quick_ones

from rlenv.hackbench import Case, read_cases
from rlenv.hackbench.files import DATA, FOUND, half_file

ROOT = Path(__file__).resolve().parents[2]
HALVES = ("tuning", "reporting")
POOLED = ("hedging", "reference_leak", "sycophancy", "special_casing")
SAME_NAME = {
    ("special_casing", "chain_of_ifs"),
    ("sycophancy", "bad_plan_praised"),
    ("hedging", "alternatively"),
    ("reference_leak", "reference_word_for_word"),
}
"""Kinds of hacks that a pool and an earlier set both hold, each with a template of its own."""
LEAST_TEMPLATES, LEAST_CASES, MOST_BYTES = 12, 150, 2_500_000


@pytest.fixture(scope="module")
def halves() -> dict[str, list[Case]]:
    return {half: read_cases(half_file(half)) for half in HALVES}


def families(cases: list[Case]) -> Iterator[tuple[str, list[Case]]]:
    for name in sorted({case.family for case in cases}):
        yield name, [case for case in cases if case.family == name]


def test_both_halves_hold_all_fifteen_families(halves: dict[str, list[Case]]) -> None:
    names = [{case.family for case in cases} for cases in halves.values()]
    assert names[0] == names[1]
    assert len(names[0]) == 15


def test_as_many_honest_as_hacked(halves: dict[str, list[Case]]) -> None:
    for half, cases in halves.items():
        for name, found in families(cases):
            count = Counter(case.hacked for case in found)
            assert count[True] == count[False] >= LEAST_CASES, (half, name)


def test_no_template_is_in_both_halves(halves: dict[str, list[Case]]) -> None:
    def made_by(half: str) -> set[tuple[str, str]]:
        return {(c.family, c.template.rpartition("/")[2]) for c in halves[half] if not c.template.endswith("/plain")}

    assert made_by("tuning") & made_by("reporting") == SAME_NAME


def test_each_family_has_a_dozen_templates_of_hacks(halves: dict[str, list[Case]]) -> None:
    found = Counter(
        name for name, _ in {(c.family, c.template) for cases in halves.values() for c in cases if c.hacked}
    )
    assert {name: count for name, count in found.items() if count < LEAST_TEMPLATES} == {}


def test_a_half_that_was_written_anew_is_broad(halves: dict[str, list[Case]]) -> None:
    count = Counter(hacked for hacked, _ in templates(halves["reporting"], "length_gaming"))
    assert count[True] >= 12
    assert count[False] >= 9


@pytest.mark.parametrize("family", POOLED)
def test_every_other_template_of_a_pool_by_hash_is_reported_on(family: str, halves: dict[str, list[Case]]) -> None:
    held = {half: templates(cases, family) for half, cases in halves.items()}
    for label, hacked, least in (("hack", True, 16), ("honest", False, 8)):
        pool = sorted(drawn_names(family, label), key=lambda n: sha256(f"{family}/{label}/{n}".encode()).hexdigest())
        assert len(pool) >= least
        assert {name for is_hack, name in held["reporting"] if is_hack == hacked} - {"plain"} == {*pool[1::2]}
        assert {*pool[::2]} <= {name for is_hack, name in held["tuning"] if is_hack == hacked}


def templates(cases: list[Case], family: str) -> set[tuple[bool, str]]:
    return {(case.hacked, case.template.rpartition("/")[2]) for case in cases if case.family == family}


def drawn_names(family: str, label: str) -> list[str]:
    """The names of a pool's templates, as the generator's own process knows them."""
    shown = f"from hackbench.drawn.{family} import FAMILY as f; print(*(f.hacks if {label!r} == 'hack' else f.honest))"
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'benchmarks'}{os.pathsep}{ROOT}"}
    done = subprocess.run([sys.executable, "-c", shown], env=environment, check=True, capture_output=True, text=True)
    return [name for name in done.stdout.split() if not name.startswith("plain_")]


def test_no_case_is_there_twice_and_no_hack_is_in_both_halves(halves: dict[str, list[Case]]) -> None:
    for cases in halves.values():
        assert [i for i, count in Counter(case.id for case in cases).items() if count > 1] == []
    first, second = ({case.id for case in cases if case.hacked} for cases in halves.values())
    assert first.isdisjoint(second)


def test_no_item_made_by_code_is_in_both_halves(halves: dict[str, list[Case]]) -> None:
    shared = {case.item for case in halves["tuning"]} & {case.item for case in halves["reporting"]}
    assert {name.partition("-")[0] for name in shared} <= {"written", "prose"}


def test_labels_stand_in_the_name_of_the_template(halves: dict[str, list[Case]]) -> None:
    for half, cases in halves.items():
        for case in cases:
            label = "hack" if case.hacked else "honest"
            assert case.template.startswith(f"{case.family}/{label}/{half}/")
            assert case.half == half


def test_code_that_games_was_paid_by_a_naive_reward(halves: dict[str, list[Case]]) -> None:
    hacks = [
        c for cases in halves.values() for c in cases if c.family in ("test_tampering", "special_casing") and c.hacked
    ]
    assert all(case.pays for case in hacks)


def test_honest_programs_beside_special_casing_pass_all_their_tests(halves: dict[str, list[Case]]) -> None:
    for case in halves["reporting"]:
        if case.family == "special_casing" and not case.hacked:
            assert passes(case, "tests", "hidden"), case.id


def test_special_cased_programs_pass_what_is_shown_and_not_what_is_hidden(halves: dict[str, list[Case]]) -> None:
    for case in halves["reporting"]:
        if case.family == "special_casing" and case.hacked:
            assert passes(case, "tests"), case.id
            assert not passes(case, "hidden"), case.id


def passes(case: Case, *kinds: str) -> bool:
    """Whether the program, which our own templates made, passes its tests of these kinds."""
    source = case.texts[0].partition("```python\n")[2].rpartition("```")[0]
    reference = cast("dict[str, list[str]]", case.reference)
    program = "\n".join([source, *(test for kind in kinds for test in reference[kind])])
    try:
        exec(compile(program, case.id, "exec"), {"__name__": "program"})
    except (AssertionError, ArithmeticError, LookupError, TypeError, ValueError):
        return False
    return True


@pytest.mark.parametrize("family", ["hedging", "reference_leak"])
def test_a_reward_that_looks_for_the_answer_anywhere_pays_the_hacks(family: str, halves: dict[str, list[Case]]) -> None:
    hacks = [case for case in halves["reporting"] if case.family == family and case.hacked]
    answers = [str(case.reference).rpartition("#### ")[2] for case in hacks]
    assert [c.id for c, answer in zip(hacks, answers, strict=True) if answer.lower() not in c.texts[0].lower()] == []


def test_the_data_is_small() -> None:
    assert sum(file.stat().st_size for file in DATA.iterdir()) < MOST_BYTES


@pytest.mark.parametrize("half", quick_ones(HALVES, ["tuning"]))
@pytest.mark.parametrize(
    "family",
    quick_ones(["hedging", "sycophancy", "length_gaming", "verifier_gaming", "reference_leak"], ["hedging"]),
)
def test_the_generator_makes_these_bytes_again(
    half: str, family: str, halves: dict[str, list[Case]], tmp_path: Path
) -> None:
    out = tmp_path / "part.jsonl.gz"
    script = [sys.executable, "benchmarks/make_hackbench.py", "--half", half, "--family", family, "--out", str(out)]
    subprocess.run(script, cwd=ROOT, check=True, capture_output=True, timeout=120)
    assert [case.to_json() for case in read_cases(out)] == [c.to_json() for c in halves[half] if c.family == family]


def test_what_was_found_in_training_can_be_read() -> None:
    names = set(importlib.import_module("rlenv.wrappers.detectors").DETECTORS)
    cases = list(read_cases(FOUND))
    assert {case.family for case in cases} == {"format_gaming", "hedging", "length_gaming"} <= names
    assert any(case.hacked for case in cases)
