r"""Judges the final answer of a completion against the reference, as mathematics: the verifier of this family.

>>> from rlenv import Completion, Task
>>> check = MathVerifier()
>>> task = Task("Solve 2x = 1.", "1/2")
>>> for text in (r"So \boxed{0.5}.", "The answer is 1/2.", r"\boxed{2}", r"\boxed{1 = 1/2}"):
...     print(check.verify(task, Completion(text)).reward)
1.0
1.0
0.0
0.0

Two stages: `answer_place` finds the final answer, `compare` tells whether it is the reference, by tiers from cheap
to dear. The verdict's reason and `scores["tier"]` (an index into TIERS) name the tier that decided; its flags say what
was odd. A reference that cannot be read is a failure of the checker, never a wrong answer.

The reference may be bare, in a box, or at the end of a written solution:

>>> gold_answer(r"Adding gives $n = \boxed{1,-2}.$"), gold_answer(12), gold_answer("x + 1")
('1,-2', '12', 'x + 1')

`proof` says whether a verdict follows from a proof, for those who ask which of two verifiers is right:

>>> [check.proof(check.verify(task, Completion(said))) for said in (r"\boxed{0.5}", r"\boxed{2}", r"\boxed{half}")]
['equal', 'different', 'undecided']
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from rlenv.core.completion import Completion, as_completion
from rlenv.core.errors import TaskError
from rlenv.core.jsontypes import Json, canonical
from rlenv.core.reading import Passage
from rlenv.core.task import Task, prompt_text
from rlenv.core.verdict import Flag, Verdict
from rlenv.envs.math.answer_place.choice import by_options, is_choice, options, several_options
from rlenv.envs.math.answer_place.place import Extracted, Refusal, answer_of, extract
from rlenv.envs.math.answer_place.stated import is_bare
from rlenv.envs.math.equality import Comparison, compare, readable
from rlenv.envs.math.equality.policy import Form, MathPolicy
from rlenv.envs.math.form import fault, number_fault
from rlenv.envs.math.grammar.answer import NUMBER
from rlenv.evaluation.second_opinion import Proof
from rlenv.text.boxes import find_boxes, side_by_side

if TYPE_CHECKING:
    from rlenv.judge.judge import Judge

RULES = "math-13"
"""Changes with the rules by which answers are found and compared."""
TIERS = ("extraction", "identity", "exact", "structure", "polynomial", "numeric", "text", "guard", "form")
"""What can decide; `scores["tier"]` of a verdict is the index of the one that did."""

_DEFAULT, LOOSE = MathPolicy(), MathPolicy(rounding=0.01)
"""How far apart the sides of an equation may be: people round as they write."""
_LISTED = re.compile(r"[,;\n]|\b(?:or|and)\b|[0-9]or")  # x = 41 or x = 42 are several equations
_NUMERIC = re.compile(
    r"(?:[0-9\s+*/^().,{}$%×·÷−-]|\\(?:frac|dfrac|tfrac|times|cdot|div|sqrt|pi|left|right|%|\$|,|!))+"
)
_SIDES = re.compile(r"=|\\approx|≈")


@dataclass(frozen=True)
class MathVerifier:
    """1 for the reference's value, 0 for anything else."""

    policy: MathPolicy = field(default_factory=MathPolicy)
    strict: bool = False
    """The one box is the answer, and nothing else of the text is read."""
    cheap: bool = True
    version: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "version", f"{RULES}{'-strict' if self.strict else ''}-{_digest(self.policy)}")

    def verify(self, task: Task, completion: Completion) -> Verdict:
        """The verdict; bounded whatever the completion holds. Raises TaskError for an unreadable reference."""
        try:
            gold = gold_answer(task.reference)
        except TaskError as error:
            raise TaskError(f"task {task.id}: {error}") from error
        asked = str(task.metadata.get("question") or prompt_text(task.prompt))
        found, passage = self._found(gold, completion, asked)
        if isinstance(found, Refusal):
            refused = Verdict.of(("correct", 0.0), scores={"tier": 0.0}, flags=found.flags, reason=found.reason)
            return refused.placed(passage)
        if found.text == gold and not found.flags:
            return _verdict(True, Comparison(True, "identity"), found).placed(passage)
        form = self.policy.form if asked or self.policy.form == "number" else "any"

        def same(gold: str, said: str) -> Comparison:
            found = compare(gold, said, self.policy, asked)
            return _in_form(gold, said, found, asked, form) if found.equal and form != "any" else found

        readings = chain(_readings(gold, found), by_options(gold, found.text, asked))
        return _first_equal(gold, found, readings, same).placed(passage)

    def proof(self, verdict: Verdict) -> Proof:
        """What a verdict proves of the values. A flag says that more than the values was weighed."""
        tier = TIERS[int(verdict.scores["tier"])] if verdict.scores.get("tier", -1.0) >= 0 else ""
        if verdict.reward is None or verdict.flags:
            return "undecided"
        if verdict.reward == 1.0:
            return "equal" if tier in PROVE_EQUAL else "undecided"
        return "different" if tier in PROVE_DIFFERENT else "undecided"

    def _found(self, gold: str, completion: Completion, question: str) -> tuple[Extracted | Refusal, Passage]:
        """The answer: a letter where the reference is one, or else what an option of the question says."""
        choice = is_choice(gold)
        found, passage = answer_of(completion, self.policy, self._same, choice, self.strict)
        if not self.strict and choice and isinstance(found, Refusal) and not found.flags and options(question):
            return answer_of(completion, self.policy, self._same)
        if choice and isinstance(found, Extracted) and several_options(found.text):
            return Refusal("several options", (Flag("spray", found.start, found.end),)), passage
        return found, passage

    def _same(self, left: str, right: str) -> bool:
        """Whether two answers may be one value: only what is known to differ does."""
        pairs = ((left, right), (right, left))
        return any(compare(first, second, self.policy).equal is not False for first, second in pairs)


