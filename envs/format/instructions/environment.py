r"""`format/instructions-v0`: answer a question in a reply that follows instructions which code can check.

>>> import rlenv
>>> task = {
...     "prompt": "What is 12 + 30? ...",
...     "answer": {"answer": "42", "instructions": [{"kind": "no_commas", "params": {}}]},
... }
>>> def reward(completion, **kwargs):
...     env = rlenv.make("format/instructions-v0", **kwargs)
...     _ = env.reset(options={"task": task})
...     return env.step(completion)[1]
>>> reward("That is easy.\nAnswer: 42"), reward("Well, that is easy.\nAnswer: 42")
(1.0, 0.0)
>>> reward("That is easy.\nAnswer: 43"), reward("That is easy."), reward("That is easy.", pay="instructions")
(0.0, 0.0, 1.0)

In the manner of IFEval (Zhou et al. 2023, arXiv 2311.07911), with kinds, texts and checks of our own. Unlike
there, the instructions pay only in a reply that also answers a question: following them alone is had with any
filler. `pay="instructions"` leaves the question out of the reward.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, Verdict
from rlenv.envs.format.instructions.catalogue import DRAWN, Instruction, compose
from rlenv.envs.format.instructions.drafts import body
from rlenv.envs.format.instructions.ifeval import of_row
from rlenv.envs.format.questions import Question, draw
from rlenv.envs.format.tasks import check_choice, task_sets
from rlenv.envs.levels import SIZE

MAX_CHARS = 20_000
ANSWER_RULE = 'Somewhere in your reply there must be a line "Answer: ..." with nothing but the answer after the colon.'
_BARE = re.compile(r"-?\w(?:.*[\w%])?")
_ANSWER = re.compile(r"^[^\w\n]*answer:[^\S\n]*(.*)$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class Drawing:
    """A question, and instructions out of some kinds that one text can follow."""

    kinds: tuple[str, ...]
    fewest: int
    most: int

    def __call__(self, rng: np.random.Generator) -> tuple[str, Callable[[], Task]]:
        question = draw(rng)
        return question.key, lambda: self._task(question, rng)

    def _task(self, question: Question, rng: np.random.Generator) -> Task:
        while True:
            count = int(rng.integers(self.fewest, self.most + 1))
            chosen = [self.kinds[i] for i in rng.choice(len(self.kinds), size=count, replace=False)]
            made = compose(f"{body(rng)}\nAnswer: {question.answer}", chosen, rng)
            if made is not None and {_bare(line[1]) for line in _ANSWER.finditer(made[0])} == {_bare(question.answer)}:
                break
        text, instructions = made
        asked = "\n".join(f"- {instruction.sentence}" for instruction in instructions)
        rows: list[Json] = [{"kind": i.kind, "params": i.params} for i in instructions]
        prompt = f"{question.text} Reply with a short text. {ANSWER_RULE}\n{asked}"
        return Task(prompt, {"answer": question.answer, "instructions": rows}, metadata={"solution": text})


def instructions(
    split: str = "train",
    seed: int = 0,
    size: int = SIZE,
    data: str | None = None,
    kinds: list[str] | None = None,
    fewest: int = 1,
    most: int = 3,
    mode: str = "strict",
    reward: str = "all",
    pay: str = "correct",
) -> Definition:
    """Tasks with `fewest` to `most` instructions out of `kinds` (all of them by default), or the rows of a file.

    Rows of `data` are in the form of IFEval (`prompt`, `instruction_id_list`, `kwargs`; they ask for no answer, and
    are for evaluation only unless `pay="instructions"` says so), or have an answer as the doctest above.

    `mode="loose"` also accepts what follows an instruction once asterisks or the first or the last line are
    taken away, as IFEval's loose accuracy does. `reward="share"` pays the share of the instructions followed.
    """
    chosen = tuple(kinds or DRAWN)
    unknown = sorted(set(chosen) - set(DRAWN))
    if unknown or len(set(chosen)) < len(chosen):
        raise ConfigError(f"expected different kinds out of {', '.join(DRAWN)}, got {list(chosen)!r}")
    if not 1 <= fewest <= most <= min(len(chosen), 5):
        raise ConfigError(f"expected 1 <= fewest <= most <= {min(len(chosen), 5)}, got {fewest!r} and {most!r}")
    check_choice("mode", mode, "strict", "loose")
    check_choice("reward", reward, "all", "share")
    check_choice("pay", pay, "correct", "instructions")
    sets = task_sets(Drawing(chosen, fewest, most), split, seed, size, data, of_row)
    tasks = sets.tasks
    filler = data is not None and any(_answer_of(tasks[i]) is None for i in range(len(tasks)))
    return Definition(
        tasks=tasks,
        verifier=InstructionsVerifier(loose=mode == "loose", share=reward == "share", content=pay == "correct"),
        solution=solution,
        demonstrations=sets.demonstrations,
        max_completion_chars=MAX_CHARS,
        description=f"{len(chosen)} kinds of checkable instructions around a question",
        evaluation_only="any filler that follows its instructions is paid" if filler and pay == "correct" else "",
    )


def solution(task: Task) -> str:
    """A text that follows the instructions. Raises TaskError where none is known."""
    if "solution" not in task.metadata:
        raise TaskError(f"task {task.id}: no text is known that follows it; give the row a column 'solution'")
    return str(task.metadata["solution"])


@dataclass(frozen=True)
class InstructionsVerifier:
    """Every instruction is a score; the reward is all of them or their share, in a reply with the right answer."""

    loose: bool = False
    share: bool = False
    content: bool = True
    cheap: bool = True

    @property
    def version(self) -> str:
        options = ("loose", self.loose), ("share", self.share), ("instructions", not self.content)
        return "instructions-2" + "".join(f"-{name}" for name, chosen in options if chosen)

    def verify(self, task: Task, completion: Completion) -> Verdict:
        content = completion.content
        said = content.text
        texts = [text for text in (loosened(said) if self.loose else [said]) if text.strip()]
        asked, followed, answer = _followed(task, texts)
        lines = list(_ANSWER.finditer(said))
        answers = {_bare(line[1]) for line in lines}
        content_asked = self.content and answer is not None
        right = not content_asked or answers == {_bare(str(answer))}
        scores = {f"{i}/{one.kind}": float(held) for i, (one, held) in enumerate(zip(asked, followed, strict=True), 1)}
        if content_asked:
            scores["correct"] = float(right)
        earned = (sum(followed) / len(asked) if self.share else float(all(followed))) if right else 0.0
        flags = [Flag("several_answers", 0, len(said))] if len(answers) > 1 else []
        reason = _reason(asked, followed, answers, right)
        place = _last_answer(said, lines) if content_asked else None
        verdict = Verdict.of(("instructions", earned), scores=scores, flags=flags, reason=reason, answer=place)
        return verdict.placed(content)


def loosened(text: str) -> list[str]:
    """The text, and what is left of it without asterisks, the first line, the last line, or several of these."""
    rows = text.strip().split("\n")
    cuts = [text, "\n".join(rows[1:]), "\n".join(rows[:-1]), "\n".join(rows[1:-1])]
    return [variant.strip() for cut in cuts for variant in (cut, cut.replace("*", ""))]


def _last_answer(text: str, lines: Sequence[re.Match[str]]) -> tuple[int, int] | None:
    """Where the last answer line says it."""
    found = _BARE.search(text, *lines[-1].span(1)) if lines else None
    return None if found is None else found.span()


def _bare(said: str) -> str:
    """What an answer line says, without the punctuation around it."""
    found = _BARE.search(said)
    return found[0].casefold() if found else ""


def _reason(asked: list[Instruction], followed: list[bool], answers: set[str], right: bool) -> str:
    broken = [one.kind for one, held in zip(asked, followed, strict=True) if not held]
    reasons = [] if right else [f"answer: got {', '.join(sorted(answers))[:60] or 'no answer line'}"]
    return "; ".join([*reasons, *([f"not followed: {', '.join(broken)}"] if broken else [])])


def _answer_of(task: Task) -> Json:
    return task.reference.get("answer") if isinstance(task.reference, dict) else ""


def _followed(task: Task, texts: Sequence[str]) -> tuple[list[Instruction], list[bool], Json]:
    """The instructions of a task, which of them one of the texts follows, and the answer, where it asks for one.

    Raises TaskError where the task cannot be read, whatever the texts are.
    """
    try:
        reference = cast("dict[str, Json]", task.reference)
        rows = cast("list[dict[str, Json]]", reference["instructions"])
        asked = [Instruction(str(row["kind"]), dict(cast("dict[str, Json]", row["params"]))) for row in rows]
        followed = [any(map(one.holds, texts or ("",))) for one in asked]
        return asked, followed if texts else [False] * len(asked), reference.get("answer")
    except (TypeError, KeyError, ValueError) as error:
        raise TaskError(
            f"task {task.id}: expected a reference {{'answer': ..., 'instructions': [{{'kind': ..., 'params': ...}}]}} "
            f"({type(error).__name__}: {error})"
        ) from error
