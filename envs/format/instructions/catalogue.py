"""Every kind of instruction by its name, and sets of instructions that one text can follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rlenv.core.jsontypes import Json
from rlenv.envs.format.instructions.edges import EDGE_KINDS
from rlenv.envs.format.instructions.keywords import KEYWORDS
from rlenv.envs.format.instructions.kind import Kind
from rlenv.envs.format.instructions.language import LANGUAGE
from rlenv.envs.format.instructions.layout import LAYOUTS
from rlenv.envs.format.instructions.lengths import LENGTHS
from rlenv.envs.format.instructions.letters import CASE_AND_MARKS

KINDS: dict[str, Kind] = {
    kind.name: kind for kind in (*LENGTHS, *KEYWORDS, *CASE_AND_MARKS, *LAYOUTS, *EDGE_KINDS, *LANGUAGE)
}


@dataclass(frozen=True)
class Instruction:
    """A kind with its parameters."""

    kind: str
    params: dict[str, Json]

    @property
    def sentence(self) -> str:
        return KINDS[self.kind].ask(self.params)

    def holds(self, text: str) -> bool:
        """True when the text follows the instruction."""
        return KINDS[self.kind].holds(text, self.params)


def compose(draft: str, kinds: Sequence[str], rng: np.random.Generator) -> tuple[str, list[Instruction]] | None:
    """A text made of the draft that follows one instruction of each kind; None where they exclude each other."""
    found: dict[str, Instruction] = {}
    for name in sorted(kinds, key=lambda name: KINDS[name].stage):
        fitted = KINDS[name].fit(draft, rng)
        if fitted is None:
            return None
        draft, found[name] = fitted.draft, Instruction(name, fitted.params)
    instructions = [found[name] for name in kinds]
    return (draft, instructions) if all(instruction.holds(draft) for instruction in instructions) else None
