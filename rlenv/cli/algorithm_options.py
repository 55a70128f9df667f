"""Settings of an algorithm on the command line: `--set control.clip_high=0.28`, told by the dot in the key.

`--set engine.precision=bf16` reaches how the run computes (rlenv.trainers.engine) in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rlenv.cli.environment_options import setting_value
from rlenv.errors import ConfigError
from rlenv.jsontypes import Json

PREFIX = "algorithm."
"""May stand in front; needed where a setting has no dot of its own (algorithm.averaging)."""

ENGINE = "engine."


def split_settings(settings: Sequence[str] | None) -> tuple[list[str], dict[str, Json]]:
    """The settings of the environment as they are, and those of the algorithm by their paths.

    >>> split_settings(["level=3", "control.clip_high=0.28", "algorithm.averaging=token"])
    (['level=3'], {'control.clip_high': 0.28, 'averaging': 'token'})
    """
    of_environment: list[str] = []
    of_algorithm: dict[str, Json] = {}
    for setting in settings or ():
        path, equals, value = setting.partition("=")
        if "." not in path:
            of_environment.append(setting)
        elif equals:
            of_algorithm[path.removeprefix(PREFIX)] = setting_value(value)
        else:
            raise ConfigError(f"expected --set PATH=VALUE, got {setting!r}; for example --set control.clip_high=0.28")
    return of_environment, of_algorithm


def change_algorithm(options: dict[str, Any], others: dict[str, Any]) -> None:
    """Put the settings of the algorithm into it, before the run's own settings are checked against it."""
    others["settings"], given = split_settings(others["settings"])
    engine = {path.removeprefix(ENGINE): value for path, value in given.items() if path.startswith(ENGINE)}
    changes = {path: value for path, value in given.items() if not path.startswith(ENGINE)}
    if engine:
        from rlenv.trainers.changes import with_changes
        from rlenv.trainers.engine import EngineConfig

        options["engine"] = with_changes(EngineConfig(), engine)
    if changes:
        from rlenv.trainers.algorithm import algorithm_named
        from rlenv.trainers.changes import with_changes

        options["algorithm"] = with_changes(algorithm_named(options["algorithm"]), changes)
