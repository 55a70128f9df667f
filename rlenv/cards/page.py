"""The card of an environment as Markdown, with the head that dataset cards of the Hugging Face hub have."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rlenv.cards.measure import HASHED, PASS_RATES, Card, PolicyFacts
from rlenv.evaluation.passk import Estimate
from rlenv.text.escaping import shown_cell, shown_line

if TYPE_CHECKING:
    from rlenv.audit import Audit

TEXT_CHARS = 300
"""How much of a prompt or a completion is quoted."""
FINDINGS = 5
"""How many findings of the audit are named, the worst first."""
LARGEST = 12
"""The hub's categories of size end with n>1T."""


def markdown(card: Card, *, license: str = "", command: str = "", date: str = "") -> str:
    """The page: a head in YAML, the facts, the audit, the policies."""
    lines = [*_head(card, license), "", f"# {_plain(card.env)}", "", _plain(card.description), "", "| | |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in _facts(card, command, date)]
    lines += ["", "## Audit", "", *_audit(card.audit)] if card.audit else []
    if card.policies:
        lines += ["", "## Policies", "", *_policies(card.policies)]
    return "\n".join(lines) + "\n"


def size_category(tasks: int) -> str:
    """The hub's word for so many rows.

    >>> [size_category(n) for n in (40, 1_000, 99_999, 10**13)]
    ['n<1K', '1K<n<10K', '10K<n<100K', 'n>1T']
    """
    if tasks < 1_000:
        return "n<1K"
    digits = len(str(tasks)) - 1
    return "n>1T" if digits >= LARGEST else f"{_short(digits)}<n<{_short(digits + 1)}"


def _short(digits: int) -> str:
    return f"{10 ** (digits % 3)}{' KMBT'[digits // 3]}"


def _head(card: Card, license: str) -> list[str]:
    """Text is written as JSON writes it, which YAML reads."""
    head = ["---", f"pretty_name: {json.dumps(shown_line(card.env))}"]
    head += [f"license: {json.dumps(license)}"] if license else []
    tags = ["rlenv", "reinforcement-learning", card.env.partition("/")[0]]
    head += [f"size_categories: [{json.dumps(size_category(card.tasks))}]", f"tags: {json.dumps(tags)}", "---"]
    return head


def _facts(card: Card, command: str, date: str) -> list[tuple[str, str]]:
    examples = [(one.what, f"{_code(one.text)}reward {_reward(one.reward)}") for one in card.examples]
    low, high = card.rewards
    cost = card.cost
    took = (
        f"{cost.median_ms:.2g} ms (median of {cost.verdicts}, one at a time; nine of ten at most {cost.most_ms:.2g} ms)"
    )
    took += f" on {cost.cores} cores{', the turns before it not counted' if card.turns else ''}"
    made = ", ".join(filter(None, [f"`{command}`" if command else "", f"rlenv {card.rlenv_version}", date]))
    return [
        ("id", f"`{shown_cell(card.env)}`"),
        ("a task", _code(card.prompt).removesuffix(", ")),
        *examples,
        *([("turns", f"{card.turns} at most")] if card.turns else []),
        ("rewards seen", f"{low:g} to {high:g}; parts: {', '.join(map(shown_cell, card.parts)) or 'none'}"),
        ("tasks", f"{card.tasks:,}; sha256 of the first {min(card.tasks, HASHED):,}: `{card.tasks_sha256}`"),
        ("the check", f"verifier of version `{shown_cell(card.verifier_version)}`, {card.where}"),
        ("a verdict takes", took),
        ("reference solutions", "none" if card.reference is None else _pass_at({1: card.reference})),
        ("audit", _summary(card.audit) if card.audit else "none: tasks bring no solution to compare a reward with"),
        *([("not for", f"training: {_plain(card.evaluation_only)}")] if card.evaluation_only else []),
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
    found = audit.findings[:FINDINGS]
    lines += [f"- {one.severity.word}, {one.rule}: {_plain(one.message)}" for one in found]
    lines += [f"- and {len(audit.findings) - len(found)} more"] if len(audit.findings) > len(found) else []
    lines += [f"- note: {_plain(note)}" for note in audit.notes]
    return [*lines, *([f"- again: `{shown_line(audit.command)}`"] if audit.command else [])]


def _policies(policies: Sequence[PolicyFacts]) -> list[str]:
    lines = [
        "95 % intervals over tasks. A group is the completions of one task; it carries a signal for training where its "
        "rewards are not all equal.",
        "",
        "| policy | n | pass@k | mean reward | groups with signal | verifier |",
        "|---|---|---|---|---|---|",
    ]
    for one in policies:
        signal = "-" if one.signal is None else f"{one.signal:.2f}"
        cells = [_plain(one.name), str(one.n), _pass_at(one.pass_at), f"{one.mean_reward:.3f}", signal]
        lines.append(f"| {' | '.join(cells)} | `{shown_cell(one.verifier_version)}` |")
    lines += ["", "How many tasks have which pass rate:", "", f"| policy | {' | '.join(PASS_RATES)} |"]
    lines.append("|---|" + "---|" * len(PASS_RATES))
    return lines + [f"| {_plain(one.name)} | {' | '.join(map(str, one.histogram))} |" for one in policies]


def _pass_at(estimates: Mapping[int, Estimate]) -> str:
    return ", ".join(f"pass@{k} {estimate}" for k, estimate in estimates.items())


def _reward(reward: float | None) -> str:
    return "none: the checker failed" if reward is None else f"{reward:g}"


def _plain(text: str) -> str:
    """Text of others in a line or a cell: nothing of it is markup."""
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", shown_line(text))  # <script> becomes \<script\>


def _code(text: str) -> str:
    """Text of others as code in a cell, behind more backticks than it holds, with a comma; nothing for nothing."""
    line = shown_cell(text if len(text) <= TEXT_CHARS else f"{text[:TEXT_CHARS]} ...")
    if not line:
        return ""
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))  # ``a`b`` holds a`b
    return f"{ticks} {line} {ticks}, " if ticks != "`" else f"`{line}`, "
