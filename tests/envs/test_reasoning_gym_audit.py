"""Every kept dataset of reasoning-gym pays for its right answer and for no cheap substitute.

The package's own scorer is a witness here: an answer that differs from the reference may earn the reward only
where the scorer, too, gives it everything.
"""

import json
import os
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from quick_ones import quick_ones

import rlenv
from rlenv.completion import Completion
from rlenv.definition import Definition
from rlenv.envs.reasoning_gym.answer_tags import write
from rlenv.envs.reasoning_gym.catalogue import KEPT, env_id
from rlenv.envs.reasoning_gym.datasets import Items, create, items, settings
from rlenv.envs.reasoning_gym.rules import RULES
from rlenv.jsontypes import canonical
from rlenv.task import Task

ITEMS = 3
CANARY = "REASONING_GYM_AUDIT"
"""An environment variable that an answer sets, if it is ever evaluated."""
OTHER_WRITINGS = {
    "advanced_geometry",  # without the degree sign
    "decimal_arithmetic",  # without zeros at the end
    "decimal_chain_sum",  # 7.14 for 7.140
    "knights_knaves",  # without the full stop
    "number_format",  # without zeros at the end
    "polynomial_equations",  # in another order
    "polynomial_multiplication",  # in another order
    "power_function",  # 1 for 1.00e+00
    "prime_factorization",  # in another order
}
MENDED = {"advanced_geometry"}
"""Where the package's scorer may refuse the right answer: it rounds the 3 decimals asked for to 2."""
CONSTANTS = ("True", "False", "0", "1", "-1", "Yes", "No", "infeasible", "A", "[]", "[[]]", "{}", "()", "None", "nan")
JUNK = ("", " \n\t", "I do not know", "The answer is clear.", "the the the the the", "0 1 2 3 4 5 6 7 8 9", "?", '""')
HOSTILE = (
    "9" * 50_000,
    "[" * 50_000,
    "(" * 50_000,
    "-" * 1_900 + "1",
    "1," * 9_000,
    "1 " * 9_000,
    "[" * 900 + "]" * 900,
    "(" * 39 + "9**9**9**9" + ")" * 39,
    "\x00",
    "\ud800\udfff",
    "\u202e1\u202c",
    "1e999999999",
    "NaN",
    '{"0": NaN, "0": 1}',
    f"__import__('os').environ.__setitem__('{CANARY}', '1')",
    "().__class__.__bases__[0].__subclasses__()",
)
LOOK_ALIKES = str.maketrans(
    {**{str(d): chr(0xFF10 + d) for d in range(10)}, **dict(zip("aceopxABCEHKMOPTX", "асеорхАВСЕНКМОРТХ", strict=True))}
)


class Case(NamedTuple):
    """A dataset with the package's items and scorer behind it."""

    name: str
    definition: Definition
    tasks: list[Task]
    entries: Items
    scorer: Any

    def answer(self, index: int) -> str:
        solution = self.definition.solution(self.tasks[index])
        return solution.removeprefix("<answer>").removesuffix("</answer>")

    def reward(self, index: int, completion: str) -> float | None:
        """The reward itself: an exception of the verifier fails the test."""
        return self.definition.verifier.verify(self.tasks[index], Completion(completion)).reward

    def scored(self, index: int, answer: str) -> float:
        """What the package's scorer says of an answer."""
        return float(self.scorer.score_answer(answer, self.entries[index]))


@pytest.fixture(scope="module", params=quick_ones(KEPT, KEPT[::7]))
def case(request: pytest.FixtureRequest) -> Case:
    name = str(request.param)
    config = settings(name, {})
    definition = rlenv.load(env_id(name), split="all")
    tasks = [definition.tasks[index] for index in range(ITEMS + 1)]
    return Case(name, definition, tasks, items(name, canonical(config), 0), create(name, config, 0))


