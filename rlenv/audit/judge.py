"""Judges what an audit plays: each text once a task, in a process that can be killed wherever that can be done."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias

import cloudpickle

from rlenv.core.completion import Completion, as_completion
from rlenv.core.definition import Definition
from rlenv.core.errors import VerifierContractError
from rlenv.core.policy import ScriptedPolicy
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import BatchVerifier
from rlenv.evidence.exploits.attack import TURN_MARK
from rlenv.evidence.player import UNJUDGED, Job, OnVerdict, Player, Trouble
from rlenv.judge.judge import Judge
from rlenv.turns.play import play, reference_script
from rlenv.workers.pool import PickledVerifier, Pool

CHUNK = 512


Way: TypeAlias = Literal["last", "every", "once", "turns"]
"""How a text is said in an episode of several turns:

- `last`: in the last turn, behind the turns of the reference that come before it;
- `every`: in every turn;
- `once`: in the first turn, and then nothing;
- `turns`: it holds several turns with TURN_MARK between them, and then nothing.
"""


class Said(NamedTuple):
    """A text as the completion of the task of this number."""

    task: int
    text: str
    way: Way = "last"
    """No matter where an episode is one turn."""


class AuditJudge(Player[Said]):
    """Plays texts on the tasks of an audit, by a definition without its wrappers; each text once a task."""

    def __init__(self, definition: Definition, tasks: Sequence[Task], pool: Pool | None = None) -> None:
        definition = replace(definition, wrappers=())
        self.tasks = tasks
        self.pool = pool
        self.batch = isinstance(definition.verifier, BatchVerifier)
        """It isolates by itself."""
        self.isolated = not self.batch and _travels(definition)
        self.slow_on_plain = False
        """The checker was too slow on texts that are not made to cost."""
        self.tell: Callable[[int], None] = lambda count: None
        """Hears how many texts have been judged."""
        self._known: dict[Said, Verdict] = {}
        self._scripts: dict[int, str | tuple[str, ...]] = {}
        super().__init__(definition, self._judge)
        self._grader = self.grader()

    def grader(self, *, inline: bool = False) -> Judge:
        """A new grader; inline only if asked, and where the definition itself judges inline."""
        if not self.isolated and not self.batch:
            return Judge(replace(self.definition, isolation="inline"), self.pool)
        if self.batch or (inline and self.definition.inline):
            return Judge(self.definition, self.pool)
        return Judge(replace(self.definition, isolation="process"), self.pool)

    def verdict(self, task: int, text: str, way: Way = "last") -> Verdict:
        return self.verdicts([Said(task, text, way)])[0]

    def completion(self, said: Said) -> Completion:
        """What the text comes to: of several turns, with all that answers them."""
        task = self.tasks[said.task]
        if self.definition.interaction is None:
            return as_completion(said.text, self.definition.read_as)
        script = self._said(said)
        start = time.monotonic()
        completion = play(self.definition, ScriptedPolicy("audit", lambda _: script), [task])[0]
        if time.monotonic() - start > self.definition.time_limit_s * max(1, len(completion.said_turns)):
            self.cost(Trouble(said, f"what answers it took longer than {self.definition.time_limit_s:g} s"))
        return completion

    def script(self, task: int) -> tuple[str, ...]:
        """The turns of the reference; one where it says the same in all of them."""
        right = self._right(task)
        return (right,) if isinstance(right, str) else right

    def _right(self, task: int) -> str | tuple[str, ...]:
        if task not in self._scripts:
            self._scripts[task] = reference_script(self.definition, self.tasks[task])
        return self._scripts[task]

    def _said(self, said: Said) -> str | tuple[str, ...]:
        """The text as a scripted policy says it."""
        if said.way == "every":
            return said.text
        if said.way != "last":
            return tuple(said.text.split(TURN_MARK)) if said.way == "turns" else (said.text,)
        right = self._right(said.task)
        return said.text if isinstance(right, str) else (*right[:-1], said.text)

    def verdicts(self, said: Sequence[Said]) -> list[Verdict]:
        """One verdict a text, in order; a text that was judged on its task before is not judged again."""
        asked = list(dict.fromkeys(one for one in said if one not in self._known))
        for start in range(0, len(asked), CHUNK):
            chunk = asked[start : start + CHUNK]
            for one, verdict in zip(chunk, self.afresh(chunk), strict=True):
                self._known[one] = verdict
            self.tell(len(chunk))
        return [self._known[one] for one in said]

    def afresh(self, said: Sequence[Said], grader: Judge | None = None) -> list[Verdict]:
        """One verdict a text, whatever was said of it before."""
        if self.stopped:
            return [UNJUDGED] * len(said)
        jobs = [(self.tasks[one.task], self.completion(one)) for one in said]
        return self.play(said, jobs, None if grader is None else grader.verdicts)

    def _judge(self, jobs: Sequence[Job], note: OnVerdict) -> None:
        try:
            self._grader.verdicts(jobs, note)
        except VerifierContractError:
            if not self.isolated:
                raise
            self.isolated = False  # no worker can load it
            self._grader = self.grader()
            self._grader.verdicts(jobs, note)

    def rewards(self, said: Sequence[Said]) -> list[float | None]:
        return [verdict.reward for verdict in self.verdicts(said)]


@contextmanager
def by_value(definition: Definition) -> Iterator[None]:
    """Let a reward function travel with its module, which a worker may not be able to import: a module of tests."""
    function = getattr(definition.verifier, "function", None)
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    known = module is None or module.__name__ in (*cloudpickle.list_registry_pickle_by_value(), "__main__", "builtins")
    if module is None or known:
        yield
        return
    cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        cloudpickle.unregister_pickle_by_value(module)


def _travels(definition: Definition) -> bool:
    try:
        PickledVerifier.of(definition.verifier)
    except VerifierContractError:
        return False
    return True
