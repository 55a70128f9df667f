"""The result of an audit, as text for a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from rlenv.audit.playing import Played
from rlenv.audit.severity import CUTOFFS
from rlenv.audit.subject import NO_CANARIES, Canaries
from rlenv.core.jsontypes import Json
from rlenv.evaluation.second_opinion import Disagreement, counted
from rlenv.evidence.exploits.attack import CATALOGUE_VERSION
from rlenv.evidence.exploits.finding import Finding, Severity, shown
from rlenv.text.escaping import shown_line

ALSO_SHOWN = 3
OF_ROWS = ("reference/", "tasks/")
"""Rules on the rows themselves, whose finding is no text that earns."""


@dataclass(frozen=True, kw_only=True)
class Audit:
    """What was played on an environment and what came of it; the worst findings first."""

    env_id: str
    verifier_version: str
    findings: tuple[Finding, ...]
    tasks: int
    """How many tasks were played on."""
    of_tasks: int
    """How many the set has."""
    plays: int
    seconds: float
    seed: int
    reference_reward: float
    """The mean reward of right answers."""
    guess_rate: float
    """How often the most frequent answer is right."""
    notes: tuple[str, ...] = ()
    """What could not be played, and why."""
    source: str = ""
    """The file of the verifier, where it is known."""
    line: int = 1
    catalogue_version: str = CATALOGUE_VERSION
    disagreements: tuple[Disagreement, ...] = ()
    """Where another verifier paid otherwise, if one was asked."""
    command: str = ""
    """What plays the same again on the command line, where something does."""
    played: tuple[Played, ...] = ()
    """What the texts of every rule earned, paid or not, the most first."""
    canaries: Canaries = NO_CANARIES
    """Right completions beside a wrong reference; none asked where completions are programs."""
    tasks_sha256: str = ""
    """Of the tasks that were played on, as JSON."""

    @property
    def worst(self) -> Severity:
        return max((finding.severity for finding in self.findings), default=Severity.INFO)

    def at_least(self, severity: str | Severity) -> list[Finding]:
        """The findings of this severity and above."""
        return [finding for finding in self.findings if finding.severity >= Severity.named(severity)]

    def counts(self) -> dict[str, int]:
        """How many findings of each severity, the worst first."""
        return {s.word: sum(f.severity is s for f in self.findings) for s in reversed(Severity)}

    def find(self, finding_id: str) -> Finding | None:
        return next((finding for finding in self.findings if finding.id == finding_id), None)

    def to_json(self) -> dict[str, Json]:
        return {
            "env": self.env_id,
            "verifier_version": self.verifier_version,
            "catalogue_version": self.catalogue_version,
            "cutoffs": {severity.word: cutoff for severity, cutoff in CUTOFFS.items()},
            "tasks": self.tasks,
            "of_tasks": self.of_tasks,
            "plays": self.plays,
            "seconds": round(self.seconds, 3),
            "seed": self.seed,
            "reference_reward": self.reference_reward,
            "guess_rate": self.guess_rate,
            "worst": self.worst.word if self.findings else None,
            "counts": self.counts(),
            "notes": list(self.notes),
            "findings": [finding.to_json() for finding in self.findings],
            "disagreements": [{**asdict(one), "right": one.right} for one in self.disagreements],
        }

    def __str__(self) -> str:
        return self.text()

    def _again(self) -> str:
        """How to see the whole text of a finding, with its id left open."""
        if self.command:
            return self.command.replace("{", "{{").replace("}", "}}") + " --replay {id}"
        return "print(report.find({id!r}).evidence.text)"

    def text(self, least: Severity = Severity.INFO) -> str:
        """The report for a terminal, findings from `least` up."""
        head = (
            f"{shown_line(self.env_id) or 'reward function'}: {self.tasks} of {self.of_tasks:,} tasks, "
            f"{self.plays:,} completions, {self.seconds:.1f} s, catalogue of exploits {self.catalogue_version}\n"
            f"right answers earn {self.reference_reward:g} on average, the most frequent answer is right on "
            f"{self.guess_rate:.2f} of the tasks"
        )
        kept = [finding for finding in self.findings if finding.severity >= least]
        notes = [shown_line(f"note: {note}") for note in self.notes]
        numbers = ", ".join(f"{count} {word}" for word, count in self.counts().items() if count) or "no findings"
        lines = [head, *notes, "", *(_entry(finding, self._again()) for finding in kept), numbers]
        if self.disagreements:
            lines += ["", *map(str, self.disagreements), counted(self.disagreements)]
        return "\n".join(lines)


def _entry(finding: Finding, again: str) -> str:
    note = finding.severity is Severity.INFO
    named = finding.rule if note else f"{finding.exploit.name}: {finding.rule}"
    lines = [f"{finding.severity.word:<9} {named}  [{finding.id}]"]
    lines.append(f"  {shown_line(finding.message if note else str(finding))}")
    if not note and not str(finding).startswith(finding.message):
        lines.append(f"  seen    {shown_line(finding.message)}")
    if finding.tried and finding.rule.startswith(OF_ROWS):
        lines.append(f"  on      {finding.paid} of {finding.tried} tasks")
    elif finding.tried:
        lines.append(
            f"  earns on average {finding.mean:.2f} of what a right answer earns, at most {finding.most:.2f}; "
            f"paid on {finding.paid} of {finding.tried} tasks"
        )
    seen = finding.evidence
    if seen is not None:
        reward = "checker failed" if seen.reward is None else f"{seen.reward:g}"
        reason = f"; {shown_line(seen.reason, 160)}" if seen.reason else ""
        honest = "" if note or finding.rule.startswith(OF_ROWS) else f"; an honest reward pays {finding.exploit.honest}"
        lines += [
            f"  task    {seen.index} {shown_line(seen.task_id)}: {shown(seen.prompt, 160)}",
            f"  text    {shown(seen.text)}",
            f"  reward  {reward}, the right answer {seen.reference_reward:g}{honest}{reason}",
            f"  again   {again.format(id=finding.id)}",
        ]
    if finding.also:
        also = [f"{shown_line(name)} ({share:.2f})" for name, share in list(finding.also.items())[:ALSO_SHOWN]]
        lines.append(f"  also    {'; '.join(also)}{' ...' if len(finding.also) > ALSO_SHOWN else ''}")
    return "\n".join(lines) + "\n"


def table(audits: Sequence[Audit], failed: Sequence[tuple[str, str]] = ()) -> str:
    """One line an environment: what was played, what was found, how long it took."""
    words = [severity.word for severity in reversed(Severity)]
    width = max([len(audit.env_id) for audit in audits] + [len(name) for name, _ in failed] + [11])
    head = f"{'environment':<{width}} {'tasks':>5} {'plays':>7} {'guess':>6} {'s':>6}  "
    lines = [head + " ".join(f"{word:>8}" for word in words)]
    for audit in audits:
        counted = audit.counts()
        played = f"{audit.tasks:>5} {audit.plays:>7} {audit.guess_rate:>6.2f} {audit.seconds:>6.1f}"
        lines.append(f"{audit.env_id:<{width}} {played}  " + " ".join(f"{counted[word] or '-':>8}" for word in words))
    lines += [shown_line(f"{name:<{width}} not audited: {why}") for name, why in failed]
    return "\n".join(lines)
