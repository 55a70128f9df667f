"""Detectors over evidence by name. What each cannot see stands in docs/hacking/README.md."""

from rlenv.evidence.detector import EvidenceDetector
from rlenv.evidence.detectors.answers import AnswerAnywhere, MadeUpNumbers, NearAnswer, NoAnswer, SeveralAnswers
from rlenv.evidence.detectors.answers_otherwise import AnswersOtherwise
from rlenv.evidence.detectors.content import CopiedPrompt, Hollow, Repeats
from rlenv.evidence.detectors.elsewhere import MasterKey, Padded
from rlenv.evidence.detectors.other_language import OtherLanguage

_KINDS: tuple[type[EvidenceDetector], ...] = (
    AnswerAnywhere,
    NearAnswer,
    MadeUpNumbers,
    MasterKey,
    SeveralAnswers,
    NoAnswer,
    CopiedPrompt,
    AnswersOtherwise,
    Repeats,
    Hollow,
    OtherLanguage,
    Padded,
)
EVIDENCE_DETECTORS: dict[str, type[EvidenceDetector]] = {kind.name: kind for kind in _KINDS}
"""Name to class. Each is made without arguments and then only observes."""
