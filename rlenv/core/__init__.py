"""The values that everything else speaks of: tasks, completions, verdicts, verifiers, episodes, errors."""
