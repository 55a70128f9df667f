"""`container/tasks-v0`: task folders in Harbor's format, worked on in a box and judged in another.

rlenv.make("container/tasks-v0", tasks="tasks/", base={"python:3.12-slim": "rlenv/agents-base:latest"})

policy   <tool_call>{"name": "bash", "arguments": {"command": "sed -i 's/a - b/a + b/' /app/add.py"}}</tool_call>
policy   <tool_call>{"name": "submit", "arguments": {}}</tool_call>

1.0   here, as tests of the task's own say in a fresh box; 0.0 for a conftest.py that calls every test passed
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from rlenv.agents.harness import Harness
from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.errors import MachineryError, TaskError
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.env.tasksets import ListTasks
from rlenv.envs.containers.judging import Grader
from rlenv.envs.containers.reader import SOLVE, Folder
from rlenv.envs.containers.rows import read_tasks
from rlenv.envs.containers.submissions import NOTHING
from rlenv.envs.containers.terminal import Terminal
from rlenv.envs.containers.workshop import Left, Workshop
from rlenv.sandbox.containers import Backend, docker_boxes
from rlenv.sandbox.errors import SandboxError
from rlenv.turns.replay import InteractionTrace

VERSION = "containers-4"
"""Changes with what is paid."""
MAX_TURNS = 64
AT_ONCE = 4
"""Verdicts that are made side by side."""
NOT_HERE = "this episode was not played here by this environment, and what it left is not kept: it cannot be judged"
NO_CALL = "no call was made: nothing was done in the box"


class LeftVerifier:
    """Judges what the agent left: found by the episode's trace, which this process alone has made, or in its run."""

    cheap = False
    version = VERSION
    sees_turns = True

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal

    def verify(self, task: Task, completion: Completion) -> Verdict:
        """One verdict. Raises BoxError and MachineryError."""
        folder = self.terminal.folders.get(str(task.metadata.get("task")))
        if folder is None:
            raise TaskError(f"no task {task.metadata.get('task')!r:.80} in the folder; give its folder as tasks=")
        left = self._left(task, completion, folder)
        if left is None:
            return Verdict.of(("reward", 0.0), reason=NO_CALL)
        return self.terminal.grader.judge(folder, left).verdict()

    def _left(self, task: Task, completion: Completion, folder: Folder) -> Left | None:
        """What the agent left; None where it made no call."""
        played, kept = completion.played, self.terminal.submissions
        if isinstance(played, InteractionTrace) and played.interaction is self.terminal and played.task == task:
            return None if played.last.state is None else self.terminal.left(played.last.state)
        if not completion.submission or kept is None:
            raise MachineryError(NOT_HERE)
        if completion.submission == NOTHING:
            return None
        return kept.find(completion.submission, self.terminal.grader.reference(folder).ground)

    def verify_all(self, jobs: Sequence[tuple[Task, Completion]]) -> Iterator[tuple[int, Verdict]]:
        """Side by side; what fails is a failure of its own job alone."""
        with ThreadPoolExecutor(AT_ONCE) as threads:
            asked = {threads.submit(self._said, *job): place for place, job in enumerate(jobs)}
            for done in as_completed(asked):
                yield asked[done], done.result()

    def _said(self, task: Task, completion: Completion) -> Verdict:
        try:
            return self.verify(task, completion)
        except (SandboxError, MachineryError, TaskError) as error:
            return Verdict.error(f"{type(error).__name__}: {error}")


def container_tasks(
    tasks: str | Path | None = None,
    base: Mapping[str, str] | None = None,
    network: bool = False,
    in_process: bool = False,
    backend: Backend | None = None,
    task: str | None = None,
    max_turns: int = MAX_TURNS,
    harness: str | None = None,
) -> Definition:
    """The task in a folder, those in the folders in it, or those of a file of rows with SWE-bench's fields.

    `task` picks one by its name.

    `base` names local images for those that a Dockerfile starts from. `network` gives it to the tasks that ask for it.
    `in_process` judges tasks that need a live process where the agent was. `backend` makes boxes, by default docker.
    `harness` is a command that plays them in the box, with `max_turns` calls of the policy (docs/agents.md).
    """
    if tasks is None:
        raise TaskError("expected tasks=FOLDER, of tasks in Harbor's format, or a file of rows with SWE-bench's fields")
    folders = {folder.name: folder for folder in read_tasks(Path(tasks))}
    if task is not None and task not in folders:
        raise TaskError(f"no task {task!r:.80} in {tasks}; there are {', '.join(folders)}")
    workshop = Workshop(backend or docker_boxes(), base or {}, network)
    terminal = Terminal(Grader(workshop, in_process), folders)
    return Definition(
        tasks=ListTasks(_tasks(folders.values() if task is None else [folders[task]])),
        verifier=LeftVerifier(terminal),
        interaction=terminal,
        driver=None if harness is None else Harness(terminal, harness, max_turns),
        solution=lambda each: _solution(folders[str(each.metadata["task"])])[0],
        script=lambda each: _solution(folders[str(each.metadata["task"])]),
        max_turns=max_turns,
        description="tasks in containers: a shell in a box, judged by the task's own tests in another",
    )


def _tasks(folders: Iterable[Folder]) -> Iterator[Task]:
    for folder in folders:
        yield Task(folder.instruction, id=folder.digest[:16], metadata={"task": folder.name, "digest": folder.digest})


def _solution(folder: Folder) -> tuple[str, ...]:
    """The reference solution as an agent would play it, where it is one script."""
    if set(folder.solution) != {SOLVE}:
        raise TaskError(f"task {folder.name} has no solution that is one script")
    command = folder.solution[SOLVE].decode("utf-8", "replace")
    calls = [{"name": "bash", "arguments": {"command": command}}, {"name": "submit", "arguments": {}}]
    return tuple(f"<tool_call>{json.dumps(call)}</tool_call>" for call in calls)
