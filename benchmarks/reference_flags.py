"""Flags where no flag belongs: on reference solutions in every form, and on right solutions written by others.

    python benchmarks/reference_flags.py [ID ...] --data ../shared/data [--tasks 6] [--show 3]
    python benchmarks/reference_flags.py --texts --data ../shared/data

Without `--texts`: reference solutions of every registered environment, bare, after `<think>`, after a trace that the
chat template opened, and in gpt-oss' channels. With it: right solutions of ProcessBench and GSM8K, and traces made of
them that doubt and correct themselves, with the mathematics verifier. Each is judged by the environment and looked at
by every detector with the action `gate`, the verifier asked as in a run. Prints counts by detector, environment and
form, and the rewards that were lowered; exit code 1 where a reference is flagged, where over 0.3 % of the texts are, or
where a reward is lowered. What the control shows as well is a finding about the environment and no flag: counted
beside. Environments whose rows or sandbox are not here are named and left out.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, field
from pathlib import Path

from honest_texts import solutions, traces

import rlenv
from rlenv.audit.splits import takes
from rlenv.audit.subject import drawn
from rlenv.core.completion import Completion, as_completion
from rlenv.core.definition import Definition
from rlenv.core.errors import RlenvError
from rlenv.core.task import Task
from rlenv.core.wrapper import State
from rlenv.envs.math.comparing.policy import MathPolicy
from rlenv.envs.math.verifier import MathVerifier
from rlenv.evidence.asker import Asker
from rlenv.evidence.detectors import EVIDENCE_DETECTORS
from rlenv.evidence.findings import FINDINGS, REWARD, holds
from rlenv.hackbench.forms import FORMS, Form, written
from rlenv.judge.judge import Judge
from rlenv.judge.wrapping import apply_wrappers
from rlenv.sandbox import SandboxError
from rlenv.wrappers.watch import watched

FILES = {
    "math/gsm8k-v0": "gsm8k/test.jsonl",
    "process/gsm8k-v0": "gsm8k/test.jsonl",
    "math/math500-v0": "math500/test.jsonl",
    "math/aime24-v0": "aime_comp/aime24.jsonl",
    "math/aime25-v0": "aime_comp/aime25.jsonl",
    "math/svamp-v0": "svamp/test.jsonl",
    "code/humaneval-v0": "humaneval/HumanEval.jsonl.gz",
    "code/mbpp-v0": "mbpp/mbpp.jsonl",
}
"""The rows of the environments that read a public set, under the folder of `--data`."""
GIVEN = {"safety/refusal-v0": {"scorer": "toy"}, "safety/rm-v0": {"scorer": "toy"}}
"""Keywords of an environment that cannot be made without."""
OWN_FORM: dict[str, tuple[Form, ...]] = {"format/tags-v0": ("bare", "think"), "format/tags-v1": ("bare", "think")}
"""The forms of an environment whose format prescribes where reasoning stands."""
MOST_FLAGGED = 0.003
"""Of other people's right solutions."""


def loaded(id: str, data: Path) -> Definition:
    """Raises RlenvError or SandboxError where what it needs is not here."""
    given = dict(GIVEN.get(id, {}))
    if id in FILES and (data / FILES[id]).exists():
        given["data"] = str(data / FILES[id])
    return rlenv.load(id, **given, **({"sandbox": "auto"} if takes(id, "sandbox") else {}))


