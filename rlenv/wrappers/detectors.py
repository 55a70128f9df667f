"""Every detector by its name: what the command line, the benchmark and the documents go by."""

from __future__ import annotations

from rlenv.wrappers.detector import Detector
from rlenv.wrappers.format_gaming import FormatGaming
from rlenv.wrappers.hedging import Hedging
from rlenv.wrappers.judge_manipulation import JudgeManipulation
from rlenv.wrappers.language_switching import LanguageSwitching
from rlenv.wrappers.length_gaming import LengthGaming
from rlenv.wrappers.prompt_copying import PromptCopying
from rlenv.wrappers.reference_leak import ReferenceLeak
from rlenv.wrappers.repetition import Repetition
from rlenv.wrappers.special_casing import SpecialCasing
from rlenv.wrappers.step_padding import StepPadding
from rlenv.wrappers.sycophancy import Sycophancy
from rlenv.wrappers.tampering import TestTampering
from rlenv.wrappers.truncation import Truncation
from rlenv.wrappers.verifier_gaming import VerifierGaming

_KINDS: tuple[type[Detector], ...] = (
    Repetition,
    Hedging,
    FormatGaming,
    JudgeManipulation,
    PromptCopying,
    ReferenceLeak,
    Truncation,
    LanguageSwitching,
    StepPadding,
    Sycophancy,
    LengthGaming,
    VerifierGaming,
    TestTampering,
    SpecialCasing,
)
DETECTORS: dict[str, type[Detector]] = {kind.name: kind for kind in _KINDS}
"""Name to class. Each is made without arguments and then only observes."""
