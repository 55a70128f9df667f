"""A detector that raised would make its whole group a failure of the checker: no text may bring one to it."""

import random

import pytest

from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.evidence.detectors import EVIDENCE_DETECTORS as DETECTORS

FOUND_IN_TRAINING = ["13,18,26 \\boxed{26 or 24 or --0}", "\\boxed{--0 or 3}"]
LONG_NUMBERS = ["\\boxed{1" + ",000" * 3000 + " or 2}", "The answer is 1" + ",000" * 3000 + " or 2."]
PIECES = [
    *("\\boxed{", "}", "{", "\\frac{1}{2}", "\\text{", "\\(", "\\", "$", "%", "/", "=", ".", ",", "-", "--", "0", "12"),
    *("000", " or ", " and ", "either ", "between ", "maybe ", "if n is even ", "The answer is ", "Step 1: ", "####"),
    *("<think>", "</think>", "<answer>", "</answer>", "```", "\n", "\u0663", "\u200b", "\u202e", "\ud800", "Solution"),
]


def _texts() -> list[str]:
    rng = random.Random(0)
    made = ["".join(rng.choice(PIECES) for _ in range(rng.randint(0, 40))) for _ in range(400)]
    return [*FOUND_IN_TRAINING, *LONG_NUMBERS, *made]


@pytest.mark.parametrize("name", DETECTORS)
@pytest.mark.parametrize("reference", ["12", None])
def test_no_text_makes_a_detector_raise(name: str, reference: str | None) -> None:
    detector = DETECTORS[name]()
    task = Task("I think it is 5. What is 3+8?", reference)
    for text in _texts():
        episodes = [Episode(task, Completion(text), Verdict.of(("correct", right))) for right in (1.0, 0.0)]
        assert len(detector.judge(episodes, {})) == 2
