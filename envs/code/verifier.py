"""Judges completions that are programs: finds the code, runs it in the sandbox, and says what its tests say.

The verifier holds a recipe, not a sandbox: it is pickled and sent about like any other, and each process that uses it
opens one sandbox of its own. It isolates by itself (rlenv.BatchVerifier): completions are judged in
the caller's process, hundreds at once, with one cell a core at work.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.envs.code import calls, official, pairs, stdio
from rlenv.envs.code.extraction import Code, find
from rlenv.envs.code.outcome import Outcome, Pay, check_pay, refused, verdict_of
from rlenv.envs.code.running import Judging, run
from rlenv.sandbox import CellSettings, Limits, SandboxSpec, shared_sandbox

SHAPES = ("calls", "stdio", "pair", "in_process", "official")
RESULT_BYTES = 4 << 20
CELL_MB = CellSettings().memory_mb
DEFAULT_SANDBOX = SandboxSpec()
DEFAULT_LIMITS = Limits(result_bytes=RESULT_BYTES)
AT_ONCE = 256
"""Completions that are judged side by side."""
MAX_TESTS, MAX_NAME, MAX_WALL_S = 5_000, 200, 60.0
"""What a row may ask for: tests, the length of its function's name, and the seconds of one program."""


def code_verifier(
    *, pay: str = "all", sandbox: str = "auto", wall_s: float = 5.0, memory_mb: int = 512, probe: bool = False
) -> CodeVerifier:
    """A verifier with these settings. Raises ConfigError for settings that do not exist.

    `probe` runs what passes a second time, with arguments that no test has (rlenv.envs.code.probe).
    """
    check_pay(pay)
    if not wall_s > 0 or memory_mb < 16:
        raise ConfigError(f"expected wall_s above 0 and memory_mb of at least 16, got {wall_s!r} and {memory_mb!r}")
    spec = SandboxSpec(sandbox, settings=CellSettings(memory_mb=max(CELL_MB, 2 * memory_mb)))
    return CodeVerifier(
        cast("Pay", pay), spec, Limits(wall_s=wall_s, memory_mb=memory_mb, result_bytes=RESULT_BYTES), probe
    )


