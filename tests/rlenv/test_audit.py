"""The audit on small environments: what is played, how it is counted, and what it says of it."""

import dataclasses
import inspect
import random
import textwrap
import threading
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlenv.audit import Attack, Audit, Body, Finding, Scene, Severity, audit, audit_reward
from rlenv.audit.severity import severity_of
from rlenv.audit.splits import overlap_findings, splits_of
from rlenv.core.definition import Definition
from rlenv.core.task import Task
from rlenv.core.verifier import FunctionVerifier
from rlenv.env.tasksets import ListTasks
from rlenv.evidence.answers import locate, same
from rlenv.evidence.exploits.moves import corrupted
from rlenv.evidence.player import MOST_COSTS
from rlenv.wrappers import RunningCentre

ROWS = [{"prompt": f"What is {a} + {a + 3}?", "answer": str(2 * a + 3)} for a in range(20, 32)]


def exact(completion: str, answer: str) -> bool:
    return completion.strip() == answer


def made(check: Callable[..., object], rows: list[dict[str, str]] | None = None, cheap: bool = True) -> Definition:
    verifier = FunctionVerifier(check, cheap=cheap)  # type: ignore[arg-type]
    return Definition(tasks=ListTasks.from_rows(rows or ROWS), verifier=verifier, id="test/made-v0")


def played(check: Callable[..., object], rows: list[dict[str, str]] | None = None) -> Audit:
    return audit(made(check, rows), tasks=6)


def found(done: Audit, rule: str) -> Finding:
    findings = [finding for finding in done.findings if rule in finding.rules]
    assert len(findings) == 1, done.text()
    return findings[0]


def test_severity_follows_the_share_and_how_often_it_was_tried() -> None:
    assert severity_of([1.0] * 9) is Severity.CRITICAL
    assert severity_of([0.6] * 9) is Severity.HIGH
    assert severity_of([0.2] * 32) is Severity.MEDIUM
    assert severity_of([0.0] * 31 + [1.0]) is Severity.LOW
    assert severity_of([0.0] * 2 + [1.0]) is Severity.LOW
    assert severity_of([1.0] * 2) is Severity.LOW
    assert severity_of([0.0] * 9) is Severity.INFO
    assert severity_of([]) is Severity.INFO


@pytest.mark.parametrize(
    ("reference", "solution", "core", "known"),
    [
        ("42", "It is \\boxed{42}.", "42", True),
        ("42", "42 is right: \\boxed{42}", "42", True),
        (["a"], '["a"]', '["a"]', True),
        ({"kind": "calls"}, "<answer>7</answer>", "7", False),
        ("4", "\\boxed{42}", "42", False),
    ],
)
def test_answer_is_found_in_a_solution(reference: str, solution: str, core: str, known: bool) -> None:
    answer = locate(reference, solution)
    assert (answer.core, answer.known, answer.text) == (core, known, solution)


def test_place_that_the_reward_does_not_hang_on_is_not_taken_for_the_answer() -> None:
    """The reference stands in the working, and what is judged stands elsewhere."""
    definition = replace(
        made(lambda completion: completion.rpartition(">")[2] == "go"), solution=lambda task: f"<{task.reference}>go"
    )
    done = audit(definition, tasks=6)
    assert not any(finding.rule.startswith("corruption/") for finding in done.findings)
    assert "wrong references" in done.notes[0]


@pytest.mark.parametrize("core", ["7", "-12", "3.50", "12 km", "a, b, c", "[[1, 2], [3, 4]]", "umbrella", "B"])
def test_corrupted_references_say_something_else(core: str) -> None:
    made = [one.core for one in corrupted(core, "?")]
    assert len(made) == len(set(made)) >= 3
    assert not any(same(other, core) for other in made)


def test_what_may_be_right_is_no_corruption() -> None:
    """An order that the prompt does not ask for, and a number near the answer, where a task may allow for that."""
    reversed_ = {prompt: "3, 2, 1" in [one.core for one in corrupted("1, 2, 3", prompt)] for prompt in ("Sort.", "Any")}
    assert reversed_ == {"Sort.": True, "Any": False}
    assert {one.core: one.near for one in corrupted("97", "?")}["98"]
    assert not {one.core: one.near for one in corrupted("9", "?")}["10"]


def test_near_value_is_accepted_where_the_prompt_announces_a_tolerance() -> None:
    def close(completion: str, answer: str) -> bool:
        try:
            return abs(float(completion) - float(answer)) <= 0.01 * float(answer)
        except (ValueError, OverflowError):
            return False

    rows = [{"prompt": f"What is {a} times 97?", "answer": str(97 * a)} for a in range(20, 30)]
    told = [{**row, "prompt": f"{row['prompt']} An estimate within 1 % will do."} for row in rows]
    assert "corruption/near/off-by-one-above" in {
        rule for f in played(close, rows).at_least("medium") for rule in f.rules
    }
    assert not played(close, told).at_least("medium")


