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

Two stages: `extract` finds the final answer, `compare` tells whether it is the reference, by tiers from cheap
to dear. What the cheap tiers leave open goes to algebra, in a process that can be killed. The verdict's reason
and `scores["tier"]` (an index into TIERS) name the tier that decided; its flags say what was odd.
A reference that cannot be read is a failure of the checker, never a wrong answer.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, pairwise

from rlenv.core.completion import Completion
from rlenv.core.errors import TaskError
from rlenv.core.jsontypes import canonical
from rlenv.core.reading import Passage
from rlenv.core.task import Task, prompt_text
from rlenv.core.verdict import Flag, Verdict
from rlenv.envs.math.boxed import answer_tail
from rlenv.envs.math.choice import is_choice
from rlenv.envs.math.closing import closing_clause
from rlenv.envs.math.comparing import Comparison, compare, compare_symbolically
from rlenv.envs.math.comparing.policy import MathPolicy
from rlenv.envs.math.extract import answer_of
from rlenv.envs.math.form import fault
from rlenv.envs.math.gold import gold_answer, is_number
from rlenv.envs.math.options import by_options, contradicted, denies, options
from rlenv.envs.math.proof import proof
from rlenv.envs.math.sections import stating_part
from rlenv.envs.math.statement import Extracted, Refusal
from rlenv.envs.math.values import Value
from rlenv.evaluation.second_opinion import Proof

RULES = "math-10"
"""Changes with the rules by which answers are found and compared."""
TIERS = ("extraction", "identity", "exact", "structure", "polynomial", "numeric", "text", "guard", "symbolic", "form")
"""What can decide; `scores["tier"]` of a verdict is the index of the one that did."""

RESTATED_CHARS = 500
"""How far before an answer a solution is asked what it seeks."""
LOOSE = MathPolicy(rounding=0.01)
"""How far apart the sides of an equation in a sentence may be: people round as they write."""
_SEVERAL = re.compile(r"^[ $]*(?:\\?[A-Za-z]\w*\s*=\s*)?-?[^=\n<>\s$][^=\n<>]*$(?=\n)", re.MULTILINE)
"""A line of several that states a value, and no working: `x = 2`."""
_VALUE_OF = re.compile(r"[\s$]*(?P<name>[A-Za-z])_?[0-9₁₂₃₄]?\s*=\s*(?P<value>[^=\n$]{1,60}?)[\s$.,;]*")  # x_1 = 2
_LED = re.compile(r"\A(?:so|thus|hence|therefore|then|consequently)\b[,\s]*(?=\S)", re.IGNORECASE)  # So x = 3
_RADIANS_BEHIND = re.compile(r"[$\s]*(?:\\text\{\s*)?rad(?:ian)?s?\b")  # 60 radians
_HALF = re.compile(r"[apAP](?=\.?\s?[mM]\b)")  # 9:55 PM
_HALF_BEHIND = re.compile(r"\W{0,3}(?:in the )(morning|afternoon|evening)\b", re.IGNORECASE)  # 9:55 in the morning
_SIDES = re.compile(r"=|\\approx|≈")
_NUMERIC = re.compile(
    r"(?:[0-9\s+*/^().,{}$%×·÷−-]|\\(?:frac|dfrac|tfrac|times|cdot|div|sqrt|pi|left|right|%|\$|,|!))+"
)
Compare = Callable[[str, str, MathPolicy, str], Comparison]


