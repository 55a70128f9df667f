"""Task folders: what is read of them, and what is refused by name before anything is built."""

import shutil
from pathlib import Path

import pytest
from tables import tables

from rlenv.core.errors import RunError, TaskError
from rlenv.envs.containers.reader import read_folder, read_folders
from rlenv.envs.containers.rewards import NoReward, Paid, read_reward

CASES = tables(__file__)

FOLDERS = Path(__file__).parents[1] / "data" / "containers"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDERS / "median", tmp_path / "median"))


def test_folders_of_both_schemas_are_read() -> None:
    median, report, wordcount = read_folders(FOLDERS)
    assert (median.name, report.name, wordcount.name) == ("median", "report", "wordcount")
    assert (median.memory_mb, median.wants_network, median.agent.timeout_s) == (512, False, 60)
    assert (wordcount.memory_mb, wordcount.storage_mb, wordcount.wants_network) == (512, 1024, False)
    assert report.wants_network
    assert sorted(median.tests) == ["test.sh", "test_stats.py"]
    assert len({median.digest, report.digest, wordcount.digest}) == 3


def test_a_byte_more_is_another_task(folder: Path) -> None:
    before = read_folder(folder).digest
    with (folder / "tests" / "test_stats.py").open("a") as file:
        file.write("\n")
    assert read_folder(folder).digest != before


@pytest.mark.parametrize(("toml", "named"), CASES["not_done"])
def test_what_is_not_done_is_refused_by_name(folder: Path, toml: str, named: str) -> None:
    (folder / "task.toml").write_text(toml)
    with pytest.raises(TaskError, match=named):
        read_folder(folder)


def test_compose_services_are_refused(folder: Path) -> None:
    (folder / "environment" / "docker-compose.yaml").write_text("services: {}")
    with pytest.raises(TaskError, match="compose services"):
        read_folder(folder)


def test_links_are_not_followed(folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("mine")
    (folder / "tests" / "data.txt").symlink_to(secret)
    with pytest.raises(RunError, match="link"):
        read_folder(folder)


@pytest.mark.parametrize("missing", ["tests/test.sh", "instruction.md", "environment/Dockerfile"])
def test_what_is_missing_is_named(folder: Path, missing: str) -> None:
    (folder / missing).unlink()
    with pytest.raises(TaskError, match=missing):
        read_folder(folder)


@pytest.mark.parametrize(
    ("files", "paid"),
    [
        ({"reward.txt": b"1\n"}, Paid(1.0, {"reward": 1.0})),
        ({"reward.json": b"0.25", "reward.txt": b"1"}, Paid(0.25, {"reward": 0.25})),
        ({"reward.json": b'{"reward": 0.5, "style": 1}'}, Paid(0.5, {"reward": 0.5, "style": 1.0})),
        ({"reward.json": b'{"only": 0.5}'}, Paid(0.5, {"only": 0.5})),
    ],
)
def test_rewards_are_read(files: dict[str, bytes], paid: Paid) -> None:
    assert read_reward(files) == paid


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"reward.txt": b""},
        {"reward.txt": b"inf"},
        {"reward.txt": b"1_0"},
        {"reward.txt": b"1 1"},
        {"reward.json": b""},
        {"reward.json": b"true"},
        {"reward.json": b"NaN"},
        {"reward.json": b"1e999"},
        {"reward.json": b'"1"'},
        {"reward.json": b"{}"},
        {"reward.json": b"[1]"},
        {"reward.json": b'{"a": 1, "b": 1}'},
        {"reward.json": b'{"reward": 1, "b": null}'},
        {"reward.json": b"1" * 70_000},
    ],
)
def test_what_is_no_reward_is_none(files: dict[str, bytes]) -> None:
    with pytest.raises(NoReward):
        read_reward(files)
