"""What the checker said of one completion.

>>> verdict = Verdict.of(("correct", 1.0), ("overlong", -0.25))
>>> verdict.reward, verdict.status
(0.75, 'graded')
>>> Verdict.error("the judge did not answer").reward is None
True
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from rlenv.core.errors import VerifierContractError
from rlenv.core.jsontypes import Json
from rlenv.core.notebook import table
from rlenv.core.reading.passage import Passage, Span

Status: TypeAlias = Literal["graded", "verifier_error"]
GRADED: Status = "graded"
VERIFIER_ERROR: Status = "verifier_error"


class Part(NamedTuple):
    """A named signed share of the reward."""

    name: str
    value: float


class StepReward(NamedTuple):
    """The reward of one step, with its character span `[start, end)` in the completion's text."""

    value: float
    start: int
    end: int


class Flag(NamedTuple):
    """Something worth seeing, with the span `[start, end)` of the text that is the evidence."""

    name: str
    start: int = 0
    end: int = 0
    detail: str = ""


OVER_LIMIT = "over_limit"
"""Flags a completion that cost more than a limit allows, or is too long to be scored: its own doing. It is graded, and
has none of the scores that others have."""


def is_over_limit(flags: Sequence[Flag]) -> bool:
    """Whether the completion itself is why it was not checked or scored."""
    return any(flag.name == OVER_LIMIT for flag in flags)


