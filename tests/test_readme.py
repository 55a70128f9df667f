"""The README's programs that need no hub run as they stand."""

import re
import subprocess
from pathlib import Path

import pytest
from code_rows import sandbox_problem
from warm import warm

from rlenv.envs.math import verify

README = Path(__file__).parent.parent / "README.md"


def run(containing: str, folder: Path, page: Path = README) -> str:
    """The output of the first program of the README, or of another page, that contains a text."""
    programs = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    file = folder / "program.py"
    file.write_text(next(program for program in programs if containing in program))
    done = subprocess.run([str(warm()), str(file)], capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_first_program_runs_and_earns_its_reward(tmp_path: Path) -> None:
    run("rlenv.register", tmp_path)
    (tmp_path / "program.py").rename(tmp_path / "my_tasks.py")
    said = run("import my_tasks", tmp_path)
    assert said.startswith("1.0 Verdict(reward=1.0")
    assert "pass@1" in said


def test_an_evaluation_in_three_lines_runs(tmp_path: Path) -> None:
    assert "pass@4" in run('rlenv.evaluate("math/arithmetic-v1"', tmp_path)


def test_the_interaction_in_ten_lines_is_won_by_its_script(tmp_path: Path) -> None:
    rewards = [1.0 if number == 4 else 0.875 for number in range(10)]
    assert run("class Higher", tmp_path, README.parent / "docs" / "turns.md") == f"{sum(rewards) / 10}\n"


def test_the_careless_reward_is_found_out(tmp_path: Path) -> None:
    assert "findings of medium or above" in run("assert_not_hackable", tmp_path)


def test_the_mistake_is_where_the_penalty_lies(tmp_path: Path) -> None:
    reward, steps = run("step_rewards", tmp_path).splitlines()
    assert reward.startswith("-0.5 boxed answer: got 26, expected 25; step 2 of 4")
    assert "StepReward(value=-0.5, start=7, end=15)" in steps


def test_the_program_that_judges_and_runs_says_what_its_comments_say(tmp_path: Path) -> None:
    if sandbox_problem():
        pytest.skip(f"no sandbox holds on this machine: {sandbox_problem()}")
    assert run("open_sandbox", tmp_path) == "1.0\nb'42\\n'\n"


def test_the_answer_of_the_command_line_example_is_right() -> None:
    [(gold, answer)] = re.findall(r"rlenv verify --gold '(.*)' --answer '(.*)'", README.read_text())
    assert verify(gold, answer).reward == 1.0


def test_it_says_how_many_algorithms_there_are() -> None:
    pytest.importorskip("torch", reason="needs the extra train")
    from rlenv.trainers import ALGORITHMS

    [least] = re.findall(r"more than (\d+) algorithms on one", README.read_text())
    assert int(least) < len(ALGORITHMS) <= int(least) + 10
