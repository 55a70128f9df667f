"""Settings of an algorithm on the command line: `--set control.clip_high=0.28`, told by the dot in the key.

`--set engine.precision=bf16` and `optimiser.beta2=0.95` reach how the run computes and steps in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rlenv.cli.environment_options import import_modules, setting_value
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json

PREFIX = "algorithm."
"""May stand in front; needed where a setting has no dot of its own (algorithm.averaging)."""

PARTS = ("engine", "optimiser")
"""Settings of the run that have settings of their own."""


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
    """Put the settings of the algorithm into it, before the run's own settings are checked against it.

    Modules of `--import` come first: they may add a row to the table of algorithms.
    """
    import_modules(others.get("imports"))  # `rlenv plan` has none
    others["settings"], given = split_settings(others["settings"])
    of_parts = {part: _within(part, given) for part in PARTS}
    changes = {path: value for path, value in given.items() if path.partition(".")[0] not in PARTS}
    for part, inner in of_parts.items():
        if inner:
            from rlenv.trainers.settings.changes import with_changes
            from rlenv.trainers.settings.config import TrainConfig

            options[part] = with_changes(getattr(TrainConfig(), part), inner)
    if changes:
        from rlenv.trainers.algorithms.table import algorithm_named
        from rlenv.trainers.settings.changes import with_changes

        options["algorithm"] = with_changes(algorithm_named(options["algorithm"]), changes)


def _within(part: str, given: Mapping[str, Json]) -> dict[str, Json]:
    """The settings of one part, without its name in front."""
    return {path.partition(".")[2]: value for path, value in given.items() if path.partition(".")[0] == part}
