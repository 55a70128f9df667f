"""Files of run folders: links that were planted are not followed, and what is replaced is whole or as it was."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import rlenv
from rlenv.core.errors import RunError
from rlenv.door.files import opened
from rlenv.store.files import replace_text, replacing, replacing_folder, told_when_full


@pytest.mark.parametrize("mode", ["w", "a+", "r+b"])
def test_a_planted_link_is_not_written_through(mode: str, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    other.write_text("mine")
    (tmp_path / "episodes.jsonl").symlink_to(other)
    with pytest.raises(RunError, match=r"episodes.jsonl is a link or no plain file"):
        opened(tmp_path / "episodes.jsonl", mode)
    assert other.read_text() == "mine"


@pytest.mark.parametrize("link", [os.symlink, os.link])
@pytest.mark.parametrize("target", ["report.md", "report.md.partial"])
def test_replacing_takes_the_place_of_a_link_and_leaves_what_it_leads_to(
    target: str, link: Callable[[Path, Path], None], tmp_path: Path
) -> None:
    other = tmp_path / "elsewhere"
    other.write_text("mine")
    link(other, tmp_path / target)
    replace_text(tmp_path / "report.md", "ours")
    assert other.read_text() == "mine"
    assert (tmp_path / "report.md").read_text() == "ours"
    assert not (tmp_path / "report.md").is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere", "report.md"]


def _written_in_part(path: Path) -> None:
    with replacing(path) as file:
        file.write("half of it")
        raise KeyboardInterrupt


def test_what_is_interrupted_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.pt"
    replace_text(path, "old")
    with pytest.raises(KeyboardInterrupt):
        _written_in_part(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_is_on_the_disk_before_it_takes_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    sync, replace = os.fsync, os.replace

    def synced(handle: int) -> None:
        done.append("fsync")
        sync(handle)

    def replaced(*names: Path) -> None:
        done.append("replace")
        replace(*names)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    replace_text(tmp_path / "config.json", "{}")
    assert done == ["fsync", "replace", "fsync"]


def _model_in_part(folder: Path) -> None:
    with replacing_folder(folder) as place:
        (place / "a").write_text("half")
        raise KeyboardInterrupt


def test_a_folder_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    model, outside = tmp_path / "model", tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    (tmp_path / "model.partial").symlink_to(outside)
    for text in ("one", "two"):
        with replacing_folder(model) as place:
            (place / "a").write_text(text)
    assert (model / "a").read_text() == "two"
    with pytest.raises(KeyboardInterrupt):
        _model_in_part(model)
    assert (model / "a").read_text() == "two"
    assert [path.name for path in outside.iterdir()] == ["kept"]


@pytest.mark.parametrize(
    "error",
    [OSError(errno.ENOSPC, "full"), OSError(errno.EDQUOT, "quota"), ValueError("a disk: No space left on device (28)")],
)
def test_a_full_disk_is_told_in_one_line_with_what_to_do(error: Exception, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"no room left to write in .*; free some space, then go on"):
        _raise_in(error, tmp_path)
    with pytest.raises(PermissionError):
        _raise_in(PermissionError(errno.EACCES, "no"), tmp_path)


def _raise_in(error: Exception, folder: Path) -> None:
    with told_when_full(folder, "go on"):
        raise error


def test_an_evaluation_refuses_a_planted_link_that_it_would_append_to(tmp_path: Path) -> None:
    out, other = tmp_path / "run", tmp_path / "elsewhere"
    rlenv.evaluate("math/arithmetic-v0", "reference", limit=2, out=out, quiet=True)
    (out / "episodes.jsonl.gz").rename(other)
    before = other.read_bytes()
    (out / "episodes.jsonl.gz").symlink_to(other)
    with pytest.raises(RunError, match=r"episodes.jsonl.gz is a link"):
        rlenv.evaluate("math/arithmetic-v0", "reference", limit=2, out=out, quiet=True)
    assert other.read_bytes() == before


def test_what_stands_in_dev_is_written_to_and_never_replaced(capfd: pytest.CaptureFixture[str]) -> None:
    before = [os.stat(name, follow_symlinks=False).st_ino for name in ("/dev/stdout", "/dev/null")]
    replace_text(Path("/dev/stdout"), "hello")
    with pytest.raises(RunError, match="something else"), replacing_folder(Path("/dev/null")):
        pass
    assert capfd.readouterr().out == "hello"
    assert [os.stat(name, follow_symlinks=False).st_ino for name in ("/dev/stdout", "/dev/null")] == before
