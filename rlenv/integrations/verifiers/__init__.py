"""Writes an environment as a taskset package of verifiers, which prime-rl trains on too (verifiers 0.4.0).

    python -m rlenv.integrations.verifiers math/arithmetic-v1 environments --size 200 --set level=2

writes `environments/rlenv-math-arithmetic-v1`; install it (`pip install -e`) and its id is `rlenv-math-arithmetic-v1`:

    vf-validate rlenv-math-arithmetic-v1
    vf-eval rlenv-math-arithmetic-v1 --env.agent.harness.id null --env.agent.runtime.type subprocess --no-push
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path

from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.integrations.adapter import export, template


def to_verifiers(env: str, folder: str | Path, *, size: int | None = None, seed: int = 0, **settings: Json) -> str:
    """Write the package below `folder`; its id, `rlenv-math-arithmetic-v1` for example.

    `size` tasks are drawn by `seed`; None takes every task of a set of up to 20,000. An environment of several turns
    brings the Env that plays them.

    Raises ConfigError when a size must be given and for an environment that is for evaluation only.
    """
    player = ["RlenvEnv"] if export(env, settings, size, seed).turns else []
    name = "rlenv-" + re.sub(r"\W+", "-", env).lower()  # the slash of `math/arithmetic-v1`
    module = name.replace("-", "_")
    imports, exported = ", ".join(["RlenvConfig", *player, "RlenvTask", "tasks_of"]), ["RowsTaskset", *player]
    package = Path(folder) / name / module
    package.mkdir(parents=True, exist_ok=True)
    code = template("verifiers_taskset.py").format(
        env=env, imports=imports, exported=exported, settings=settings, size=size, seed=seed
    )
    (package / "__init__.py").write_text(code, encoding="utf-8")
    (package.parent / "pyproject.toml").write_text(
        template("verifiers_project.toml").format(name=name, env=env, module=module), "utf-8"
    )
    return name


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m rlenv.integrations.verifiers", description=__doc__)
    parser.add_argument("env", help="an id: math/arithmetic-v1")
    parser.add_argument("folder", help="where the package's folder is made")
    parser.add_argument("--size", type=int, help="how many tasks; all of them unless given")
    parser.add_argument("--seed", type=int, default=0, help="draws the tasks")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a keyword of rlenv.make")
    given = parser.parse_args(arguments)
    settings = dict(_setting(text) for text in given.set)
    package = Path(given.folder) / to_verifiers(given.env, given.folder, size=given.size, seed=given.seed, **settings)
    print(f"{package} is written; do: pip install -e {package}")


def _setting(text: str) -> tuple[str, Json]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ConfigError(f"expected --set NAME=VALUE, got {text!r}")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
