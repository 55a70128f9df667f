"""The values that everything else speaks of: tasks, completions, verdicts, verifiers, episodes, errors."""

VERSION = "0.1.0"
"""The version of rlenv, for what says it and may not import the whole package."""
