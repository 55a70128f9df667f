"""What is said to be guaranteed, and what is said not to be, on machines of several kinds."""

from dataclasses import replace

import pytest
from other_user import OtherUsersSandbox

from rlenv.sandbox import Sandbox
from rlenv.sandbox.promises import Cage, cage_of, promises

CAGED = Cage(docker=True, landlock=7, own_uid=True, cgroup=True, memory_mb=512, processes=64, tmp_mb=16)
BARE = replace(CAGED, docker=False, own_uid=False, cgroup=False)


def broken(cage: Cage) -> list[str]:
    """What is not guaranteed, by its first word."""
    return [promise.what.split()[0] for promise in promises(cage) if promise.but]


def test_nobody_promises_that_time_tells_nothing() -> None:
    assert broken(CAGED) == ["timing,"]
    assert str(promises(CAGED)[-1]).count("not guaranteed here because") == 1


@pytest.mark.parametrize(
    ("cage", "words"),
    [
        (replace(CAGED, docker=False), ["the", "timing,"]),
        (BARE, ["memory", "numbers", "the", "timing,"]),
        (replace(BARE, landlock=5), ["nobody", "memory", "numbers", "the", "timing,"]),
        (replace(CAGED, landlock=0), ["timing,"]),
    ],
    ids=["root", "user", "user-on-an-old-kernel", "docker-without-landlock"],
)
def test_what_a_machine_lacks_is_said(cage: Cage, words: list[str]) -> None:
    assert broken(cage) == words


def test_every_line_says_what_holds_it_or_why_nothing_does() -> None:
    for cage in (CAGED, BARE, replace(BARE, landlock=0)):
        for promise in promises(cage):
            assert str(promise).startswith(promise.what + ": ")
            assert promise.by or promise.but


def test_the_limits_that_are_named_are_those_of_the_cells() -> None:
    text = "\n".join(map(str, promises(CAGED)))
    for words in ("together, 512 MB: a cgroup", "processes, 64 in a cell", "disk, 16 MB"):
        assert words in text


def test_an_open_sandbox_says_how_its_cells_are_made(box: Sandbox | OtherUsersSandbox) -> None:
    if isinstance(box, OtherUsersSandbox):
        pytest.skip("it lives in another process")
    cage = cage_of(box)
    assert cage.docker is (box.backend == "docker")
    assert (cage.memory_mb, cage.tmp_mb) == (512, 16)
    assert cage.own_uid is cage.cgroup
