"""Versions of scorers: equal settings over equal files score alike."""

from __future__ import annotations

import hashlib

from rlenv.core.jsontypes import Json, canonical


def fingerprint(*settings: Json) -> str:
    """A short name for everything that the scores depend on."""
    return hashlib.blake2b(canonical(settings).encode(), digest_size=6).hexdigest()
