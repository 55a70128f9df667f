"""Dockerfiles: what they build on is read as the engine reads it, and mapped; builds fetch nothing unasked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from container_engine import needs_engine
from tables import tables

from rlenv.sandbox.containers import Backend, BoxError, Limits
from rlenv.sandbox.containers.dockerfile import fetches, images, rebased
from rlenv.sandbox.containers.stream import Kept

CASES = tables(__file__)

BASE = {"python:3.12-slim": "rlenv/agents-base:latest"}


@pytest.mark.parametrize(("text", "expected"), CASES["images"])
def test_images_are_those_that_the_engine_would_take(text: str, expected: list[str]) -> None:
    assert images(text) == expected


def test_other_images_take_their_places_and_nothing_else_changes() -> None:
    text = (
        "# top\nFROM --platform=$BUILDPLATFORM a:1 \\\n  AS one\nRUN echo a:1\nFROM b\n"
        "COPY --from=a:1 --chown=0 a:1 /\nFROM one\n"
    )
    assert rebased(text, {"a:1": "mine"}) == (
        "# top\nFROM mine AS one\nRUN echo a:1\nFROM b\nCOPY --from=mine --chown=0 a:1 /\nFROM one\n"
    )


def test_from_without_an_image_is_said() -> None:
    with pytest.raises(BoxError, match="after FROM"):
        images("FROM\n")


def test_what_add_fetches_is_seen() -> None:
    assert fetches('ADD a b\nADD ["https://x/y", "/y"]\nadd http://z /\nADD git@h:r.git /r') == [
        "https://x/y",
        "http://z",
        "git@h:r.git",
    ]


@pytest.mark.parametrize("pieces", [[b"x" * 5000], [b"x"] * 5000, [b"ab" * 100_000, b"end"]])
def test_output_is_held_in_bounds_with_a_note_of_what_is_missing(pieces: list[bytes]) -> None:
    kept = Kept(1000)
    for piece in pieces:
        kept.add(piece)
    text, cut = kept.text()
    whole = b"".join(pieces).decode()
    assert cut
    assert len(text) <= 1000
    head, note, tail = text.partition("\n[... ")
    assert note
    assert whole.startswith(head)
    assert whole.endswith(tail.partition("...]\n")[2])


@pytest.mark.parametrize("limit", [0, 1, 2, 127])
def test_small_bounds_hold_without_a_note(limit: int) -> None:
    kept = Kept(limit)
    kept.add(b"a" * 500)
    assert kept.text() == ("a" * limit, True)


def context(folder: Path, dockerfile: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "Dockerfile").write_text(dockerfile)
    return folder


@needs_engine
def test_a_folder_becomes_an_image_once_for_the_same_bytes(boxes: Backend, tmp_path: Path) -> None:
    folder = context(
        tmp_path / "task",
        "FROM python:3.12-slim AS one\nCOPY . /task/\nRUN ls /sys/class/net >/net\nWORKDIR /task\n",
    )
    (folder / "data").write_text("1\n")
    (folder / "secret").write_text("no\n")
    (folder / "link").symlink_to("/etc/shadow")
    (folder / ".dockerignore").write_text("# what stays\nsecret\n")
    first = boxes.build(folder, base=BASE)
    os.utime(folder / "data", (1, 1))
    assert boxes.build(folder, base=BASE) == first
    assert boxes.has_image(first)
    with boxes.start(first, Limits()) as agents_box:
        ran = agents_box.run("pwd; cat data /net; ls; readlink link", timeout_s=60)
        assert ran.output == "/task\n1\nlo\nDockerfile\ndata\nlink\n/etc/shadow\n"
    (folder / "data").write_text("2\n")
    assert boxes.build(folder, base=BASE) != first


@needs_engine
def test_a_build_fetches_nothing_unasked(boxes: Backend, tmp_path: Path) -> None:
    with pytest.raises(BoxError, match=r"builds on python:3.12-slim.*base=\{'python:3.12-slim'"):
        boxes.build(context(tmp_path / "a", "FROM python:3.12-slim\n"))
    with pytest.raises(BoxError, match=r"builds on ghcr\.io/astral-sh/uv"):
        boxes.build(
            context(tmp_path / "b", "FROM python:3.12-slim\nCOPY --from=ghcr.io/astral-sh/uv:latest /uv /\n"), base=BASE
        )
    with pytest.raises(BoxError, match=r"fetches https://x/y.*network=True"):
        boxes.build(context(tmp_path / "c", "FROM python:3.12-slim\nADD https://x/y /\n"), base=BASE)


@needs_engine
def test_what_does_not_build_is_the_machines_fault_and_says_why(boxes: Backend, tmp_path: Path) -> None:
    with pytest.raises(BoxError, match=r"(?s)does not build.*broken here"):
        boxes.build(context(tmp_path / "a", "FROM python:3.12-slim\nRUN echo broken here; exit 3\n"), base=BASE)
    with pytest.raises(BoxError):
        boxes.build(context(tmp_path / "b", "FROM python:3.12-slim\nRUN sleep 60\n"), base=BASE, timeout_s=3)
    with pytest.raises(BoxError, match="expected a Dockerfile"):
        boxes.build(tmp_path)
    os.mkfifo(context(tmp_path / "c", "FROM python:3.12-slim\n") / "pipe")
    with pytest.raises(BoxError, match="files, folders and links"):
        boxes.build(tmp_path / "c", base=BASE)
