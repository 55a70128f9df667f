"""The versioned catalogue of attackers: what has been paid for somewhere without solving anything.

speech     nothing, filler, flattery, keys and verdicts that turn judges
guesses    constants, answers of other tasks, enumerations, what the prompt shows
hostile    texts made for parsers: formats, words that are evaluated, Unicode, texts that cost
programs   programs that end, pretend to be equal, forge the outcome
"""

from __future__ import annotations

from rlenv.audit.catalogue.attack import Attack
from rlenv.audit.catalogue.guesses import GUESSES
from rlenv.audit.catalogue.hostile import HOSTILE
from rlenv.audit.catalogue.programs import PROGRAMS
from rlenv.audit.catalogue.speech import SPEECH

CATALOGUE: tuple[Attack, ...] = (*SPEECH, *GUESSES, *HOSTILE)
"""Attackers for every environment."""

__all__ = ["CATALOGUE", "GUESSES", "HOSTILE", "PROGRAMS", "SPEECH"]
