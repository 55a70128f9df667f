"""Importing rlenv is light, and stays light while no heavy part is used."""

import json
import subprocess
import sys
from types import SimpleNamespace

import pytest

from rlenv.core import errors

NEEDED = {"gymnasium", "numpy", "cloudpickle", "farama_notifications", "typing_extensions"}
"""What rlenv may load from other packages: gymnasium, numpy, cloudpickle and what gymnasium itself brings."""
LOADED = """
import sys
before = set(sys.modules)
import rlenv
{then}
new = [module for name, module in sys.modules.items() if name not in before]
files = [(module.__name__, getattr(module, "__file__", None) or "") for module in new]
print(*{{name.partition(".")[0] for name, file in files if "-packages" in file}} - {{"rlenv"}})
"""


def loaded(then: str = "") -> set[str]:
    command = [sys.executable, "-c", LOADED.format(then=then)]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_import_loads_gymnasium_and_numpy_only() -> None:
    assert {"gymnasium", "numpy"} <= loaded() <= NEEDED


def test_the_list_and_an_episode_of_sums_load_nothing_heavy() -> None:
    assert (
        loaded("rlenv.list_envs(); env = rlenv.make('math/arithmetic-v0'); env.reset(seed=0); env.step('4')") <= NEEDED
    )


def test_what_no_run_needs_is_imported_when_asked_for() -> None:
    program = (
        "import sys, rlenv\n"
        "later = ('rlenv.cards', 'rlenv.comparison', 'rlenv.evaluation.')\n"
        "assert not [name for name in sys.modules if name.startswith(later)]\n"
        "assert all(map(callable, (rlenv.card, rlenv.compare, rlenv.evaluate, rlenv.rescore)))\n"
        "assert rlenv.policies.Sampling and not hasattr(rlenv, 'compere')\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_what_is_loaded_is_seen() -> None:
    assert "typer" in loaded("import rlenv.cli")


ORIGINS = [
    ({"url": "file:///src/rlenv", "dir_info": {"editable": True}}, "pip install -e '/src/rlenv[train]'"),
    ({"url": "https://g.org/r", "vcs_info": {"vcs": "git"}}, "pip install 'rlenv-llm[train] @ git+https://g.org/r'"),
    (None, "pip install 'rlenv-llm[train]'"),
]


@pytest.mark.parametrize(("origin", "said"), ORIGINS)
def test_a_missing_extra_is_installed_from_where_the_package_came(
    origin: object, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = SimpleNamespace(read_text=lambda name: None if origin is None else json.dumps(origin))
    monkeypatch.setattr(errors, "distribution", lambda name: record)
    assert str(errors.MissingExtra("torch", "train")) == f"torch is not installed; do: {said}"