MOST_REWARD = 1e150
"""Of a reward, above and below 0: sums and squares of such are finite."""
MAX_REASON = 2_000
"""Characters of why a checker failed: errors quote values of rows, which may be long."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The parts sum exactly (`math.fsum`) to the reward, and so do the step rewards where there are any.

    A `verifier_error` has no reward: it says that the machinery failed, never that the answer is wrong.
    """

    reward: float | None
    status: Status = GRADED
    parts: tuple[Part, ...] = ()
    step_rewards: tuple[StepReward, ...] = ()
    scores: Mapping[str, float] = field(default_factory=dict, hash=False)
    """Raw measurements behind the parts, before weights and gates."""
    flags: tuple[Flag, ...] = ()
    reason: str = ""
    answer: Span | None = None
    """What was judged, as a span of the completion's text; None where nothing was found, or all of it was judged."""

    def __post_init__(self) -> None:
        reward, status, parts = self.reward, self.status, self.parts
        if status == VERIFIER_ERROR:
            if reward is not None or parts or self.step_rewards:
                raise VerifierContractError("a verifier_error has no reward; use Verdict.error(reason)")
            return
        if reward is None or not abs(float(reward)) <= MOST_REWARD:  # NaN is none either
            raise VerifierContractError(
                f"expected a finite reward of {MOST_REWARD:g} at most, got {reward!r}; use Verdict.error(reason)"
            )
        if status != GRADED:
            raise VerifierContractError(f"expected status '{GRADED}' or '{VERIFIER_ERROR}', got {status!r}")
        if len(parts) == 1 and not self.step_rewards and not self.scores:  # most verdicts: nothing to sum or to convert
            part = parts[0]
            if type(part) is Part and type(reward) is type(part.value) is float and reward == part.value:
                return
        self._plain_numbers(reward)
        reward = cast("float", self.reward)  # as a float: a large whole number was rounded, and so were its parts
        if self.parts and (total := math.fsum([value for _, value in self.parts])) != reward:
            raise VerifierContractError(f"expected parts that sum to the reward {reward!r}, got {total!r}")
        if self.step_rewards and (total := math.fsum([value for value, _, _ in self.step_rewards])) != reward:
            raise VerifierContractError(f"expected step_rewards that sum to the reward {reward!r}, got {total!r}")

    def _plain_numbers(self, reward: float) -> None:
        """Verifiers compute with numpy, whose numbers JSON does not hold."""
        if type(reward) is not float:
            object.__setattr__(self, "reward", float(reward))
        for part in self.parts:
            if type(part) is not Part or type(part.value) is not float:
                object.__setattr__(self, "parts", tuple([Part(name, float(value)) for name, value in self.parts]))
                break
        for step in self.step_rewards:
            if not (type(step) is StepReward and type(step[0]) is float and type(step[1]) is type(step[2]) is int):
                plain = [StepReward(float(value), int(start), int(end)) for value, start, end in self.step_rewards]
                object.__setattr__(self, "step_rewards", tuple(plain))
                break
        if self.scores:
            scores = dict(self.scores)
            for name, score in scores.items():
                if type(score) is not float:
                    scores[name] = float(score)
            object.__setattr__(self, "scores", scores)

    @classmethod
    def of(
        cls,
        *parts: tuple[str, float],
        scores: Mapping[str, float] | None = None,
        flags: Sequence[Flag] = (),
        reason: str = "",
        answer: tuple[int, int] | None = None,
    ) -> Verdict:
        """A graded verdict whose reward is the sum of its named parts."""
        named = tuple([Part(name, value) for name, value in parts])
        reward = named[0].value if len(named) == 1 else math.fsum([value for _, value in named])
        judged = None if answer is None else Span(*answer)
        return cls(reward, GRADED, named, (), scores or {}, tuple(flags), reason, judged)

    @classmethod
    def of_steps(
        cls,
        name: str,
        steps: Sequence[StepReward],
        scores: Mapping[str, float],
        flags: Sequence[Flag] = (),
        reason: str = "",
    ) -> Verdict:
        """A graded verdict whose one part is the sum of its steps, whose values are floats."""
        reward = math.fsum([step.value for step in steps])
        return cls(reward, GRADED, (Part(name, reward),), tuple(steps), scores, tuple(flags), reason)

    @classmethod
    def error(cls, reason: str, flags: Sequence[Flag] = ()) -> Verdict:
        """A failure of the checker: no reward, left out of training, reported apart in evaluation."""
        return cls(None, VERIFIER_ERROR, flags=tuple(flags), reason=reason[:MAX_REASON])

    @property
    def graded(self) -> bool:
        return self.status == GRADED

    def with_part(self, name: str, value: float, flag: Flag | None = None) -> Verdict:
        """The same verdict with one more part; a verifier_error only takes the flag.

        Where there are step rewards the part lands on the end of the last step, so that they still sum.
        """
        flags = self.flags if flag is None else (*self.flags, flag)
        if self.reward is None:
            return replace(self, flags=flags)
        parts = (*(self.parts or (Part("reward", self.reward),)), Part(name, float(value)))
        reward = math.fsum(part.value for part in parts)
        steps = _with_rest(self.step_rewards, reward) if self.step_rewards else ()
        return replace(self, reward=reward, parts=parts, step_rewards=steps, flags=flags)

    def with_flag(self, flag: Flag) -> Verdict:
        return replace(self, flags=(*self.flags, flag))

    def with_answer(self, start: int, end: int) -> Verdict:
        """The same verdict, which says what was judged."""
        return replace(self, answer=Span(start, end))

    def placed(self, passage: Passage) -> Verdict:
        """A verdict on the text of `passage`, with its spans where they stand in the whole text."""
        if self.answer is None and not self.flags and not self.step_rewards:
            return self
        if passage.start == 0 and len(passage.spans) <= 1:
            return self
        return self._moved(passage.place)

    def within(self, passage: Passage) -> Verdict:
        """The verdict as one on the text of `passage` alone; spans that stand elsewhere shrink to nothing."""
        return self._moved(passage.within)

    def shifted(self, by: int) -> Verdict:
        """The same verdict with its spans `by` characters further on."""
        if by == 0 or (self.answer is None and not self.flags and not self.step_rewards):
            return self
        return self._moved(lambda start, end: Span(start + by, end + by))

    def _moved(self, place: Callable[[int, int], Span]) -> Verdict:
        """The same verdict with its spans in other places."""
        answer = None if self.answer is None else place(*self.answer)
        flags = tuple([Flag(name, *place(start, end), detail) for name, start, end, detail in self.flags])
        steps = tuple([StepReward(value, *place(start, end)) for value, start, end in self.step_rewards])
        return Verdict(self.reward, self.status, self.parts, steps, self.scores, flags, self.reason, answer)

    def _repr_html_(self) -> str:
        """The verdict in a notebook."""
        rows = [
            *(("part", name, value) for name, value in self.parts),
            *(("score", name, value) for name, value in self.scores.items()),
            *(("flag", flag.name, flag.detail) for flag in self.flags),
        ]
        title = self.status if self.reward is None else f"reward {self.reward:.4g}"
        return table(title, ("", "name", "value"), rows, filter(None, [self.reason]))

    def to_json(self) -> dict[str, Json]:
        return {
            "reward": self.reward,
            "status": self.status,
            "parts": [list(part) for part in self.parts],
            "step_rewards": [list(step) for step in self.step_rewards],
            "scores": dict(self.scores),
            "flags": [list(flag) for flag in self.flags],
            "reason": self.reason,
            "answer": None if self.answer is None else list(self.answer),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> Verdict:
        fields = cast("dict[str, Any]", data)
        return cls(
            reward=fields["reward"],
            status=fields["status"],
            parts=tuple(Part(*part) for part in fields["parts"]),
            step_rewards=tuple(StepReward(*step) for step in fields["step_rewards"]),
            scores=fields["scores"],
            flags=tuple(Flag(*flag) for flag in fields["flags"]),
            reason=fields["reason"],
            answer=None if fields.get("answer") is None else Span(*fields["answer"]),
        )


def _with_rest(steps: tuple[StepReward, ...], reward: float) -> tuple[StepReward, ...]:
    """The steps and what they lack of the reward: one step, or more where one float cannot hold it."""
    end = steps[-1].end
    rest = math.fsum((reward, *(-step.value for step in steps)))
    steps = (*steps, StepReward(rest, end, end))
    exact = math.fsum(step.value for step in steps) == reward
    return steps if exact else _with_rest(steps, reward)


PASS = Verdict.of(("reward", 1.0))
FAIL = Verdict.of(("reward", 0.0))
"""What a verifier that says True or False gives; shared, because verdicts are immutable."""


def to_reward(verdict: Verdict, reward: float, name: str) -> Verdict:
    """The verdict with a part of this name that brings its reward to exactly `reward`: none where it is that already.

    Two parts where one float cannot hold the difference. A verifier_error stays what it is.
    """
    while verdict.reward is not None and verdict.reward != reward:
        parts = verdict.parts or (Part("reward", verdict.reward),)
        rest = math.fsum((reward, *(-part.value for part in parts)))
        verdict = verdict.with_part(name, rest)
    return verdict


CORRECT = ("correct", "accuracy", "right", "solved", "tests")
"""Parts and scores by which verifiers say how right an answer is, first to last."""


def correctness(verdict: Verdict) -> float | None:
    """How right the verifier found an answer, apart from whatever else the reward pays for.

    What a score or part of such a name says; of several parts of none of these names nothing can be told."""
    if verdict.reward is None:
        return None
    for name in CORRECT:
        if name in verdict.scores:
            return verdict.scores[name]
        for part in verdict.parts:
            if part.name == name:
                return part.value
    return verdict.reward if len(verdict.parts) <= 1 else None
