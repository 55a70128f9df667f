"""One place makes verdicts: nobody but the judge, its workers and a verifier made of others calls a verifier."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROOMS = ("rlenv", "envs", "trainers")
CALLS = {"verify", "verify_all", "verify_cheaply"}
"""Methods of a verifier."""
RUNS = {"judge", "judge_cheaply", "decided_cheaply", "in_batch"}
"""Functions that call one."""
POOLS = {"judge_all"}
"""Methods of a pool, which send one to workers."""
MACHINERY = {
    "rlenv/core/verifier.py": "runs a verifier in this process",
    "rlenv/judge/judge.py": "the judge",
    "rlenv/workers/worker.py": "the same in a worker",
    "rlenv/workers/worker_process.py": "the same in a worker",
    "rlenv/cluster/node.py": "the same on another machine",
    "rlenv/cluster/pool.py": "spreads jobs over machines",
    "rlenv/cli/show.py": "shows one call of a verifier with its traceback, and keeps no verdict",
    "rlenv/env/compose.py": "a verifier made of others",
    "rlenv/turns/calling.py": "a call of a tool in a worker, and no verdict",
    "rlenv/hackbench/case.py": "hackbench's own rewards, made to be wrong",
}


def callers(tree: ast.Module, path: str) -> Iterator[str]:
    """The calls of verifiers in a file, but for those in a verifier or a scorer, which may be made of others."""
    imported = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in ("rlenv.core.verifier", "rlenv.judge.judge")
        for alias in node.names
    }
    composed = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and any(isinstance(each, ast.FunctionDef) and each.name in (*CALLS, "score") for each in node.body)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or id(node) in composed:
            continue
        if isinstance(node.func, ast.Attribute) and node.func.attr in CALLS | POOLS:
            yield f"{path}:{node.lineno} .{node.func.attr}()"
        if isinstance(node.func, ast.Name) and node.func.id in RUNS & imported:
            yield f"{path}:{node.lineno} {node.func.id}()"


def test_nothing_but_the_judge_calls_a_verifier() -> None:
    found: list[str] = []
    for room in ROOMS:
        for file in sorted((ROOT / room).rglob("*.py")):
            path = file.relative_to(ROOT).as_posix()
            if path not in MACHINERY and not file.is_symlink() and not any(p.is_symlink() for p in file.parents):
                found += callers(ast.parse(file.read_text("utf-8")), path)
    assert found == []


def test_a_second_way_to_a_verdict_is_seen() -> None:
    code = "from rlenv.core.verifier import judge\n\ndef pay(v, t, c):\n    return v.verify(t, c), judge(v, t, c)\n"
    assert list(callers(ast.parse(code), "x.py")) == ["x.py:4 .verify()", "x.py:4 judge()"]
