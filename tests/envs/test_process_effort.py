"""What checking a working may cost in the caller's process: counted, never timed."""

import sys
from collections.abc import Callable
from functools import partial
from types import FrameType

import pytest
from dear_workings import DEAR, QUADRATIC, dear

import rlenv
from rlenv import Completion, Definition, Task
from rlenv.core.verdict import Verdict
from rlenv.envs.process import equations, quantities, tokens
from rlenv.envs.process.carried_steps import CarriedSteps
from rlenv.envs.process.effort import TooMuchWork, spend, uncounted, within
from rlenv.envs.process.guards import StepGuards
from rlenv.envs.process.spoken import spoken
from rlenv.envs.process.steps import split
from rlenv.envs.process.units import units
from rlenv.envs.process.verifier import INLINE_WORK, CreditRule, TieredProcessVerifier, process_verifier

MOST_CALLS = 400_000
"""Of functions, to decide a working inline or to see that it is too dear; without a budget it takes up to 5 million."""
QUESTION = "A baker makes 6 trays of 12 buns and sells 50. How many buns are left?"
TASK = Task(QUESTION, "22", metadata={"question": QUESTION, "working": "6*12=72\n72-50=22"})


class Boxed:
    """An outcome that is decided at once, and says that it may cost."""

    cheap, version = False, "1"

    def verify(self, task: Task, completion: Completion) -> Verdict:
        return Verdict.of(("correct", float("\\boxed{22}" in completion.text)))

    def verify_cheaply(self, task: Task, completion: Completion) -> Verdict | None:
        return self.verify(task, completion)


def made() -> TieredProcessVerifier:
    found = process_verifier(Boxed(), CarriedSteps(), StepGuards(), CreditRule(), cheap=True)
    assert isinstance(found, TieredProcessVerifier)
    return found


def forget() -> None:
    """Every text is new: what was read before is not known."""
    for known in (tokens._pieces, equations.chains, equations.bare_sums, quantities.quantities):
        known.cache_clear()


def calls(of: Callable[[], object]) -> int:
    """How many functions are called, of Python and of C."""
    count = 0

    def counting(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    forget()
    sys.setprofile(counting)
    try:
        of()
    finally:
        sys.setprofile(None)
    return count


def test_work_is_counted_within_and_nowhere_else() -> None:
    spend(10**9)
    with within(10) as meter:
        spend(4)
        with uncounted():
            spend(10**9)
        with within(100) as inner:
            spend(60)
        spend(6)
    assert (meter.spent, inner.spent) == (10, 60)
    with pytest.raises(TooMuchWork, match="more work than 10 units"), within(10):
        spend(11)
    spend(10**9)


@pytest.mark.parametrize("chars", [600, 3_000, 19_900])
@pytest.mark.parametrize("name", DEAR)
def test_the_dearest_workings_are_bounded_in_the_callers_process(name: str, chars: int) -> None:
    verifier, said = made(), Completion(dear(name, chars))
    verifier.verify_cheaply(TASK, Completion("6*12=72\n72-50=22\n\\boxed{22}"))  # the task's own working, once
    assert calls(lambda: verifier.verify_cheaply(TASK, said)) < MOST_CALLS


@pytest.mark.parametrize("name", ["running results", "sums"])
def test_what_is_too_dear_is_left_to_a_worker_which_decides_it(name: str) -> None:
    verifier, said = made(), Completion(dear(name, 3_000))
    assert verifier.verify_cheaply(TASK, said) is None
    verdict = verifier.verify(TASK, said)
    assert verdict.graded
    env = rlenv.BatchEnvironment(Definition(tasks=[TASK], verifier=verifier), group_size=1)
    env.reset(1)
    assert env.step([said])[0].verdict == verdict


def test_a_working_as_people_write_it_is_decided_inline_as_a_worker_decides_it() -> None:
    verifier = made()
    lines = [f"First he bakes {i} * 12 = {12 * i} buns and sells {i} of them for $2 each." for i in range(1, 7)]
    said = Completion("\n".join([*lines, "There are 72 - 50 = 22 buns left.", "\\boxed{22}"]))
    assert verifier.verify_cheaply(TASK, said) == verifier.verify(TASK, said)


def test_a_working_beyond_the_length_costs_nothing_here() -> None:
    assert calls(lambda: made().verify_cheaply(TASK, Completion("1+1=2\n" * 100_000))) < 2_000


@pytest.mark.parametrize("name", ["running results", "halves", "sums", "many numbers", "relations", "deep brackets"])
def test_a_workers_work_stops_growing_with_the_length(name: str) -> None:
    def spent(chars: int) -> int:
        forget()
        with within(10**9) as meter:
            made().verify(TASK, Completion(dear(name, chars)))
        return meter.spent - len(dear(name, chars))

    spent(20)  # the task's own working
    assert spent(80_000) <= 2.2 * spent(40_000) + INLINE_WORK


@pytest.mark.parametrize("name", QUADRATIC)
@pytest.mark.parametrize(
    "read",
    [units, spoken, split, partial(split, kind="numbered"), StepGuards().read, tokens.tokenize],
    ids=["units", "spoken", "split", "numbered", "guards", "tokenize"],
)
def test_half_a_megabyte_is_read_to_its_end(read: Callable[[str], object], name: str) -> None:
    """In time that grows with the square of the length this would take from minutes to an hour."""
    read(dear(name, 500_000))
