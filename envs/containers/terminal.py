"""What answers an agent in a box: the tools `bash`, `edit` and `submit`.

    policy   <tool_call>{"name": "bash", "arguments": {"command": "make && ./wc < a.txt"}}</tool_call>
    tool     3
             [exit code 0]

The box starts with the first call, and ends with the episode: then what the agent leaves is taken out of it, to be
judged elsewhere. A turn without a call ends the episode as `submit` does. A state stands for a live box: it cannot be
forked or played again.
"""

from __future__ import annotations

import secrets
import shlex
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from rlenv.core.completion import Completion
from rlenv.core.errors import MachineryError
from rlenv.core.interaction import Reply
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.envs.containers.judging import Grader
from rlenv.envs.containers.reader import Folder
from rlenv.envs.containers.submissions import NOTHING, Submissions
from rlenv.envs.containers.workshop import Left
from rlenv.sandbox.containers import Box, BoxFull
from rlenv.sandbox.errors import SandboxError
from rlenv.turns.play import reply_of
from rlenv.turns.schema import Schema
from rlenv.turns.tools import Tool, ToolInteraction, shared_state

COMMAND_S = 180.0
"""Of one command; the whole episode has the time of the task."""
OUTPUT_BYTES = 16_000
MAX_EDITED = 1 << 20
MOST_LEFT = 256
"""Episodes whose files wait for their verdict at once; the oldest goes."""
AT_ONCE = 16
SUBMITTED = "submitted"


@dataclass
class Bench:
    """One episode: its box, and when its time is over."""

    folder: Folder
    box: Box
    until: float


