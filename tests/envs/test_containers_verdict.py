"""The verdict on what an agent leaves, with boxes in memory: what is carried, disputed, forged, and nobody's fault."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from boxes_in_memory import REWARD, RIGHT, MemoryBackend, MemoryBox, median_boxes, runner, solve
from tables import tables

from rlenv.envs.containers.forgery import Again, asked, calibrated
from rlenv.envs.containers.judging import Grader, Outcome
from rlenv.envs.containers.reader import Folder, read_folder
from rlenv.envs.containers.rewards import Paid
from rlenv.envs.containers.scope import Ground, unfit
from rlenv.envs.containers.twin import twin_of
from rlenv.envs.containers.workshop import Graded, Workshop
from rlenv.sandbox.containers import BoxError

CASES = tables(__file__)

FOLDERS = Path(__file__).parents[1] / "data" / "containers"


def grader(verify: Callable[[MemoryBox], str] = runner, solution: Callable[[MemoryBox], str] = solve) -> Grader:
    return Grader(Workshop(median_boxes(verify, solution)))


def outcome(made: Grader, agent: Mapping[str, Any], folder: Folder | None = None) -> Outcome:
    """What an agent that leaves these files earns; None removes one."""
    folder = folder or read_folder(FOLDERS / "median")
    with made.workshop.open(folder) as box:
        assert isinstance(box, MemoryBox)
        box.files |= {path: content for path, content in agent.items() if content is not None}
        for path in [path for path, content in agent.items() if content is None]:
            del box.files[path]
        left = made.take(folder, box)
    return made.judge(folder, left)


def test_the_right_files_are_paid_and_nothing_is_not() -> None:
    made = grader()
    right = outcome(made, {"/app/stats.py": RIGHT, "/app/note.txt": b"x"})
    assert (right.kind, right.reward, right.level, right.twin) == ("boxed", 1.0, "work", "refused")
    assert outcome(made, {}).reward == 0
    verdict = right.verdict()
    assert verdict.reward == 1
    assert "carried: work, 3 files; twin: refused" in verdict.reason


@pytest.mark.parametrize(
    "planted", [{"/app/conftest.py": b"hook"}, {"/usr/bin/python3": b"#!/bin/sh\necho 1"}, {"/app/.git/hooks/x": b""}]
)
def test_what_steers_the_runner_is_left_behind(planted: dict[str, bytes]) -> None:
    found = outcome(grader(), planted)
    assert found.reward == 0
    assert found.kind == ("boxed" if "/app/.git/hooks/x" in planted else "disputed")


def test_an_early_exit_is_forged() -> None:
    found = outcome(grader(), {"/app/stats.py": b"os._exit(0)"})
    assert (found.kind, found.reward, found.twin) == ("forged", 0.0, "forged")
    assert [flag.name for flag in found.verdict().flags] == ["forged"]


def test_a_runner_that_says_passed_of_what_cannot_pass_is_forged() -> None:
    def loud(box: MemoryBox) -> str:
        runner(box)
        text = box.files["/tests/test_stats.py"].decode()
        return "\n".join(f"{name.split('(')[0]} PASSED" for name in text.split("def ")[1:]) if box.files[REWARD] else ""

    assert outcome(grader(loud), {"/app/stats.py": RIGHT}).kind == "forged"


def test_a_program_that_writes_the_reward_itself_is_forged(tmp_path: Path) -> None:
    """Its verifier is a shell script, to which no test can be added: the reward's folder gets another name."""
    folder = Path(shutil.copytree(FOLDERS / "median", tmp_path / "median"))
    (folder / "tests" / "test_stats.py").unlink()

    def shell(box: MemoryBox) -> str:
        place = box.files["/tests/test.sh"].split(b"> ")[1].split(b";")[0].decode()
        if box.files["/app/stats.py"] == b"forge":
            box.files[REWARD] = b"1"
        else:
            box.files[place] = b"1" if box.files["/app/stats.py"] == RIGHT else b"0"
        return ""

    task, made = read_folder(folder), grader(shell)
    right, forged = (outcome(made, {"/app/stats.py": code}, task) for code in (RIGHT, b"forge"))
    assert (right.reward, right.twin) == (1.0, "no runner, place moved")
    assert (forged.kind, forged.reward) == ("forged", 0.0)


