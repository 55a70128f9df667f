"""Cases of the hostile suite as they are read from their files."""

from pathlib import Path

import pytest

from rlenv.sandbox import Call, ExecutionStatus, Limits, Status
from rlenv.sandbox.hostile import CASES, catalogue, made, session_cases
from rlenv.sandbox.hostile.case import FAIR
from rlenv.sandbox.hostile.suite import FAMILIES

FULL = """\
# /// case
# attack = "Asks."
# calls = ["double(21)", "Tools().solve(1, key='a')"]
# answer = '(42, (1.5, b"x"))'
# passes = "either"
# statuses = ["fair", "syntax_error"]
# limits = {wall_s = 0.5}
# ///
def double(x):
    return 2 * x
"""
SESSION = """\
# /// case
# attack = "Counts."
# statuses = ["ok", "raised|ended"]
# values = ["*", "2"]
# limits = {wall_s = 0.5}
# alive = "either"
# ///
x = 1
# %%
x + 1
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Programs of a family `test`, with a part named `first`."""
    monkeypatch.setattr(catalogue, "PROGRAMS", tmp_path)
    for name in ("test", "parts"):
        (tmp_path / name).mkdir()
    (tmp_path / "parts" / "first.py").write_text("import os\n")
    (tmp_path / "parts" / "attempts.py").write_text("attempt = print\n")
    common = 'parts = ["first"]\nlimits = {wall_s = 4.0, memory_mb = 128}\nwalls = []\n'
    (tmp_path / "test" / "family.toml").write_text(common)
    return tmp_path / "test"


def test_every_file_of_the_folder_is_one_case() -> None:
    others = {"parts", session_cases.FAMILY}
    files = [path for path in Path(str(catalogue.PROGRAMS)).glob("*/*.py") if path.parent.name not in others]
    assert sorted(FAMILIES) == sorted({path.parent.name for path in files})
    assert len(files) + len(made.CASES) == len({case.name for case in CASES}) == len(CASES)


def test_the_page_on_the_sandbox_names_every_family() -> None:
    page = (Path(__file__).parents[2] / "docs" / "sandbox_attacks.md").read_text(encoding="utf-8")
    rows = {line.split("|")[1].strip() for line in page.splitlines() if line.startswith("| ")} - {"family"}
    assert {case.family for case in CASES} <= rows


def test_a_header_says_everything_about_a_case(folder: Path) -> None:
    (folder / "asks.py").write_text(FULL)
    (case,) = catalogue.family("test")
    assert (case.name, case.family, case.attack, case.shared) == ("asks", "test", "Asks.", True)
    assert case.program.code == "import os\ndef double(x):\n    return 2 * x\n"
    assert case.program.calls == (Call("double", (21,)), Call("Tools().solve", (1,), {"key": "a"}))
    assert case.answer == (42, (1.5, b"x"))
    assert case.passes is None
    assert case.statuses == FAIR | {Status.SYNTAX_ERROR}
    assert case.limits == Limits(wall_s=0.5, memory_mb=128)


def test_what_must_be_refused_says_that_it_was(folder: Path) -> None:
    (folder / "asks.py").write_text('# /// case\n# attack = "Asks."\n# refused = true\n# ///\nattempt(1)\n')
    (case,) = catalogue.family("test")
    assert case.program.code == "attempt = print\nimport os\nattempt(1)\n"
    assert (case.shows, case.passes, case.statuses) == (b"HELD", False, frozenset({Status.EXITED}))


def test_a_session_is_read_snippet_by_snippet() -> None:
    case = session_cases.read_case("counts", SESSION)
    assert (case.attack, case.alive, case.limits.wall_s) == ("Counts.", None, 0.5)
    assert [step.code for step in case.steps] == ["x = 1\n", "x + 1\n"]
    assert case.steps[1].statuses == {ExecutionStatus.RAISED, ExecutionStatus.ENDED}
    assert [step.value for step in case.steps] == [None, "2"]


def test_a_file_that_is_no_case_is_told(folder: Path) -> None:
    (folder / "asks.py").write_text("# /// case\n# attack = 'x'\n# pases = true\n# ///\n")
    with pytest.raises(ValueError, match=r"got .*pases"):
        catalogue.family("test")
    (folder / "asks.py").write_text(FULL)
    (folder / "family.toml").write_text('walls = ["ask"]')
    with pytest.raises(ValueError, match=r"walls to name cases of the family, got .'ask'"):
        catalogue.family("test")
    with pytest.raises(ValueError, match="expected 2 statuses, one for each snippet, got 1"):
        session_cases.read_case("counts", SESSION.replace('["ok", "raised|ended"]', '["ok"]'))


def test_nothing_imports_the_programs(pytestconfig: pytest.Config) -> None:
    """They are attacks: a run of the tests over this folder must not execute them."""
    assert "*/hostile/programs" in pytestconfig.getini("norecursedirs")
