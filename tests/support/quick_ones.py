"""A test over many things of one kind: some of them in `make test`, all the others in `make test-slow`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def quick_ones(things: Iterable[str], quick: Collection[str]) -> list[Any]:
    """The parameters of a test over all things, those that are not named as quick marked as slow."""
    return [pytest.param(thing, marks=() if thing in quick else pytest.mark.slow) for thing in things]
