"""The examples run, and do what they say."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_a_loop_of_ones_own_learns_from_nothing() -> None:
    curve = _load("own_loop").train()
    assert sum(curve[:5]) / 5 < 0.1
    assert sum(curve[-10:]) / 10 > 0.6
