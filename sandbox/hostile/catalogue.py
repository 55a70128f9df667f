"""Reads cases from the folder `programs`: one file of Python for each, below a header that says the right verdict.

    # /// case
    # attack = "Waits an hour."
    # statuses = ["timeout"]
    # limits = {wall_s = 0.5}
    # ///
    import time; print(42, flush=True); time.sleep(3600)

The header is TOML (as in PEP 723) and no part of the program. What a family's `family.toml` says holds for each of its
cases that does not say otherwise; limits are merged. Keys:

    attack           what the program does, in a sentence
    refused          it tries what must be refused: says HELD or BREACH for each attempt, exits, and never passes
    parts            files of `programs/parts` that stand before the program, in this order
    calls            what is asked of its functions, as Python: "double(21)"; the answers are then 42, or `answer`
    answer           what passes: text, or for calls the tuple of their values as Python; `answer_times` repeats text
    passes           true, false (by default) or "either"
    statuses         names of statuses that are right; "fair" is every one but sandbox_failure and syntax_error
    shows            what its output must hold, as proof that the attack was carried out
    limits           of `Limits`
    stdin            text; `stdin_times` repeats it
    command, compile the program is run by another interpreter, after one that runs the named file of the family
    judge            the file of `programs/parts` that asks it, as a pair

Of a family alone, `walls`: the cases that the own walls of each backend decide. Without it, these are all. The others
are decided by the fork server, the same everywhere, so that tests try them on one backend.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from importlib import resources
from importlib.resources.abc import Traversable
from typing import cast

from rlenv.sandbox.hostile.case import ANSWER, FAIR, HELD, INTERPRETER, QUICK, Case
from rlenv.sandbox.program import Call, Limits, Program, Status

PROGRAMS = resources.files("rlenv.sandbox.hostile").joinpath("programs")
OPEN, CLOSE, MARK = "# /// case\n", "# ///\n", "# "
KEYS = {"attack", "parts", "calls", "limits", "stdin", "stdin_times", "command", "compile", "judge"}
VERDICT = {"refused", "answer", "answer_times", "passes", "statuses", "shows"}
REFUSED = {"parts": ["attempts"], "statuses": ["exited"], "shows": HELD.decode()}
"""What `refused` stands for; `parts` of a case follow these."""
Header = Mapping[str, object]


def family(name: str) -> tuple[Case, ...]:
    """Its cases by name. Raises ValueError for a file that is none."""
    folder = PROGRAMS.joinpath(name)
    table = folder.joinpath("family.toml")
    common = tomllib.loads(_text(table)) if table.is_file() else {}
    walls = common.pop("walls", None)
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".py")), key=lambda file: file.name)
    cases = [_case(folder, file, common) for file in files]
    if unknown := {*(walls or ())} - {case.name for case in cases}:
        raise ValueError(f"{table}: expected walls to name cases of the family, got {sorted(unknown)}")
    return tuple(replace(case, shared=walls is not None and case.name not in walls) for case in cases)


def part(name: str) -> str:
    """A file of Python that several cases share."""
    return _text(PROGRAMS.joinpath("parts", name + ".py"))


def _case(folder: Traversable, file: Traversable, common: Header) -> Case:
    own, code = _split(file)
    refused = REFUSED if own.get("refused") else {}
    header = {**common, **refused, **own}
    if unknown := header.keys() - KEYS - VERDICT:
        raise ValueError(f"{file}: expected keys of {sorted(KEYS | VERDICT)}, got {sorted(unknown)}")
    parts = [*_words(refused, "parts"), *_words(own if "parts" in own else common, "parts")]
    calls = tuple(map(_call, _words(header, "calls")))
    return Case(
        name=file.name.removesuffix(".py"),
        family=folder.name,
        attack=str(header["attack"]),
        program=_program(header, "".join(map(part, parts)) + code, calls, folder),
        limits=_limits(own, _limits(common, QUICK)),
        answer=_answer(header, calls),
        passes=None if header.get("passes") == "either" else bool(header.get("passes")),
        statuses=_statuses(_words(header, "statuses")),
        shows=str(header.get("shows", "")).encode(),
        judge=part(str(header["judge"])) if "judge" in header else "",
    )


def _split(file: Traversable) -> tuple[Header, str]:
    """The header, and the program behind it."""
    text = _text(file)
    head, close, code = text.removeprefix(OPEN).partition(CLOSE)
    lines = head.splitlines(keepends=True)
    if not text.startswith(OPEN) or not close or any(line[:2] not in (MARK, "#\n") for line in lines):
        raise ValueError(f"{file}: expected a header between {OPEN.strip()!r} and {CLOSE.strip()!r}")
    return tomllib.loads("".join(line[2:] or "\n" for line in lines)), code


def _program(header: Header, code: str, calls: tuple[Call, ...], folder: Traversable) -> Program:
    stdin = str(header.get("stdin", "")) * cast("int", header.get("stdin_times", 1))
    if not header.get("command"):
        return Program(code, stdin=stdin, calls=calls)
    step = (*INTERPRETER, "-c", _text(folder.joinpath(str(header["compile"])))) if "compile" in header else ()
    return Program(stdin=stdin, files={"main.py": code}, argv=(*INTERPRETER, "main.py"), compile=step)


def _call(text: str) -> Call:
    """As it is written in Python.

    >>> _call("Tools().solve(1, [2], key='a')")
    Call(function='Tools().solve', args=(1, [2]), kwargs={'key': 'a'})
    """
    node = ast.parse(text, mode="eval").body
    if not isinstance(node, ast.Call):
        raise ValueError(f"expected a call, got {text!r}")
    kwargs = {str(word.arg): ast.literal_eval(word.value) for word in node.keywords}
    return Call(ast.unparse(node.func), tuple(map(ast.literal_eval, node.args)), kwargs)


def _answer(header: Header, calls: tuple[Call, ...]) -> bytes | tuple[object, ...]:
    if "answer" not in header:
        return (42,) * len(calls) if calls else ANSWER
    if calls:
        return cast("tuple[object, ...]", ast.literal_eval(str(header["answer"])))
    return str(header["answer"]).encode("latin-1") * cast("int", header.get("answer_times", 1))


def _statuses(names: list[str]) -> frozenset[Status]:
    named = frozenset(Status(name) for name in names if name != "fair")
    return named | FAIR if "fair" in names or not names else named


def _limits(header: Header, otherwise: Limits) -> Limits:
    return replace(otherwise, **cast("dict[str, float]", header.get("limits", {})))  # type: ignore[arg-type]


def _words(header: Header, name: str) -> list[str]:
    return cast("list[str]", header.get(name, []))


def _text(file: Traversable) -> str:
    return file.read_bytes().decode("utf-8")