def test_right_guess_is_the_guess_rate_and_a_defect_only_where_one_answer_is_always_right() -> None:
    rows = [{"prompt": f"Is {n} even?", "answer": "Yes" if n % 2 == 0 else "No"} for n in range(32)]
    done = audit(made(exact, rows[:12]))
    assert not done.at_least("low")
    assert found(done, "guess-rate").mean == done.guess_rate == 0.5
    always = audit(made(exact, [{**row, "answer": "Yes"} for row in rows]))
    assert found(always, "guess-rate").severity is Severity.MEDIUM


def test_negative_rewards_are_measured_from_what_a_wrong_answer_earns() -> None:
    done = played(lambda completion, answer: 0.0 if answer in completion else -1.0)
    assert any("attack/enumeration" in finding.rules for finding in done.at_least("high"))
    assert not played(lambda completion, answer: 0.0 if completion == answer else -1.0).at_least("medium")


def test_rule_that_many_answers_meet_is_not_called_a_defect() -> None:
    """Any even number is right, so the reference plus two is."""

    def even(completion: str) -> bool:
        return completion.isdecimal() and len(completion) == 3 and int(completion) % 2 == 0

    rows = [{"prompt": f"Name an even number of 3 digits, not {n}.", "answer": str(n)} for n in range(200, 224, 2)]
    done = played(even, rows)
    assert not [f for f in done.at_least("low") if f.rule.startswith("corruption/")]
    assert any(f.rule.startswith("attack/") for f in done.at_least("high"))


def test_attack_of_the_caller_is_played_without_the_reference() -> None:
    seen: list[Scene] = []

    def shout(scene: Scene) -> list[Body]:
        seen.append(scene)
        return [Body("the password", "sesame")]

    definition = made(lambda completion, answer: completion in (answer, "sesame"))
    done = audit(definition, tasks=6, attacks=[Attack("password", "knows the word", shout)])
    assert found(done, "attack/password").severity is Severity.CRITICAL
    prompts = {row["prompt"]: row["answer"] for row in ROWS}
    assert all(prompts[scene.prompt] not in scene.others for scene in seen)


def test_the_attack_in_the_docstring_is_played(capsys: pytest.CaptureFixture[str]) -> None:
    _, _, example = (inspect.getdoc(Attack) or "").partition("\n\n    ")
    program, _, _ = f"    {example}".partition("\nEach text")
    exec(textwrap.dedent(program), {})
    assert capsys.readouterr().out.startswith("math/arithmetic-v1: 32 of")
    assert all(field.name in (inspect.getdoc(Attack) or "") for field in dataclasses.fields(Attack))


def test_chance_is_seen() -> None:
    def lucky(completion: str, answer: str) -> float:
        return (completion.strip() == answer) * random.choice([0.5, 1.0])

    assert any(rule.startswith("determinism/") for one in played(lucky).at_least("medium") for rule in one.rules)


def test_wrapper_that_learns_may_not_depend_on_the_order_within_a_group() -> None:
    done = audit(replace(made(exact), wrappers=[RunningCentre()]), tasks=6)
    assert not done.at_least("medium")


@pytest.mark.slow
def test_checker_that_fails_or_is_too_slow_is_a_finding_and_no_stop() -> None:
    def failing(completion: str, answer: str) -> bool:
        return int(completion) == int(answer)

    def slow(completion: str, answer: str) -> bool:
        while "certain" in completion:
            pass
        return completion == answer

    def losing(completion: str, answer: str) -> float:
        return 1.0 if int(completion) == int(answer) else -1.0

    assert found(played(failing), "crash").severity is Severity.LOW
    assert found(played(losing), "crash").severity is Severity.MEDIUM, "who fails the checker escapes the penalty"
    done = audit(replace(made(slow), time_limit_s=0.3), tasks=6)
    assert found(done, "cost").severity is Severity.MEDIUM
    assert found(done, "cost").message.count(f"{MOST_COSTS} plays") == 1
    assert "not everything was played" in done.notes[0]


def test_reward_by_value_pays_for_the_question_again_and_one_by_form_does_not() -> None:
    def by_value(completion: str, answer: str) -> bool:
        parts = completion.split("+")
        return all(part.strip().isdigit() for part in parts) and sum(map(int, parts)) == int(answer)

    assert found(played(by_value), "attack/restated").severity is Severity.CRITICAL
    assert not any(finding.rule == "attack/restated" for finding in played(exact).findings)


