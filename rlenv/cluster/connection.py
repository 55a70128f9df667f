"""A connection to a Ray cluster; the only place that starts one."""

from __future__ import annotations

import os
from typing import Any

from rlenv.core.errors import ConfigError, MissingExtra


def connected(address: str) -> tuple[Any, bool]:
    """The module `ray`, connected, and whether the connection was made here.

    Raises MissingExtra, and ConfigError where no cluster answers.
    """
    try:
        import ray
    except ImportError as error:
        raise MissingExtra("ray", "ray") from error
    if ray.is_initialized():
        return ray, False
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # a cluster that we start reports to nobody
    try:
        ray.init(None if address == "ray" else address, log_to_driver=False)
    except (ConnectionError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
        raise ConfigError(
            f"no Ray cluster at {address}: {error}; start one with `ray start --head` and give its ray://HOST:10001"
        ) from error
    return ray, True
