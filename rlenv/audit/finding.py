"""What an audit says: an exploit that the reward pays, how badly, the text that shows it, and what to change."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from rlenv.audit.severity import Severity
from rlenv.core.jsontypes import Json
from rlenv.evidence.exploits import Exploit, shown_by
from rlenv.evidence.exploits import finding as hole

SHOWN_CHARS = 240
UNNAMED = Exploit("", "", "")
NO_HOLES = frozenset({"unsteady", "right_refused", "tasks", "robustness"})
"""What is wrong with a reward and pays nobody."""
MAX_TEXT_CHARS = 200_000


@dataclass(frozen=True, slots=True)
class Evidence:
    """One completion that shows a finding."""

    task_id: str
    index: int
    """The number of the task in its set."""
    prompt: str
    text: str
    reward: float | None
    """None where the checker failed."""
    reference_reward: float
    reason: str = ""
    right: str = ""
    """The right answer, where one is known and short."""

    def to_json(self) -> dict[str, Json]:
        return {
            "task_id": self.task_id,
            "index": self.index,
            "prompt": self.prompt[:MAX_TEXT_CHARS],
            "text": self.text[:MAX_TEXT_CHARS],
            "text_chars": len(self.text),
            "right": self.right,
            "reward": self.reward,
            "reference_reward": self.reference_reward,
            "reason": self.reason[:2000],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A rule that an environment breaks, or a property that it has (`info`)."""

    rule: str
    severity: Severity
    message: str
    variant: str = ""
    """Which of the texts of the rule."""
    mean: float = 0.0
    """Mean share of the reference reward over the tasks tried."""
    most: float = 0.0
    """The largest share on one task."""
    paid: int = 0
    tried: int = 0
    """On how many tasks it earned something, out of how many."""
    evidence: Evidence | None = None
    also: Mapping[str, float] = field(default_factory=dict)
    """Other texts of the rule, and other rules of the same cause, that earned something, with their mean shares."""
    rules: tuple[str, ...] = ()
    """All rules that show it: findings of one cause are one."""
    exploit: Exploit = UNNAMED
    """The exploit of the catalogue; by default that of the rule."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", self.rules or (self.rule,))
        if self.exploit is UNNAMED:
            object.__setattr__(self, "exploit", shown_by(self.rule))

    def told(self, reward: str) -> str:
        """The finding in a sentence: what the reward can be had by, the completion, and what to change."""
        seen = self.evidence
        if seen is None or self.exploit.name in NO_HOLES or self.severity is Severity.INFO:
            return f"{self.message}. {self.exploit.mend}"
        paid = seen.reward or 0.0
        return str(
            hole.Finding(
                exploit=self.exploit,
                reward=reward or "the reward",
                completion=seen.text,
                paid=paid,
                honest=seen.reference_reward,
                right=seen.right,
            )
        )

    @property
    def id(self) -> str:
        """The same for the same text on the same task."""
        shown = self.evidence
        parts = (self.rule, self.variant, shown.task_id if shown else "", shown.text if shown else "")
        content = "\x1f".join(parts).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(content, digest_size=4).hexdigest()

    def to_json(self) -> dict[str, Json]:
        return {
            "id": self.id,
            "rule": self.rule,
            "rules": list(self.rules),
            "exploit": self.exploit.name,
            "mend": self.exploit.mend,
            "severity": self.severity.word,
            "message": self.message,
            "variant": self.variant,
            "mean_share": round(self.mean, 6),
            "most_share": round(self.most, 6),
            "tasks_paid": self.paid,
            "tasks_tried": self.tried,
            "evidence": None if self.evidence is None else self.evidence.to_json(),
            "also": {name: round(share, 6) for name, share in self.also.items()},
        }


def shown(text: str, limit: int = SHOWN_CHARS) -> str:
    """A text as a Python literal, shortened in the middle."""
    literal = ascii(text) if any("\ud800" <= sign <= "\udfff" for sign in text) else repr(text)
    if len(literal) <= limit:
        return literal
    return f"{literal[: limit - 60]} ... {literal[-30:]} ({len(text)} characters)"