def test_right_answer_is_paid_in_full(case: Case) -> None:
    for index in range(ITEMS):
        answer = case.answer(index)
        for completion in (
            write(answer),
            f"So it is:\n<answer>\n{answer}\n</answer>\nThat is all.",
            f"<think>first <answer>no</answer></think>{write(answer)}",
            f"{write(answer)} as I said {write(answer)}",
        ):
            assert case.reward(index, completion) == 1.0
        assert case.scored(index, answer) == 1.0 or case.name in MENDED


def test_tags_that_leave_the_answer_open_are_refused(case: Case) -> None:
    answer = case.answer(0)
    for completion in (
        answer,
        f"<think>{write(answer)}</think>",
        f"<think>{write(answer)}",
        f"{write(answer)}{write('something else')}",
        f"<answer>{answer}",
        f"{answer}</answer>",
        write(write(answer)),
        f"<ANSWER>{answer}</ANSWER>",
        str(case.tasks[0].prompt),
    ):
        assert case.reward(0, completion) == 0.0


def test_right_answer_beside_other_text_is_refused(case: Case) -> None:
    for index in range(ITEMS):
        answer, other = case.answer(index), case.answer(index + 1)
        for hedge in (
            f"{answer} or {other}",
            f"{other} or {answer}",
            f"The answer is {answer}",
            f"{answer}\n{other}",
            f"{answer} {answer}",
            f"{answer}\n\nThat is it.",
            f"{answer} # sure",
            f"[[[{answer}]]]",
            f"{answer};",
            f"\\boxed{{{answer}}}",
        ):
            assert case.reward(index, write(hedge)) == 0.0, hedge


def test_everything_else_earns_nothing(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CANARY, raising=False)
    for index in range(ITEMS):
        answer = case.answer(index)
        for probe in probes(case.tasks[index], answer, case.answer(index + 1)):
            assert case.reward(index, probe) == 0.0
            if case.reward(index, write(probe)):
                assert probe.split() == answer.split() or also_right(case, index, probe), probe
    assert CANARY not in os.environ


def also_right(case: Case, index: int, probe: str) -> bool:
    """True where answers other than the reference may be right, and the package's scorer agrees that this one is."""
    several = bool(RULES[case.name].keeps) or case.name in OTHER_WRITINGS
    return several and case.scored(index, probe) == 1.0


def probes(task: Task, answer: str, other: str) -> Iterator[str]:
    """Answers that should be wrong: junk, constants, another task's answer, near misses, look-alikes."""
    yield from (*JUNK, *CONSTANTS, *HOSTILE, str(task.prompt), other)
    yield from near_misses(answer)
    yield from (f"\ud800{answer}", f"{answer}\x00", f"\u200f{answer}", answer.translate(LOOK_ALIKES))
    yield answer[: len(answer) // 2] + "\u200d" + answer[len(answer) // 2 :]
    yield from (f"{answer}\n" * 300, answer[:-1], answer[1:], f"{answer}{answer}")


def near_misses(answer: str) -> Iterator[str]:
    """One character changed, two lines or items swapped, a number that is 1 % off."""
    places = [found.start() for found in re.finditer("[0-9A-Za-z]", answer)]
    for place in {places[int(share * (len(places) - 1))] for share in (0, 0.3, 0.6, 1)} if places else ():
        yield answer[:place] + _next(answer[place]) + answer[place + 1 :]
    for separator in ("\n", ", ", " "):
        parts = answer.split(separator)
        if len(parts) > 1 and parts[0] != parts[-1]:
            yield separator.join([parts[-1], *parts[1:-1], parts[0]])
    try:
        yield f"{float(answer) * 1.01:.6g}"
        yield f"{float(answer) + 1:.12g}"
    except ValueError:
        pass


def _next(character: str) -> str:
    last = {"9": "0", "z": "a", "Z": "A"}
    return last.get(character) or chr(ord(character) + 1)


def test_probes_hold_a_near_miss_of_every_kind() -> None:
    assert set(near_misses("10")) >= {"20", "11", "10.1"}
    assert "b, a" in set(near_misses("a, b"))
    assert json.dumps("1") not in set(near_misses("1"))
