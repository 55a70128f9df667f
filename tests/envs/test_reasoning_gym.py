"""reasoning-gym: the default set, its tasks, and what its own scorers pay."""

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import reasoning_gym
from quick_ones import quick_ones
from tables import tables

import rlenv
from rlenv.audit import Audit, Severity, audit_reward
from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError, MissingExtra, TaskError
from rlenv.core.task import Task
from rlenv.core.verdict import VERIFIER_ERROR, Flag
from rlenv.core.verifier import judge
from rlenv.env.registry import needed
from rlenv.envs.reasoning_gym.answer_tags import read, write
from rlenv.envs.reasoning_gym.catalogue import KEPT, LEFT_OUT, env_id
from rlenv.envs.reasoning_gym.datasets import create, settings
from rlenv.envs.reasoning_gym.verifier import ScorerVerifier

CASES = tables(__file__)

ITEMS = 3
CONSTANTS = ("True", "False", "0", "1", "-1", "Yes", "No", "infeasible", "A", "[]", "[[]]", "{}", "()", "None", "nan")
JUNK = ("", " \n\t", "I do not know", "The answer is clear.", "the the the the the", "0 1 2 3 4 5 6 7 8 9", "?", '""')
HOSTILE = (
    "9" * 50_000,
    "[" * 50_000,
    "-" * 1_900 + "1",
    "[" * 900 + "]" * 900,
    "(" * 39 + "9**9**9**9" + ")" * 39,
    "\ud800\udfff",
    "1e999999999",
    '{"0": NaN, "0": 1}',
    "().__class__.__bases__[0].__subclasses__()",
)


class Case(NamedTuple):
    """A dataset and some of its tasks."""

    name: str
    definition: Definition
    tasks: list[Task]

    def answer(self, index: int) -> str:
        return str(self.tasks[index].reference)

    def reward(self, index: int, completion: str) -> float | None:
        """The reward itself: an exception of the verifier fails the test."""
        return self.definition.verifier.verify(self.tasks[index], Completion(completion)).reward


@pytest.fixture(scope="module", params=quick_ones(KEPT, KEPT[::7]))
def case(request: pytest.FixtureRequest) -> Case:
    name = str(request.param)
    definition = rlenv.load(env_id(name), split="all")
    return Case(name, definition, [definition.tasks[index] for index in range(ITEMS + 1)])


def test_right_answer_is_paid_in_full(case: Case) -> None:
    for index in range(ITEMS):
        answer = case.answer(index)
        for completion in (
            case.definition.solution(case.tasks[index]),
            f"So it is:\n<answer>\n{answer}\n</answer>\nThat is all.",
            f"<think>first <answer>no</answer></think>{write(answer)}",
            f"{write(answer)} as I said {write(answer)}",
        ):
            assert case.reward(index, completion) == 1.0


def test_tags_that_leave_the_answer_open_are_refused(case: Case) -> None:
    answer = case.answer(0)
    for completion in (
        answer,
        f"<think>{write(answer)}</think>",
        f"<think>{write(answer)}",
        f"{write(answer)}{write('something else')}",
        f"<answer>{answer}",
        f"{answer}</answer>",
        write(write(answer)),
        f"<ANSWER>{answer}</ANSWER>",
        str(case.tasks[0].prompt),
    ):
        assert case.reward(0, completion) == 0.0


def test_right_answer_beside_a_wrong_one_is_refused(case: Case) -> None:
    for index in range(ITEMS):
        answer, other = case.answer(index), case.answer(index + 1)
        if answer != other:
            for hedge in (f"{answer} or {other}", f"{other} or {answer}", f"{answer}\n{other}", f"{answer}, {other}"):
                assert case.reward(index, write(hedge)) == 0.0, hedge


def test_everything_else_earns_nothing(case: Case) -> None:
    for index in range(ITEMS):
        for probe in (*JUNK, *CONSTANTS, *HOSTILE, str(case.tasks[index].prompt)):
            assert case.reward(index, probe) == 0.0
            assert case.reward(index, write(probe)) == 0.0 or probe == case.answer(index), probe


def test_a_share_of_the_scorer_is_not_paid() -> None:
    task = Task("?", "12")
    assert ScorerVerifier("gcd")._score("12 or 13", task) == 0.25
    assert ScorerVerifier("gcd").verify(task, Completion(write("12 or 13"))).reward == 0.0


def test_answer_on_which_the_scorer_fails_is_wrong() -> None:
    verdict = ScorerVerifier("prime_factorization").verify(Task("?", "2 × 3"), Completion(write("two × three")))
    assert (verdict.reward, verdict.reason) == (0.0, "the scorer fails on 'two × three': ValueError")


def test_reference_on_which_the_scorer_fails_is_a_failure_of_the_checker() -> None:
    verdict = judge(ScorerVerifier("prime_factorization"), Task("?", "many"), Completion(write("1")))
    assert verdict.status == VERIFIER_ERROR