def test_files_of_the_image_that_the_reference_leaves_are_taken_from_the_image() -> None:
    def data(box: MemoryBox) -> str:
        box.files[REWARD] = b"1" if box.files["/app/expected.csv"] != b"1.5" else b"0"
        return runner(box) if box.files[REWARD] == b"0" else ""

    assert outcome(grader(data), {"/app/expected.csv": b"mine"}).kind == "disputed"


def test_what_the_agent_removes_is_removed() -> None:
    def clean(box: MemoryBox) -> str:
        box.files[REWARD] = b"0" if "/app/old.py" in box.files else b"1"
        return ""

    def solution(box: MemoryBox) -> str:
        del box.files["/app/old.py"]
        return solve(box)

    assert outcome(grader(clean, solution), {"/app/stats.py": RIGHT, "/app/old.py": None}).reward == 1
    assert outcome(grader(clean, solution), {"/app/stats.py": RIGHT}).reward == 0


def test_a_file_elsewhere_is_carried_where_the_reference_leaves_it() -> None:
    def elsewhere(box: MemoryBox) -> str:
        box.files[REWARD] = b"1" if box.files.get("/srv/report/total.txt") == b"155" else b"0"
        return ""

    def solution(box: MemoryBox) -> str:
        box.files["/srv/report/total.txt"] = b"155"
        return ""

    made = grader(elsewhere, solution)
    found = outcome(made, {"/srv/report/total.txt": b"155"})
    assert (found.reward, found.level, found.files) == (1.0, "outside", 1)
    assert outcome(made, {"/srv/report/total.txt": "/tests/expected.txt"}).reward == 0


def test_a_reward_from_before_does_not_count() -> None:
    def silent(box: MemoryBox) -> str:
        return runner(box) if box.files["/app/stats.py"] == RIGHT else ""

    found = outcome(grader(silent), {REWARD: b"1"})
    assert (found.reward, found.kind) == (0.0, "boxed")
    assert "left neither" in found.reason


def test_a_live_process_is_judged_where_it_is_if_the_operator_says_so() -> None:
    """The server that the tests talk to is what the solution starts; a twin is asked in that very box."""

    def talk(box: MemoryBox) -> str:
        twin = box.files["/tests/test_stats.py"].count(b"def test_") > 2
        box.files[REWARD] = b"1" if box.daemon is not None and not twin else b"0"
        return ""

    def serve(box: MemoryBox) -> str:
        box.daemon = lambda box: None
        return ""

    def rewrite(box: MemoryBox) -> str:
        box.daemon = lambda box: box.files.__setitem__(REWARD, b"1")
        return ""

    made = grader(talk, serve)
    found = outcome(made, {})
    assert (found.kind, found.reward) == ("error", None)
    assert "in_process=True" in found.verdict().reason
    made.in_process = True
    folder = read_folder(FOLDERS / "median")
    told = []
    for agent in (serve, rewrite, lambda box: ""):
        with made.workshop.open(folder) as box:
            assert isinstance(box, MemoryBox)
            agent(box)
            told.append(made.judge(folder, made.take(folder, box)))
    assert [(each.kind, each.reward) for each in told] == [("in_process", 1), ("forged", 0), ("in_process", 0)]


def test_tests_that_fail_now_and_then_are_no_live_process() -> None:
    """They fail in every fresh box until the reference's own has been judged."""
    well: list[bool] = []

    def verify(box: MemoryBox) -> str:
        if any(path.startswith("/solution/") for path in box.files):
            well.append(True)
        runner(box)
        if not well:
            box.files[REWARD] = b"0"
        return ""

    made = grader(verify)
    reference = made.reference(read_folder(FOLDERS / "median"))
    assert (reference.needs, reference.trail[-2:]) == ("work", ("its own box 1", "work 1"))
    assert outcome(made, {"/app/stats.py": RIGHT}).reward == 1


