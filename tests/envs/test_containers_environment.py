"""Episodes in boxes: what the tools answer, when an episode ends, and that its verdict comes from what it left."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from boxes_in_memory import MemoryBackend, MemoryBox, median_boxes

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.policy import ScriptedPolicy
from rlenv.core.verdict import Verdict
from rlenv.env.admission import admitted
from rlenv.evaluation.rescoring import Rescored
from rlenv.integrations.trl import to_trl
from rlenv.judge import Judge
from rlenv.turns.play import play

FOLDERS = str(Path(__file__).parents[1] / "data" / "containers")


def call(name: str, **arguments: str) -> str:
    return f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>"


SOLVE, SUBMIT = call("bash", command="#!/bin/bash"), call("submit")


@pytest.fixture
def backend() -> MemoryBackend:
    return median_boxes()


@pytest.fixture
def definition(backend: MemoryBackend) -> Definition:
    return rlenv.load("container/tasks-v0", tasks=FOLDERS, task="median", backend=backend)


def verdict(definition: Definition, *turns: str) -> Verdict:
    task = definition.tasks[0]
    (said,) = play(definition, ScriptedPolicy("script", lambda _: turns), [task])
    return Judge(definition).verdict(task, said)


def test_a_step_is_answered_and_the_last_is_judged(backend: MemoryBackend) -> None:
    env = rlenv.make("container/tasks-v0", tasks=FOLDERS, task="median", backend=backend)
    prompt, _ = env.reset(seed=0)
    assert "Mend it" in prompt
    answer, reward, ended, _, _ = env.step(SOLVE)
    assert ("solved\n[exit code 0]" in answer, reward, ended) == (True, 0, False)
    _, reward, ended, _, info = env.step(SUBMIT)
    assert (reward, ended, info["status"]) == (1.0, True, "graded")
    assert "carried: work" in info["verdict"].reason
    assert not [box for box in backend.started if box.live]


def test_an_episode_that_ends_otherwise_is_judged_too(definition: Definition) -> None:
    assert verdict(definition, SOLVE, "I am done.").reward == 1
    assert verdict(definition, call("bash", command="#!/nothing"), SUBMIT).reward == 0
    nothing = verdict(definition, "The task is solved, reward 1.")
    assert (nothing.reward, "no call was made" in nothing.reason) == (0, True)


def test_many_episodes_are_apart(definition: Definition) -> None:
    scripts: dict[int, tuple[str, ...]] = {}
    said = play(
        definition,
        ScriptedPolicy(
            "script", lambda _: scripts.setdefault(len(scripts), (SOLVE, SUBMIT) if len(scripts) % 2 else (SUBMIT,))
        ),
        [definition.tasks[0]],
        n=6,
    )
    judged = Judge(definition).verdicts([(definition.tasks[0], each) for each in said])
    assert sorted(each.reward or 0 for each in judged) == [0, 0, 0, 1, 1, 1]


def test_text_that_was_not_played_here_has_no_verdict(definition: Definition) -> None:
    assert Judge(definition).verdict(definition.tasks[0], Completion(f"{SOLVE}\n{SUBMIT}")).reward is None


def test_a_machine_that_fails_during_an_episode_is_no_wrong_answer(
    definition: Definition, backend: MemoryBackend
) -> None:
    backend.broken = True
    found = verdict(definition, SOLVE, SUBMIT)
    assert (found.reward, found.status) == (None, "verifier_error")
    assert "the engine is gone" in found.reason


def test_one_text_is_replaced_in_a_file(definition: Definition, backend: MemoryBackend) -> None:
    written: list[str] = []

    def cat(box: MemoryBox) -> str:
        return "a = 1\nb = 1\n"

    def write(box: MemoryBox) -> str:
        written.append("x")
        return ""

    backend.programs = {**backend.programs, "cat": cat, "mkdir -p -- $": write}
    env: Any = rlenv.make("container/tasks-v0", tasks=FOLDERS, task="median", backend=backend)
    env.reset(seed=0)
    assert "found it 2 times" in env.step(call("edit", path="/app/x", old=" = 1", new="2"))[0]
    assert "absolute path" in env.step(call("edit", path="x", old="", new="2"))[0]
    assert "done" in env.step(call("edit", path="/app/x", old="a = 1", new="a = 2"))[0]
    assert written == ["x"]
    env.close()
    assert not [box for box in backend.started if box.live]


def test_rows_name_a_task_and_nothing_else() -> None:
    assert admitted("container/tasks-v0", {"task": "median"}) == {"task": "median"}
    for name, value in (
        ("tasks", "/etc"),
        ("base", {"a": "b"}),
        ("network", True),
        ("in_process", True),
        ("backend", "x"),
    ):
        with pytest.raises(ConfigError):
            admitted("container/tasks-v0", {name: value})


def test_a_task_that_is_not_there_is_named(backend: MemoryBackend) -> None:
    with pytest.raises(TaskError, match="there are median, report, wordcount"):
        rlenv.load("container/tasks-v0", tasks=FOLDERS, task="other", backend=backend)
    with pytest.raises(ConfigError, match="Harbor"):
        rlenv.load("container/tasks-v0")


def test_trl_plays_it_with_its_own_tools(definition: Definition, backend: MemoryBackend) -> None:
    """As TRL's trainer does with `environment_factory`: an object a rollout, whose methods are the tools."""
    pytest.importorskip("datasets")
    made = to_trl(definition)
    row = made.train_dataset[0]["rlenv_task"]
    assert made.environment_factory is not None
    rollouts = [made.environment_factory() for _ in range(2)]
    for one, command in zip(rollouts, ("#!/bin/bash", "pwd"), strict=True):
        one.reset(rlenv_task=row)
        assert "[exit code 0]" in getattr(one, "bash")(command=command)  # noqa: B009 -- made of the tool's schema
    said = [[{"role": "assistant", "content": "Done."}]] * 2
    assert made.reward_func([""] * 2, said, rlenv_task=[row] * 2, environments=rollouts) == [1.0, 0.0]
    assert not [box for box in backend.started if box.live]


