r"""`code/repair-v0`: a task of the other code environments in a few attempts; examples that are shown answer each.

>>> import rlenv
>>> env = rlenv.make("code/repair-v0", level=1, split="all")
>>> print(env.unwrapped.definition.tasks[0].prompt.splitlines()[-1][:78])
You have 3 attempts. After each I run it on a few examples and say which fail;

    attempt                                      what is answered          reward
    ```python\ndef f(x): return abs(x - 2)\n```  1 of 2 examples pass.     -
                                                 f(7) gave 5; expected 9
    ```python\ndef f(x): return x + 2\n```       (the examples pass)       1.0
    ```python\ndef f(x): return x or 2\n```      1 of 2 examples pass.     0.0 where it was the last attempt

The examples are the tests that the prompt gives away and, up to `examples` of them and half of all, the first hidden
ones: they must pass, and they prove nothing. What pays are the hidden tests, run on the last attempt by the verifier of
the task (rlenv.envs.code.verifier). A task of which nothing can be shown has one attempt.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError, RlenvError, TaskError
from rlenv.core.interaction import Reply
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task, TaskSet, prompt_messages
from rlenv.core.verdict import Part, Verdict
from rlenv.env.keywords import check_keywords
from rlenv.envs.code.outcome import Outcome
from rlenv.envs.code.verifier import CodeVerifier

SOURCES: Mapping[str, str] = {
    "snippets": "rlenv.envs.code.snippets",
    "humaneval": "rlenv.envs.code.humaneval",
    "mbpp": "rlenv.envs.code.mbpp",
    "apps": "rlenv.envs.code.apps",
    "stdio": "rlenv.envs.code.stdio_tasks",
}
"""Where the environments are made whose tasks can be repaired."""
MOST_ATTEMPTS = 20
SHOWN_FAILURES = 3
LINE_CHARS = 300
"""Of each line that is answered; the program writes part of it."""
_FINAL = re.compile(r"^[ \t]*\[final\][ \t]*$", re.IGNORECASE | re.MULTILINE)  # [final]
ASK = (
    "You have {attempts} attempts. After each I run it on a few examples and say which fail; when all pass, or when "
    "the line [final] stands before the code, that attempt is judged by other tests. Give the whole code each time."
)


def repair(
    source: str = "snippets",
    attempts: int = 3,
    examples: int = 2,
    discount: float = 1.0,
    data: str | None = None,
    split: str | None = None,
    level: int | None = None,
    limit: int | None = None,
    pay: str | None = None,
    sandbox: str = "auto",
    wall_s: float | None = None,
    memory_mb: int = 512,
) -> Definition:
    """The tasks of `source` (see SOURCES), of its own split, level, data and so on, in up to `attempts` attempts.

    `examples` is how many tests are shown at least, where a task has twice as many. Each attempt after the first
    multiplies the reward by `discount`. Raises ConfigError for settings that do not exist.
    """
    if source not in SOURCES:
        raise ConfigError(f"expected a source out of {', '.join(SOURCES)}, got {source!r}")
    if not 1 <= attempts <= MOST_ATTEMPTS or examples < 0 or not 0 < discount <= 1:
        raise ConfigError(
            f"expected 1 to {MOST_ATTEMPTS} attempts, examples of at least 0 and a discount above 0 and up to 1, "
            f"got {attempts!r}, {examples!r} and {discount!r}"
        )
    given: dict[str, object] = {"sandbox": sandbox, "memory_mb": memory_mb}
    chosen = {"data": data, "split": split, "level": level, "limit": limit, "pay": pay, "wall_s": wall_s}
    given |= {name: value for name, value in chosen.items() if value is not None}
    factory = getattr(importlib.import_module(SOURCES[source]), source)
    check_keywords(f"code/repair-v0 with source {source!r}", factory, given)
    made: Definition = factory(**given)
    return repairable(made, attempts, examples, discount)


def repairable(definition: Definition, attempts: int = 3, examples: int = 2, discount: float = 1.0) -> Definition:
    """The same tasks in several attempts. Raises ConfigError where what judges them is no CodeVerifier."""
    if not isinstance(definition.verifier, CodeVerifier):
        raise ConfigError(f"expected tasks that a CodeVerifier judges, got {type(definition.verifier).__name__}")
    several = partial(RepairTasks, attempts=attempts, examples=examples)
    solution = definition.solution
    return replace(
        definition,
        tasks=several(definition.tasks),
        verifier=RepairVerifier(definition.verifier, discount),
        interaction=Attempts(definition.verifier, attempts),
        script=lambda task: (solution(task),),
        max_turns=attempts,
        demonstrations=None if definition.demonstrations is None else several(definition.demonstrations),
        max_completion_chars=(attempts + 1) * definition.max_completion_chars,
        description=f"{definition.description}, in up to {attempts} attempts",
    )


@dataclass(frozen=True)
class RepairTasks:
    """Tasks whose prompts tell of the attempts and of which some tests are shown."""

    tasks: TaskSet
    attempts: int
    examples: int

    def __len__(self) -> int:
        return len(self.tasks)

    def __getitem__(self, index: int) -> Task:
        task = self.tasks[index]
        ask = ASK.format(attempts=self.attempts)
        *before, last = prompt_messages(task.prompt)
        prompt = (*before, {**last, "content": f"{last['content'].rstrip()}\n{ask}"})
        reference = with_examples(task.reference, self.examples)
        return replace(task, prompt=prompt if before else prompt[0]["content"], reference=reference)


def with_examples(reference: Json, count: int) -> Json:
    """The reference with at least `count` tests shown, the first ones; half of them stay hidden where they were."""
    tests = _tests(reference)
    shown = sum(bool(test.get("shown")) for test in tests)
    more = max(0, min(count, len(tests) // 2) - shown)
    rows: list[Json] = []
    for test in tests:
        if more and not test.get("shown"):
            test, more = {**test, "shown": True}, more - 1
        rows.append(test)
    return {**cast("dict[str, Json]", reference), "tests": rows} if rows else reference


def examples_of(reference: Json) -> Json:
    """The reference with the tests alone that are shown; None where there are none."""
    shown = [test for test in _tests(reference) if test.get("shown")]
    return {**cast("dict[str, Json]", reference), "tests": shown} if shown else None


@dataclass(frozen=True)
class Attempts:
    """Runs each attempt but the last on the examples, and says what fails."""

    verifier: CodeVerifier
    attempts: int
    tools: tuple[Mapping[str, Json], ...] = ()
    anywhere: bool = True

    def start(self, task: Task) -> Json:
        return {"attempt": 0, "task": task.id, "examples": examples_of(task.reference)}

    def respond(self, state: Json, said: Completion) -> Reply:
        """Raises RlenvError where the sandbox fails."""
        reply = self.respond_all([(state, said)])[0]
        if isinstance(reply, Exception):
            raise reply
        return reply

    def respond_all(self, turns: Sequence[tuple[Json, Completion]]) -> list[Reply | Exception]:
        """The replies to turns of many episodes, whose programs run side by side."""
        replies: list[Reply | Exception] = []
        running: list[tuple[int, Json]] = []
        jobs: list[tuple[Task, Completion]] = []
        for place, (state, said) in enumerate(turns):
            before = cast("dict[str, Json]", state)
            attempt, examples = cast("int", before["attempt"]) + 1, before["examples"]
            replies.append(Reply({**before, "attempt": attempt}, ended=True))
            if examples is not None and attempt < self.attempts and not _FINAL.search(said.content.text):
                running.append((place, examples))
                jobs.append((Task("", examples, str(before["task"])), said))
        for (place, examples), outcome in zip(running, self.verifier.outcomes(jobs), strict=True):
            now = cast("Reply", replies[place]).state
            replies[place] = _reply(now, outcome, _tests(examples))
        return replies


def _reply(now: Json, outcome: Outcome | Verdict, tests: Sequence[Mapping[str, Json]]) -> Reply | Exception:
    """What an attempt that was run on its examples is answered; why it could not be run."""
    if isinstance(outcome, Verdict):
        return Reply(now, f"{outcome.reason[:LINE_CHARS]}.") if outcome.graded else TaskError(outcome.reason)
    if outcome.failure:
        return RlenvError(outcome.failure)
    return Reply(now, answered(outcome, tests), ended=all(test.passed for test in outcome.tests))


def answered(outcome: Outcome, tests: Sequence[Mapping[str, Json]]) -> str:
    """How many examples pass, what the program did where that is worth saying, and the first that fail."""
    lines = [f"{sum(test.passed for test in outcome.tests)} of {len(outcome.tests)} examples pass."]
    lines += [f"{name.replace('_', ' ')}: {detail}".rstrip(": ") for name, detail in outcome.flags]
    failed = [(result, test) for result, test in zip(outcome.tests, tests, strict=False) if not result.passed]
    for result, test in failed[:SHOWN_FAILURES]:
        expected = next((f"; expected {test[name]}" for name in ("expect", "stdout") if name in test), "")
        lines.append(result.note[: LINE_CHARS // 2] + expected[: LINE_CHARS // 2])
    return "\n".join(line[:LINE_CHARS] for line in lines)


@dataclass(frozen=True)
class RepairVerifier:
    """The verdict of the code verifier on the last attempt, discounted, with the score `attempts`."""

    inner: CodeVerifier
    discount: float = 1.0
    cheap: bool = False
    sees_turns: bool = True
    anywhere: bool = True

    @property
    def version(self) -> str:
        return f"repair-1-{self.discount:g}-{self.inner.version}"

    def verify(self, task: Task, completion: Completion) -> Verdict:
        """The verdict of one episode; verify_all is faster for more."""
        return next(iter(self.verify_all([(task, completion)])))[1]

    def verify_all(self, jobs: Sequence[tuple[Task, Completion]]) -> Iterator[tuple[int, Verdict]]:
        """The verdicts of all jobs, each with the index of its job."""
        last = [completion.last_turn() for _, completion in jobs]
        attempts = [len(completion.said_turns) for _, completion in jobs]
        inner = self.inner.verify_all([(task, said) for (task, _), (said, _) in zip(jobs, last, strict=True)])
        for index, verdict in inner:
            yield index, self._paid(verdict.shifted(last[index][1]), attempts[index])

    def _paid(self, verdict: Verdict, attempts: int) -> Verdict:
        if verdict.reward is None:
            return verdict
        share = self.discount ** (attempts - 1)
        return Verdict.of(
            *(Part(name, share * value) for name, value in verdict.parts),
            scores={**verdict.scores, "attempts": attempts},
            flags=verdict.flags,
            reason=verdict.reason,
            answer=verdict.answer,
        )


def _tests(reference: Json) -> list[Mapping[str, Json]]:
    """The tests of a reference, none where its kind cannot show one by one."""
    if not isinstance(reference, Mapping) or reference.get("kind") not in ("calls", "stdio"):
        return []
    return list(cast("Sequence[Mapping[str, Json]]", reference["tests"]))
