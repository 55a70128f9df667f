"""The versions of the verifiers of all registered environments, by their keywords: a line of JSON each.

    cd CHECKOUT && PYTHONPATH=$PWD python HERE/tests/support/recorded_versions.py > HERE/tests/data/versions.jsonl

With a checkout of 4a06c01 it makes tests/data/versions.jsonl anew: what rlenv/versions.toml has to account for.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import gymnasium
from code_rows import APPS, HUMANEVAL, MBPP, STDIO
from problem_rows import ROWS

import rlenv
from rlenv.env.registry import needed

KWARGS: dict[str, list[dict[str, Any]]] = {
    "math/countdown-v0": [{"use": "exactly_once"}],
    "math/math500-v0": [{"verifier": "math-verify"}],
    "process/arithmetic-v0": [{"credit": "mean", "process_weight": 0.25}, {"guards": False, "unsafe": "a test"}],
    "process/gsm8k-v0": [{"cut": "lines"}, {"credit": "mean"}, {"steps_in": "reasoning"}],
    "format/instructions-v0": [{"mode": "loose"}, {"reward": "share"}, {"pay": "instructions"}],
    "format/json-v0": [{"extra_text": "allow"}, {"pay": "shape"}],
    "format/regex-v0": [{"pay": "shape"}],
    "code/humaneval-v0": [{"pay": "share"}, {"probe": True}],
    "code/snippets-v0": [{"pay": "share"}, {"wall_s": 2.0}],
    "code/repair-v0": [{"discount": 0.5}],
    "safety/refusal-v0": [{"scorer": "toy"}, {"scorer": "toy", "harmless_partial": 0.25}],
    "safety/rm-v0": [{"scorer": "toy"}, {"scorer": "toy", "guarded": False}, {"scorer": "toy", "squash": False}],
}
"""Beside the defaults: keywords that a version depends on."""
DATA: dict[str, list[dict[str, Any]]] = {
    **{f"math/{name}-v0": rows for name, rows in ROWS.items()},
    "process/gsm8k-v0": ROWS["gsm8k"],
    "code/humaneval-v0": HUMANEVAL,
    "code/mbpp-v0": MBPP,
    "code/apps-v0": APPS,
    "code/stdio-v0": STDIO,
}
"""Rows for the sets that are on the hub."""


def given_data(env: str, folder: Path) -> dict[str, Any]:
    """The keyword that names a file of rows, where the environment's own are on the hub."""
    if env not in DATA:
        return {}
    path = folder / f"{env.replace('/', '-')}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in DATA[env]))
    return {"data": str(path)}


def main() -> None:
    ours = [
        name for name, spec in gymnasium.registry.items() if spec.entry_point == "rlenv.env.registry:build_environment"
    ]
    with tempfile.TemporaryDirectory() as folder:
        for env in sorted(ours):
            data = given_data(env, Path(folder))
            for kwargs in [*([] if needed(env) else [{}]), *KWARGS.get(env, [])]:
                try:
                    version = rlenv.load(env, **data, **kwargs).verifier.version
                except rlenv.RlenvError as error:
                    print(f"{env} {kwargs}: {error}", file=sys.stderr)
                else:
                    print(json.dumps({"env": env, "kwargs": kwargs, "version": version}))


if __name__ == "__main__":
    main()
