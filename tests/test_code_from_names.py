"""Every call that turns a name or bytes into code stands in one table, which says who may supply them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "tests" / "data" / "code_from_names.tsv"
ROOMS = ("rlenv", "envs", "trainers", "sandbox")
ROW = re.compile(r"^`([\w/]+\.py)`\t`([\w.]+)`\t\S", re.MULTILINE)  # "`rlenv/env/plugins.py`<tab>`eval`<tab>nobody"
BUILTIN = frozenset({"eval", "exec", "compile", "__import__"})
CALL = re.compile(
    r"importlib\.(import_module|reload|metadata\.entry_points|util\.(module_from_spec|spec_from_file_location))"
    r"|(pickle|cloudpickle|marshal|dill|joblib|shelve)\.(loads?|open|Unpickler)|pandas\.read_pickle|numpy\.load"
    r"|torch\.(load|hub\.load|jit\.load)|(yaml|jinja2|runpy|pty)\.\w+|types\.(FunctionType|CodeType)|ctypes\.CDLL"
    r"|transformers\.utils\.chat_template_utils\.render_jinja_template"
    r"|subprocess\.(run|Popen|call|check_call|check_output|getoutput|getstatusoutput)|asyncio\.create_subprocess_\w+"
    r"|os\.(system|popen|posix_spawnp?|(exec|spawn)[lv]p?e?)"
)
METHODS = frozenset({"apply_chat_template", "from_pretrained", "load_dataset"})
"""Of any object: a checkpoint's template is a program, and its settings may name code."""


def test_the_table_has_every_place_where_a_name_or_bytes_become_code() -> None:
    listed = ROW.findall(TABLE.read_text("utf-8"))
    assert sorted(listed) == sorted(set(listed))
    assert set(listed) == set(_found())


def test_such_calls_are_found_by_what_their_names_stand_for() -> None:
    bad = "import pickle as p\nfrom torch import load as read\nfrom os import system\n"
    assert [*_calls(ast.parse(bad + "p.loads(b'')\nread(1)\nf(run=system)\n"))] == [
        "pickle.loads",
        "torch.load",
        "os.system",
    ]
    assert [*_calls(ast.parse("exec('x')\ndef f(compile): pass\nmodel.from_pretrained(p)"))] == [
        "exec",
        "from_pretrained",
    ]
    assert [*_calls(ast.parse("import re\nre.compile('x')\nfile.load()\npickle.loads\nos = 1\n"))] == []


def _found() -> Iterator[tuple[str, str]]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if not any(parent.is_symlink() for parent in path.parents) and "hostile/programs" not in name:
                yield from ((name, call) for call in _calls(ast.parse(path.read_text("utf-8"))))


def _calls(tree: ast.AST) -> Iterator[str]:
    imported: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                first = name.name.partition(".")[0]
                imported[name.asname or first] = name.name if name.asname else first
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imported |= {name.asname or name.name: f"{node.module}.{name.name}" for name in node.names}
    for node in ast.walk(tree):
        for used in _used(node):
            first, dot, rest = _dotted(used).partition(".")
            resolved = imported.get(first, "") + dot + rest
            if used_here := (first if first in BUILTIN and not dot else resolved if CALL.fullmatch(resolved) else ""):
                yield used_here
            elif isinstance(used, ast.Attribute) and used.attr in METHODS:
                yield used.attr


def _used(node: ast.AST) -> Iterator[ast.expr]:
    """What a call calls, or hands on to be called."""
    if isinstance(node, ast.Call):
        looks = isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass")
        given = [] if looks else [*node.args, *(keyword.value for keyword in node.keywords)]
        yield from (node.func, *(value for value in given if isinstance(value, ast.Attribute | ast.Name)))


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"
