"""Every environment that comes with rlenv is a real gymnasium environment.

All registered ids are covered but those of reasoning-gym that are not in the default set: an environment that would ask
the hub is given a file.
"""

import json
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from code_rows import APPS, BACKEND, HUMANEVAL, MBPP, STDIO, sandbox_problem
from gymnasium.utils.env_checker import check_env
from needed_keywords import NEEDED, PUZZLES
from problem_rows import ROWS, WORKED
from quick_ones import quick_ones

import rlenv
from rlenv.core.verdict import Verdict

OURS = [id for id in rlenv.list_envs() if str(gymnasium.spec(id).kwargs.get("factory", "")).startswith("rlenv.envs.")]
IDS = [id for id in OURS if not id.startswith("reasoning_gym/") or id in PUZZLES]
SOME = quick_ones(IDS, [id for id in IDS if not id.startswith("reasoning_gym/") or id in PUZZLES[::14]])
FAMILIES = {id.partition("/")[0]: id for id in reversed(IDS)}
FILES = {f"math/{name}-v{v}": rows for name, rows in ROWS.items() for v in (0, 1)} | {
    "process/gsm8k-v0": WORKED,
    "code/humaneval-v0": HUMANEVAL,
    "code/mbpp-v0": MBPP,
    "code/apps-v0": APPS,
    "code/stdio-v0": STDIO,
}
"""What an environment whose tasks lie on the hub reads instead, as `data`."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


def kwargs(id: str, folder: Path) -> dict[str, Any]:
    given: dict[str, Any] = dict(NEEDED.get(id, {}))
    if id.startswith("code/"):
        if sandbox_problem():
            pytest.skip(f"no sandbox here: {sandbox_problem()}")
        given["sandbox"] = BACKEND
    if id in FILES:
        path = folder / f"{id.replace('/', '-')}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in FILES[id]))
        given["data"] = str(path)
    return given


def test_all_families_are_here() -> None:
    assert {"math/arithmetic-v0", "math/gsm8k-v0", "format/tags-v0"} <= set(IDS)
    assert set(FILES) <= set(IDS)


@pytest.mark.parametrize("id", SOME)
def test_environment_passes_the_checker(id: str, folder: Path) -> None:
    check_env(rlenv.make(id, **kwargs(id, folder)).unwrapped)


def _episode(env: gymnasium.Env[str, str]) -> tuple[float, dict[str, Any], int]:
    """The reward, the last info and the turns of what solves a seeded task; it must be graded."""
    env.reset(seed=3)
    inner = env.unwrapped
    assert isinstance(inner, rlenv.Environment)
    assert inner.task is not None
    script = inner.definition.script(inner.task) if inner.definition.script else [inner.definition.solution(inner.task)]
    steps = [env.step(said) for said in script]
    assert [step[2:4] for step in steps] == [(False, False)] * (len(steps) - 1) + [(True, False)]
    assert steps[-1][4]["graded"]
    return sum(float(step[1]) for step in steps), steps[-1][4], len(steps)


@pytest.mark.parametrize("id", SOME)
def test_environment_works_in_a_vector(id: str, folder: Path) -> None:
    _check_vector(rlenv.make_vec(id, 2, **kwargs(id, folder)))


@pytest.mark.parametrize(
    ("id", "context"),
    [*((id, None) for id in FAMILIES.values()), pytest.param("games/guess-v0", "spawn", marks=pytest.mark.slow)],
)
def test_family_works_in_a_vector_of_processes(id: str, context: str | None, folder: Path) -> None:
    options = {"context": context} if context else {}
    _check_vector(rlenv.make_vec(id, 2, vectorization_mode="async", vector_kwargs=options, **kwargs(id, folder)))


def _check_vector(envs: Any) -> None:
    try:
        observations, _ = envs.reset(seed=[5, 5])
        for _ in range(2):
            assert observations[0] == observations[1]
            assert observations in envs.observation_space
            assert observations[0]
            terminated = np.array([False])
            while not terminated.any():  # the same text for both, so that their episodes are equally long
                said = envs.single_action_space.sample()
                observations, rewards, terminated, truncated, info = envs.step((said, said))
                assert (rewards.shape, truncated.tolist()) == ((2,), [False] * 2)
            assert terminated.tolist() == [True] * 2
            assert info["final_info"]["graded"].all()
            assert all(isinstance(verdict, Verdict) for verdict in info["final_info"]["verdict"])
    finally:
        envs.close()
