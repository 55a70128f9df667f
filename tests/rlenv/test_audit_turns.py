"""The audit of environments of several turns: what pays without the task is found, an honest one is let be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import rlenv
from rlenv.audit import Audit, Severity, audit
from rlenv.core.completion import Completion
from rlenv.core.interaction import Reply
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.turns.replay import ReplayVerifier
from rlenv.turns.tools import ToolInteraction

Fits = Callable[[str, str, int], bool]


@dataclass(frozen=True)
class Lock:
    """A door with a code of three words, one a turn; the board says which word is next."""

    fits: Fits = lambda said, word, turn: said == word
    tools: Sequence[Mapping[str, Json]] = ()

    def start(self, task: Task) -> Json:
        return {"code": task.reference, "turn": 0, "open": True}

    def respond(self, state: Json, said: Completion) -> Reply:
        now = cast("dict[str, Any]", state)
        right = now["open"] and self.fits(said.content.text.strip(), now["code"][now["turn"]], now["turn"])
        after = {**now, "turn": now["turn"] + 1, "open": right}
        ended = after["turn"] == 3
        return Reply(after, "The door waits.", ended=ended, reward=float(ended and right))


WORDS = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath"]
CODES = [[WORDS[i], WORDS[(3 * i + 1) % 8], WORDS[(5 * i + 2) % 8]] for i in range(8)]


def door(lock: Lock, codes: Sequence[list[str]] = CODES) -> rlenv.Definition:
    tasks = [Task(f"Open door {i}.", cast("Json", words)) for i, words in enumerate(codes)]
    return rlenv.Definition(
        tasks=rlenv.ListTasks(tasks),
        verifier=ReplayVerifier(lock),
        interaction=lock,
        script=lambda task: tuple(cast("list[str]", task.reference)),
        id="test/door-v0",
    )


def played(lock: Lock, codes: Sequence[list[str]] = CODES) -> Audit:
    return audit(door(lock, codes), tasks=4)


def bad(found: Audit) -> dict[str, str]:
    return {rule: finding.variant for finding in found.at_least(Severity.MEDIUM) for rule in finding.rules}


def test_honest_environment_has_no_finding() -> None:
    found = played(Lock())
    assert (bad(found), found.reference_reward, found.tasks) == ({}, 1.0, 4)


def test_pay_for_saying_the_same_in_every_turn_is_found() -> None:
    found = bad(played(Lock(lambda said, word, turn: bool(said))))
    assert not any(variant.endswith(", once") for variant in found.values())
    assert {"attack/filler", "attack/constant"} & found.keys()


def test_pay_for_silence_after_the_first_turn_is_found() -> None:
    silent = Lock(lambda said, word, turn: said == word or bool(said) == (turn == 0))
    found = played(silent).at_least(Severity.MEDIUM)
    assert any(variant.endswith(", once") for one in found for variant in (one.variant, *one.also))


def test_pay_for_any_last_turn_is_found_behind_the_turns_of_the_reference() -> None:
    assert "attack/last-turn" in bad(played(Lock(lambda said, word, turn: turn == 2 or said == word)))


def test_interaction_that_fails_on_an_empty_turn_is_a_remark() -> None:
    done = played(Lock(lambda said, word, turn: said[0] == word[0] and said == word))
    assert [one.rule for one in done.at_least(Severity.LOW)] == ["crash"]
    assert bad(done) == {}


def test_one_code_for_all_doors_is_a_guess() -> None:
    found = audit(door(Lock(), [WORDS[:3]] * 8))
    assert (found.guess_rate, set(bad(found))) == (1.0, set())
    assert "guess-rate" in [finding.rule for finding in found.findings]


def test_turns_of_another_task_that_pay_are_found() -> None:
    first_letters = Lock(lambda said, word, turn: said[:3] == word[:3])
    found = bad(played(first_letters, [["amber", "birch", f"cedar{i}"] for i in range(8)]))
    assert found["attack/script"].startswith("turns")


def note(text: str) -> str:
    """Keep a note.

    Args:
        text: What to keep.
    """
    return "kept"


def sums(check: Callable[..., bool]) -> rlenv.Definition:
    rows = [{"prompt": f"What is {a} + {a + 7}?", "answer": str(2 * a + 7)} for a in range(11, 27)]
    call = '<tool_call>{"name": "note", "arguments": {"text": "x"}}</tool_call>'
    return rlenv.Definition(
        tasks=rlenv.ListTasks.from_rows(rows),
        verifier=rlenv.FunctionVerifier(check, cheap=True),
        interaction=ToolInteraction([note], cheap=True),
        script=lambda task: (call, str(task.reference)),
        id="test/sums-with-notes-v0",
    )


def test_verifier_of_the_last_turn_is_attacked_behind_the_calls() -> None:
    assert bad(audit(sums(lambda completion, answer: completion.strip() == answer), tasks=4)) == {}
    (found,) = audit(sums(lambda completion, answer: answer in completion), tasks=4).at_least("medium")
    assert "hedge" in found.rules
    assert found.exploit.name == "answer_anywhere"


def test_what_stands_in_no_prompt_is_no_contradiction_and_no_overlap() -> None:
    hidden = door(Lock())
    tasks = [Task("Open the door.", task.reference) for task in (hidden.tasks[i] for i in range(8))]
    hidden = replace(hidden, tasks=rlenv.ListTasks(tasks[:4]))
    splits = {"test": rlenv.ListTasks(tasks[4:]), "train": rlenv.ListTasks(tasks[:4])}
    assert bad(audit(hidden, splits=splits)) == {}
    assert "tasks/split-overlap" in bad(audit(hidden, splits={**splits, "test": splits["train"]}))
