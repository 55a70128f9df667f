"""Lines in gzip members: one file to every reader of gzip; what a kill leaves is cut off, damage is told."""

import gzip
from pathlib import Path

import pytest

from rlenv.core.errors import RunError
from rlenv.store.members import append_member, index_of, keep_lines_of_members, members, read_member

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
def test_a_planted_link_is_not_written_through(name: str, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    other.write_bytes(b"")
    (tmp_path / name).symlink_to(other)
    with pytest.raises(RunError, match="is a link"):
        append_member(tmp_path / "lines.gz", ["a\n"])
    with pytest.raises(RunError, match="is a link"):
        keep_lines_of_members(tmp_path / "lines.gz", 0)
    assert other.read_bytes() == b""
