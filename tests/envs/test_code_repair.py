"""Repair: shown examples answer each attempt, hidden tests pay the last, and the machinery's failures are its own."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, cast

import pytest
from code_rows import BACKEND, HUMANEVAL, MBPP, STDIO, fenced, sandbox_problem, written

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.policy import ScriptedPolicy
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.envs.code.outcome import Outcome
from rlenv.envs.code.repair import Attempts, examples_of, repair, with_examples
from rlenv.envs.code.verifier import CodeVerifier
from rlenv.turns.play import play

pytestmark = pytest.mark.skipif(bool(sandbox_problem()), reason=f"no sandbox holds here: {sandbox_problem()}")


@pytest.fixture(scope="module")
def definition() -> Definition:
    return repair(level=1, split="all", sandbox=BACKEND, wall_s=1.0)


@pytest.fixture(scope="module")
def plus_two(definition: Definition) -> Task:
    """f(x): x plus 2."""
    return definition.tasks[0]


def attempted(definition: Definition, task: Task, *attempts: str) -> tuple[list[str], Verdict]:
    """What was answered to the attempts, and the verdict of the batch."""
    said = play(definition, ScriptedPolicy("s", lambda _: attempts), [task])[0]
    answers = [said.text[turn.start : turn.end] for turn in said.turns if not turn.by_policy]
    batch = rlenv.BatchEnvironment(definition)
    batch.reset(tasks=[task])
    return answers, batch.step([said])[0].verdict


@pytest.mark.parametrize("level", [1, 2, 3])
def test_the_solutions_earn_everything_in_one_attempt(level: int) -> None:
    report = rlenv.evaluate(repair(level=level, sandbox=BACKEND), "reference", limit=15, quiet=True)
    assert report.mean_reward == 1.0
    assert report.scores["attempts"].mean == 1.0


def test_what_fails_is_answered_and_a_repaired_attempt_is_paid(definition: Definition, plus_two: Task) -> None:
    answers, verdict = attempted(
        definition,
        plus_two,
        fenced("def f(x): return x if x == 7 else x + 2"),
        fenced("def f(x): return y"),
        fenced("def f(x): return x + 2"),
    )
    assert answers == [
        "1 of 2 examples pass.\nf(7) gave 7; expected 9",
        "0 of 2 examples pass.\nf(7) raised NameError: name 'y' is not defined; expected 9\n"
        "f(0) raised NameError: name 'y' is not defined; expected 2",
    ]
    assert (verdict.reward, verdict.scores["attempts"]) == (1.0, 3.0)


def test_the_episode_ends_when_the_examples_pass_whatever_the_hidden_tests_say(
    definition: Definition, plus_two: Task
) -> None:
    cheat = "def f(x): return {7: 9, 0: 2}.get(x)"
    answers, verdict = attempted(definition, plus_two, fenced(cheat), fenced("def f(x): return x + 2"))
    assert answers == []
    assert (verdict.reward, verdict.flags[0].name) == (0.0, "shown_only")


def test_the_policy_hands_in_an_attempt_when_it_likes(definition: Definition, plus_two: Task) -> None:
    wrong, right = (fenced(f"def f(x): return x + {number}") for number in (3, 2))
    for said, reward in ((f"[final]\n{right}", 1.0), (f"[Final]\n{wrong}", 0.0), ("[final]", 0.0)):
        answers, verdict = attempted(definition, plus_two, said, right)
        assert (answers, verdict.reward) == ([], reward)


@pytest.mark.parametrize(("attempts", "reward"), [(1, 1.0), (2, 0.5), (3, 0.25)])
def test_a_discount_takes_its_share_for_each_attempt(attempts: int, reward: float) -> None:
    definition = repair(level=1, split="all", sandbox=BACKEND, discount=0.5)
    said = [fenced("def f(x): return 0")] * (attempts - 1) + [fenced("def f(x): return x + 2")]
    verdict = attempted(definition, definition.tasks[0], *said)[1]
    assert (verdict.reward, sum(part.value for part in verdict.parts)) == (reward, reward)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("I do not know!", "0 of 2 examples pass.\nsyntax error"),
        (fenced("def f(x) return"), "0 of 2 examples pass.\nsyntax error: SyntaxError: expected ':'"),
        (fenced("def f(x): raise KeyError('y' * 100_000)"), "0 of 2 examples pass.\nf(7) raised KeyError"),
        (fenced("print('w' * 10_000_000)\ndef f(x): return 1"), "0 of 2 examples pass.\n"),
        (fenced("a = 'q\0'"), "the code holds what is no text."),
        ("```\n```", "no Python code in the completion."),
    ],
    ids=range(6),
)
def test_hostile_attempts_cost_their_turn_only(definition: Definition, plus_two: Task, said: str, answer: str) -> None:
    answers, verdict = attempted(definition, plus_two, said, fenced("def f(x): return x + 2"))
    assert answers[0].startswith(answer)
    assert len(answers[0]) < 1_500
    assert verdict.reward == 1.0


def test_the_state_and_what_is_answered_tell_nothing_of_the_hidden_tests(
    definition: Definition, plus_two: Task
) -> None:
    interaction = cast("Attempts", definition.interaction)
    state = json.dumps(interaction.start(plus_two))
    tests = cast("list[dict[str, Any]]", cast("dict[str, Any]", plus_two.reference)["tests"])
    hidden = [test["call"] for test in tests if not test.get("shown")]
    assert len(hidden) >= 8
    assert not any(call in state for call in hidden)
    reply = interaction.respond(interaction.start(plus_two), Completion(fenced("def f(x): return 0")))
    assert not any(call in str(reply.observation) for call in hidden)


def test_a_sandbox_that_fails_is_no_wrong_answer(
    definition: Definition, plus_two: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = Outcome((), failure="the sandbox failed: no cell")
    monkeypatch.setattr(CodeVerifier, "outcomes", lambda _, jobs: [failed] * len(jobs))
    _, verdict = attempted(definition, plus_two, fenced("def f(x): return x + 2"))
    assert not verdict.graded
    assert "no cell" in verdict.reason


def test_the_other_sources_can_be_repaired(tmp_path: Any) -> None:
    for source, rows in (("humaneval", HUMANEVAL), ("mbpp", MBPP), ("stdio", STDIO)):
        folder = tmp_path / source
        folder.mkdir()
        definition = repair(source, data=written(rows, folder), sandbox=BACKEND)
        tasks = [definition.tasks[i] for i in range(len(definition.tasks))]
        assert all("You have 3 attempts" in str(task.prompt) for task in tasks)
        batch = rlenv.BatchEnvironment(definition)
        batch.reset(tasks=tasks)
        assert definition.script is not None
        solve = ScriptedPolicy("reference", definition.script)
        rewards = [episode.verdict.reward for episode in batch.step(play(definition, solve, tasks))]
        assert rewards == [1.0] * len(tasks)


def test_half_of_the_tests_stay_hidden() -> None:
    def reference(count: int, shown: int) -> dict[str, Any]:
        tests = [{"call": f"f({i})", "expect": "0", **({"shown": True} if i < shown else {})} for i in range(count)]
        return {"kind": "calls", "function": "f", "tests": tests}

    def shown(count: int, already: int, asked: int) -> int:
        made = cast("dict[str, Any]", with_examples(reference(count, already), asked))
        assert [test["call"] for test in made["tests"]] == [f"f({i})" for i in range(count)]
        return sum(bool(test.get("shown")) for test in made["tests"])

    assert [shown(*case) for case in ((10, 1, 3), (10, 4, 3), (3, 0, 3), (1, 0, 3), (1, 1, 3))] == [3, 4, 1, 0, 1]
    assert examples_of(reference(1, 0)) is None
    assert examples_of({"kind": "pair"}) is None


def test_many_episodes_are_answered_as_each_alone(
    definition: Definition, plus_two: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds: list[int] = []
    outcomes = CodeVerifier.outcomes

    def counted(self: CodeVerifier, jobs: Any) -> Any:
        rounds.append(len(jobs))
        return outcomes(self, jobs)

    right, wrong = (fenced(f"def f(x): return x + {number}") for number in (2, 3))
    scripts = [(wrong, right), ("no code", wrong, wrong), (f"[final]\n{wrong}",), (right,)]
    alone = [attempted(definition, plus_two, *script)[0] for script in scripts]
    tasks = [replace(plus_two, id=str(number)) for number in range(len(scripts))]
    monkeypatch.setattr(CodeVerifier, "outcomes", counted)
    policy = ScriptedPolicy("s", lambda task: scripts[int(task.id)])
    together = play(definition, policy, tasks)
    assert [[turn.text for turn in said.said_turns] for said in together] == [
        [wrong, right],
        ["no code", wrong, wrong],
        [f"[final]\n{wrong}"],
        [right],
    ]
    assert [[s.text[t.start : t.end] for t in s.turns if not t.by_policy] for s in together] == alone
    assert rounds == [3, 2, 0]  # attempts that are run: not what is handed in, and not the last one
