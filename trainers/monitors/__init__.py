"""Monitors: rules over a run that say when its reward is no longer to be trusted."""

from rlenv.trainers.monitors.default import RULES, default_monitors
from rlenv.trainers.monitors.gold import GoldMonitor
from rlenv.trainers.monitors.monitor import Alarm, Monitor, read_alarms
from rlenv.trainers.monitors.rules import Broken, History, Rule, Rules

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