@dataclass(frozen=True)
class MathVerifier:
    """1 for the reference's value, 0 for anything else. Not cheap; its cheap tiers decide nearly everything."""

    policy: MathPolicy = field(default_factory=MathPolicy)
    cheap: bool = False
    version: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "version", f"{RULES}-{_digest(self.policy)}")

    def verify_cheaply(self, task: Task, completion: Completion) -> Verdict | None:
        """The verdict where it needs no algebra, else None. Bounded whatever the completion holds."""
        return self._judge(task, completion, compare)

    def verify(self, task: Task, completion: Completion) -> Verdict:
        """The verdict, algebra included. Raises TaskError for a reference that cannot be read."""
        verdict = self._judge(task, completion, compare_symbolically)
        if verdict is not None:
            return verdict
        found, passage = self._found(gold_answer(task.reference), completion, "")
        return _verdict(False, Comparison(False, "symbolic", "algebra cannot tell"), found).placed(passage)

    def proof(self, verdict: Verdict) -> Proof:
        """Whether a verdict of this verifier follows from a proof (see rlenv.envs.math.proof)."""
        tier = int(verdict.scores.get("tier", -1.0))
        return proof(verdict, TIERS[tier] if tier >= 0 else "")

    def _judge(self, task: Task, completion: Completion, compare_by: Compare) -> Verdict | None:
        try:
            gold = gold_answer(task.reference)
        except TaskError as error:
            raise TaskError(f"task {task.id}: {error}") from error
        asked = str(task.metadata.get("question") or prompt_text(task.prompt))
        found, passage = self._found(gold, completion, asked)
        if isinstance(found, Extracted) and found.text == gold and not found.flags:
            return _verdict(True, Comparison(True, "identity"), found).placed(passage)
        if isinstance(found, Extracted):
            found = _denied(gold, found, passage.text) or found
        stating = passage.text
        if isinstance(found, Refusal) or found.place in ("line", "whole"):
            stating = stating[: stating_part(stating, *answer_tail(stating))[1]]
        clause = self._closing_words(gold, found, stating)
        stands = isinstance(found, Extracted)
        if isinstance(found, Refusal) and clause is not None:
            found = Extracted(clause.text, clause.start, clause.end, "line")
        if isinstance(found, Refusal):
            refused = Verdict.of(("correct", 0.0), scores={"tier": 0.0}, flags=found.flags, reason=found.reason)
            return refused.placed(passage)
        question = asked or _as_restated(passage.text, found)
        said = chain(_readings(gold, found), by_options(gold, found.text, question)) if stands else iter(())
        if clause is not None:
            said = chain(said, (_LED.sub("", clause.text),))
        held = bool(asked) and self.policy.form == "asked"

        def same(gold: str, said: str) -> Comparison:
            found = compare_by(gold, said, self.policy, question)
            return _in_form(gold, said, found, question) if held else found

        verdict = _first_equal(gold, found, said, same)
        return verdict and verdict.placed(passage)

    def _found(self, gold: str, completion: Completion, question: str) -> tuple[Extracted | Refusal, Passage]:
        """The answer: a letter where the reference is one, or else what an option of the question says."""
        choice = is_choice(gold)
        found, passage = answer_of(completion, self.policy, self._same, choice)
        if choice and isinstance(found, Refusal) and not found.flags and options(question):
            return answer_of(completion, self.policy, self._same)
        if (
            choice
            and isinstance(found, Extracted)
            and any(contradicted(said, question) for said in (found.text, passage.text[found.start : found.end]))
        ):
            flag = Flag("conflicting_answers", found.start, found.end)
            return Refusal("the letter of one option and the words of another", (flag,)), passage
        if (
            choice
            and isinstance(found, Extracted)
            and found.place == "line"
            and denies(found.text, passage.text[found.start : found.end], question)
        ):
            flag = Flag("denied_answer", found.start, found.end)
            return Refusal("the option is denied", (flag,)), passage
        return found, passage

    def _closing_words(self, gold: str, found: Extracted | Refusal, text: str) -> Value | None:
        """The last clause, where the reference may be said in words and no mark points to the answer."""
        marked = bool(found.flags) if isinstance(found, Refusal) else found.place not in ("line", "whole")
        if marked or "line" not in self.policy.answer_in or is_number(gold) or is_choice(gold):
            return None
        return closing_clause(text, *answer_tail(text))

    def _same(self, left: str, right: str) -> bool:
        """Whether two answers may be one value: only what is known to differ does."""
        pairs = ((left, right), (right, left))
        return any(compare(first, second, self.policy).equal is not False for first, second in pairs)


def _stack(said: str) -> str:
    """`-1, 3` of `n = -1` above `n = 3`; "" where the lines are not all values of one letter."""
    lines = [found for line in said.split("\n") if line.strip() and (found := _VALUE_OF.fullmatch(line)) is not None]
    one = (
        len({line["name"] for line in lines}) == 1 < len(lines) == sum(bool(line.strip()) for line in said.split("\n"))
    )
    return ", ".join(line["value"] for line in lines) if one else ""


