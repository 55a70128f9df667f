"""Compressed blocks: every reader of gzip sees one file of lines; what a kill leaves is cut off, damage is told."""

import gzip
from pathlib import Path

import pytest

from rlenv.core.errors import RunError
from rlenv.store.blocks import append_block, blocks, keep_packed_lines, read_block

WRITTEN = [["a\n", "b\n"], ["c\n"], ["d\n", "e\n", "f\n"]]
LINES = [line for block in WRITTEN for line in block]


def written(path: Path) -> Path:
    for lines in WRITTEN:
        append_block(path, lines)
    return path


def test_it_is_one_file_to_gzip_and_says_what_it_holds_without_unpacking(tmp_path: Path) -> None:
    path = written(tmp_path / "lines.gz")
    assert gzip.decompress(path.read_bytes()).decode() == "".join(LINES)
    found = blocks(path)
    assert [block.lines for block in found] == [2, 1, 3]
    assert (found[0].start, found[-1].end) == (0, path.stat().st_size)
    assert blocks(path, found[1].start) == found[1:]
    with path.open("rb") as file:
        assert [read_block(file, block) for block in found] == [b"a\nb\n", b"c\n", b"d\ne\nf\n"]


def test_nothing_to_add_makes_no_file(tmp_path: Path) -> None:
    append_block(tmp_path / "lines.gz", [])
    assert not (tmp_path / "lines.gz").exists()
    assert blocks(tmp_path / "lines.gz") == []
    keep_packed_lines(tmp_path / "lines.gz", 0)


def test_cut_anywhere_the_whole_blocks_before_are_left_and_gone_on_with(tmp_path: Path) -> None:
    whole = written(tmp_path / "whole.gz").read_bytes()
    ends = [block.end for block in blocks(tmp_path / "whole.gz")]
    path = tmp_path / "cut.gz"
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        left = sum(end <= size for end in ends)
        assert len(blocks(path)) == left
        keep_packed_lines(path, len(LINES))
        for lines in WRITTEN[left:]:
            append_block(path, lines)
        assert path.read_bytes() == whole


@pytest.mark.parametrize("count", range(len(LINES) + 2))
def test_it_is_cut_back_to_a_number_of_lines(count: int, tmp_path: Path) -> None:
    path = written(tmp_path / "lines.gz")
    keep_packed_lines(path, count)
    assert gzip.decompress(path.read_bytes()).decode() == "".join(LINES[:count])
    assert sum(block.lines for block in blocks(path)) == min(count, len(LINES))


def test_a_damaged_block_is_told_with_its_place(tmp_path: Path) -> None:
    path = written(tmp_path / "lines.gz")
    start, end, _ = blocks(path)[1]
    data = bytearray(path.read_bytes())
    data[end - 6] ^= 1  # in its checksum
    path.write_bytes(data)
    with (
        path.open("rb") as file,
        pytest.raises(RunError, match=f"bytes {start} to {end} are damaged .*truncate -s {start}"),
    ):
        read_block(file, blocks(path)[1])


def test_a_file_that_another_program_packed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "lines.gz"
    path.write_bytes(gzip.compress(b"a line\n" * 9))
    with pytest.raises(RunError, match="no block that rlenv wrote begins at byte 0"):
        blocks(path)


def test_a_planted_link_is_not_written_through(tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    other.write_bytes(b"mine")
    (tmp_path / "lines.gz").symlink_to(other)
    with pytest.raises(RunError, match="is a link"):
        append_block(tmp_path / "lines.gz", ["a\n"])
    with pytest.raises(RunError, match="is a link"):
        keep_packed_lines(tmp_path / "lines.gz", 0)
    assert other.read_bytes() == b"mine"
