"""What holds for every test: one thread a process, and Ctrl-C as a terminal gives it."""

import signal

import pytest

try:
    import torch
except ImportError:  # the core is tested without the training extra too
    torch = None  # type: ignore[assignment]


@pytest.fixture(autouse=True, scope="session")
def _one_thread() -> None:
    if torch is not None:
        torch.set_num_threads(1)


@pytest.fixture(autouse=True, scope="session")
def _interruptible() -> None:
    """A shell starts its background jobs deaf to SIGINT, and so would be the programs that tests interrupt."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