@dataclass(frozen=True)
class CodeVerifier:
    """Judges the tasks of rlenv.envs.code.definition."""

    pay: Pay = "all"
    sandbox: SandboxSpec = DEFAULT_SANDBOX
    limits: Limits = DEFAULT_LIMITS
    probe: bool = False
    cheap: bool = False
    anywhere: bool = True

    @property
    def version(self) -> str:
        settings = f"{self.pay}-{self.limits.wall_s:g}s-{self.limits.memory_mb}mb"
        return f"code-3-{settings}{'-probe' * self.probe}"

    def verify(self, task: Task, completion: Completion) -> Verdict:
        """The verdict of one completion; verify_all is faster for more."""
        return next(iter(self.verify_all([(task, completion)])))[1]

    def outcomes(self, jobs: Sequence[tuple[Task, Completion]]) -> list[Outcome | Verdict]:
        """What became of the code of each job with each test, run side by side.

        Where there is no code, or the task cannot be read, the verdict.
        """
        ready = [self._started(task, completion) for task, completion in jobs]
        outcomes: dict[int, Outcome | Verdict] = {i: each for i, each in enumerate(ready) if isinstance(each, Verdict)}
        started = [(index, each[1]) for index, each in enumerate(ready) if not isinstance(each, Verdict)]
        for first in range(0, len(started), AT_ONCE):
            chosen = started[first : first + AT_ONCE]
            for place, outcome in run(shared_sandbox(self.sandbox), [judging for _, judging in chosen]):
                outcomes[chosen[place][0]] = outcome
        return [outcomes[index] for index in range(len(jobs))]

    def verify_all(self, jobs: Sequence[tuple[Task, Completion]]) -> Iterator[tuple[int, Verdict]]:
        """The verdicts of all jobs, each with the index of its job.

        A group of completions often holds the same text several times: it is judged once.
        """
        places: dict[tuple[object, ...], list[int]] = {}
        for index, (task, said) in enumerate(jobs):
            places.setdefault((id(task), said.text, said.read_as, said.segments), []).append(index)
        same = list(places.values())
        for start in range(0, len(same), AT_ONCE):
            chosen = same[start : start + AT_ONCE]
            for place, verdict in self._some([jobs[indices[0]] for indices in chosen]):
                yield from ((index, verdict) for index in chosen[place])

    def _some(self, jobs: Sequence[tuple[Task, Completion]]) -> Iterator[tuple[int, Verdict]]:
        started: list[tuple[int, Code, Judging]] = []
        for index, (task, completion) in enumerate(jobs):
            ready = self._started(task, completion)
            if isinstance(ready, Verdict):
                yield index, ready
            else:
                started.append((index, *ready))
        if started:
            judgings = [judging for _, _, judging in started]
            for place, outcome in run(shared_sandbox(self.sandbox), judgings):
                index, code, _ = started[place]
                content = jobs[index][1].content
                yield index, verdict_of(outcome, self.pay, code.start, code.end).placed(content)

    def _started(self, task: Task, completion: Completion) -> tuple[Code, Judging] | Verdict:
        """The code and what will judge it, or the verdict where there is none or no reading the task."""
        try:
            ready = self._read(task, completion.content.text)
            return ready.placed(completion.content) if isinstance(ready, Verdict) else ready
        except Exception as error:  # a reference of any shape: it must not stop the other jobs
            return Verdict.error(f"task {task.id}: {type(error).__name__}: {error}")

    def _read(self, task: Task, content: str) -> tuple[Code, Judging] | Verdict:
        reference = task.reference
        if not isinstance(reference, Mapping) or reference.get("kind") not in SHAPES:
            raise TaskError(f"expected a reference with a 'kind' out of {', '.join(SHAPES)}, got {reference!r:.80}")
        _check_bounds(reference)
        if reference["kind"] == official.KIND:
            return Code(content, 0, len(content)), official.judging(reference, content, self.limits)
        head = str(reference.get("head", ""))
        code = find(content, str(reference.get("function", "")), continued=bool(head))
        if code is None:
            return refused("no_code", "no Python code in the completion", self.pay, 0, len(content))
        source = head + code.text if code.continues else code.text
        if "\0" in source or _has_surrogates(source):
            place = code.start, code.end
            return refused("syntax_error", "the code holds what is no text", self.pay, *place).with_answer(*place)
        return code, self._judging(reference, source)

    def _judging(self, reference: Mapping[str, Json], code: str) -> Judging:
        match reference["kind"]:
            case "stdio":
                return stdio.judging(stdio.StdioTask.of(reference), code, self.limits, self.pay != "share")
            case "pair":
                return pairs.judging(reference, code, self.limits)
            case "in_process":
                return pairs.in_process_judging(reference, code, self.limits)
        return calls.judging(calls.CallTask.of(reference), code, self.limits, probe=self.probe)


def _check_bounds(reference: Mapping[str, Json]) -> None:
    """Raise TaskError for what costs the judge more than a row may ask for."""
    tests, name, seconds = reference.get("tests"), reference.get("function", ""), reference.get("wall_s")
    if isinstance(tests, (list, tuple)) and len(tests) > MAX_TESTS:
        raise TaskError(f"expected at most {MAX_TESTS} tests, got {len(tests)}; leave some out")
    if not isinstance(name, str) or len(name) > MAX_NAME:
        raise TaskError(f"expected the name of a function, of at most {MAX_NAME} characters, got {name!r:.80}")
    if seconds is not None and (not isinstance(seconds, (int, float)) or not 0 <= seconds <= MAX_WALL_S):
        raise TaskError(
            f"expected wall_s of at most {MAX_WALL_S}, got {seconds!r:.80}; where all need longer, give the "
            "environment wall_s=..."
        )


def _has_surrogates(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= sign <= "\udfff" for sign in text)