def _in_form(gold: str, said: str, comparison: Comparison, question: str, form: Form) -> Comparison:
    """The equal comparison, made unequal where the answer is not in the form that is asked for."""
    wrong = number_fault(gold, said) if form == "number" else fault(gold, said, question)
    if wrong is not None and wrong.flag == "left_undone" and gold.strip("$").isdigit() and "=" in said:
        sides = [side.strip() for side in said.split("=")]  # 341 = 11 \cdot 31 says what it is, and how it comes about
        wrong = None if gold.strip("$") in sides else wrong
    return comparison if wrong is None else Comparison(False, "form", wrong.reason, (*comparison.flags, wrong.flag))


def _first_equal(gold: str, found: Extracted, said: Iterable[str], same: Callable[[str, str], Comparison]) -> Verdict:
    """The verdict by the readings of one answer; the first refusal where none is equal."""
    refused: Comparison | None = None
    for answer in dict.fromkeys(said):
        comparison = same(gold, answer)
        if comparison.equal:
            return _verdict(True, comparison, found)
        refused = refused or comparison
    return _verdict(False, refused or Comparison(False, "text"), found)


def _readings(gold: str, found: Extracted) -> Iterator[str]:
    """The answer as it stands, and what its equation leads to where the reference is none."""
    yield found.text
    sides = [side.strip() for side in _SIDES.split(found.text)]
    leads = (found.place == "line" and len(sides) > 1) or len(sides) > 2
    if (
        leads
        and found.place != "box"
        and "=" not in gold
        and not any(map(_LISTED.search, sides[:-1]))
        and _holds(sides)
    ):
        yield sides[-1]


def _holds(sides: list[str]) -> bool:
    """False where two neighbouring sides are numbers more than LOOSE apart: `41 = 42` leads to nothing."""
    pairs = [pair for pair in pairwise(sides) if all(map(_NUMERIC.fullmatch, pair))]
    return all(compare(left, right, LOOSE).equal is not False for left, right in pairs)


def _verdict(equal: bool, comparison: Comparison, found: Extracted | Refusal) -> Verdict:
    answer = (found.start, found.end) if isinstance(found, Extracted) else (0, 0)
    flags = tuple(Flag(name, *answer) for name in comparison.flags)
    return Verdict.of(
        ("correct", float(equal)),
        scores={"tier": float(TIERS.index(comparison.tier)) if comparison.tier in TIERS else -1.0},
        flags=(*found.flags, *flags),
        reason=f"{comparison.tier}: {comparison.reason or ('equal' if equal else 'not equal')}",
        answer=answer,
    )


@lru_cache(maxsize=256)
def _digest(policy: MathPolicy) -> str:
    return hashlib.blake2b(canonical(policy.to_json()).encode(), digest_size=4).hexdigest()


MAX_BARE = 300
KEPT_CHARS = 2_000  # readings of longer references are not kept
_PERCENT = re.compile(r"[\s$)\\\]]*(?:%|percent\b|pct\b)")


def gold_answer(reference: Json) -> str:
    """The answer that the reference states. Raises TaskError where it states none that can be compared."""
    if isinstance(reference, bool) or not isinstance(reference, (str, int, float)):
        raise TaskError(f"expected a text or a number as the reference, got {reference!r:.80}")
    text = str(reference)
    answer = (_readable if len(text) <= KEPT_CHARS else _readable.__wrapped__)(text)
    if answer is None:
        raise TaskError(f"the reference {text[:200]!r} cannot be read as mathematics")
    return answer


@lru_cache(maxsize=4096)
def _readable(text: str) -> str | None:
    if NUMBER.fullmatch(text):
        return text
    answer = _stated(text)
    return answer if answer is not None and readable(answer) else None


def _stated(text: str) -> str | None:
    text = text.strip()
    boxes, unclosed = find_boxes(text, 0, len(text))
    if unclosed is not None:
        return text[text.index("{", unclosed) + 1 :] or None
    if boxes:
        percent = "\\%" if _PERCENT.match(text, boxes[-1].end) and "%" not in boxes[-1].text else ""
        return ", ".join(dict.fromkeys(box.text for box in side_by_side(text, boxes))) + percent
    if is_bare(text) or (len(text) <= MAX_BARE and "answer" not in text):
        return text or None
    said = extract(text, MathPolicy(answer_in=("hash", "line")))
    return text if isinstance(said, Refusal) else said.text


PROVE_EQUAL = frozenset({"identity", "exact", "structure", "polynomial", "numeric"})
PROVE_DIFFERENT = frozenset({"exact", "polynomial", "numeric"})
"""The others also refuse a right value in a wrong form (a list for a tuple), or what they cannot tell."""


def verify(gold: Json, completion: str | Completion, *, question: str = "", **policy: Json) -> Verdict:
    """The verdict on a completion, in any thread; `policy` are the fields of MathPolicy.

    Never raises for what a completion holds. Raises TaskError for a reference that cannot be read, ConfigError for a
    policy that does not exist.
    """
    gold_answer(gold)
    judge = _judge(MathPolicy.of(policy) if policy else _DEFAULT)
    return judge.verdict(Task(question, gold, id="verify"), as_completion(completion))


@lru_cache(maxsize=64)
def _judge(policy: MathPolicy) -> Judge:
    from rlenv.core.definition import Definition
    from rlenv.env.tasksets import ListTasks
    from rlenv.judge.judge import Judge

    return Judge(Definition(tasks=ListTasks([Task("", id="verify")]), verifier=MathVerifier(policy)))
