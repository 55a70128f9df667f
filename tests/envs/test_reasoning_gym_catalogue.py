"""What of reasoning-gym is in the default set, what is not, and how it is had all the same."""

import subprocess
import sys

import pytest
import reasoning_gym

import rlenv
from rlenv.core.errors import ConfigError, TaskError
from rlenv.env.registry import needed
from rlenv.envs.reasoning_gym.catalogue import KEPT, LEFT_OUT, env_id


def test_every_dataset_of_the_package_is_kept_or_left_out_with_a_reason() -> None:
    assert sorted([*KEPT, *LEFT_OUT]) == sorted(reasoning_gym.factory.DATASETS)
    assert set(rlenv.list_envs("reasoning_gym")) == {env_id(name) for name in (*KEPT, *LEFT_OUT)}
    assert {name for name in LEFT_OUT if needed(env_id(name))} == set(LEFT_OUT)
    assert not any(needed(env_id(name)) for name in KEPT)


def test_registering_does_not_import_the_package() -> None:
    script = "import sys, rlenv; rlenv.list_envs(); print([m for m in sys.modules if m.startswith('reasoning_gym')])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


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


def test_where_the_package_gives_no_answer_there_is_no_solution() -> None:
    definition = rlenv.load(env_id("rush_hour"), own_scorer=True)
    with pytest.raises(TaskError, match="no answer"):
        definition.solution(definition.tasks[0])