@dataclass
class Looks:
    """What was seen, over all environments."""

    show: int
    texts: Counter[str] = field(default_factory=Counter)
    paid: Counter[str] = field(default_factory=Counter)
    lowered: Counter[str] = field(default_factory=Counter)
    flagged: Counter[str] = field(default_factory=Counter)
    """Texts with a flag, by form; and below flags by detector, environment and form."""
    seen: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    findings: Counter[str] = field(default_factory=Counter)
    """Tasks whose reference a detector sees too, by detector."""
    rewards: dict[str, set[str]] = field(default_factory=dict)
    """What is told of an environment's reward, by environment."""

    def at(self, definition: Definition, said: Mapping[str, Sequence[tuple[Task, str]]]) -> None:
        """Completions by form, each form a run of its own; those of one task are a group."""
        grader = Judge(definition)
        asker = Asker(definition, grader.verdicts)
        for form, texts in said.items():
            states: dict[str, State] = {}
            groups: dict[str, list[tuple[Task, Completion]]] = defaultdict(list)
            for task, text in texts:
                groups[task.id].append((task, as_completion(text, definition.read_as)))
            for group in groups.values():
                verdicts = grader.verdicts(group)
                before = [
                    rlenv.Episode(*job, v, index=i) for i, (job, v) in enumerate(zip(group, verdicts, strict=True))
                ]
                for old, new in zip(before, apply_wrappers(watched("all:gate"), before, states, asker), strict=True):
                    self.note(definition.id, form, old, new)
            for name, state in states.items():
                known = state.get(FINDINGS, {})
                self.findings[name.partition(":")[2]] += len(known) if isinstance(known, Sized) else 0
                told = state.get(REWARD)
                holes = {one for one in told if holds(state, one)} if isinstance(told, dict) else set()
                if holes:
                    self.rewards.setdefault(definition.id, set()).update(holes)

    def note(self, id: str, form: str, before: rlenv.Episode, after: rlenv.Episode) -> None:
        """Count one text, and print its first flags."""
        self.texts[form] += 1
        self.paid[form] += (before.verdict.reward or 0.0) > 0
        self.lowered[form] += after.verdict.reward != before.verdict.reward
        flags = {flag.name: flag for flag in after.verdict.flags if flag.name in EVIDENCE_DETECTORS}
        self.flagged[form] += bool(flags)
        for flag in flags.values():
            self.seen[flag.name, id, form] += 1
            if self.seen[flag.name, id, form] <= self.show:
                evidence = after.completion.text[flag.start : flag.end]
                print(f"  {flag.name} {id} {form}: {flag.detail}: {evidence!r:.160}")

    def report(self) -> str:
        """The counts."""
        lines = [
            f"{form}: {self.flagged[form]} of {self.texts[form]} texts flagged, {self.paid[form]} of them paid, "
            f"{self.lowered[form]} lowered"
            for form in self.texts
        ]
        lines += [f"{name:<20} {id:<40} {form:<10} {number}" for (name, id, form), number in sorted(self.seen.items())]
        lines += [f"the reward of {id}: {'; '.join(sorted(told))}" for id, told in sorted(self.rewards.items())]
        found = {name: number for name, number in self.findings.items() if number}
        return "\n".join([*lines, f"findings about environments, tasks by detector: {found or 'none'}"])


def references(ids: Sequence[str], data: Path, count: int, looks: Looks) -> bool:
    """Whether no reference is flagged."""
    for id in ids or rlenv.list_envs():
        try:
            definition = loaded(id, data)
            tasks = [definition.tasks[i] for i in drawn(len(definition.tasks), count, seed=0)]
            forms = OWN_FORM.get(id, FORMS)
            looks.at(definition, {form: [(t, written(definition.solution(t), form)) for t in tasks] for form in forms})
        except (RlenvError, SandboxError) as error:
            print(f"{id}: left out: {' '.join(str(error).split())[:100]}")
    return not looks.seen


def others(data: Path, looks: Looks) -> bool:
    """Whether hardly any right solution or trace of others is flagged, and none is paid less."""
    found = {
        form: [(Task(prompt or "?", gold), text) for prompt, gold, text in read(data)]
        for form, read in (("others", solutions), ("traces", traces))
    }
    known = {task.id: task for said in found.values() for task, _ in said}
    if not known:
        raise SystemExit(f"no solutions of ProcessBench or GSM8K in {data}; give --data")
    tasks = rlenv.ListTasks(list(known.values()))
    made = Definition(tasks=tasks, verifier=MathVerifier(MathPolicy()), solution=boxed, id="math/others")
    looks.at(made, found)
    return not looks.lowered.total() and all(looks.flagged[f] <= MOST_FLAGGED * looks.texts[f] for f in found)


def boxed(task: Task) -> str:
    """A right answer as the control, so that `gate` may act."""
    return f"\\boxed{{{task.reference}}}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ids", nargs="*", metavar="ID")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--tasks", type=int, default=6)
    parser.add_argument("--show", type=int, default=0, help="flags printed for each detector, environment and form")
    parser.add_argument("--texts", action="store_true", help="right solutions of ProcessBench and GSM8K")
    options = parser.parse_args()
    looks = Looks(options.show)
    good = others(options.data, looks) if options.texts else references(options.ids, options.data, options.tasks, looks)
    print(looks.report())
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
