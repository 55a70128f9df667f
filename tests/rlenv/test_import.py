"""Importing rlenv is light, and stays light while no heavy part is used."""

import subprocess
import sys

NEEDED = {"gymnasium", "numpy", "cloudpickle", "farama_notifications", "typing_extensions"}
"""What rlenv may load from other packages: gymnasium, numpy, cloudpickle and what gymnasium itself brings."""
LOADED = """
import sys
before = set(sys.modules)
import rlenv
{then}
names = [name for name in set(sys.modules) - before if name.partition(".")[0] not in sys.stdlib_module_names]
print(*{{name.partition(".")[0] for name in names}} - {{"rlenv"}})
"""


def loaded(then: str = "") -> set[str]:
    program = LOADED.format(then=then)
    return set(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split())


def test_import_loads_gymnasium_and_numpy_only() -> None:
    assert loaded() <= NEEDED


def test_listing_environments_loads_none_of_them() -> None:
    assert loaded("rlenv.list_envs()") <= NEEDED


def test_an_episode_of_sums_loads_nothing_heavy() -> None:
    assert loaded("env = rlenv.make('math/arithmetic-v0'); env.reset(seed=0); env.step('4')") <= NEEDED
