"""Findings of one cause are one: with the exploit's name, the smallest completion that is no solution, and the mend."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from rlenv.audit import audit_reward
from rlenv.cli.hacks import report
from rlenv.core.definition import Definition
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.core.verifier import FunctionVerifier
from rlenv.env.batch import BatchEnvironment
from rlenv.evidence.detectors import EVIDENCE_DETECTORS
from rlenv.evidence.exploits import EXPLOITS, shown_by
from rlenv.evidence.exploits.plays import ATTACKS, PROGRAMS
from rlenv.evidence.findings import found
from rlenv.evidence.shrink import is_right, shrunk
from rlenv.wrappers.watch import watched

ROWS = [{"prompt": f"What is {a} + {a + 3}?", "answer": str(2 * a + 3)} for a in range(20, 40)]


def anywhere(prompt: str, completion: str, reference: str) -> float:
    return float(reference in completion)


def near(prompt: str, completion: str, reference: str) -> float:
    said = re.findall(r"\d+", completion[:2000])
    return float(bool(said) and abs(int(said[-1]) - int(reference)) <= 0.1 * int(reference))


def long(prompt: str, completion: str, reference: str) -> float:
    return min(1.0, len(completion) / 200)


def last(prompt: str, completion: str, reference: str) -> float:
    return float(re.findall(r"-?\d+", completion)[-1:] == [reference])


@pytest.mark.parametrize(
    ("reward", "exploit"), [(anywhere, "answer_anywhere"), (near, "near_answer"), (long, "length")]
)
def test_one_hole_is_one_finding_with_its_name_and_no_solution(reward: Callable[..., float], exploit: str) -> None:
    done = audit_reward(reward, ROWS, tasks=8)
    (finding,) = done.at_least("medium")
    assert finding.exploit.name == exploit
    assert finding.evidence is not None
    assert not is_right(finding.evidence.text, finding.evidence.right)
    assert reward("", finding.evidence.text, finding.evidence.right) > 0.4
    told = done.text()
    assert f"{reward.__name__} pays for {finding.exploit.pays_for}: " in told
    assert finding.exploit.mend in told
    assert f"an honest reward pays {finding.exploit.honest}" in told


def test_everything_that_is_played_or_watched_for_has_a_name_in_the_catalogue() -> None:
    shown = [*(f"attack/{one.name}" for one in (*ATTACKS, *PROGRAMS)), *EVIDENCE_DETECTORS]
    assert [rule for rule in shown if shown_by(rule).name not in EXPLOITS] == []
    assert {name for one in EXPLOITS.values() for name in one.covers} <= {*EXPLOITS, "*"}
    assert all(one.honest and one.mend for one in EXPLOITS.values())


def test_what_is_shrunk_stays_paid_and_wrong() -> None:
    for text in ("so 0 1 2 42 7 8 it is", "<answer>41</answer><answer>42</answer><answer>43</answer>", "4217"):
        small = shrunk(text, lambda said: "42" in said, "42")
        assert "42" in small
        assert not is_right(small, "42")
        assert len(small) <= len(text)
    assert shrunk("It is 42.", lambda said: True, "42") == "It is 42."


def _watched(reward: Callable[..., object], *said: str) -> BatchEnvironment:
    verifier = FunctionVerifier(reward, cheap=True)  # type: ignore[arg-type]
    tasks = [Task.from_row(row) for row in ROWS]
    made = Definition(tasks=tasks, verifier=verifier, wrappers=watched("all"), id="mine/sums-v0")
    batch = BatchEnvironment(made, group_size=len(said))
    batch.reset(tasks=[made.tasks[0]])
    batch.step(said)
    return batch


def test_a_run_names_the_hole_first_and_says_what_else_was_looked_for() -> None:
    batch = _watched(lambda completion, answer: answer in completion, "43", "774313", "17743", "7")
    first, rest, *_ = batch.evidence
    assert first.startswith("mine/sums-v0 pays for a text that holds the answer anywhere: '743' was paid 1")
    assert "(2 of 3 paid completions)" in first
    assert rest.startswith("nothing else found of: ")
    (finding,) = batch.found
    assert finding.completion == "743"


@pytest.mark.parametrize("right", [0.0, 1.0])
def test_pay_for_length_is_named_in_a_run_beside_pay_for_the_answer_too(right: float) -> None:
    batch = _watched(
        lambda completion, answer: right * (completion[:2] == answer) + min(1.0, len(completion) / 200),
        "43",
        "well, it may be many " * 6,
    )
    (finding,) = batch.found
    assert (finding.exploit.name, finding.paid) == ("length", finding.tried)


@pytest.mark.parametrize("said", ["20 or 43", "43 or 20", "\\boxed{20} \\boxed{43} \\boxed{21}"])
def test_several_answers_are_named(said: str) -> None:
    batch = _watched(lambda completion, answer: answer in completion, said, "43")
    assert {one.exploit.name for one in batch.found} & {"several_answers", "answer_anywhere"}


def test_a_wrong_answer_that_is_not_paid_is_nothing() -> None:
    batch = _watched(lambda completion, answer: completion.strip() == answer, "43", "774313", "20 or 43", "45")
    assert batch.found == []
    assert batch.evidence[0].startswith("nothing found of: ")


def test_what_a_tenth_is_asked_about_covers_what_all_are_looked_at_for() -> None:
    row: dict[str, Json] = {"completion": "38", "right": "40", "paid": 1.0, "honest": 1.0, "why": ""}
    states: dict[str, dict[str, Json]] = {"0:near_answer": {"found": {**row, "seen": 17}, "paid_seen": 19}}
    states["1:no_answer"] = {"found": {**row, "seen": 226}, "paid_seen": 251}
    (finding,) = found(states, "mine/sums-v0")
    assert finding.exploit.name == "near_answer"
    assert "(17 of 19 paid completions)" in str(finding)


def test_hacks_says_first_what_the_run_said() -> None:
    lines = [*report(9, {}, 3, sought=["repeats"], told=["mine/sums-v0 pays for length", "\x1b[31m"])]
    assert lines[0] == "mine/sums-v0 pays for length"
    assert "\x1b" not in "".join(lines)


LOOP = "so it is and so it stays " * 12


def _looping(*watch: str) -> Definition:
    """Its reward is the length, and its own solutions repeat themselves."""
    return Definition(
        tasks=[Task(f"Say it, number {n}") for n in range(4)],
        verifier=FunctionVerifier(lambda completion: min(1.0, len(completion) / 200), cheap=True),
        solution=lambda task: LOOP,
        wrappers=[EVIDENCE_DETECTORS[name](action="gate") for name in watch],
    )


def test_a_run_tells_what_it_asked_and_what_references_show_too() -> None:
    batch = BatchEnvironment(_looping("repeats"), group_size=2)
    batch.reset(tasks=[batch.definition.tasks[0]])
    episodes = batch.step([LOOP, LOOP + "indeed"])
    assert [episode.verdict.reward for episode in episodes] == [1.0, 1.0]
    nothing, asked, finding = batch.evidence
    assert nothing == "nothing found of: repeats"
    assert "verifications for 2 completions" in asked
    assert finding.startswith("repeats: ")
    assert batch.definition.tasks[0].id in finding


def test_what_was_asked_goes_on_after_a_resume() -> None:
    first, second = (BatchEnvironment(_looping("repeats"), group_size=1) for _ in range(2))
    first.reset(tasks=[first.definition.tasks[0]])
    first.step([LOOP])
    second.load_state_dict(first.state_dict())
    assert second.evidence == first.evidence != []


def test_without_detectors_nothing_is_told() -> None:
    batch = BatchEnvironment(_looping(), group_size=1)
    batch.reset(tasks=[batch.definition.tasks[0]])
    batch.step([LOOP])
    assert batch.evidence == []
