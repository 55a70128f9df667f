"""Where verdicts come from, as the setting `verdicts` says it: this machine, a Ray cluster, or an `rlenv serve`.

>>> ray_address("ray"), ray_address("ray://head:10001?cpus=8"), ray_address("local")
(('ray', None), ('ray://head:10001', 8), None)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.workers.pool import share, shared_pool


def judged_at(source: str, definition: Definition, kwargs: Mapping[str, Json] | None = None) -> Definition:
    """The environment with its verdicts from there; `kwargs` are its keywords, which a server must have too.

    "" is this machine. "ray" or "ray://HOST:PORT" makes a cluster the pool of this process, for tools as well; with
    "?cpus=N" each node gives N cores. "http://..." or "https://..." is an `rlenv serve`. Raises ConfigError for
    anything else and where nobody answers, MissingExtra, and PolicyError for a server that is not there.
    """
    if not source:
        return definition
    if source.startswith(("http://", "https://")):
        from rlenv.cluster.client import RemoteVerifier

        return replace(definition, verifier=RemoteVerifier(source, definition.id, kwargs=kwargs))
    address = ray_address(source)
    if address is None:
        raise ConfigError(f"expected verdicts from ray, ray://HOST:PORT or http(s)://HOST:PORT, got {source!r}")
    from rlenv.cluster.pool import RayPool

    before = shared_pool()
    if not isinstance(before, RayPool) or (before.address, before.cpus) != address:
        share(None)  # it may hold the cores that the next one asks for
        share(RayPool(address[0], cpus=address[1]))
    return definition


def ray_address(source: str) -> tuple[str, int | None] | None:
    """The address and the cores of each node; None for what is no address of Ray.

    Raises ConfigError for settings that do not exist.
    """
    address, _, settings = source.partition("?")
    if address != "ray" and not address.startswith("ray://"):
        return None
    name, _, value = settings.partition("=")
    if settings and (name != "cpus" or not value.isdigit()):
        raise ConfigError(f"expected ?cpus=N behind {address}, got ?{settings}")
    return address, int(value) if settings else None