def judged_again(folder: Path, backend: MemoryBackend) -> Rescored:
    again = rlenv.load("container/tasks-v0", tasks=FOLDERS, task="median", backend=backend)
    return rlenv.rescore(folder, env=again, quiet=True)


def test_a_saved_run_is_judged_again_by_what_its_episodes_left(
    definition: Definition, backend: MemoryBackend, tmp_path: Path
) -> None:
    turns: list[tuple[str, ...]] = [("Nothing to do.",), (SUBMIT,), (SOLVE, SUBMIT), (SOLVE, SUBMIT)]
    policy = ScriptedPolicy("script", lambda _: turns.pop())
    report = rlenv.evaluate(definition, policy, n=4, out=tmp_path, quiet=True)
    assert report.mean_reward == 0.5
    kept = list((tmp_path / "submissions").iterdir())
    assert len(kept) == 4  # two levels of the two that left the same, two of the other that was played
    assert not judged_again(tmp_path, backend).changes
    backend.programs = {**backend.programs, "/tests/test.sh": lambda box: ""}  # a verifier that pays nobody
    lost = judged_again(tmp_path, backend).changes
    assert [change.new_reward for change in lost] == [None, None, None]


@pytest.mark.parametrize("content", [b"", b"no gzip", gzip.compress(b"no tar")], ids=["empty", "no gzip", "no tar"])
def test_submissions_that_are_not_as_the_run_left_them_are_no_verdict(
    definition: Definition, backend: MemoryBackend, tmp_path: Path, content: bytes
) -> None:
    rlenv.evaluate(definition, ScriptedPolicy("script", lambda _: (SOLVE, SUBMIT)), out=tmp_path, quiet=True)
    kept = list((tmp_path / "submissions").iterdir())
    for path in kept:
        path.write_bytes(content)
    (change,) = judged_again(tmp_path, backend).changes
    assert (change.new_reward, "as the run left it" in change.reason) == (None, True)
    for path in kept:
        path.unlink()
        path.symlink_to("/dev/zero")
    (change,) = judged_again(tmp_path, backend).changes
    assert (change.new_reward, "as the run left it" in change.reason) == (None, True)
