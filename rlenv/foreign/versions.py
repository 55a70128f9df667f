"""Says in one line that a foreign package is missing, or of a version that nobody tried.

>>> release("1.16.0rc1") < release("1.16.1") < release("2.0")
True
"""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version

from rlenv.core.errors import ConfigError


def release(text: str) -> tuple[int, ...]:
    """The numbers of a version, `1.16.0rc1` -> (1, 16, 0)."""
    numbers = re.match(r"\d+(?:\.\d+)*", text)
    return tuple(int(number) for number in numbers[0].split(".")) if numbers else ()


def check_version(distribution: str, known: str, below: str) -> None:
    """Raise ConfigError where the package is not installed, older than `known` or not older than `below`."""
    install = f"pip install '{distribution}=={known}'"
    try:
        installed = version(distribution)
    except PackageNotFoundError as error:
        raise ConfigError(f"{distribution} is not installed; do: {install}") from error
    if not release(known) <= release(installed) < release(below):
        raise ConfigError(
            f"expected {distribution} from {known} to below {below}, got {installed}; known to work: {install}"
        )
