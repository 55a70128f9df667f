"""Other packages join through the entry-point group `rlenv.envs`."""

import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = """
import rlenv

def register():
    rlenv.register("{family}/sums-v0", entry_point="{module}:sums")

def sums():
    from rlenv import Definition, FunctionVerifier, ListTasks
    verifier = FunctionVerifier(lambda completion, answer: completion == answer, cheap=True)
    return Definition(tasks=ListTasks.from_rows([{{"prompt": "1+1=?", "answer": "2"}}]), verifier=verifier)
"""


def install(folder: Path, name: str, source: str, target: str) -> None:
    """A package as an installer leaves it: a module and its dist-info."""
    (folder / f"{name}.py").write_text(source)
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[rlenv.envs]\n{name} = {target}\n")


def run(folder: Path, program: str, *options: str) -> subprocess.CompletedProcess[str]:
    start = f"import sys; sys.path.insert(0, {str(folder)!r}); import rlenv\n"
    command = [sys.executable, *options, "-c", start + program]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)


def test_plugin_is_listed_and_made_by_id(tmp_path: Path) -> None:
    install(tmp_path, "sums_plugin", PLUGIN.format(family="foreign", module="sums_plugin"), "sums_plugin:register")
    listed = run(tmp_path, "print('foreign/sums-v0' in rlenv.list_envs())")
    assert (listed.stdout, listed.stderr) == ("True\n", "")
    made = run(tmp_path, "env = rlenv.make('foreign/sums-v0'); env.reset(seed=0); print(env.step('2')[1])")
    assert (made.stdout, made.stderr) == ("1.0\n", "")


def test_importing_rlenv_does_not_import_plugins(tmp_path: Path) -> None:
    install(tmp_path, "sums_plugin", PLUGIN.format(family="foreign", module="sums_plugin"), "sums_plugin:register")
    assert run(tmp_path, "rlenv.make('math/arithmetic-v0'); print('sums_plugin' in sys.modules)").stdout == "False\n"


@pytest.mark.parametrize(
    ("source", "target", "problem"),
    [
        ("raise RuntimeError('old version')", "broken_plugin", "old version"),
        ("raise SystemExit('no licence')", "broken_plugin", "no licence"),
        ("def register():\n    import rlenv\n    rlenv.register('bad')", "broken_plugin:register", "expected an id"),
    ],
)
def test_broken_plugin_is_warned_of_by_name_and_takes_no_other_down(
    source: str, target: str, problem: str, tmp_path: Path
) -> None:
    install(tmp_path, "broken_plugin", source, target)
    install(tmp_path, "sums_plugin", PLUGIN.format(family="foreign", module="sums_plugin"), "sums_plugin:register")
    done = run(tmp_path, "print({'foreign/sums-v0', 'math/arithmetic-v0'} <= set(rlenv.list_envs()))")
    assert done.stdout == "True\n"
    assert f"RuntimeWarning: plugin broken_plugin ({target}) failed: " in done.stderr
    assert problem in done.stderr


def name_an_id(folder: Path, name: str, entry: str, source: str) -> None:
    """A package whose entry point names the id and the factory of an environment."""
    install(folder, name, source, name)
    (folder / f"{name}-1.0.dist-info/entry_points.txt").write_text(f"[rlenv.envs]\n{entry}\n")


def test_an_id_that_an_entry_point_names_is_gymnasiums_and_imports_nothing_before_it_is_made(tmp_path: Path) -> None:
    source = PLUGIN.format(family="unused", module="words_plugin")
    name_an_id(tmp_path, "words_plugin", "words.sums-v0 = words_plugin:sums", source)
    program = """
import gymnasium
print('words/sums-v0' in rlenv.list_envs(), 'words_plugin' in sys.modules)
env = gymnasium.make('words/sums-v0')
env.reset(seed=0)
print(env.step('2')[1], rlenv.make_batch('words/sums-v0').definition.id)
"""
    done = run(tmp_path, program)
    assert (done.stdout, done.stderr) == ("True False\n1.0 words/sums-v0\n", "")


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("math.arithmetic-v0 = words_plugin:sums", "the id math/arithmetic-v0 is taken; give it another name"),
        ("words.sums-v0 = words_plugin", "words/sums-v0: expected an entry_point 'package.module"),
    ],
)
def test_an_id_that_cannot_be_registered_is_warned_of_and_rlenv_is_imported(
    entry: str, problem: str, tmp_path: Path
) -> None:
    name_an_id(tmp_path, "words_plugin", entry, "")
    done = run(tmp_path, "print(rlenv.load('math/arithmetic-v0').id)")
    assert done.stdout == "math/arithmetic-v0\n"
    assert f"RuntimeWarning: plugin {entry.replace(' = ', ' (')}) failed: {problem}" in done.stderr
