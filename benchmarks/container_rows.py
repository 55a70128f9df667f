"""Rows with SWE-bench's fields of real repositories: what is paid, and whether SWE-bench reads the same logs alike.

    pip download --no-deps --no-binary :all: -d sdists parse==1.19.1 ...   # both of each line of RELEASES
    python benchmarks/container_rows.py play sdists OUT.jsonl
    pip install swebench && python benchmarks/container_rows.py grade OUT.jsonl     # in any environment

A row is made of two releases that follow each other: the older is the base, what changed in its code the patch, what
changed in its tests the test patch, and which tests fail before and pass after is found in a box. `play` judges the
patch, nothing, the first half of the patch, and the exploits of tests/data/container_rows, written for this row.
`grade` gives the log of each verifier to SWE-bench's parser and rules. It needs an engine and the image of
`make agents-base`.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import subprocess
import tarfile
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rlenv.envs.containers.judging import Grader
    from rlenv.envs.containers.reader import Folder

IMAGE = "rlenv/agents-base:latest"
RELEASES = {
    "parse": ("1.19.1", "1.20.0"),
    "sqlparse": ("0.5.0", "0.5.1"),
    "wcwidth": ("0.2.12", "0.2.13"),
    "xmltodict": ("0.13.0", "0.14.0"),
    "pathspec": ("0.11.2", "0.12.0"),
    "boltons": ("23.0.0", "23.1.0"),
}
EXPLOITS = Path(__file__).parents[1] / "tests" / "data" / "container_rows" / "exploits"
PYTEST = (
    "python3 -m pytest -q --rootdir=. -p no:cacheprovider -o junit_family=xunit1 --junitxml=/tmp/{name}.xml {files}"
)
LOGS = {"PYTEST_ADDOPTS": "-rA -q"}
"""So that a log has the lines that SWE-bench's parser looks for."""

Row = dict[str, Any]


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"]
    return subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def is_test(path: Path) -> bool:
    return bool({"test", "tests"} & set(path.parts[:-1]))


def sources(folder: Path) -> dict[Path, bytes]:
    """The package's code and its tests with their data."""
    every = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    found = {path.relative_to(folder): path.read_bytes() for path in every}
    return {path: content for path, content in found.items() if is_test(path) or path.suffix == ".py"}


def commit(folder: Path, remove: set[Path], add: dict[Path, bytes]) -> str:
    for path in remove:
        (folder / path).unlink()
    for path, content in add.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    git(folder, "add", "-A", "-f")
    git(folder, "commit", "-q", "--allow-empty", "-m", "next")
    return git(folder, "rev-parse", "HEAD").strip()


def made(sdists: Path, place: Path, name: str) -> Row:
    """The row of two releases, without the tests that it asks for: a repository that has the mend in its history."""
    for release in RELEASES[name]:
        with tarfile.open(sdists / f"{name}-{release}.tar.gz") as tar:
            tar.extractall(place, filter="data")
    old, new = (place / f"{name}-{release}" for release in RELEASES[name])
    was, now = sources(old), sources(new)
    folder = place / name
    folder.mkdir()
    git(folder, "init", "-q")
    base = commit(folder, set(), was)
    code, tests = ({path for path in was if is_test(path) is kind} for kind in (False, True))
    mended = commit(folder, code - set(now), {path: text for path, text in now.items() if not is_test(path)})
    tested = commit(folder, tests - set(now), {path: text for path, text in now.items() if is_test(path)})
    for each in (old, new):
        shutil.rmtree(each)
    return {
        "instance_id": f"{name}-{RELEASES[name][1]}",
        "repository": name,
        "base_commit": base,
        "problem_statement": f"Bring {name} from {RELEASES[name][0]} to {RELEASES[name][1]}.",
        "patch": git(folder, "diff", base, mended),
        "test_patch": git(folder, "diff", "--binary", mended, tested),
        "FAIL_TO_PASS": ["none.py::none"],
    }


def paths(patch: str) -> list[str]:
    return sorted({line[6:] for line in patch.splitlines() if line.startswith("+++ b/")})


def with_tests(grader: Grader, place: Path, row: Row) -> Row:
    """The row with the tests that its patch mends, and those that pass before and after; found in a box."""
    from rlenv.envs.containers.read_junit import outcomes
    from rlenv.envs.containers.scope import contents

    files = [path for path in paths(row["test_patch"]) if Path(path).name.startswith("test_") and path.endswith(".py")]
    found: list[dict[str, bool]] = []
    with grader.workshop.open(read(place, row)) as box:
        box.put({name: row[name].encode() for name in ("patch", "test_patch")}, "/tmp/patches")
        for name in ("test_patch", "patch"):
            words = PYTEST.format(name=name, files=" ".join(map(shlex.quote, files)))
            ran = box.run(f"git apply /tmp/patches/{name} && {words}", timeout_s=900)
            junit = contents(box.get([f"/tmp/{name}.xml"]).tar).get(f"/tmp/{name}.xml")
            if junit is None:
                raise RuntimeError(f"{row['instance_id']}: no tests ran: {ran.output[-500:]}")
            (place / "junit.xml").write_bytes(junit)
            found.append(outcomes(place / "junit.xml"))
    before, after = found
    good = sorted(test for test, passed in after.items() if passed and not set(test) & set(" \n\t"))
    to_pass = [test for test in good if not before.get(test, False)]
    return {**row, "FAIL_TO_PASS": to_pass, "PASS_TO_PASS": [test for test in good if before.get(test, False)]}


