"""Registering and making environments: ids, kwargs, vectors, and errors that say what to do."""

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import gymnasium
import pytest

import rlenv
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError, RlenvError, TaskError, UnknownEnvironment, VerifierContractError
from rlenv.core.task import Task
from rlenv.core.verifier import FunctionVerifier
from rlenv.env import registry
from rlenv.env.tasksets import ListTasks

ROWS: list[dict[str, Any]] = [{"prompt": f"{i}+{i}=?", "answer": str(2 * i), "level": i} for i in range(4)]
register = partial(rlenv.register, tasks=ROWS, verifier=lambda completion, answer: completion == answer, cheap=True)


@pytest.fixture(autouse=True)
def _unregister() -> Iterator[None]:
    tables: list[dict[str, Any]] = [gymnasium.registry, registry._definitions, registry._splits, registry._needs]
    before = [dict(table) for table in tables]
    yield
    for table, kept in zip(tables, before, strict=True):
        table.clear()
        table.update(kept)


def sums(limit: int = 4, prefix: str = "") -> Definition:
    """A factory as packages register it."""
    tasks = ListTasks([Task(prefix + row["prompt"], row["answer"]) for row in ROWS[:limit]])
    verifier = FunctionVerifier(lambda completion, answer: completion == answer, cheap=True)
    return Definition(tasks=tasks, verifier=verifier)


def test_ten_lines_make_an_environment() -> None:
    rlenv.register(
        "mine/reverse-v0",
        tasks=[{"prompt": "Reverse: abc", "answer": "cba"}],
        verifier=lambda completion, answer: completion.strip() == answer,
    )
    env = rlenv.make("mine/reverse-v0")
    assert isinstance(env, gymnasium.Env)
    assert env.reset(seed=0)[0] == "Reverse: abc"
    assert env.step("cba")[1] == 1.0
    assert "mine/reverse-v0" in rlenv.list_envs()
    assert rlenv.list_envs("mine") == ["mine/reverse-v0"]


def test_gymnasium_alone_finds_what_comes_with_rlenv() -> None:
    program = "import gymnasium; e = gymnasium.make('rlenv:math/arithmetic-v1', level=2); print(e.reset(seed=0)[1])"
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout[:12], done.stderr) == ("{'task_id': ", "")


BAD_IDS = ["sums-v0", "mine/sums", "mine/a b-v0", "mine/a/b-v0"]


@pytest.mark.parametrize("id", BAD_IDS)
def test_bad_id_is_refused(id: str) -> None:
    with pytest.raises(ConfigError, match="expected an id like 'family/name-v0', got"):
        register(id)
    assert id not in gymnasium.registry


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"entry_point": "a:b"}, "either an entry_point or tasks with a verifier, got both"),
        ({"kwargs": {"limit": 3}}, r"kwargs belong to an entry_point, got \['limit'\]"),
        ({"needs": {"limit": "a number"}}, r"needs belong to an entry_point, got \['limit'\]"),
        ({"tasks": None, "verifier": None, "entry_point": "module.function"}, "'package.module:function'"),
        ({"isolation": "docker"}, "expected isolation"),
    ],
)
def test_malformed_registration_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        register("mine/sums-v0", **arguments)
    assert "mine/sums-v0" not in gymnasium.registry


def test_bad_row_and_missing_column_are_told_when_registering() -> None:
    with pytest.raises(TaskError, match="row 2"):
        register("mine/sums-v0", tasks=[ROWS[0], {"answer": "4"}])
    with pytest.raises(VerifierContractError, match="asks for 'tests'"):
        register("mine/sums-v0", verifier=lambda completion, tests: True)


@pytest.mark.parametrize("make", [rlenv.make, rlenv.make_vec, rlenv.make_batch, rlenv.load, gymnasium.make])
def test_what_an_environment_needs_is_asked_for_by_name(make: Any) -> None:
    rlenv.register("mine/sums-v0", entry_point=f"{__name__}:sums", needs={"prefix": "what stands before the sum"})
    for given in ({}, {"prefix": None}, {"limit": 2}):
        with pytest.raises(ConfigError, match=r"mine/sums-v0 needs prefix=.*: what stands before the sum"):
            make("mine/sums-v0", **given)
    make("mine/sums-v0", prefix="")


def test_unknown_id_suggests_near_ones() -> None:
    register("mine/sums-v0")
    for ask in (rlenv.make, rlenv.make_vec, rlenv.make_batch, rlenv.load):
        with pytest.raises(UnknownEnvironment) as caught:
            ask("mine/sum-v0")
        assert str(caught.value).startswith("no environment 'mine/sum-v0'; did you mean mine/sums-v0")
    with pytest.raises(UnknownEnvironment, match="see `rlenv list`"):
        rlenv.make("qqqqqqqq")


