"""Files of run folders: planted links are not followed, what is replaced is whole, what a kill leaves is cut off."""

import errno
import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import rlenv
from rlenv.core.errors import RunError
from rlenv.door.files import opened
from rlenv.store.files import replace_text, replacing, replacing_folder, told_when_full
from rlenv.store.members import append_member, index_of, keep_lines_of_members, members, read_member


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


WRITTEN = [["a\n", "b\n"], ["c\n"], ["d\n", "e\n", "f\n"]]
LINES = [line for member in WRITTEN for line in member]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return written(tmp_path / "lines.gz")


def written(path: Path) -> Path:
    for lines in WRITTEN:
        append_member(path, lines)
    return path


def read(path: Path) -> list[str]:
    with path.open("rb") as file:
        return [read_member(file, member).decode() for member in members(path)]


def test_it_is_one_file_to_gzip_and_says_what_it_holds(path: Path) -> None:
    assert gzip.decompress(path.read_bytes()).decode() == "".join(LINES)
    whole = members(path)
    assert [member.lines for member in whole] == [2, 1, 3]
    assert (whole[0].start, whole[-1].end) == (0, path.stat().st_size)
    assert members(path, whole[1].start) == whole[1:]
    assert read(path) == ["a\nb\n", "c\n", "d\ne\nf\n"]


@pytest.mark.parametrize("index", ["as it was", "missing"])
def test_cut_anywhere_the_whole_members_before_are_left_and_gone_on_with(path: Path, index: str) -> None:
    whole, rows = path.read_bytes(), index_of(path).read_bytes()
    ends = [member.end for member in members(path)]
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        if index == "missing":
            index_of(path).unlink()
        left = sum(end <= size for end in ends)
        assert len(members(path)) == left
        keep_lines_of_members(path, len(LINES))
        for lines in WRITTEN[left:]:
            append_member(path, lines)
        assert (path.read_bytes(), index_of(path).read_bytes()) == (whole, rows)


@pytest.mark.parametrize("count", [0, 2, 4, len(LINES) + 1])
def test_it_is_cut_back_to_a_number_of_lines(count: int, path: Path) -> None:
    keep_lines_of_members(path, count)
    assert gzip.decompress(path.read_bytes()).decode() == "".join(LINES[:count])
    assert sum(member.lines for member in members(path)) == min(count, len(LINES))
    index_of(path).unlink()
    assert sum(member.lines for member in members(path)) == min(count, len(LINES))


@pytest.mark.parametrize("rows", ["", "24 1\n", "24 2\n48 1\n999999 1\n"])
def test_an_index_of_another_file_is_not_believed(rows: str, path: Path) -> None:
    whole = members(path)
    assert whole[0].end == 24
    index_of(path).write_text(rows)
    assert members(path) == whole


def test_an_index_that_is_wrong_in_its_middle_is_told(path: Path) -> None:
    end = path.stat().st_size
    index_of(path).write_text(f"24 1\n{members(path)[1].end} 1\n{end} 3\n")
    with pytest.raises(RunError, match=r"bytes 0 to 24 are not the 1 lines .* remove .*lines.gz.index"):
        read(path)
    index_of(path).write_text("no number\n")
    with pytest.raises(RunError, match=r"lines.gz.index line 1: expected two numbers, got b'no number'; remove"):
        members(path)


@pytest.mark.parametrize("name", ["lines.gz", "lines.gz.index"])
def test_a_planted_link_takes_no_member(name: str, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    other.write_bytes(b"")
    (tmp_path / name).symlink_to(other)
    with pytest.raises(RunError, match="is a link"):
        append_member(tmp_path / "lines.gz", ["a\n"])
    with pytest.raises(RunError, match="is a link"):
        keep_lines_of_members(tmp_path / "lines.gz", 0)
    assert other.read_bytes() == b""