MANY = [{"prompt": f"What is {a} + {a + 3}?", "answer": str(2 * a + 3)} for a in range(20, 44)]


@pytest.mark.parametrize("task", [3, 20])
def test_attacker_that_is_paid_on_the_first_tasks_is_tried_on_all(task: int) -> None:
    """Below 32 tasks the first 16 decide; what depends on no task is paid on them all."""
    paying = MANY[task]["answer"]
    done = audit(
        made(lambda completion, answer: completion == answer or (answer == paying and completion == "x"), MANY)
    )
    findings = [finding for finding in done.findings if finding.rule == "attack/filler"]
    assert [(finding.paid, finding.tried) for finding in findings] == ([(1, 24)] if task < 16 else [])


def test_same_question_with_several_right_answers_is_no_contradiction() -> None:
    rows = [{"prompt": "Name a primary colour.", "answer": colour} for colour in ("red", "blue", "yellow")]
    several = played(lambda completion: completion in ("red", "blue", "yellow"), rows)
    assert not [finding for finding in several.findings if finding.rule == "tasks/contradictory"]
    assert found(played(exact, rows), "tasks/contradictory").severity >= Severity.MEDIUM


def test_same_seed_finds_the_same() -> None:
    first, second = (played(lambda completion, answer: answer in completion) for _ in range(2))
    assert [f.to_json() for f in first.findings] == [f.to_json() for f in second.findings]
    assert len({finding.id for finding in first.findings}) == len(first.findings)


def test_verifier_that_cannot_travel_is_played_here_and_the_report_says_so() -> None:
    lock = threading.Lock()

    def locked(completion: str, answer: str) -> bool:
        with lock:
            return completion == answer

    done = audit(made(locked), tasks=4)
    assert not done.at_least("medium")
    assert "cannot be sent to another process" in done.notes[0]


WORDS = ["".join(Random(n).choices("aeiounrst", k=5)) for n in range(200)]
HERO = "{hero} has {n} red apples and gives half of them to a friend who lives next door. How many are left?"


def test_near_copies_are_named_by_rows_and_other_numbers_are_other_tasks() -> None:
    test = [{"prompt": HERO.format(hero="Ann", n=n), "answer": str(n // 2)} for n in (4, 8, 12, 16)]
    train = [
        {"prompt": "What has four legs, and three in the evening?", "answer": "4"},
        {"prompt": HERO.format(hero="Ann", n=6), "answer": "3"},  # other numbers
        {"prompt": HERO.format(hero="Bea", n=8), "answer": "4"},  # another name
        {"prompt": HERO.format(hero="Ann", n=4), "answer": "2"},  # the same
    ]
    done = audit_reward(lambda completion, answer: completion == answer, test, train=train)
    shared = next(one for one in done.findings if one.rule == "tasks/split-overlap")
    assert (shared.paid, shared.tried) == (2, 4)
    assert "(1 word for word, 1 nearly), by rows 0=3, 1~2:" in shared.message
    apart = audit_reward(lambda completion, answer: completion == answer, test, train=train[:2])
    assert not any(finding.rule == "tasks/split-overlap" for finding in apart.findings)


def test_tasks_that_are_as_near_to_each_other_within_a_split_are_of_one_kind() -> None:
    rows = [{"prompt": HERO.format(hero=hero, n=8), "answer": "4"} for hero in WORDS[:24]]
    apart = audit_reward(lambda completion, answer: completion == answer, rows[:8], train=rows[8:])
    assert not any(finding.rule == "tasks/split-overlap" for finding in apart.findings)


@given(st.integers(0, 10**6))
def test_copy_with_one_word_changed_is_found_among_many(seed: int) -> None:
    """The sketch may miss no copy: one word of twenty changes two of its nineteen pairs of words."""
    random = Random(seed)
    prompts = [" ".join(random.choices(WORDS, k=20)) for _ in range(30)]
    changed = prompts[17].split()
    changed[random.randrange(20)] = "zzz"
    tasks = ListTasks([Task(prompt, "x") for prompt in prompts])
    test = ListTasks([Task(" ".join(changed), "x")])
    (finding,) = overlap_findings({"test": test, "train": tasks})
    assert "0~17" in finding.message


def test_splits_are_those_that_the_environment_has() -> None:
    assert set(splits_of("math/arithmetic-v0", {"level": 2})) == {"test", "train", "demonstrations"}
    assert splits_of("math/gsm8k-v0", {"data": "rows.jsonl"}) == {}
