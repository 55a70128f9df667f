r"""Rows of the published sets of contest tasks, as rows of ours.

    set             columns                                                            tests
    APPS            question, input_output, starter_code, solutions                    all hidden
    LiveCodeBench   question_content, public_test_cases, private_test_cases, metadata   public ones are shown
    CodeContests    description, public_tests, private_tests, generated_tests           public ones are shown

A task with a function name (`fn_name`, `func_name`) is one of hidden calls, of a function or of a method of
`Solution`; any other reads standard input. Values of calls come from JSON, so a tuple is as good as a list.
"""

from __future__ import annotations

import ast
import base64
import json
import pickletools
import re
import zlib
from collections.abc import Mapping, Sequence
from typing import cast

from rlenv.core.errors import TaskError
from rlenv.core.jsontypes import Json
from rlenv.env.tasksets import Row
from rlenv.envs.code.expression import render

PROGRAM = (
    "\n\nWrite a Python program that reads standard input and writes standard output. Answer with one ```python block."
)
FUNCTION = "\n\nAnswer with one ```python block that goes on from this:\n"
MAX_TEST_BYTES = 64 << 20
PYTHON3 = 3
"""The number of Python 3 among the languages of CodeContests."""


def contest_row(row: Row) -> Row:
    """A row of APPS, LiveCodeBench or CodeContests, told apart by its columns; a row of ours stays as it is."""
    if "input_output" in row:
        return apps_row(row)
    if "question_content" in row:
        return livecodebench_row(row)
    if "public_tests" in row:
        return codecontests_row(row)
    if "prompt" in row:
        return row
    raise TaskError(f"expected the columns of APPS, LiveCodeBench, CodeContests or of our own, got {sorted(row)}")


def apps_row(row: Row) -> Row:
    """APPS (Hendrycks et al. 2021, arXiv 2105.09938). Raises TaskError for a row without tests."""
    tests = _mapping(_loaded(row["input_output"], "input_output"))
    inputs, outputs = _list(tests, "inputs"), _list(tests, "outputs")
    if not inputs or len(inputs) != len(outputs):
        raise TaskError(f"expected as many inputs as outputs, at least one, got {len(inputs)} and {len(outputs)}")
    starter = str(row.get("starter_code") or "").strip()
    solutions = _loaded(row.get("solutions") or "[]", "solutions")
    common: dict[str, Json] = {"id": f"apps/{row.get('problem_id', row.get('id', ''))}"}
    if isinstance(solutions, Sequence) and solutions:
        common["solution"] = str(solutions[0])
    if tests.get("fn_name"):
        name = _method(str(tests["fn_name"]), starter)
        cases = [
            _call(name, _arguments(given), _expected(wanted)) for given, wanted in zip(inputs, outputs, strict=True)
        ]
        return {
            **common,
            "prompt": str(row["question"]).strip() + _starter(starter, name),
            "answer": _calls(name, cases),
        }
    runs: list[Json] = [
        {"stdin": _text(given), "stdout": _text(wanted)} for given, wanted in zip(inputs, outputs, strict=True)
    ]
    return {**common, "prompt": str(row["question"]).strip() + PROGRAM, "answer": _stdio(runs)}


def livecodebench_row(row: Row) -> Row:
    """LiveCodeBench (Jain et al. 2024, arXiv 2403.07974); its private tests may be packed."""
    public = _tests_of(row["public_test_cases"])
    private = _tests_of(row.get("private_test_cases") or "[]")
    tests = [(test, True) for test in public] + [(test, False) for test in private]
    if not private:
        raise TaskError("expected private tests, got none: public ones stand in the prompt and prove nothing")
    starter = str(row.get("starter_code") or "").strip()
    common = {"id": f"livecodebench/{row.get('question_id', '')}"}
    question = str(row["question_content"]).strip()
    metadata = _mapping(_loaded(row.get("metadata") or "{}", "metadata"))
    if metadata.get("func_name"):
        name = _method(str(metadata["func_name"]), starter)
        cases = [
            {
                **_call(name, [_json(line) for line in str(test["input"]).splitlines()], [_json(test["output"])]),
                "shown": shown,
            }
            for test, shown in tests
        ]
        return {**common, "prompt": question + _starter(starter, name), "answer": _calls(name, cases)}
    runs: list[Json] = [
        {"stdin": str(test["input"]), "stdout": str(test["output"]), "shown": shown} for test, shown in tests
    ]
    return {**common, "prompt": question + PROGRAM, "answer": _stdio(runs)}