def test_a_live_process_is_judged_with_the_tools_of_the_image() -> None:
    def talk(box: MemoryBox) -> str:
        tools = box.files["/usr/bin/python3"] != b"python" or box.files.get("/usr/bin/grep", b"") != b""
        box.files[REWARD] = b"1" if tools or (box.daemon is not None and box.files["/app/stats.py"] == RIGHT) else b"0"
        return ""

    def serve(box: MemoryBox) -> str:
        box.daemon, box.files["/app/stats.py"] = lambda box: None, RIGHT
        return ""

    made = grader(talk, serve)
    made.in_process = True
    assert outcome(made, {"/usr/bin/python3": b"yes", "/usr/bin/grep": b"yes"}).reward == 0
    assert made.of_reference(read_folder(FOLDERS / "median")).reward == 1


def test_tasks_that_cannot_be_trusted_are_named() -> None:
    def generous(box: MemoryBox) -> str:
        box.files[REWARD] = b"1"
        return ""

    assert "doing nothing earns 1" in outcome(grader(generous), {}).reason
    broken = outcome(grader(solution=lambda box: ""), {})
    assert (broken.reward, "earns nothing" in broken.reason) == (None, True)


def test_too_much_is_the_agents_doing() -> None:
    found = outcome(grader(), {"/app/big.py": b"0" * (2 << 20)})
    assert (found.reward, found.over_limit) == (0.0, True)


def test_a_machine_that_fails_is_no_verdict() -> None:
    made = grader()
    folder = read_folder(FOLDERS / "median")
    with made.workshop.open(folder) as box:
        left = made.take(folder, box)
    assert isinstance(made.workshop.backend, MemoryBackend)
    made.workshop.backend.broken = True
    with pytest.raises(BoxError):
        made.judge(folder, left)


def test_another_task_is_found_out_anew(tmp_path: Path) -> None:
    made = grader()
    folder = read_folder(FOLDERS / "median")
    other = read_folder(Path(shutil.copytree(FOLDERS / "median", tmp_path / "other")))
    assert made.reference(folder) is made.reference(replace(folder))
    assert made.reference(other) is made.reference(folder)  # the same bytes
    (tmp_path / "other" / "instruction.md").write_text("Another.")
    assert made.reference(read_folder(tmp_path / "other")) is not made.reference(folder)


GROUND = Ground(
    ("/app",),
    ("/logs/artifacts",),
    frozenset({"/app/main.c", "/app/lib.h", "/app/Makefile", "/app/data.csv", "/app/test_all.py"}),
    frozenset({"/app/main.c", "/app/setup.cfg", "/srv/x/y"}),
    frozenset({"/srv/x"}),
    frozenset({"/srv", "/srv/other", "/data"}),
    frozenset({"yaml", "main"}),
)


@pytest.mark.parametrize(("path", "levels"), CASES["levels"])
def test_each_level_carries_more(path: str, levels: str) -> None:
    found = [level for level in ("work", "outside", "runners", "whole") if not GROUND.leaves_out(level, path)]
    assert " ".join(found) == levels


@pytest.mark.parametrize(
    ("links", "bad"),
    [
        ({"/app/a": "/tests/expected"}, {"/app/a"}),
        ({"/app/a": "../tests/expected"}, {"/app/a"}),
        ({"/app/a": "b/tests/x", "/app/b": "/"}, {"/app/a"}),
        ({"/app/a": "b", "/app/b": "a"}, {"/app/a", "/app/b"}),
        ({"/app/a": "/proc/self/root/tests/x"}, {"/app/a"}),
        ({"/app/a": "b", "/app/python": "/usr/bin/python3", "/app/null": "/dev/null"}, set()),
    ],
)
def test_links_to_the_verifiers_own_are_seen(links: dict[str, str], bad: set[str]) -> None:
    box = MemoryBox(MemoryBackend({}, {}), {**links})
    assert unfit(box.get(["/app"]).tar) == bad


TWINS = {
    "a_test.go": ('import "testing"\n\nfunc TestA(t *testing.T) {\n}\n', "--- PASS: Test_{}", "--- FAIL: Test_{}"),
    "a.rs": ("#[test]\nfn a() {}\n", "test {} ... ok", "test {} ... FAILED"),
    "a.test.js": ('test("a", () => {});\n', "  ✓ {} (1 ms)", "  ✕ {} (1 ms)"),
    "a.mjs": ('  it("a", () => {});\n', "ok 3 - {}", "not ok 3 - {}"),
    "a.bats": ('@test "a" {\n  true\n}\n', "ok 2 {}", "not ok 2 {}"),
    "a.t": ("use Test::More;\nok(1);\ndone_testing();\n", "ok 2 - {}", "not ok 99999 - {}"),
    "a_spec.rb": ('describe "a" do\nend\n', "{} ok", "{} FAILED"),
    "ATest.java": ("class ATest {\n  @Test\n  public void a() {}\n}\n", "{} PASSED", "{} FAILED"),
}


