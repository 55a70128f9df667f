"""What holds for every test: one thread a process, Ctrl-C as a terminal gives it, and one of two test commands."""

import os
import signal
from collections.abc import Sequence

import hypothesis
import pytest
import quick_rule
from container_engine import why_not

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when torch is imported; tests run side by side
os.environ["NO_PROXY"] = "*"  # servers of tests are on this machine
for key in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "REWARD_API_KEY", "RLENV_SERVE_KEY"):
    os.environ.pop(key, None)  # a key of the caller's goes to no server of a test
hypothesis.settings.register_profile("any machine", deadline=None)  # its default is 0.2 s an example
hypothesis.settings.load_profile("any machine")
hypothesis.settings.register_profile("quick", deadline=None, max_examples=10)
SEEN_BY_ONE_ANOTHER = ("test_hostile", "test_hostile_residue")
"""The one looks for mounts that are left on the machine, the other makes some."""
COLLECTED = pytest.StashKey[Sequence[pytest.Item]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="Only what tests/support/quick_rule.py calls quick.")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("quick"):
        hypothesis.settings.load_profile("quick")
        config.pluginmanager.register(quick_rule)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What needs an engine is slow. With `--dist loadgroup` one process has all of a file."""
    shared_out = config.pluginmanager.hasplugin("xdist")
    for item in items:
        if item.get_closest_marker("engine") is not None:
            item.add_marker(pytest.mark.slow)
        if shared_out:
            together = SEEN_BY_ONE_ANOTHER[0] if item.path.stem in SEEN_BY_ONE_ANOTHER else item.path.stem
            item.add_marker(pytest.mark.xdist_group(together))
    config.stash[COLLECTED] = tuple(items)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose engine is not there."""
    if (mark := item.get_closest_marker("engine")) and (problem := why_not(**{"own": False, **mark.kwargs})):
        pytest.skip(problem)


@pytest.fixture
def collected(pytestconfig: pytest.Config) -> Sequence[pytest.Item]:
    """All tests of the collection, whichever of them a command leaves out."""
    return pytestconfig.stash[COLLECTED]


@pytest.fixture(autouse=True, scope="session")
def _interruptible() -> None:
    """A shell starts its background jobs deaf to SIGINT, and so would be the programs that tests interrupt."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
