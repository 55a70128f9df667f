"""Runs that 4a06c01 made go on where their verdicts are still the same, and are refused with the reason elsewhere."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
from recorded_versions import given_data

import rlenv
from rlenv.core.fingerprint import recorded
from rlenv.store import versions
from rlenv.store.versions import Change, compared

DATA = Path(__file__).resolve().parents[1] / "data"
RECORDED: list[dict[str, Any]] = [json.loads(row) for row in (DATA / "versions.jsonl").read_text().splitlines()]


def reason(env: str, version: str) -> str | None:
    """What the table says against a version; None where it has no row for it."""
    for row in versions._rows():
        if re.fullmatch(row["was"], version) and fnmatchcase(env, row.get("env", "*")):
            return row.get("changed", "")
    return None


def test_the_table_has_a_row_for_each_version_that_was_recorded_and_none_beside() -> None:
    assert [row for row in RECORDED if reason(row["env"], row["version"]) is None] == []
    left = list(versions._rows())
    for row in RECORDED:
        left = [one for one in left if not re.fullmatch(one["was"], row["version"])]
    assert left == []


@pytest.mark.parametrize("row", RECORDED, ids=lambda row: f"{row['env']} {row['kwargs']}")
def test_a_run_goes_on_or_is_refused_as_the_table_says(row: dict[str, Any], tmp_path: Path) -> None:
    changed = reason(row["env"], row["version"])
    if changed:
        assert compared(row["env"], row["version"], "any") == Change(changed)
        return
    env = rlenv.load(row["env"], **row["kwargs"], **given_data(row["env"], tmp_path))
    assert compared(row["env"], row["version"], recorded(env.verifier)) == Change()


def test_a_change_of_the_source_alone_is_told() -> None:
    change = compared("math/arithmetic-v0", "boxed-integer-2+0123456789ab", "boxed-integer-2+ba9876543210")
    assert change == Change(
        told="the source of boxed-integer-2 has changed since; its version says that its verdicts have not"
    )
    assert compared("me/mine-v0", "source-0123456789ab", "source-ba9876543210").refused


@pytest.mark.parametrize("new", ["source-0123456789ab", "code-0123456789ab", "no-version"])
def test_an_old_version_of_a_function_cannot_be_told_from_another(new: str) -> None:
    assert "cannot be told" in compared("me/mine-v0", "3c199e015638-partial", new).told
    assert "cannot be told" in compared("me/mine-v0", "0.5*a:3c199e015638+1*b:tags-3", f"0.5*a:{new}+1*b:tags-3").told
    assert compared("me/mine-v0", "0.5*a:3c199e015638+1*b:tags-3", f"0.5*a:{new}+1*b:tags-4").refused


def test_a_row_of_the_table_says_why_and_what_it_is_called_now(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        {"env": "math/svamp-v0", "was": "math-9-(.*)", "now": r"math-10-\1"},
        {"was": "math-9-.*", "changed": "formulas are compared by fewer rules"},
    ]
    monkeypatch.setattr(versions, "_rows", lambda: rows)
    assert compared("math/svamp-v0", "math-9-33cfcfe7", "math-10-33cfcfe7+0123456789ab") == Change()
    assert compared("math/svamp-v0", "math-9-33cfcfe7", "math-10-03ec78e3+0123456789ab").refused == "another version"
    refused = compared("me/mine-v0", "math-9-33cfcfe7", "math-9-33cfcfe7+0123456789ab").refused
    assert refused == "formulas are compared by fewer rules"


def test_wrappers_and_the_members_of_a_mixture_are_compared_each() -> None:
    old = {"a/a-v0": ["clip:3c199e015638"], "b/b-v0": []}
    new = {"a/a-v0": ["clip:settings-0123456789ab+0123456789ab"], "b/b-v0": []}
    assert "cannot be told" in compared("a + b", old, new).told
    assert compared("a + b", {**old, "b/b-v0": ["scale:3c199e015638"]}, new).refused == "other ones"
