"""The tasks of reasoning-gym: the same everywhere, held apart by split and seed, touching nothing global."""

import json
import os
import random
import re
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from quick_ones import quick_ones

import rlenv
from rlenv.core.errors import ConfigError, MissingExtra, TaskError
from rlenv.envs.reasoning_gym.catalogue import KEPT, env_id

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


@pytest.mark.parametrize("name", quick_ones(KEPT, KEPT[::7]))
def test_task_is_json_and_asked_for_twice_is_equal(name: str) -> None:
    definition = rlenv.load(env_id(name))
    task = definition.tasks[0]
    assert rlenv.Task.from_json(json.loads(json.dumps(task.to_json()))).id == task.id
    assert definition.tasks[0] == task
    assert rlenv.load(env_id(name)).tasks[0].id == task.id


def test_importing_the_package_leaves_the_random_state_alone() -> None:
    script = (
        "import random, rlenv; before = random.getstate();"
        "rlenv.load('reasoning_gym/ab-v0').tasks[0]; print(before == random.getstate())"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


@pytest.mark.parametrize("name", ["chain_sum", "string_splitting", "acre"])
def test_splits_share_no_question(name: str) -> None:
    asked = {}
    for split in ("train", "test", "demonstrations"):
        tasks = rlenv.load(env_id(name), split=split).tasks
        asked[split] = {tasks[index].prompt for index in range(150)}
    assert all(
        asked[a].isdisjoint(asked[b])
        for a, b in (("train", "test"), ("train", "demonstrations"), ("test", "demonstrations"))
    )


def test_neighbouring_seeds_share_no_tasks() -> None:
    seeds = [rlenv.load(env_id("chain_sum"), split="all", seed=seed).tasks for seed in (0, 1, 2)]
    ids = [{tasks[index].id for index in range(100)} for tasks in seeds]
    assert all(a.isdisjoint(b) for a, b in pairwise(ids))


def test_config_reaches_the_dataset() -> None:
    definition = rlenv.load(env_id("chain_sum"), config={"min_terms": 2, "max_terms": 2}, size=5)
    assert len(definition.tasks) == 5
    assert all(len(re.findall("[0-9]+", str(definition.tasks[index].prompt))) == 2 for index in range(5))


@pytest.mark.parametrize(
    ("name", "kwargs", "words"),
    [
        ("chain_sum", {"config": {"seed": 3}}, "give seed=... beside it"),
        ("chain_sum", {"config": {"terms": 3}}, "does not do"),
        ("chain_sum", {"config": {"min_terms": 9, "max_terms": 2}}, "does not do"),
        ("chain_sum", {"size": 0}, "expected a size"),
        ("chain_sum", {"seed": -1}, "expected a seed"),
        ("chain_sum", {"split": "dev"}, "expected a split"),
        ("chain_sum", {"name": "tsumego"}, "not in the default set"),
        ("chain_sum", {"name": "chain_product"}, "no dataset has this name"),
        ("chain_sum", {"name": "chain_product", "own_scorer": True}, "install 0.1.25"),
    ],
)
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
    with pytest.raises(MissingExtra, match=r"rlenv-llm\[reasoning-gym\]"):
        datasets.factory()
    datasets.factory.cache_clear()