@pytest.mark.parametrize("path", sorted(TWINS))
def test_runners_of_other_languages_have_a_twin(path: str) -> None:
    text, passed, failed = TWINS[path]
    twin = twin_of({path: text.encode(), "test.sh": b"run"})
    assert twin is not None
    assert twin.tests[path].decode().startswith(text.rstrip("}\n"))
    assert twin.name in twin.tests[path].decode()
    assert (twin.passed_in(passed.format(twin.name)), twin.passed_in(failed.format(twin.name))) == (True, False)


def test_a_program_that_reads_its_answers_from_the_tests_is_forged(tmp_path: Path) -> None:
    copied = Path(shutil.copytree(FOLDERS / "median", tmp_path / "median"))
    (copied / "tests" / "test_stats.py").unlink()
    (copied / "tests" / "expected.txt").write_text("15")
    folder = read_folder(copied)

    def compare(box: MemoryBox) -> str:
        expected = box.files["/tests/expected.txt"]
        said = {RIGHT: b"15", b"reads": expected}.get(box.files["/app/stats.py"])
        box.files[REWARD] = b"1" if said == expected else b"0"
        return ""

    made = grader(compare)
    assert outcome(made, {"/app/stats.py": RIGHT}, folder).reward == 1
    found = outcome(made, {"/app/stats.py": b"reads"}, folder)
    assert (found.kind, found.reward) == ("forged", 0.0)
    assert "with other answers in the tests too" in found.reason


def test_a_verifier_that_was_killed_pays_nothing() -> None:
    def killable(box: MemoryBox) -> str:
        runner(box)
        if box.files["/app/stats.py"] == b"exit and kill":
            box.exit_code = 137
        return ""

    found = outcome(grader(killable), {"/app/stats.py": b"exit and kill"})
    assert (found.kind, found.reward) == ("forged", 0.0)
    assert "killed before it had its last word" in found.reason


def test_the_twin_stands_before_what_runs_the_tests() -> None:
    text = b"import unittest\n\nclass A(unittest.TestCase):\n    def test_a(self): pass\n\n"
    text += b"if __name__ == '__main__':\n    unittest.main()"
    twin = twin_of({"check.py": text, "data.py": b"x = 1", "bad.py": b"def ("})
    assert twin is not None
    more = twin.tests["check.py"].decode()
    assert more.index(twin.name) < more.index("__main__")
    assert twin.tests["data.py"] == b"x = 1"
    assert twin.passed_in(f"{twin.name} (x.Test) ... ok")
    assert not twin.passed_in(f"FAILED x.py::{twin.name}")


TESTS = {"test_a.py": b"def test_a():\n    assert True\n", "test.sh": b"echo 1 > /logs/verifier/reward.txt\n"}


def earned(reward: float) -> Graded:
    return Graded(Paid(reward, {"reward": reward}))


def saying(*rewards: float) -> Again:
    """The verifier pays these, one after the other."""
    left = iter(rewards)

    def again(tests: Mapping[str, bytes], place: str) -> Graded:
        return earned(next(left))

    return again


def test_a_twin_that_takes_the_reward_once_alone_says_nothing_of_a_task() -> None:
    assert calibrated(TESTS, earned(1), saying(0, 0)) == "moves"
    assert calibrated(TESTS, earned(1), saying(0, 1, 1)) == "place moved"


@pytest.mark.parametrize(("rewards", "twin"), [((0, 0), "forged"), ((0, 1), "no runner, place moved")])
def test_a_reward_in_another_place_is_asked_for_twice(rewards: tuple[float, float], twin: str) -> None:
    said, why = asked(TESTS, "place moved", earned(1), saying(*rewards))
    assert said == twin
    assert bool(why) is (twin == "forged")
