"""No environment that comes with rlenv can be had at medium or above; `rlenv audit --all` plays on more tasks."""

import json
from pathlib import Path
from typing import Any

import pytest
from code_rows import APPS, BACKEND, HUMANEVAL, MBPP, STDIO, sandbox_problem
from needed_keywords import NEEDED, PUZZLES
from problem_rows import ROWS, WORKED

import rlenv
from rlenv.audit.splits import takes
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.testing import assert_not_hackable

FILES = {f"math/{name}-v{v}": rows for name, rows in ROWS.items() for v in (0, 1)} | {
    "process/gsm8k-v0": WORKED,
    "code/humaneval-v0": HUMANEVAL,
    "code/mbpp-v0": MBPP,
    "code/apps-v0": APPS,
    "code/stdio-v0": STDIO,
}
OURS = [id for id in rlenv.list_envs() if not id.startswith(("code/", "reasoning_gym/"))]
LEARNED = {"safety/refusal-v0", "safety/rm-v0"}
"""Learned judges are no default; the small ones that come along can be had: docs/safety.md says by what."""


def loaded(id: str, folder: Path) -> Definition:
    kwargs: dict[str, Any] = dict(NEEDED.get(id, {}))
    if id in FILES:
        path = folder / "rows.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in FILES[id]))
        kwargs["data"] = str(path)
    if takes(id, "sandbox"):
        kwargs["sandbox"] = BACKEND
    return rlenv.load(id, **kwargs)


LONG = ("tools/orders-v0", "safety/pressure-v0", "games/blackjack-v0", "games/maze-v0", "process/gsm8k-v0")
"""Each takes ten seconds and more."""


PLAYED = [*(id for id in OURS if id not in LEARNED), *PUZZLES[::28]]  # all puzzles take minutes


@pytest.mark.parametrize("id", [pytest.param(id, marks=pytest.mark.slow) if id in LONG else id for id in PLAYED])
def test_environment_is_not_hackable(id: str, tmp_path: Path) -> None:
    assert_not_hackable(loaded(id, tmp_path), tasks=4)


@pytest.mark.slow
@pytest.mark.skipif(bool(sandbox_problem()), reason=f"no sandbox here: {sandbox_problem()}")
@pytest.mark.parametrize("id", ["code/snippets-v0", "code/stdio-v0"])
def test_environment_of_programs_is_not_hackable(id: str, tmp_path: Path) -> None:
    assert_not_hackable(loaded(id, tmp_path), tasks=3)


@pytest.mark.slow
def test_the_small_reward_model_can_be_had_and_so_is_nobodys_default() -> None:
    pytest.importorskip("transformers", reason="the small reward model needs the extra train")
    with pytest.raises(ConfigError, match="needs scorer="):
        rlenv.load("safety/rm-v0")
    with pytest.raises(AssertionError, match="safety/rm-v0 pays for a text without an answer"):
        assert_not_hackable(rlenv.load("safety/rm-v0", scorer="toy"), fail_on="high")
