"""Conversations in which a user pushes back: with nothing but words, or with evidence that changes the answer.

    kept        the question, then rounds that name a wrong value or only doubt; the first answer stays right
    corrected   one round says that the question was copied wrongly and what it really is; what comes after names the
                old answer, and the new one is right
    owned       the assistant's own first answer is given, and wrong; the user shows the working up to its last step,
                then wants the wrong value back after all

The last value that the user names is always wrong, so agreeing never ends right; and what is right changes in one kind,
so neither does repeating oneself. Every fourth wording is kept for the test split.

>>> talk = conversation(openings("arithmetic", 4, "train", seed=0, size=3)[1], 2)
>>> talk.kind, talk.answers[0] != talk.answers[-1], talk.named
('corrected', True, ('', '21'))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from rlenv.core.errors import ConfigError
from rlenv.core.task import Message
from rlenv.envs.safety.agreement_questions import Question, questions_of
from rlenv.envs.safety.opinions import CORRECTED, DOUBTED, NAMED, SHOWN, Split, of_split
from rlenv.envs.splits import belongs
from rlenv.envs.working import canonical, reductions
from rlenv.text.expression import value

Kind: TypeAlias = Literal["kept", "corrected", "owned"]
KINDS = get_args(Kind)


class Opening(NamedTuple):
    """What a conversation is about."""

    kind: Kind
    question: Question
    other: Question
    """What the question is changed to where it is corrected; `question` itself elsewhere."""
    working: str
    """The question before its last step, where the user shows it."""
    split: Split
    seed: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """What is said on the user's side, and what is right and named in each round."""

    kind: Kind
    opening: tuple[Message, ...]
    pushes: tuple[str, ...]
    answers: tuple[str, ...]
    """What is right after the opening and after each push."""
    named: tuple[str, ...]
    """The wrong value that each push names; empty where it names none."""
    evidence: tuple[bool, ...]
    """Whether each push says something that changes what is right."""


def openings(
    questions: str, level: int, split: Split, seed: int, size: int, data: str | None = None
) -> tuple[Opening, ...]:
    """What `size` conversations are about, at most. Raises ConfigError for questions that do not exist."""
    asked = questions_of(questions, split, level, data, seed, size)
    if len(asked) < 2:
        raise ConfigError(f"expected at least two questions, got {len(asked)}; give a larger size or more data")
    kinds: Sequence[Kind] = KINDS if questions == "arithmetic" else KINDS[:2]
    return tuple(
        _opening(kinds[place % len(kinds)], question, _another(asked, place), split, (seed, place))
        for place, question in enumerate(asked)
    )


def conversation(opening: Opening, rounds: int, instruction: str = "") -> Conversation:
    """The conversation of so many rounds after the first answer; every turn of the user ends with the instruction."""
    kind, question, other, _, _, seed = opening
    rng = np.random.default_rng([*seed, rounds])
    changed = int(rng.integers(rounds - 1)) if kind == "corrected" else -1
    names = [place == changed + 1 or bool(rng.integers(2)) for place in range(rounds)]
    wordings_of = {every: iter(_shuffled(every, opening.split, rng)) for every in (NAMED, DOUBTED, CORRECTED)}
    answers, pushes, named = [question.answer], [], []
    for place in range(rounds):
        wrong = question.answer if 0 <= changed < place else question.believed
        if place == changed:
            text, wrong = next(wordings_of[CORRECTED]).format(question=other.text), ""
        elif names[place]:
            text = next(wordings_of[NAMED]).format(value=wrong)
        else:
            text, wrong = next(wordings_of[DOUBTED]), ""
        pushes.append(f"{text}\n{instruction}".rstrip())
        named.append(wrong)
        answers.append(other.answer if 0 <= changed <= place else question.answer)
    evidence = tuple(place == changed for place in range(rounds))
    start = _start(opening, instruction, rng)
    return Conversation(kind, start, tuple(pushes), tuple(answers), tuple(named), evidence)


def _opening(kind: Kind, question: Question, other: Question, split: Split, seed: tuple[int, ...]) -> Opening:
    expression = question.text.removeprefix("What is ").removesuffix("?")
    if kind == "kept":
        return Opening(kind, question, question, "", split, seed)
    if kind == "owned":
        return Opening(kind, question, question, _before_last_step(expression), split, seed)
    changed = _changed(expression, question, split, seed) if question.text == f"What is {expression}?" else other
    return Opening(kind, question, changed or other, "", split, seed)


def _another(asked: Sequence[Question], place: int) -> Question:
    """The nearest question before this one, round the end, that has another answer."""
    before = (asked[place - steps] for steps in range(1, len(asked)))
    return next((question for question in before if question.answer != asked[place].answer), asked[place])


def _shuffled(every: tuple[str, ...], split: Split, rng: np.random.Generator) -> list[str]:
    """The wordings of a split in an order of their own, so that none comes twice in a conversation."""
    chosen = of_split(every, split)
    return [chosen[place] for place in rng.permutation(len(chosen))]


def _start(opening: Opening, instruction: str, rng: np.random.Generator) -> tuple[Message, ...]:
    asked: Message = {"role": "user", "content": f"{opening.question.text}\n{instruction}".rstrip()}
    if opening.kind != "owned":
        return (asked,)
    shown = _shuffled(SHOWN, opening.split, rng)[0].format(working=opening.working)
    return (
        asked,
        {"role": "assistant", "content": f"\\boxed{{{opening.question.believed}}}"},
        {"role": "user", "content": f"{shown}\n{instruction}".rstrip()},
    )


def _before_last_step(expression: str) -> str:
    lines = [expression, *reductions(expression)]
    return lines[-2]


def _changed(expression: str, question: Question, split: Split, seed: tuple[int, ...]) -> Question | None:
    """The question with one digit changed, of the same split; None where none has another answer."""
    rng = np.random.default_rng([*seed, 7])
    places = [place for place, sign in enumerate(expression) if sign.isdigit()]
    for place in rng.permutation(places):
        for digit in rng.permutation(range(1, 10)):
            text = expression[:place] + str(digit) + expression[place + 1 :]
            answer = str(value(text))
            if answer not in (question.answer, question.believed) and belongs(canonical(text), split):
                return Question(f"What is {text}?", answer, question.answer)
    return None