def read(place: Path, row: Row) -> Folder:
    from rlenv.envs.containers.rows import read_rows

    path = place / f"{row['instance_id']}.jsonl"
    path.write_text(json.dumps(row) + "\n", "utf-8")
    (folder,) = read_rows(path)
    return replace(folder, verifier=replace(folder.verifier, env=LOGS))


def half(patch: str) -> str:
    """The first half of a patch's hunks."""
    files = [f"diff --git {part}" for part in patch.split("diff --git ")[1:]]
    hunks = [(head, hunk) for head, *rest in (file.split("\n@@ ") for file in files) for hunk in rest]
    kept = hunks[: max(1, len(hunks) // 2)]
    heads = dict.fromkeys(head for head, _ in kept)
    return (
        "\n".join("\n@@ ".join([head, *(hunk for at, hunk in kept if at == head)]).rstrip("\n") for head in heads)
        + "\n"
    )


def scripts(row: Row) -> dict[str, bytes]:
    """What is played as the agent's one command."""
    source, tests = paths(row["patch"])[0], sorted(test.partition("::")[0] for test in row["FAIL_TO_PASS"])[0]
    folder, _, name = tests.rpartition("/")
    found = {"half": f"#!/bin/bash\ngit apply - <<'HALF_END'\n{half(row['patch'])}HALF_END\n".encode()}
    for path in sorted(EXPLOITS.glob("*.sh")):
        text = path.read_text("utf-8").replace("/testbed/tests/", f"/testbed/{folder}/")
        text = text.replace("tests/test_sums.py", tests).replace("test_sums.py", name)
        found[path.stem] = text.replace("/testbed/sums.py", f"/testbed/{source}").encode()
    return found


def played(grader: Grader, out: Path, row: Row, folder: Folder, name: str) -> None:
    """One play, as a line of the file."""
    from rlenv.envs.containers.findings import play
    from rlenv.envs.containers.judging import Outcome
    from rlenv.sandbox.errors import SandboxError

    try:
        nothing = grader.reference(folder).nothing
        if name == "nothing":
            paid = {} if nothing.paid is None else nothing.paid.components
            outcome = Outcome("boxed", nothing.reward, paid, output=nothing.output)
        else:
            outcome = grader.of_reference(folder) if name == "patch" else play(grader, folder, scripts(row)[name])
    except SandboxError as error:
        outcome = Outcome("error", None, reason=str(error))
    line = {"row": row["instance_id"], "play": name, "reward": outcome.reward, "verdict": outcome.kind}
    line |= {"components": dict(outcome.components), "twin": outcome.twin, "reason": outcome.reason[:300]}
    line |= {"log": outcome.output, "FAIL_TO_PASS": row["FAIL_TO_PASS"], "PASS_TO_PASS": row["PASS_TO_PASS"]}
    with out.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    print(line["row"], name, outcome.reward, outcome.kind, outcome.twin, outcome.reason[:200], flush=True)


def play_all(sdists: Path, out: Path, at_once: int) -> None:
    from rlenv.envs.containers.judging import Grader
    from rlenv.envs.containers.workshop import Workshop
    from rlenv.sandbox.containers import docker_boxes

    grader = Grader(Workshop(docker_boxes(), {"python:3.12-slim": IMAGE}))
    with tempfile.TemporaryDirectory() as given, ThreadPoolExecutor(at_once) as threads:
        place = Path(given)
        had = {json.loads(line)["row"] for line in out.read_text("utf-8").splitlines()} if out.exists() else set()
        for name in RELEASES:
            if f"{name}-{RELEASES[name][1]}" in had:
                continue
            row = with_tests(grader, place, made(sdists, place, name))
            folder = read(place, row)
            print(row["instance_id"], len(row["FAIL_TO_PASS"]), "to mend,", len(row["PASS_TO_PASS"]), "to keep")
            wanted = ["patch", "nothing", *scripts(row)]
            list(threads.map(partial(played, grader, out, row, folder), wanted))


def grade(out: Path) -> None:
    """What SWE-bench says of the same logs."""
    from swebench.harness.constants import FAIL_TO_PASS, PASS_TO_PASS
    from swebench.harness.grading import compute_fail_to_pass, compute_pass_to_pass, get_eval_tests_report
    from swebench.harness.log_parsers.python import parse_log_pytest

    told: Counter[tuple[str, str]] = Counter()
    for line in map(json.loads, out.read_text("utf-8").splitlines()):
        gold = {key: line[key] for key in (FAIL_TO_PASS, PASS_TO_PASS)}
        report = get_eval_tests_report(parse_log_pytest(line["log"], None), gold)
        theirs = (compute_fail_to_pass(report), compute_pass_to_pass(report))
        ours = tuple(line["components"].get(key, 0.0) for key in (FAIL_TO_PASS, PASS_TO_PASS))
        kind = line["play"] if line["play"] in ("patch", "nothing", "half") else "exploit"
        told[kind, f"paid here: {line['reward'] == 1}, resolved there: {theirs == (1, 1)}"] += 1
        told[
            kind, f"the shares of both lists agree: {max(abs(a - b) for a, b in zip(ours, theirs, strict=True)) < 1e-9}"
        ] += 1
    for (kind, said), count in sorted(told.items()):
        print(f"{kind:8} {count:3}  {said}")


def main() -> None:
    parser = argparse.ArgumentParser()
    doing = parser.add_subparsers(dest="doing", required=True)
    playing, grading = doing.add_parser("play"), doing.add_parser("grade")
    playing.add_argument("sdists", type=Path)
    playing.add_argument("--at-once", type=int, default=2)
    for each in (playing, grading):
        each.add_argument("out", type=Path)
    given = parser.parse_args()
    grade(given.out) if given.doing == "grade" else play_all(given.sdists, given.out, given.at_once)


if __name__ == "__main__":
    main()
