"""The card of an environment: its measured facts, and its page with the head of the hub's dataset cards."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from rlenv.core.jsontypes import Json
from rlenv.evaluation.passk import Estimate
from rlenv.evaluation.report import markdown_rows
from rlenv.text.escaping import shown_cell, shown_code, shown_line

if TYPE_CHECKING:
    from rlenv.audit import Audit

HASHED = 1_000
"""Tasks whose content goes into the hash of the task set, from the first on."""
PASS_RATES = ("0", "to 1/4", "to 1/2", "to 3/4", "below 1", "1")
"""Bins of the histogram: each goes on from the one before it."""
TEXT_CHARS = 300
"""How much of a prompt or a completion is quoted."""
FINDINGS = 5
"""How many findings of the audit are named, the worst first."""


@dataclass(frozen=True, slots=True)
class Example:
    """One completion of the sample task and what it earns."""

    what: str
    text: str
    reward: float | None
    """None where the checker failed."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a verdict takes, one at a time, in milliseconds of the clock."""

    median_ms: float
    most_ms: float
    """Nine of ten take at most this."""
    verdicts: int
    cores: int | None


@dataclass(frozen=True, slots=True)
class PolicyFacts:
    """How a policy fares in the environment."""

    name: str
    n: int
    pass_at: Mapping[int, Estimate]
    """pass@1 and pass@n."""
    mean_reward: float
    signal: float | None
    """The share of groups (the completions of one task) whose rewards are not all equal; None where n is 1."""
    histogram: tuple[int, ...]
    """How many tasks have a pass rate in each bin of PASS_RATES."""
    verifier_version: str
    unfinished: str = ""
    """How far an evaluation came that has not ended, in words."""


@dataclass(frozen=True, kw_only=True)
class Card:
    """The measured facts; `markdown()` writes the page."""

    env: str
    description: str
    rlenv_version: str
    verifier_version: str
    tasks: int
    tasks_sha256: str
    """Of the first tasks, `HASHED` at most, as JSON."""
    prompt: str
    """Of the sample task."""
    examples: tuple[Example, ...]
    rewards: tuple[float, float]
    """The lowest and the highest reward that was seen."""
    parts: tuple[str, ...]
    """The names of the parts that were seen."""
    where: str
    """Where the verifier runs."""
    turns: int
    """How often a policy speaks at most; 0 where an episode is one turn."""
    evaluation_only: str
    cost: Cost
    reference: Estimate | None
    """pass@1 of the reference solutions; None where tasks bring none."""
    audit: Audit | None
    """None where tasks bring no solution: there is nothing to compare a reward with."""
    policies: tuple[PolicyFacts, ...]
    judge: str = ""
    """What was measured of the model that judges, in one sentence."""

    def markdown(self, *, license: str = "", command: str = "", date: str = "") -> str:
        """The page for a hub: a head in YAML, the facts, the audit, the policies. `license` is a word of the hub's."""
        lines = [*_head(self, license), "", f"# {shown_cell(self.env)}", "", shown_cell(self.description), ""]
        lines += [*_table(("", ""), _facts(self, command, date))]
        lines += ["", "## Audit", "", *_audit(self.audit)] if self.audit else []
        lines += ["", "## Policies", "", *_policies(self.policies)] if self.policies else []
        return "\n".join(lines) + "\n"

    def to_json(self) -> dict[str, Json]:
        return {**asdict(replace(self, audit=None)), "audit": None if self.audit is None else self.audit.to_json()}


def size_category(tasks: int) -> str:
    """The hub's word for so many rows.

    >>> [size_category(n) for n in (40, 1_000, 99_999, 10**13)]
    ['n<1K', '1K<n<10K', '10K<n<100K', 'n>1T']
    """
    edges = [f"{10**power}{thousand}" for thousand in "KMBT" for power in range(3)][:10]  # 1K, 10K, 100K, 1M ... 1T
    place = len(str(tasks)) - 4
    if place < 0:
        return f"n<{edges[0]}"
    return f"{edges[place]}<n<{edges[place + 1]}" if place < len(edges) - 1 else f"n>{edges[-1]}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows whose cells are Markdown already."""
    return [f"| {' | '.join(head)} |", "|" + "---|" * len(head), *(f"| {' | '.join(row)} |" for row in rows)]


