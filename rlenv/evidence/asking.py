"""How much is asked of the verifier about edits."""

from __future__ import annotations

from dataclasses import dataclass

from rlenv.core.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class Asking:
    """What detectors may cost, in verifications."""

    share: float = 1.0
    """The share of the paid completions that is asked about where the verifier runs inline."""
    dear_share: float = 0.1
    """The same for a verifier that runs in workers or in a sandbox."""
    budget: int = 2_000
    """Verifications of one group's edits at most; what lies beyond is not asked."""
    others: int = 3
    """Other tasks that a completion is tried on."""
    fair: float = 0.5
    """A completion counts as paid from this share of the best known pay of its task on."""
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("share", "dear_share", "fair"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"expected {name} from 0 to 1, got {getattr(self, name)}")
        if self.budget < 0 or self.others < 1:
            raise ConfigError(f"expected a budget of 0 or more and 1 other task or more, got {self}")