def codecontests_row(row: Row) -> Row:
    """CodeContests (Li et al. 2022, arXiv 2203.07814)."""
    runs: list[Json] = []
    for column in ("public_tests", "private_tests", "generated_tests"):
        tests = _mapping(row.get(column) or {})
        for given, wanted in zip(_list(tests, "input"), _list(tests, "output"), strict=True):
            runs.append({"stdin": str(given), "stdout": str(wanted), "shown": column == "public_tests"})
    made: dict[str, Json] = {
        "id": f"codecontests/{row.get('name', '')}",
        "prompt": str(row["description"]).strip() + PROGRAM,
        "answer": _stdio(runs, _seconds(row.get("time_limit"))),
    }
    solutions = _mapping(row.get("solutions") or {})
    python = [
        text
        for text, language in zip(_list(solutions, "solution"), _list(solutions, "language"), strict=True)
        if language in (PYTHON3, "PYTHON3")
    ]
    return {**made, "solution": str(python[0])} if python else made


def _stdio(runs: Sequence[Json], wall_s: float | None = None) -> dict[str, Json]:
    limit: dict[str, Json] = {} if wall_s is None else {"wall_s": wall_s}
    return {"kind": "stdio", "compare": "floats", "tests": list(runs), **limit}


def _calls(name: str, cases: Sequence[dict[str, Json]]) -> dict[str, Json]:
    preamble = "from typing import *\nimport collections, functools, heapq, itertools, math\n"
    function = "Solution" if "." in name else name
    return {"kind": "calls", "function": function, "preamble": preamble, "types": "json", "tests": list(cases)}


def _call(name: str, arguments: Sequence[Json], expected: Sequence[Json]) -> dict[str, Json]:
    """A test; where the set leaves open whether the expected value is wrapped in a list, both count."""
    call = f"{name}({', '.join(map(render, arguments))})"
    if len(expected) == 1:
        return {"call": call, "expect": render(expected[0])}
    return {"call": call, "check": " or ".join(f"_ == {render(value)}" for value in expected)}


def _arguments(given: Json) -> list[Json]:
    if not isinstance(given, list):
        raise TaskError(f"expected the arguments of a call as a list, got {given!r:.60}")
    return given


def _expected(wanted: Json) -> list[Json]:
    """APPS wraps the values of some tasks in a list of one, and of others not."""
    return [wanted, wanted[0]] if isinstance(wanted, list) and len(wanted) == 1 else [wanted]


def _method(function: str, starter: str) -> str:
    return f"Solution().{function}" if re.search(r"^class\s+Solution\b", starter, re.MULTILINE) else function


def _starter(starter: str, name: str) -> str:
    return FUNCTION + (starter or f"def {name}(...):")


def _tests_of(column: Json) -> list[Mapping[str, Json]]:
    if not isinstance(column, str):
        return [_mapping(test) for test in cast("Sequence[Json]", column)]
    text = column.strip()
    return [
        _mapping(test) for test in cast("Sequence[Json]", json.loads(text if text[:1] in "[{" else _unpacked(text)))
    ]


def _unpacked(text: str) -> str:
    """The one string of a pickle in zlib in base64, read without running any pickle."""
    try:
        unzip = zlib.decompressobj()
        packed = unzip.decompress(base64.b64decode(text), MAX_TEST_BYTES)
        strings = [value for _, value, _ in pickletools.genops(packed) if isinstance(value, str)]
    except (ValueError, zlib.error) as error:
        raise TaskError(f"expected private tests as JSON or packed, got neither ({error})") from error
    if len(strings) != 1:
        raise TaskError(f"expected one packed text, got {len(strings)}")
    return strings[0]


def _loaded(value: Json, column: str) -> Json:
    if not isinstance(value, str):
        return value
    try:
        loaded: Json = json.loads(value)
    except ValueError as error:
        raise TaskError(f"expected JSON in column {column}, got {value[:40]!r}") from error
    return loaded


def _json(text: Json) -> Json:
    """A value written as JSON, or as Python where it is not."""
    try:
        value: Json = json.loads(str(text))
    except ValueError:
        try:
            value = ast.literal_eval(str(text))
        except (ValueError, SyntaxError) as error:
            raise TaskError(f"expected a value as JSON, got {str(text)[:40]!r}") from error
    return value


def _mapping(value: object) -> Mapping[str, Json]:
    if not isinstance(value, Mapping):
        raise TaskError(f"expected an object, got {type(value).__name__}")
    return value


def _list(mapping: Mapping[str, Json], key: str) -> list[Json]:
    return list(cast("Sequence[Json]", mapping.get(key) or ()))


def _text(value: Json) -> str:
    """An input or output of APPS: a text, or its lines."""
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value)


def _seconds(limit: Json) -> float | None:
    """The time limit of a row, doubled: the published ones are for faster machines and languages."""
    if not isinstance(limit, Mapping):
        return None
    seconds = float(cast("float", limit.get("seconds") or 0)) + float(cast("float", limit.get("nanos") or 0)) / 1e9
    return 2 * seconds if seconds > 0 else None
