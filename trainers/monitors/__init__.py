"""Monitors: rules over a run that say when its reward is no longer to be trusted."""

from rlenv.trainers.monitors.monitor import Alarm, Monitor, read_alarms

__all__ = ["Alarm", "Monitor", "read_alarms"]