def _head(card: Card, license: str) -> Iterator[str]:
    """Text is written as JSON writes it, which YAML reads."""
    yield f"---\npretty_name: {json.dumps(shown_line(card.env))}"
    if license:
        yield f"license: {json.dumps(license)}"
    yield f"size_categories: [{json.dumps(size_category(card.tasks))}]"
    yield f"tags: {json.dumps(['rlenv', 'reinforcement-learning', card.env.partition('/')[0]])}\n---"


def _facts(card: Card, command: str, date: str) -> list[tuple[str, str]]:
    low, high = card.rewards
    cost = card.cost
    parts = ", ".join(map(shown_cell, card.parts)) or "none"
    made = ", ".join(filter(None, [shown_code(command), f"rlenv {card.rlenv_version}", date]))
    return [
        ("id", shown_code(card.env)),
        ("a task", _quoted(card.prompt)),
        *((one.what, ", ".join(filter(None, [_quoted(one.text), _reward(one.reward)]))) for one in card.examples),
        *([("turns", f"{card.turns} at most")] if card.turns else []),
        ("rewards seen", f"{low:g} to {high:g}; parts: {parts}"),
        ("tasks", f"{card.tasks:,}; sha256 of the first {min(card.tasks, HASHED):,}: `{card.tasks_sha256}`"),
        ("the check", f"verifier of version {shown_code(card.verifier_version)}, {card.where}"),
        (
            "a verdict takes",
            f"{cost.median_ms:.2g} ms (median of {cost.verdicts}, one at a time; nine of ten at most "
            f"{cost.most_ms:.2g} ms) on {cost.cores} cores{', the turns before it not counted' if card.turns else ''}",
        ),
        ("reference solutions", "none" if card.reference is None else f"pass@1 {card.reference}"),
        ("audit", _summary(card.audit) if card.audit else "none: tasks bring no solution to compare a reward with"),
        *([("its judge", shown_cell(card.judge))] if card.judge else []),
        *([("not for", f"training: {shown_cell(card.evaluation_only)}")] if card.evaluation_only else []),
        ("made by", made),
    ]


def _summary(audit: Audit) -> str:
    counts = ", ".join(f"{count} {word}" for word, count in audit.counts().items() if count) or "no findings"
    return f"{counts} in {audit.plays:,} completions on {audit.tasks} of {audit.of_tasks:,} tasks"


def _audit(audit: Audit) -> list[str]:
    lines = [
        f"The audit plays known ways to a reward without the task (catalogue {audit.catalogue_version}): "
        "that it finds none is the absence of known holes, not of all.",
        "",
        f"- right answers earn {audit.reference_reward:g} on average; the most frequent answer is right on "
        f"{audit.guess_rate:.2f} of the tasks",
    ]
    lines += [f"- {one.severity.word}, {one.rule}: {shown_cell(one.message)}" for one in audit.findings[:FINDINGS]]
    lines += [f"- and {len(audit.findings) - FINDINGS} more"] if len(audit.findings) > FINDINGS else []
    lines += [f"- note: {shown_cell(note)}" for note in audit.notes]
    return [*lines, *([f"- again: {shown_code(audit.command)}"] if audit.command else [])]


def _policies(policies: Sequence[PolicyFacts]) -> list[str]:
    head = ("policy", "n", "pass@k", "mean reward", "groups with signal", "verifier")
    rows = [
        (
            shown_cell(one.name),
            str(one.n),
            ", ".join(f"pass@{k} {estimate}" for k, estimate in one.pass_at.items()),
            f"{one.mean_reward:.3f}",
            "-" if one.signal is None else f"{one.signal:.2f}",
            shown_code(one.verifier_version),
        )
        for one in policies
    ]
    histograms = [(one.name, *map(str, one.histogram)) for one in policies]
    return [
        *(f"{shown_cell(one.name)}: {one.unfinished}\n" for one in policies if one.unfinished),
        "95 % intervals over tasks. A group is the completions of one task; it carries a signal for training where its "
        "rewards are not all equal.",
        "",
        *_table(head, rows),
        "",
        "How many tasks have which pass rate:",
        "",
        *markdown_rows(("policy", *PASS_RATES), histograms),
    ]


def _reward(reward: float | None) -> str:
    return "reward none: the checker failed" if reward is None else f"reward {reward:g}"


def _quoted(text: str) -> str:
    return shown_code(text if len(text) <= TEXT_CHARS else f"{text[:TEXT_CHARS]} ...")