def test_factory_is_found_by_name_and_takes_kwargs() -> None:
    rlenv.register("mine/made-v0", entry_point=f"{__name__}:sums", kwargs={"limit": 2})
    assert len(rlenv.load("mine/made-v0").tasks) == 2
    assert len(rlenv.load("mine/made-v0", limit=3).tasks) == 3
    assert rlenv.make("mine/made-v0", prefix="What is ").reset(seed=0)[0].startswith("What is ")
    assert rlenv.load("mine/made-v0").id == "mine/made-v0"


def test_kwargs_that_nobody_takes_are_refused_with_what_is_taken() -> None:
    rlenv.register("mine/made-v0", entry_point=f"{__name__}:sums")
    with pytest.raises(ConfigError, match=r"'size'; it takes: limit, prefix, isolation, time_limit_s"):
        rlenv.make("mine/made-v0", size=3)
    register("mine/sums-v0")
    with pytest.raises(ConfigError, match=r"takes only isolation, .*, max_turns and render_mode, got \['size'\]"):
        rlenv.make("mine/sums-v0", size=3)


MANY: list[dict[str, Any]] = [{"prompt": f"{i}+{i}=?", "answer": str(2 * i), "level": i % 2} for i in range(200)]


def prompts(**kwargs: Any) -> set[str]:
    tasks = rlenv.load("mine/sums-v0", **kwargs).tasks
    return {str(tasks[i].prompt) for i in range(len(tasks))}


def test_a_share_of_the_prompts_is_held_out_and_a_row_stays_in_its_split() -> None:
    register("mine/sums-v0", tasks=MANY, test_share=0.2)
    train, test = prompts(split="train"), prompts(split="test")
    assert train | test == {row["prompt"] for row in MANY}
    assert not train & test
    assert 0.1 < len(test) / len(MANY) < 0.3
    assert prompts() == train
    twice = [*MANY[:100], *({**row, "answer": "?"} for row in MANY[:100]), {"prompt": "another", "answer": "1"}]
    with pytest.warns(UserWarning, match="Overriding environment"):
        register("mine/sums-v0", tasks=twice, test_share=0.2)
    assert prompts(split="test") - {"another"} == test & {row["prompt"] for row in twice}


def test_splits_are_given_by_name_and_train_is_what_is_trained_on() -> None:
    register("mine/sums-v0", tasks={"test": MANY[:3], "train": MANY[3:9], "hard": MANY[9:]})
    assert [len(prompts(**given)) for given in ({}, {"split": "test"}, {"split": "hard"})] == [6, 3, 191]
    with pytest.raises(ConfigError, match="expected a split out of train, test, hard, got 'tests'"):
        rlenv.make("mine/sums-v0", split="tests")
    with pytest.raises(ConfigError, match="takes only split, isolation"):
        rlenv.make("mine/sums-v0", size=3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"test_share": 1.0}, "test_share of 0 or more and below 1, got 1.0"),
        ({"tasks": {"train": MANY}, "test_share": 0.2}, "got both: train"),
        ({"tasks": ROWS[:1], "test_share": 0.2}, "leaves a split empty"),
        ({"tasks": rlenv.ProceduralTasks(lambda seed, index: Task("?"), size=9), "test_share": 0.2}, "made by code"),
        ({"tasks": {"prompt": "1+1=?", "answer": "2"}}, r"got one row \(prompt, answer\)"),
        ({"tasks": {}}, "expected a list of rows, or splits by their names, got none"),
    ],
)
def test_splits_that_cannot_be_made_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(RlenvError, match=message):
        register("mine/sums-v0", **arguments)


@pytest.mark.parametrize("mode", ["sync", "spawn"])
def test_vectors_of_what_was_registered_with_objects(mode: str) -> None:
    register("mine/sums-v0", tasks=[{"prompt": "½ + \ud800\x00🙂 = ?", "answer": "a"}])
    context = {"vector_kwargs": {"context": "spawn"}} if mode == "spawn" else {}
    envs = rlenv.make_vec("mine/sums-v0", 3, vectorization_mode="sync" if mode == "sync" else "async", **context)
    try:
        observations, info = envs.reset(seed=1)
        assert observations == ("½ + \ud800\x00🙂 = ?",) * 3
        for _ in range(2):
            observations, rewards, terminated, truncated, info = envs.step(("a", "b", "\ud800"))
            assert rewards.tolist() == [1.0, 0.0, 0.0]
            assert terminated.all()
            assert not truncated.any()
            assert observations == ("½ + \ud800\x00🙂 = ?",) * 3
            assert [verdict.reward for verdict in info["final_info"]["verdict"]] == [1.0, 0.0, 0.0]
    finally:
        envs.close()
