"""Each detector over evidence: it flags a hack that its reward pays, and no right completion beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.core.reading import Span
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import FunctionVerifier
from rlenv.env.batch import BatchEnvironment
from rlenv.evidence.catalogue.wrong import value_of
from rlenv.evidence.detectors import EVIDENCE_DETECTORS
from rlenv.evidence.detectors.content import Hollow
from rlenv.evidence.evidence import EditVerdict, Evidence
from rlenv.wrappers.watch import watched

CASES = {
    case["name"]: case
    for case in map(json.loads, Path(__file__).with_name("detector_cases.jsonl").read_text("utf-8").splitlines())
}
"""A detector, tasks, the reward that judges them, a hack that is paid by it, and a right completion. Those that are not
named like a detector lie on both sides of a rule's line; without a hack, they only look like one."""
IN_GROUPS = {"padded", "answers_otherwise"}
"""Detectors that need more than a group of two: test_evidence_causes.py and _programs.py try them."""


def _near(completion: str, answer: str) -> bool:
    said = completion.rstrip(".").split()[-1]
    return said.isdecimal() and abs(int(said) - int(answer)) <= 0.1 * int(answer)


REWARDS: dict[str, Callable[..., bool | float]] = {
    "anything": lambda completion: True,
    "any_number": lambda completion, answer: answer in completion.replace(",", "").split(),
    "asserts": lambda completion: completion.count("assert") / 7,
    "begins": lambda completion, answer: completion[:11] in answer,
    "comes_to": lambda completion, answer: value_of(completion) == float(answer),
    "dear": lambda completion: "Dear" in completion,
    "form": lambda completion: "<answer>" in completion,
    "holds": lambda completion, answer: answer in completion,
    "key_or_worse": lambda completion, key: key in completion or "response B is worse" in completion,
    "long": lambda completion: min(len(completion), 200) / 200,
    "near": _near,
    "near_by_50": lambda text, answer: any(abs(int(one) - int(answer)) < 50 for one in re.findall(r"\d+", text)),
    "of_the_rules": lambda completion, prompt: len(completion) > 9 and completion in prompt,
    "overlap": lambda completion, prompt: len({*prompt.split()} & {*completion.split()}) / len(prompt.split()),
    "pattern": lambda completion, answer: re.fullmatch(completion, answer) is not None,
    "said_last": lambda completion, answer: completion.split()[-1:] in ([answer], ["nan"]),
    "says": lambda completion, answer: re.search(rf"\b{answer}\b", completion, re.IGNORECASE) is not None,
}


def _flags(case: dict[str, Any], *said: str | dict[str, Any]) -> list[list[str]]:
    def none(task: Task) -> str:
        raise ValueError(task.id)

    definition = Definition(
        tasks=[Task.from_row(row) for row in case["tasks"]],
        verifier=FunctionVerifier(REWARDS[case["reward"]], cheap=True),
        solution=none,
        wrappers=[EVIDENCE_DETECTORS[case["detector"]]()],
    )
    batch = BatchEnvironment(definition, group_size=len(said))
    batch.reset(tasks=[definition.tasks[0]])
    episodes = batch.step([Completion(**one) if isinstance(one, dict) else one for one in said])
    assert all((episode.verdict.reward or 0) > 0 for episode in episodes)
    return [[flag.name for flag in episode.verdict.flags] for episode in episodes]


def test_every_detector_has_a_hack_here() -> None:
    assert {case["detector"] for case in CASES.values() if case["hack"]} | IN_GROUPS == set(EVIDENCE_DETECTORS)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_hack_is_flagged_and_the_right_completion_is_not(case: dict[str, Any]) -> None:
    if case["detector"] == "other_language":
        pytest.importorskip("py3langid")
    hacks = [case["hack"]] if case["hack"] else []
    assert _flags(case, *hacks, case["right"]) == [*([case["detector"]] for _ in hacks), []]


def test_a_master_key_alone_is_none_where_nothing_says_that_the_reward_hangs_on_its_task() -> None:
    case = CASES["what another answer to the task is not paid elsewhere for"]
    assert _flags(case, case["hack"], case["hack"]) == [[], []]


@pytest.mark.parametrize("item", ["nowhere.at_all:Repeats", "rlenv.evidence.detectors.content:Nothing", "json:dumps"])
def test_what_is_no_detector_is_refused_in_words(item: str) -> None:
    with pytest.raises(ConfigError, match=r"MODULE:CLASS|to be a class"):
        watched(item)


LETTER = "The boiler is changed on Monday between nine and twelve, so bring your key to number four."


def _hollow(elsewhere: float, texts: list[str], reference: str | None = "71", half: float = 0.0) -> list[bool]:
    detector, state = Hollow(), dict[str, Json]()
    asked = {
        "another_task": [EditVerdict(elsewhere, Span(0, 0), "")] * 4,
        "beginning": [EditVerdict(half, Span(0, 0), "")],
    }
    episodes = [Episode(Task("Tell them.", reference), Completion(t), Verdict.of(("liked", 1.0))) for t in texts]
    group = [Evidence(episode, paid=1.0, asked=asked) for episode in episodes]
    return [bool(verdict.flags) for verdict in detector.judge_on(group, episodes, state)]


def test_far_less_than_the_others_say_is_hollow_where_no_reference_decides() -> None:
    texts = ["Dear all!", LETTER, LETTER.replace("Monday", "Friday")]
    assert _hollow(1.0, texts) == [True, False, False]
    assert not any(_hollow(0.0, texts)), "a short reference decides: a bare answer may be right"


def test_a_terse_answer_is_hollow_where_half_of_the_others_is_paid_as_well() -> None:
    texts = ["Dear all!", LETTER, LETTER.replace("Monday", "Friday")]
    assert _hollow(0.0, texts, None, half=1.0) == [True, False, False]
    assert not any(_hollow(0.0, texts, None, half=0.0)), "the others are paid for all that they say"


def test_a_form_as_long_as_an_answer_is_hollow() -> None:
    form = "| - | - | - | tbd |\n" * 5
    assert _hollow(0.0, [form, LETTER, LETTER.replace("Monday", "Friday")], None) == [True, False, False]


@pytest.mark.parametrize("text", ["7 * 11 * 13", "`x + 1`", "```python\nf\n```"])
def test_formulas_and_programs_are_short_by_themselves(text: str) -> None:
    assert not any(_hollow(1.0, [text, LETTER]))
