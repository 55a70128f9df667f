"""A row for every environment: references paid, near misses refused, what the audit says of it, and known holes.

    python benchmarks/environment_table.py --data ../shared/data --set sandbox=namespaces [--family format]
    python benchmarks/environment_table.py --data ../shared/data --audits all.json     # of `rlenv audit --all --json`

References are the solutions of the first tasks; where they are scored and not judged (a learned reward), their mean. A
near miss is the reference of one of the audit's tasks made wrong (off by one, digits swapped, an item missing ...);
where a rule decides, a changed answer may be as right, and what was refused of those is set in brackets. Programs have
mutants instead (docs/code.md). Then comes what a policy earns that always says the most frequent answer. Known holes
are those of known_holes.tsv. Above the table stands what the audits took. Environments whose data cannot be had are
listed below it; `--data-of ID=FILE` and `--set-of ID:KEY=VALUE` name a file and a keyword, as for the audit.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import rlenv
from rlenv.audit import Audit, table
from rlenv.audit.audit import TASKS, TASKS_OF_TURNS
from rlenv.audit.corrupting import WRITING, corruption_plays
from rlenv.audit.judge import by_value
from rlenv.audit.splits import takes
from rlenv.audit.subject import Subject
from rlenv.cli.auditing import Asked, all_audited
from rlenv.cli.environment_options import environment_kwargs, kwargs_of
from rlenv.core.completion import as_completion
from rlenv.core.definition import Definition
from rlenv.core.errors import RlenvError
from rlenv.core.jsontypes import Json
from rlenv.judge.judge import Judge
from rlenv.sandbox.errors import SandboxError

FILES = {
    "math/gsm8k-v0": "gsm8k/test.jsonl",
    "math/math500-v0": "math500/test.jsonl",
    "math/math-v0": "math500/test.jsonl",
    "math/aime24-v0": "aime_comp/aime24.jsonl",
    "math/aime25-v0": "aime_comp/aime25.jsonl",
    "math/svamp-v0": "svamp/test.jsonl",
    "process/gsm8k-v0": "gsm8k/test.jsonl",
    "code/humaneval-v0": "humaneval/HumanEval.jsonl.gz",
    "code/mbpp-v0": "mbpp/mbpp.jsonl",
}
"""Where the public sets lie in the data folder."""


class Measured(NamedTuple):
    """What was judged here, without the audit."""

    references: str
    near_misses: str


HOLES = Path(__file__).with_name("known_holes.tsv")
COLUMNS = (
    "environment",
    "references paid",
    "near misses refused",
    "the audit's outcome",
    "most frequent answer",
    "known holes",
)
RULES = 6
"""Named at most."""
PLAYED = 32
"""References of several turns that are played: each is a whole episode."""


class Outcome(NamedTuple):
    """What an audit says of an environment."""

    worst: str
    rules: tuple[str, ...]
    """Of the findings above info."""
    guess_rate: float

    def __str__(self) -> str:
        more = f" and {len(self.rules) - RULES} more" if len(self.rules) > RULES else ""
        found = self.worst + (f": {', '.join(f'`{rule}`' for rule in self.rules[:RULES])}{more}" if self.rules else "")
        return f"{found} | {self.guess_rate:.2f}"


def main() -> None:
    options = _options()
    asked = _asked(options)
    outcomes = _saved(options.audits) if options.audits else _audited(asked)
    holes = known_holes()
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    left_out = []
    for one in asked:
        try:
            measured = measure(rlenv.load(one.id, **one.kwargs), options.references)
        except (RlenvError, SandboxError) as error:
            left_out.append(f"{one.id}: {error}")
            continue
        outcome, hole = outcomes.get(one.id, "not audited | -"), holes.get(one.id, "-")
        print(f"| `{one.id}` | {measured.references} | {measured.near_misses} | {outcome} | {hole} |", flush=True)
    print("\n".join(["", *left_out]))


def known_holes() -> dict[str, str]:
    """By id, what is known to be paid or refused wrongly, beyond what the audit finds."""
    lines = HOLES.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines if line and not line.startswith("#"))


def measure(definition: Definition, count: int) -> Measured:
    """References paid in full out of the first `count`, and near misses that earn nothing."""
    rewards = _references(definition, count)
    full = max((reward for reward in rewards if reward is not None), default=0.0)
    paid = sum(reward == full for reward in rewards) if full > 0 else 0
    said = f"{paid:,} of {len(rewards):,}"
    if len(set(rewards)) > max(2, len(rewards) // 2):
        said = f"scored: {fmean(reward or 0.0 for reward in rewards):.2f} on average"
    return Measured(said, _near_misses(definition))


def _references(definition: Definition, count: int) -> list[float | None]:
    """What the solutions of the first tasks earn; of several turns, those of the tasks that an audit would draw."""
    if definition.interaction is not None:
        with by_value(definition):
            return [verdict.reward for verdict in Subject(definition, min(count, PLAYED)).right]
    tasks = [definition.tasks[i] for i in range(min(count, len(definition.tasks)))]
    said = [as_completion(definition.solution(task), definition.read_as) for task in tasks]
    return [v.reward for v in Judge(definition).verdicts(list(zip(tasks, said, strict=True)))]


def _near_misses(definition: Definition) -> str:
    if definition.id.startswith("code/"):
        return "mutants"
    with by_value(definition):
        subject = Subject(definition, TASKS if definition.interaction is None else TASKS_OF_TURNS)
        plays = [play for play in corruption_plays(subject) if play.rule != WRITING]
        rewards = subject.judge.rewards([play.said for play in plays])
    if not plays:
        return "no answer to change"
    refused = sum(subject.share(play.said.task, r) <= 0 for play, r in zip(plays, rewards, strict=True))
    return f"({refused:,} of {len(plays):,})" if subject.by_rule else f"{refused:,} of {len(plays):,}"


def _audited(asked: list[Asked]) -> dict[str, Outcome]:
    start, before = time.monotonic(), os.times()
    found = dict(all_audited(asked))
    took, after = time.monotonic() - start, os.times()
    processor = sum(after[:4]) - sum(before[:4])
    done = sorted((a for a in found.values() if isinstance(a, Audit)), key=lambda audit: audit.env_id)
    failed = sorted((id, why) for id, why in found.items() if isinstance(why, str))
    print(table(done, failed))
    print(f"\n{len(done)} audits in {took:,.0f} s; {processor:,.0f} s of processor time, sandboxed programs aside\n")
    return {audit.env_id: _outcome(audit.to_json()) for audit in done}


def _saved(file: Path) -> dict[str, Outcome]:
    return {str(audit["env"]): _outcome(audit) for audit in json.loads(file.read_text(encoding="ascii"))}


def _outcome(audit: dict[str, Json]) -> Outcome:
    findings = audit["findings"]
    assert isinstance(findings, list)
    rules = [str(one["rule"]) for one in findings if isinstance(one, dict) and one["severity"] != "info"]
    guess_rate = float(str(audit["guess_rate"]))
    return Outcome(str(audit["worst"] or "nothing"), tuple(dict.fromkeys(rules)), guess_rate)


def _asked(options: argparse.Namespace) -> list[Asked]:
    files = [f"{id}={options.data / path}" for id, path in FILES.items() if (options.data / path).exists()]
    own = kwargs_of([*files, *options.data_of], options.set_of)
    given = environment_kwargs(None, options.settings)
    asked = []
    for id in rlenv.list_envs(options.family):
        kwargs: dict[str, Json] = {key: value for key, value in given.items() if takes(id, key)}
        asked.append(Asked(id, kwargs | own.get(id, {}), None, 0, {}))
    return asked


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder of the public sets")
    parser.add_argument("--data-of", action="append", default=[], metavar="ID=FILE")
    parser.add_argument("--set-of", action="append", default=[], metavar="ID:KEY=VALUE")
    parser.add_argument("--set", dest="settings", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--family")
    parser.add_argument("--references", type=int, default=100, help="how many references are judged")
    parser.add_argument("--audits", type=Path, help="audits that were written by --json; else they are made")
    return parser.parse_args()


if __name__ == "__main__":
    main()
