"""Detectors over evidence by name. What each cannot see stands on its page in docs/hacking."""

from rlenv.evidence.detector import EvidenceDetector
from rlenv.evidence.detectors.answers_otherwise import AnswersOtherwise
from rlenv.evidence.detectors.copied_prompt import CopiedPrompt
from rlenv.evidence.detectors.cut_off import CutOff
from rlenv.evidence.detectors.hollow import Hollow
from rlenv.evidence.detectors.master_key import MasterKey
from rlenv.evidence.detectors.no_answer import NoAnswer
from rlenv.evidence.detectors.other_language import OtherLanguage
from rlenv.evidence.detectors.paid_by_length import PaidByLength
from rlenv.evidence.detectors.repeats import Repeats
from rlenv.evidence.detectors.senseless import Senseless
from rlenv.evidence.detectors.several_answers import SeveralAnswers
from rlenv.evidence.detectors.tests_replaced import TestsReplaced
from rlenv.evidence.detectors.wrong_answers import AnswerAnywhere, MadeUpNumbers, NearAnswer

_KINDS: tuple[type[EvidenceDetector], ...] = (
    AnswerAnywhere,
    NearAnswer,
    MadeUpNumbers,
    MasterKey,
    SeveralAnswers,
    NoAnswer,
    CopiedPrompt,
    AnswersOtherwise,
    TestsReplaced,
    Repeats,
    CutOff,
    Hollow,
    OtherLanguage,
    PaidByLength,
    Senseless,
)
EVIDENCE_DETECTORS: dict[str, type[EvidenceDetector]] = {kind.name: kind for kind in _KINDS}
"""Name to class. Each is made without arguments and then only observes."""
