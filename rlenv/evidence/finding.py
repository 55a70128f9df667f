"""A finding: an exploit that a reward pays, with its smallest completion, what was paid for it and what to change.

>>> found = Finding(exploit=EXPLOITS["answer_anywhere"], reward="mine/sums-v0", completion="7420", paid=1.0, honest=1.0,
...     right="42", seen=508, of=512)
>>> print(found)
mine/sums-v0 can be had by a text that holds the answer anywhere: '7420' was paid 1 for '42' (508 of 512 paid completions). Compare the one answer that is extracted with the reference, not a substring or a set of words.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rlenv.core.jsontypes import Json
from rlenv.evidence.catalogue.exploits import EXPLOITS, Exploit, shown_by
from rlenv.text.escaping import shown_line

SHOWN = 120
"""Characters of a completion and of a right answer in a sentence."""
KEPT = 4_000
"""Characters of a completion that a state keeps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """That a reward can be had by an exploit."""

    exploit: Exploit
    reward: str
    """The environment's id, or the function's name."""
    completion: str
    """The smallest one that is known to be paid."""
    paid: float
    honest: float
    """What a right answer to the task is paid; 0 where that is not known."""
    right: str = ""
    """The right answer, where one is known and short."""
    seen: int = 0
    of: int = 0
    """Of so many paid completions of a run so many show it; 0 of 0 before a run."""
    why: str = ""
    """What was seen of the completion."""
    unit: str = "paid completions"

    def __str__(self) -> str:
        about = f" for {_quoted(self.right)}" if self.right else ""
        often = f" ({self.seen} of {self.of} {self.unit})" if self.of else ""
        said = f"{_quoted(self.completion)} was paid {self.paid:g}{about}{often}"
        name = shown_line(self.reward) or "the reward"
        return f"{name} can be had by {self.exploit.pays_for}: {said}. {self.exploit.mend}"

    def to_json(self) -> dict[str, Json]:
        return {
            "exploit": self.exploit.name,
            "pays_for": self.exploit.pays_for,
            "reward": self.reward,
            "completion": self.completion[:KEPT],
            "right": self.right,
            "paid": self.paid,
            "honest": self.honest,
            "seen": self.seen,
            "of": self.of,
            "why": self.why,
            "mend": self.exploit.mend,
        }

    @classmethod
    def from_json(cls, row: Mapping[str, object]) -> Finding:
        """What `to_json` wrote; raises KeyError and ValueError for what is none."""
        number = {name: float(str(row[name])) for name in ("paid", "honest", "seen", "of")}
        return cls(
            exploit=EXPLOITS.get(str(row["exploit"])) or shown_by(str(row["exploit"])),
            reward=str(row["reward"]),
            completion=str(row["completion"]),
            paid=number["paid"],
            honest=number["honest"],
            right=str(row["right"]),
            seen=int(number["seen"]),
            of=int(number["of"]),
            why=str(row["why"]),
        )


def _quoted(text: str) -> str:
    return shown_line(repr(text) if len(text) <= SHOWN else f"{text[: SHOWN - 20]!r} ... ({len(text)} characters)")
