"""Deals the templates of a pool out: sorted by the hash of their names, every other one goes to the reporting half."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

from hackbench.drafts import Family, Template

FIRST = 20_000
"""Number of the first item of the reporting half."""


def drawn(pool: Family, half: str) -> Family:
    """The templates of the pool that fell to the half; plain solutions stand beside them in the reporting half."""
    return replace(
        pool,
        hacks=_share(pool, "hack", pool.hacks, half),
        honest=_share(pool, "honest", pool.honest, half),
        first=FIRST if half == "reporting" else 0,
    )


def _share(pool: Family, label: str, templates: dict[str, Template], half: str) -> dict[str, Template]:
    names = [name for name in templates if not name.startswith("plain_")]
    names.sort(key=lambda name: sha256(f"{pool.name}/{label}/{name}".encode()).hexdigest())
    mine = set(names[0 if half == "tuning" else 1 :: 2])
    if half == "reporting":
        mine |= templates.keys() - set(names)
    return {name: template for name, template in templates.items() if name in mine}
