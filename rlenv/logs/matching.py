"""Finds the task that a record of somebody's log was about.

In this order: the row of rlenv that travelled along, the id of the task, the prompt as it stands, the longest prompt of
the environment that stands in the record's (a chat template writes around it).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.core.task import Task, prompt_text
from rlenv.env.rows import read_row
from rlenv.env.tasksets import ListTasks
from rlenv.logs.record import Record

SEARCHED = 20_000
"""Tasks of a set that are looked through for a prompt."""
SHORTEST = 8
"""Characters of a prompt that may be looked for inside another: '2' stands in many."""


class Matcher:
    """The tasks of an environment by id and by prompt."""

    def __init__(self, definition: Definition, reference: str | None = None) -> None:
        self.definition, self.reference = definition, reference
        tasks = definition.tasks
        few = isinstance(tasks, ListTasks) or len(tasks) <= SEARCHED
        known = [tasks[i] for i in range(min(len(tasks), SEARCHED))] if few and reference is None else []
        self._by_id = {task.id: task for task in known}
        self._by_prompt: dict[str, list[Task]] = {}
        for task in known:
            self._by_prompt.setdefault(prompt_text(task.prompt).strip(), []).append(task)
        self._longest_first = sorted((p for p in self._by_prompt if len(p) >= SHORTEST), key=len, reverse=True)
        self._seen: dict[str, list[Task]] = {}

    def task(self, record: Record) -> Task | str:
        """The task, or why there is none."""
        if record.row:
            try:
                return read_row(record.row).task
            except ConfigError as error:
                return str(error)
        if self.reference is not None:
            if self.reference not in record.columns:
                return f"it has no column {self.reference!r}"
            return replace(Task(record.prompt, record.columns[self.reference]), metadata={})
        if record.task_id in self._by_id:
            return self._by_id[record.task_id]
        found = self._of_prompt(record.prompt.strip())
        if len(found) == 1:
            return found[0]
        return "several tasks have its prompt" if found else "no task of the environment has its prompt"

    def _of_prompt(self, prompt: str) -> Sequence[Task]:
        if prompt not in self._seen:
            whole = self._by_prompt.get(prompt)
            inside = whole or next((self._by_prompt[p] for p in self._longest_first if p in prompt), [])
            self._seen[prompt] = list(inside)
        return self._seen[prompt]
