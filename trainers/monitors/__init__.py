"""Monitors: rules over a run that say when its reward is no longer to be trusted."""

from collections.abc import Sequence

from rlenv.core.errors import ConfigError
from rlenv.trainers.monitors.gold import GoldMonitor
from rlenv.trainers.monitors.kinds import RULES
from rlenv.trainers.monitors.rules import Broken, History, Monitor, Rule, Rules
from rlenv.trainers.records.logs import Alarm, read_alarms

__all__ = [
    "RULES",
    "Alarm",
    "Broken",
    "GoldMonitor",
    "History",
    "Monitor",
    "Rule",
    "Rules",
    "default_monitors",
    "read_alarms",
]


def default_monitors(names: str = "default", *, window: int = 5, stop_on: Sequence[str] = ()) -> list[Rules]:
    """The rules named between commas as one monitor; `default` stands for all, and nothing for none.

    Raises ConfigError, listing what there is, for a rule that is not known.

    >>> [rule.name for rule in default_monitors("length_drift,jump")[0].rules]
    ['length_drift', 'jump']
    """
    said = [name.strip() for name in names.split(",") if name.strip()]
    chosen = list(dict.fromkeys(rule for name in said for rule in (RULES if name == "default" else [name])))
    unknown = [name for name in chosen if name not in RULES]
    if unknown:
        raise ConfigError(f"no rule {unknown[0]!r}; there are: {', '.join(RULES)}, and 'default' for every one")
    return [Rules([RULES[name]() for name in chosen], window=window, stop_on=stop_on)] if chosen else []
