"""Turns a published file of assertions into the reference of a task, by the safest way that can judge it.

    way          when                                                            who sees what is expected
    calls        every assertion is about one call with known arguments           the host alone
    pair         the tests run code of their own (helpers, random inputs)         the host and a judge's cell
    in_process   the tests share objects with the program: they use its           the program itself
                 classes, hand its functions about, or look at what it changed

What can only be judged in the program's own process can be forged there. Such rows are refused unless
`trust="in_process"` asks for them, and then the whole environment is for evaluation only.
"""

from __future__ import annotations

import ast
import builtins
import sys

from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.jsontypes import Json
from rlenv.envs.code.shown import mark_shown, shown_calls
from rlenv.envs.code.split import split
from rlenv.envs.code.trees import bound, checked_tree, names

CHECK = "check"
"""The function around the assertions of HumanEval."""
TRUSTS = ("split", "in_process")
EVALUATION_ONLY = "trust='in_process' lets tests share a process with the program, which can forge what they say"


def evaluation_only(trust: str) -> str:
    """Why a definition with this trust may not train. Raises ConfigError for one that does not exist."""
    if trust not in TRUSTS:
        raise ConfigError(f"expected trust in {TRUSTS}, got {trust!r}")
    return EVALUATION_ONLY if trust == "in_process" else ""


def assertion_reference(
    tests: str, function: str, prompt: str, *, head: str = "", preamble: str = "", setup: str = "", trust: str = "split"
) -> dict[str, Json]:
    """The reference of a task whose tests are assertions about `function`.

    `preamble` runs before the program, `setup` after it, for the tests to use. Raises TaskError for tests that
    `trust` does not allow to be judged.
    """
    texts = {"head": head, "preamble": preamble}
    common: dict[str, Json] = {"function": function, **{name: text for name, text in texts.items() if text}}
    cell_names = bound(preamble) | bound(setup)
    found = split(tests, function, cell_names=sorted(cell_names))
    if not found.rest:
        if not found.rows:
            raise TaskError("expected at least one assertion about the function, got none")
        rows = mark_shown(prompt, function, found.rows)
        ran: dict[str, Json] = {"setup": setup} if setup else {}
        return {"kind": "calls", **common, **ran, "types": "python", "tests": rows}
    judge = "\n".join([*_imports(tests), setup, tests])
    if shown := _shown(tests, function, prompt):
        common["shown"] = list(shown)
    shared = shared_objects(judge, function, preamble)
    if not shared:
        return {"kind": "pair", **common, "judge": judge}
    if trust != "in_process":
        raise TaskError(
            f"its tests share objects with the program ({shared}) and cannot be run apart from it; leave the row out, "
            "or give trust='in_process' to evaluate, never to train"
        )
    return {"kind": "in_process", **common, "judge": judge}


def shared_objects(tests: str, function: str, preamble: str = "") -> str:
    """What keeps the tests from being run in another process than the program; "" where nothing does."""
    module = checked_tree(tests)
    own = bound(preamble) | bound(tests) | set(dir(builtins)) | {function}
    classes = {node.name for node in (*module.body, *checked_tree(preamble).body) if isinstance(node, ast.ClassDef)}
    checks = [node for node in module.body if isinstance(node, ast.FunctionDef) and node.name == CHECK]
    aliases = {function} | {argument.arg for check in checks for argument in check.args.args}
    calls = [node for node in ast.walk(module) if isinstance(node, ast.Call)]
    fine = {id(call.func) for call in calls} | {id(a) for call in calls if _named(call, {CHECK}) for a in call.args}
    for node in ast.walk(module):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if node.id in aliases and id(node) not in fine:
                return f"{node.id} is handed about"
            if node.id not in own:
                return f"{node.id} is the program's own"
            if node.id in classes:
                return f"objects of {node.id} go in or out"
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _named(node.value, aliases):
            return "a call is made for what it changes"
    return ""


def _named(call: ast.Call, functions: set[str]) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in functions


def _imports(tests: str) -> list[str]:
    """Imports of the modules of the standard library that the tests name and do not import."""
    return [f"import {name}" for name in sorted((names(tests) - bound(tests)) & sys.stdlib_module_names)]


def _shown(tests: str, function: str, prompt: str) -> list[str]:
    """The assertions, as text, that the prompt gives away."""
    asserted = [ast.unparse(node.test) for node in ast.walk(checked_tree(tests)) if isinstance(node, ast.Assert)]
    about = [(text, split(f"def check(candidate):\n    assert {text}", function).rows) for text in asserted]
    single = [(text, str(rows[0]["call"])) for text, rows in about if rows]
    shown = shown_calls(prompt, function, [call for _, call in single])
    return [text for (text, _), given in zip(single, shown, strict=True) if given]
