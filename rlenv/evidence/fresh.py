"""Programs run on arguments of no test: what each of them answers.

Arguments are neighbours of those in the row: of calls with plain arguments in its texts, of what is given in pairs
where a column names the function, and of the input of programs that read one. They run in our sandbox; where there is
none, nothing is known.

>>> list(calls(Task("?", metadata={"tests": ["assert double(4) == 8"]})))
[('double', (4,))]
"""

from __future__ import annotations

import ast
import builtins
import re
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from rlenv import sandbox
from rlenv.core.task import Task
from rlenv.evidence.argument_variants import neighbours
from rlenv.evidence.row import pairs, strings

MOST = 24
"""Questions of a task."""
LONGEST = 200
"""Characters of an answer that are compared."""
GIVEN_BACK = "its argument"
FAILED = sandbox.Status.SANDBOX_FAILURE
LIMITS = sandbox.Limits(wall_s=20.0, cpu_s=3.0)
"""Processor time bounds a program: a right one may wait long on a busy machine, and would seem to fail."""
_READS = re.compile(r"\b(?:input|stdin|open)\b")  # input(), sys.stdin and open(0)
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")  # 5 of "5 3\n", not of x5 or 5.2


def answers(task: Task, programs: Sequence[str]) -> dict[str, list[str]]:
    """By program, what it answers to each question of its task; "" where it answers nothing.

    A program that the sandbox failed to run is not there.
    """
    fresh, source = _fresh(calls(task, programs)), "\n".join(programs)
    read = [] if fresh or not _READS.search(source) else list(islice(_inputs(task), MOST // 2))
    if not fresh and not read:
        return {}
    try:
        asked = [sandbox.Call(name, given) for name, given in fresh]
        wanted = [sandbox.Program(code, calls=asked) for code in programs if asked]
        wanted += [sandbox.Program(code, stdin=text) for code in programs for text in read]
        results = sandbox.shared_sandbox(sandbox.SandboxSpec()).map(wanted, LIMITS)
    except sandbox.SandboxError:  # none runs here, or arguments are no plain data
        return {}
    each = len(results) // len(programs)
    found = {code: results[place * each : (place + 1) * each] for place, code in enumerate(programs)}
    known = {code: some for code, some in found.items() if all(one.status is not FAILED for one in some)}
    if asked:
        return {code: [_told(*one) for one in zip(some[0].calls, fresh, strict=True)] for code, some in known.items()}
    return {code: [one.stdout[:LONGEST].decode("utf-8", "replace").strip() for one in known[code]] for code in known}


def _told(result: sandbox.CallResult, question: tuple[str, tuple[object, ...]]) -> str:
    """An answer as a text; all that give an argument back are alike."""
    if not (result.answered and result.ok):
        return ""
    said = repr(result.value)[:LONGEST]
    return GIVEN_BACK if said in [repr(given)[:LONGEST] for given in question[1]] else said


def calls(task: Task, programs: Sequence[str] = ()) -> Iterator[tuple[str, tuple[object, ...]]]:
    """The calls of functions that are not Python's own, with plain arguments, in the texts of a row, and of those that
    a column names and a program defines, in its pairs."""
    for text in strings((task.reference, task.metadata)):
        for node in ast.walk(parsed(text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args and not node.keywords:
                plain = None if hasattr(builtins, node.func.id) else _given(node.args)
                if plain is not None:
                    yield node.func.id, plain
    named = [name for name in task.metadata.values() if any(f"def {name}(" in code for code in programs)]
    for given, _ in pairs(task) if named else ():
        (value,) = _given([given]) or (None,) if isinstance(given, str) else (given,)
        if value is not None:
            yield str(named[0]), tuple(value) if isinstance(value, list | tuple) else (value,)


def parsed(text: str) -> ast.Module:
    """The parse tree of a program; an empty one of anything else."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.parse(textwrap.dedent(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def _given(nodes: Sequence[ast.AST | str]) -> tuple[object, ...] | None:
    """The values of arguments; None where one is not plain."""
    try:
        return tuple(map(ast.literal_eval, nodes))
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None


def _fresh(known: Iterator[tuple[str, tuple[object, ...]]]) -> list[tuple[str, tuple[object, ...]]]:
    """Neighbours of the arguments of these calls, as many of each."""
    tests = list({repr(call): call for call in known}.values())
    random, found = np.random.default_rng(0), dict[str, tuple[str, tuple[object, ...]]]()
    for name, given in tests:
        near = ((name, other) for other in neighbours(given, random) if all(map(_is_like, other, given)))
        for call in islice((call for call in near if call not in tests), -(-MOST // len(tests))):
            found.setdefault(repr(call), call)
    return list(found.values())[:MOST]


def _is_like(new: object, old: object) -> bool:
    """Whether a number keeps its sign and about its size: a right program may not come back from -1."""
    if not isinstance(new, int | float) or not isinstance(old, int | float):
        return True
    return (new > 0 or old <= 0) and (new >= 0 or old < 0) and abs(new) <= 2 * abs(old) + 10


def _inputs(task: Task) -> Iterator[str]:
    """Inputs of the tests with one number changed, or the signs of a line in another order.

    Nothing of the first line where others follow: it may be a count.
    """
    random = np.random.default_rng(0)
    tests = [given for given, wanted in pairs(task) if isinstance(given, str) and given.strip()]
    for given in tests:
        first = given.find("\n") + 1 if "\n" in given.strip() else 0
        places = [match for match in _NUMBER.finditer(given) if match.start() >= first]
        for _ in range(max(1, MOST // (2 * len(tests)))):
            if places:
                match = places[int(random.integers(len(places)))]
                other = str(int(match[0]) + int(random.integers(1, 5))).zfill(len(match[0]))
                yield f"{given[: match.start()]}{other}{given[match.end() :]}"
            else:
                line = given[first:].rstrip("\n")
                yield f"{given[:first]}{''.join(random.permutation([*line]).tolist())}\n"