class Terminal:
    """Answers the calls of agents in boxes, and keeps what they left until it is judged."""

    def __init__(self, grader: Grader, folders: Mapping[str, Folder]) -> None:
        self.grader, self.folders = grader, folders
        self._benches: dict[str, Bench] = {}
        self._left: OrderedDict[str, tuple[Left | SandboxError, str]] = OrderedDict()
        self.submissions: Submissions | None = None
        """Where what episodes leave is kept beyond their verdict."""
        self._lock = threading.Lock()
        self._tools = ToolInteraction(
            [Tool(function, cheap=True) for function in (self.bash, self.edit, self.submit)],
            initial=_initial,
            max_result_chars=OUTPUT_BYTES + 200,
        )

    @property
    def tools(self) -> Sequence[Schema]:
        return self._tools.tools

    def start(self, task: Task) -> Json:
        """No box is started before the first call."""
        return self._tools.start(task)

    def respond(self, state: Json, said: Completion) -> Reply:
        """Make the calls; the episode is over where there is none, or one of them is `submit`."""
        if not said.reading.calls:
            return Reply(state, ended=True, reason="the episode ended without a call")
        reply = self._tools.answer(state, said)
        over = bool(_known(reply.state).get(SUBMITTED))
        bench = self._benches.get(str(_known(state)["mark"]))
        late = bench is not None and time.monotonic() > bench.until
        return reply._replace(ended=over or late, reason="the agent's time is over" if late and not over else "")

    def respond_all(self, turns: Sequence[tuple[Json, Completion]]) -> Sequence[Reply | Exception]:
        """As `respond`, side by side: each is in a box of its own."""
        with ThreadPoolExecutor(min(len(turns), AT_ONCE)) as threads:
            return list(threads.map(lambda turn: reply_of(self, *turn), turns))

    def close(self, state: Json) -> None:
        """Take out what the agent leaves, and end its box."""
        if state is None:
            return
        mark = str(_known(state)["mark"])
        with self._lock:
            bench = self._benches.pop(mark, None)
        if bench is None:
            return
        try:
            with bench.box:
                left: Left | SandboxError = self.grader.take(bench.folder, bench.box)
        except SandboxError as error:
            left = error
        kept = self.submissions.keep(left) if self.submissions is not None and isinstance(left, Left) else ""
        with self._lock:
            self._left[mark] = left, kept
            while len(self._left) > MOST_LEFT:
                self._left.popitem(last=False)

    def left(self, state: Json) -> Left | None:
        """What was left in the episode that ended in this state; nothing, where no box was ever started.

        Raises the BoxError that taking it out came to, and MachineryError where it is not kept here any more.
        """
        known = _known(state)
        with self._lock:
            found, _ = self._left.get(str(known["mark"]), (None, ""))
        if isinstance(found, SandboxError):
            raise found
        if found is None and known["begun"]:
            raise MachineryError("what this episode left is not kept here any more")
        return found

    def keep_in(self, folder: Path) -> None:
        """Keep what episodes leave in a folder, and find it there."""
        self.submissions = Submissions(folder)

    def kept(self, state: Json) -> str:
        """What a completion says of the episode that ended in this state."""
        if self.submissions is None or state is None:
            return ""
        known = _known(state)
        with self._lock:
            _, kept = self._left.get(str(known["mark"]), (None, ""))
        return kept if known["begun"] else NOTHING

    def bench(self, state: dict[str, Json]) -> Bench:
        """The box of an episode, started at its first call. Raises BoxError and MachineryError."""
        mark = str(state["mark"])
        bench = self._benches.get(mark)
        if bench is None:
            if state["begun"]:
                raise MachineryError("the box of this episode is in another process, or ended")
            folder = self.folders[str(state["task"])]
            self.grader.reference(folder)
            box = self.grader.workshop.open(folder)
            bench = Bench(folder, box, time.monotonic() + folder.agent.timeout_s)
            with self._lock:
                self._benches[mark] = bench
            state["begun"] = True
        return bench

    def bash(self, command: str, state: dict[str, Json]) -> str:
        """Run a command in the shell of the machine; folder and variables persist from one call to the next.

        Args:
            command: The command.
        """
        bench = self.bench(state)
        left_s = max(1.0, min(COMMAND_S, bench.until - time.monotonic()))
        try:
            ran = bench.box.run(command, timeout_s=left_s, max_output=OUTPUT_BYTES)
        except BoxFull as error:
            return f"[{error}]"
        end = f"ended after {left_s:.0f} s" if ran.exit_code is None else f"exit code {ran.exit_code}"
        return f"{ran.output.rstrip()}\n[{end}]".lstrip("\n")

    def edit(self, path: str, old: str, new: str, state: dict[str, Json]) -> str:
        """Replace a text that stands once in a file, or write a new file where `old` is empty.

        Args:
            path: The file, absolute.
            old: What stands there now, exactly once.
            new: What is to stand there.
        """
        bench = self.bench(state)
        if not path.startswith("/") or ".." in path.split("/"):
            return "error: expected an absolute path without .."
        return _edited(bench, path, old, new)

    def submit(self, state: dict[str, Json]) -> str:
        """Hand in the machine as it is; the task is over then."""
        self.bench(state)
        state[SUBMITTED] = True
        return "submitted"


def _edited(bench: Bench, path: str, old: str, new: str) -> str:
    """What the tool `edit` says; it works as the agent's user does, whose files these are."""
    run, quoted = bench.box.run, shlex.quote(path)
    there = run(f"test -e {quoted}", timeout_s=COMMAND_S, fresh=True).exit_code == 0
    if not old and there:
        return "error: the file is there; say in `old` what to replace"
    content = new
    if old:
        ran = run(f"cat -- {quoted}", timeout_s=COMMAND_S, max_output=MAX_EDITED, fresh=True)
        if ran.exit_code != 0 or ran.cut:
            return f"error: cannot read {path}: {'too long' if ran.cut else ran.output[:200]}"
        if (times := ran.output.count(old)) != 1:
            return f"error: expected the text of `old` once in {path}, found it {times} times"
        content = ran.output.replace(old, new)
    ran = run(
        f"mkdir -p -- $(dirname -- {quoted}) && printf %s {shlex.quote(content)} > {quoted}",
        timeout_s=COMMAND_S,
        fresh=True,
    )
    return "done" if ran.exit_code == 0 else f"error: {ran.output[:200]}"


def _initial(task: Task) -> Json:
    """The mark tells episodes apart; nothing that is answered depends on it."""
    return {"mark": secrets.token_hex(8), "task": str(task.metadata["task"]), "begun": False, SUBMITTED: False}


def _known(state: Json) -> Mapping[str, Json]:
    return cast("Mapping[str, Json]", shared_state(state))
