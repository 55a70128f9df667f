"""Cells spread over the cores, also those of several processes."""

from __future__ import annotations

import socket
import sys
from collections import Counter
from collections.abc import Iterator

import pytest

from rlenv.sandbox import cores
from rlenv.sandbox.cores import Place, take_places

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere cells go where the system puts them")
CORES = [90_001, 90_002, 90_003]
"""No machine has these, so nobody else claims them."""


@pytest.fixture
def taken() -> Iterator[list[Place]]:
    """Places that are given up at the end."""
    places: list[Place] = []
    yield places
    for place in places:
        place.close()


def cells(places: list[Place]) -> Counter[int]:
    """How many cells each core has."""
    return Counter(core for place in places for core in place.cores())


def test_each_cell_gets_a_core_of_its_own_while_there_are_some(taken: list[Place]) -> None:
    taken += take_places(3, CORES)
    assert cells(taken) == Counter(CORES)


def test_cells_of_several_processes_are_spread_evenly(taken: list[Place]) -> None:
    for count in (2, 1, 1, 2, 6):
        taken += take_places(count, CORES)
        per_core = cells(taken)
        assert max(per_core.values()) - min(per_core.get(core, 0) for core in CORES) <= 1


def test_who_shares_a_core_moves_to_one_that_comes_free(taken: list[Place], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "LOOK_EVERY_S", -1.0)
    taken += take_places(5, CORES)  # two on the first and on the second core
    assert cells(taken) == {90_001: 2, 90_002: 2, 90_003: 1}
    for place in [place for place in taken if place.cores() == [90_002]]:
        place.close()
        taken.remove(place)
    assert cells(taken) == {90_001: 1, 90_002: 1, 90_003: 1}


def test_cores_come_free_when_they_are_given_up() -> None:
    for place in take_places(3, CORES):
        place.close()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as claim:
        claim.bind(f"\0rlenv-sandbox-core-{CORES[0]}-0")
        again = take_places(1, CORES)
        assert cells(again) == {90_002: 1}
        again[0].close()


def test_where_nothing_can_be_claimed_cells_share_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "DEEPEST", 0)
    assert cells(take_places(4, CORES)).keys() <= set(CORES)
    assert take_places(2, [])[0].cores() == []
