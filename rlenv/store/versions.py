"""Whether a run may go on under the verifier that is here now: the version that it recorded against the present one.

versions.toml says of the verifiers of 4a06c01 what they are called now, and which of them judge otherwise since.

>>> compared("math/arithmetic-v0", "boxed-integer-2", "boxed-integer-3+b708ea522720")
Change(refused='', told='')
>>> compared("me/mine-v0", "3c199e015638", "source-0a9426910dc6").told
'the version 3c199e015638 is of a kind that is no longer made: whether the code is still the same cannot be told'
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

TABLE = "versions.toml"
_MARKED = re.compile(r"(.*)\+[0-9a-f]{12}")
"""`boxed-integer-3+b708ea522720`: an explicit version with a digest of its source (rlenv.core.fingerprint.recorded)."""
_FUNCTION = re.compile(r"\b(?:(?:source|code|settings)-[0-9a-f]{12}|no-version)\b")
"""`source-0a9426910dc6`: the version of a function (rlenv.core.fingerprint.code_version)."""
_OLD_FUNCTION = "[0-9a-f]{12}(-partial)?"
"""`3c199e015638`: what 4a06c01 called it."""


class Change(NamedTuple):
    """What it means that a run recorded another version."""

    refused: str = ""
    """Why its verdicts and those of now must not be mixed; empty where they may."""
    told: str = ""
    """What is said of it where the run goes on."""


def compared(env: str, old: Any, new: Any) -> Change:
    """The change from the version that a run of `env` recorded to the one of now; or of lists, or of tables by env."""
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        return _together(compared(name, old[name], new[name]) for name in old)
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return _together(compared(env, *pair) for pair in zip(old, new, strict=True))
    if isinstance(old, str) and isinstance(new, str):
        return _compared(env, old, new)
    return Change() if old == new else Change("other ones")


def _compared(env: str, old: str, new: str) -> Change:
    if old == new:
        return Change()
    before, explicit = _explicit(old), _explicit(new)
    if before != old:
        told = f"the source of {before} has changed since; its version says that its verdicts have not"
        return Change(told=told) if before == explicit else Change("another version")
    for row in _rows():
        found = re.fullmatch(row["was"], old)
        if found is not None and fnmatchcase(env, row.get("env", "*")):
            if "changed" in row:
                return Change(row["changed"])
            before = found.expand(row.get("now", r"\g<0>"))
            break
    if before == explicit:
        return Change()
    if re.fullmatch(_OLD_FUNCTION.join(map(re.escape, _FUNCTION.split(explicit))), old):
        told = (
            f"the version {old} is of a kind that is no longer made: whether the code is still the same cannot be told"
        )
        return Change(told=told)
    return Change("another version")


def _explicit(version: str) -> str:
    found = _MARKED.fullmatch(version)
    return version if found is None else found[1]


def _together(changes: Iterable[Change]) -> Change:
    found = list(changes)
    return Change(*("; ".join(dict.fromkeys(filter(None, said))) for said in zip(*found, strict=True)) if found else ())


@cache
def _rows() -> list[dict[str, str]]:
    import tomllib  # here: `import rlenv` reads no table

    rows: list[dict[str, str]] = tomllib.loads((files("rlenv") / TABLE).read_text("utf-8"))["version"]
    return rows