def _denied(gold: str, found: Extracted, text: str) -> Refusal | None:
    """The refusal of an answer whose next words deny the reference: radians for degrees, morning for afternoon."""
    reason = None
    if "circ" in gold and _RADIANS_BEHIND.match(text, found.end):
        reason = "radians, where the reference has degrees"
    half, told = _HALF.search(gold), _HALF_BEHIND.match(text, found.end)
    if half is not None and told is not None and (told[1].lower() == "morning") != (half[0] in "aA"):
        reason = "the other half of the day"
    return None if reason is None else Refusal(reason, (*found.flags, Flag("other_name", found.start, found.end)))


def _as_restated(text: str, found: Extracted) -> str:
    """What stands for a question that nobody gave: whether the solution itself says that it seeks a percentage."""
    return "percent" if "percent" in text[max(0, found.start - RESTATED_CHARS) : found.start] else ""


def _in_form(gold: str, said: str, comparison: Comparison, question: str) -> Comparison:
    """The comparison; an equal one becomes unequal where the answer is not in the form that the question asks for."""
    try:
        wrong = fault(gold, said, question) if comparison.equal else None
    except RecursionError:
        return Comparison(None, "guard", "the caller's stack is nearly full")
    if wrong is not None and wrong.flag == "left_undone" and gold.strip("$").isdigit() and "=" in said:
        sides = [side.strip() for side in said.split("=")]  # 341 = 11 \cdot 31 says what it is, and how it comes about
        wrong = None if gold.strip("$") in sides else wrong
    return comparison if wrong is None else Comparison(False, "form", wrong.reason, (*comparison.flags, wrong.flag))


def _first_equal(
    gold: str, found: Extracted, said: Iterable[str], same: Callable[[str, str], Comparison]
) -> Verdict | None:
    """The verdict by the readings of one answer; None where a reading is undecided and none is equal."""
    refused: Comparison | None = None
    undecided = False
    seen: set[str] = set()
    for answer in said:
        if answer in seen:
            continue
        seen.add(answer)
        comparison = same(gold, answer)
        if comparison.equal:
            return _verdict(True, comparison, found)
        undecided = undecided or comparison.equal is None
        refused = refused or comparison
    if undecided:
        return None
    return _verdict(False, refused or Comparison(False, "text", "the last clause does not say it"), found)


def _readings(gold: str, found: Extracted) -> Iterator[str]:
    """The answer as it stands; the result that an equation in a sentence leads to, where the reference is no
    equation; all boxes together, where the reference has as many parts."""
    yield found.text
    if found.place == "whole" and (stack := _stack(found.text)):
        yield stack
    if found.place == "whole" and "\n" in found.text and not _SEVERAL.search(found.text):
        yield found.text.rpartition("\n")[2].strip(" .$")
    above, _, last = found.text.rpartition("\n")
    if found.place == "whole" and "=" in last and "=" not in above:
        yield last.strip(" .$=")
    if found.labelled and _parts(gold) == len(found.parts):
        yield found.labelled
    if found.result and "=" not in gold and _holds(found.text):
        yield found.result
    if found.parts and not re.search(r"[A-Za-z]\w* = ", found.labelled) and len(found.parts) == _parts(gold):
        yield ", ".join(found.parts)


def _holds(equation: str) -> bool:
    """False where two neighbouring sides are numbers more than LOOSE apart: `41 = 42` leads to nothing."""
    sides = [side.strip() for side in _SIDES.split(equation)]
    numbers = [
        (left, right) for left, right in pairwise(sides) if _NUMERIC.fullmatch(left) and _NUMERIC.fullmatch(right)
    ]
    return all(compare(left, right, LOOSE).equal is not False for left, right in numbers)


def _parts(gold: str) -> int:
    """How many parts a list, tuple or set has: its outer commas and one."""
    inner = gold.replace("\\{", "(").replace("\\}", ")").strip().strip("$").strip()
    if inner[:1] in ("(", "[") and inner[-1:] in (")", "]"):
        inner = inner[1:-1]
    depth, parts = 0, 1
    for character in inner:
        depth += (character in "([{") - (character in ")]}")
        parts += character in ",;" and depth == 0
    return parts


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