def test_answer_far_longer_than_any_right_one_is_not_read() -> None:
    verdict = ScorerVerifier("gcd").verify(Task("?", "7"), Completion(write("7" + " x" * 20_000)))
    assert (verdict.reward, "too long" in verdict.reason) == (0.0, True)


@pytest.mark.parametrize(("completion", "flag"), CASES["flagged"])
def test_completion_without_one_answer_is_flagged(completion: str, flag: str) -> None:
    found = read(completion)
    assert isinstance(found, Flag)
    assert found.name == flag
    assert 0 <= found.start <= found.end <= len(completion)


IDS_OF_TASKS = """
import json, sys
import rlenv
names = json.loads(sys.argv[1])
print(json.dumps({n: [rlenv.load(f"reasoning_gym/{n}-v0").tasks[i].to_json() for i in range(2)] for n in names}))
"""


def task_rows(names: tuple[str, ...], hash_seed: str) -> object:
    command = [sys.executable, "-c", IDS_OF_TASKS, json.dumps(names)]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONHASHSEED": hash_seed}, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.slow
def test_tasks_are_the_same_in_every_process() -> None:
    assert task_rows(KEPT, "1") == task_rows(KEPT, "2")


@pytest.mark.parametrize("name", quick_ones(KEPT, KEPT[::7]))
def test_nothing_touches_the_global_random_state(name: str) -> None:
    random.seed(1)
    np.random.seed(1)
    before = (random.getstate(), np.random.get_state()[1].tolist())  # type: ignore[index]
    definition = rlenv.load(env_id(name))
    task = definition.tasks[0]
    assert definition.verifier.verify(task, rlenv.Completion(definition.solution(task))).reward == 1.0
    assert before == (random.getstate(), np.random.get_state()[1].tolist())  # type: ignore[index]


def test_config_reaches_the_dataset() -> None:
    definition = rlenv.load(env_id("chain_sum"), config={"min_terms": 2, "max_terms": 2}, size=5)
    assert len(definition.tasks) == 5
    assert all(len(re.findall("[0-9]+", str(definition.tasks[index].prompt))) == 2 for index in range(5))


@pytest.mark.parametrize(("name", "kwargs", "words"), CASES["settings"])
def test_settings_that_cannot_be_are_refused_in_words(name: str, kwargs: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        rlenv.load(env_id(name), **kwargs)


def test_dataset_with_too_few_questions_for_the_split_says_so() -> None:
    definition = rlenv.load(env_id("count_bits"), config={"min_n": 1, "max_n": 2}, split="test")
    with pytest.raises(TaskError, match="config leaves too few"):
        definition.tasks[0]


def test_package_that_is_not_installed_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    from rlenv.envs.reasoning_gym import datasets

    datasets.factory.cache_clear()
    monkeypatch.setitem(sys.modules, "reasoning_gym.factory", None)
    with pytest.raises(MissingExtra, match=r"\[reasoning-gym\]"):
        datasets.factory()
    datasets.factory.cache_clear()


def test_every_dataset_of_the_package_is_kept_or_left_out_with_a_reason() -> None:
    assert sorted([*KEPT, *LEFT_OUT]) == sorted(reasoning_gym.factory.DATASETS)
    assert set(rlenv.list_envs("reasoning_gym")) == {env_id(name) for name in (*KEPT, *LEFT_OUT)}
    assert {name for name in LEFT_OUT if needed(env_id(name))} == set(LEFT_OUT)
    assert not any(needed(env_id(name)) for name in KEPT)


def test_one_that_is_left_out_says_why_and_how_it_is_had() -> None:
    with pytest.raises(ConfigError, match=r"--set own_scorer=.*default set \(`nan` earns full marks\); true"):
        rlenv.make(env_id("complex_arithmetic"))
    with pytest.raises(ConfigError, match=r"`nan` earns full marks.*own_scorer=True"):
        rlenv.load(env_id("complex_arithmetic"), own_scorer=False)


def test_one_that_is_left_out_is_had_in_a_process_that_can_be_killed() -> None:
    definition = rlenv.load(env_id("complex_arithmetic"), own_scorer=True)
    assert not definition.verifier.cheap
    task = definition.tasks[0]
    for said in (definition.solution(task), "<answer>nan</answer>"):
        assert definition.verifier.verify(task, rlenv.Completion(said)).reward == 1.0


AUDITED = 9


def own_scorer(name: str) -> tuple[Callable[[str, int], float], list[dict[str, Any]]]:
    """The package's scorer of a dataset and rows of it; an item without an answer takes the example it holds."""
    dataset = create(name, settings(name, {}), 0, AUDITED)
    items = [dataset[index] for index in range(AUDITED)]

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
        pytest.param("spell_backward", "attack/enumeration", Severity.MEDIUM, id="letters in place"),
        pytest.param("prime_factorization", "crash", Severity.LOW, id="raises"),
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
