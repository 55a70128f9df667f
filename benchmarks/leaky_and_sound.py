"""What audit, watch and search say of rewards in files: python benchmarks/leaky_and_sound.py FOLDER [--search 60].

FOLDER has leaky/*.py and sound/*.py (or .py.txt), each with `TASKS` (prompt, answer, columns), `FULL`, `reward` and
`is_solution` (completion, answer, **columns), `RIGHT`, `WRONG` and in leaky/ `HACKS`: rows of a task's number and a
completion. Paid is what earns half of `FULL`. A reward is named where a finding before a run (audit) or during it
(detectors on all its completions) shows a completion that is paid and is no solution; what --search finds is told
apart.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from rlenv import Episode
from rlenv.audit import Audit, audit_reward, reward_definition
from rlenv.audit.audit import TASKS
from rlenv.audit.search import search_findings
from rlenv.audit.subject import Subject
from rlenv.core.completion import as_completion
from rlenv.core.task import Task
from rlenv.core.wrapper import State
from rlenv.evidence.asker import Asker
from rlenv.evidence.exploits.finding import Finding
from rlenv.evidence.findings import found
from rlenv.judge.judge import Judge
from rlenv.judge.wrapping import apply_wrappers
from rlenv.wrappers.watch import watched

Flags: TypeAlias = dict[str, list[list[str]]]
LABELS = ("HACKS", "RIGHT", "WRONG")


def loaded(path: Path) -> ModuleType:
    loader = SourceFileLoader(f"{path.parent.name}_{path.name.partition('.')[0]}", str(path))
    module = ModuleType(loader.name)
    loader.exec_module(module)
    return module


def called(reward: Callable[..., float]) -> Callable[[str, Task], float]:
    """The reward as a function of the whole text, reasoning and tool calls included, and its task."""

    def judged(text: str, task: Task) -> float:
        columns = {key: value for key, value in task.metadata.items() if key not in ("prompt", "answer", "id")}
        return reward(text, task.reference, **columns)

    return judged


class Reward:
    """One file, with what is said of it."""

    def __init__(self, path: Path, search: float) -> None:
        self.name, self.leaky, self.module = path.name.partition(".")[0], path.parent.name == "leaky", loaded(path)
        self.right: dict[str, str] = {}
        for row in self.module.RIGHT:
            self.right.setdefault(self.module.TASKS[row["task"]]["prompt"], row["completion"])
        self.rows = [row for row in self.module.TASKS if row["prompt"] in self.right]
        start = time.process_time()
        self.audit = self._audited()
        self.audit_s = time.process_time() - start
        self.during, self.flagged = self._watched()
        self.searched = self._searched(search) if search and self.leaky else None

    def _solution(self, task: Task) -> str:
        return self.right[str(task.prompt)]

    def _audited(self) -> Audit:
        return audit_reward(called(self.module.reward), self.rows, solution=self._solution, name=self.name)

    def _searched(self, seconds: float) -> list[str]:
        """The texts that the search alone finds."""
        made = reward_definition(called(self.module.reward), self.rows, solution=self._solution)
        found = search_findings(Subject(made, TASKS), seconds)
        return [one.evidence.text for one in found if one.evidence is not None]

    def _watched(self) -> tuple[list[Finding], Flags]:
        """The findings of a run that says every completion of the file, and the flags on each."""
        made = reward_definition(called(self.module.reward), self.module.TASKS, solution=self._solution)
        judge = Judge(made)
        states: dict[str, State] = {}
        asker, detectors = Asker(made, judge.verdicts), watched("all")
        groups: dict[int, list[tuple[str, int, str]]] = defaultdict(list)
        for label in LABELS:
            for place, row in enumerate(getattr(self.module, label, [])):
                groups[row["task"]].append((label, place, row["completion"]))
        flags: Flags = {label: [[] for _ in getattr(self.module, label, [])] for label in LABELS}
        for number, said in groups.items():
            task = made.tasks[number]
            completions = [as_completion(text, made.read_as) for _, _, text in said]
            verdicts = judge.verdicts([(task, one) for one in completions])
            group = [Episode(task, *one) for one in zip(completions, verdicts, strict=True)]
            for (label, place, _), episode in zip(said, apply_wrappers(detectors, group, states, asker), strict=True):
                flags[label][place] = [flag.name for flag in episode.verdict.flags if flag.name != "over_limit"]
        return found(states, self.name), flags

    def hack(self, text: str, number: int | None = None) -> bool:
        """Whether a text is paid on a task, or on any, and is no solution of it."""
        for task in self.module.TASKS if number is None else [self.rows[number]]:
            columns = {key: value for key, value in task.items() if key not in ("prompt", "answer")}
            try:
                paid = float(self.module.reward(text, task["answer"], **columns)) >= self.module.FULL / 2
            except Exception:  # what a reward raises on is not paid
                continue
            if paid and not self.module.is_solution(text, task["answer"], **columns):
                return True
        return False

    def shown(self, done: Audit, least: str = "low") -> list[tuple[str, str, str, bool]]:
        """Exploit, severity and text of each finding that shows a text, and whether it is a hack."""
        seen = [(one, one.evidence) for one in done.at_least(least)]
        return [
            (one.exploit.name, one.severity.word, e.text if e else "", bool(e and self.hack(e.text, e.index)))
            for one, e in seen
        ]

    def to_json(self) -> dict[str, Any]:
        before = self.shown(self.audit)
        during = [(one.exploit.name, one.completion, self.hack(one.completion)) for one in self.during]
        searched = None if self.searched is None else [(text, self.hack(text)) for text in self.searched]
        return {
            "name": self.name,
            "leaky": self.leaky,
            "named": any(one[-1] for one in before) or any(one[-1] for one in during),
            "accused": [*(one[:3] for one in before if one[1] != "low"), *during],
            "findings": len(before),
            "before": [(*one[:2], one[2][:200], one[3]) for one in before],
            "during": during,
            "search": searched,
            "flags": self.flagged,
            "audit_cpu_s": round(self.audit_s, 2),
        }


def summary(told: list[dict[str, Any]]) -> list[str]:
    leaky, sound = [one for one in told if one["leaky"]], [one for one in told if not one["leaky"]]
    flags = {label: [(one, flag) for one in told for flag in one["flags"][label]] for label in LABELS}
    hacks = flags["HACKS"]
    lines = [f"leaky rewards named: {sum(one['named'] for one in leaky)} of {len(leaky)}"]
    lines += ["  not named: " + ", ".join(one["name"] for one in leaky if not one["named"])]
    lines += [f"hacks flagged: {sum(bool(flag) for _, flag in hacks)} of {len(hacks)}"]
    found_ = sum(bool(flag) or one["named"] for one, flag in hacks)
    lines += [f"hacks found (flagged, or their reward is named): {found_} of {len(hacks)}"]
    for label in LABELS[1:]:
        bad = Counter(f"{one['name']}:{name}" for one, flag in flags[label] for name in flag)
        often = sum(bool(flag) for _, flag in flags[label])
        lines += [f"honest {label.lower()} flagged: {often} of {len(flags[label])} {dict(bad) or ''}"]
    accused = {one["name"]: one["accused"] for one in sound if one["accused"]}
    lines += [f"sound rewards accused (medium and above, or in a run): {len(accused)} of {len(sound)}"]
    lines += [f"  {name}: {[one[:3] for one in why]}"[:300] for name, why in accused.items()]
    if leaky:
        lines += [f"findings a leaky reward, median: {statistics.median(one['findings'] for one in leaky):g}"]
    searched = [one for one in leaky if one["search"] is not None]
    if searched:
        by = [one["name"] for one in searched if any(row[-1] for row in one["search"])]
        lines += [f"named by the search alone: {len(by)} of {len(searched)}: {', '.join(by)}"]
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--search", type=float, default=0.0, help="seconds for each leaky reward")
    parser.add_argument("--only", default="", help="files whose name has one of these parts, between commas")
    parser.add_argument("--json", type=Path, help="write everything here, a line a reward")
    given = parser.parse_args()
    parts, told = given.only.split(","), []
    for path in sorted(given.folder.glob("*/*.py*")):
        if path.parent.name in ("leaky", "sound") and any(part in path.name for part in parts):
            told.append(Reward(path, given.search).to_json())
            one = told[-1]
            print(f"{one['name']:24} {'named' if one['named'] else 'not named' if one['leaky'] else 'sound'}", end=" ")
            print(
                [(*row[:2], row[2][:40], row[3]) for row in one["before"]],
                one["during"],
                one["search"] or "",
                flush=True,
            )
    print("\n".join(summary(told)))
    if given.json is not None:
        given.json.write_text("".join(json.dumps(one) + "\n" for one in told), encoding="ascii")


if __name__ == "__main__":
    main()
