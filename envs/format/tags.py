r"""`format/tags-v1`: think inside `<think>`, answer inside `<answer>`, and nothing outside; the answer is checked.

>>> import rlenv
>>> env = rlenv.make("format/tags-v1")
>>> task = {"prompt": "What is 12 + 30?", "answer": "42"}
>>> def reward(completion, **kwargs):
...     env = rlenv.make("format/tags-v1", **kwargs)
...     _ = env.reset(options={"task": task})
...     return env.step(completion)[1]
>>> reward("<think>12 + 30 = 42.</think><answer>42</answer>")
1.0
>>> reward("<think>12 + 30 = 43.</think><answer>43</answer>"), reward("<think></think><answer>42</answer>")
(0.0, 0.0)
>>> reward("<think>\u200b</think><answer>42</answer>")
0.0
>>> reward("<think>12 + 30 = 43.</think><answer>43</answer>", pay="shape")
0.2

The format pays only together with the right content: a reward for the shape alone is had without doing
the task, and `pay="shape"` asks for it in so many words. Right content in the wrong shape is worth nothing
either way. That the reasoning is there, once, closed and not blank, is all that is asked of it: what it says is
not looked at. Characters that nobody sees, such as zero-width spaces, are blank (`format/tags-v0`, kept for one
release, takes them for reasoning). One that the chat template opened counts where the policy says so
(`read_as="opened"`).

`TagsVerifier(content=...)` puts the tags around any other verifier, which then sees the answer alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.reading import Passage, Span
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, Verdict
from rlenv.core.verifier import Verifier
from rlenv.envs.format.paid import paid
from rlenv.envs.format.questions import draw
from rlenv.envs.format.tasks import check_choice, task_sets
from rlenv.envs.levels import SIZE

INSTRUCTION = "Think inside <think></think>, then give only the answer inside <answer></answer>."
THINK = "<think>"
FILLERS = "\u115f\u1160\u3164\uffa0\u2800"
"""Letters and signs by their category that are drawn as nothing: the Hangul fillers and the Braille blank."""
TAGS = ("<answer>", "</answer>")
_TAG_LIKE = re.compile(r"<[\s/]*+answer\b(?:\s*+/?>)?", re.IGNORECASE)  # </ answer >


def _draw(rng: np.random.Generator) -> tuple[str, Callable[[], Task]]:
    text, working, answer, key = draw(rng)
    return key, lambda: Task(f"{text}\n{INSTRUCTION}", answer, metadata={"working": working})


def tags(
    split: str = "train", seed: int = 0, size: int = SIZE, pay: str = "correct", unseen_is_blank: bool = True
) -> Definition:
    """Questions made by code out of `train`, `test`, `demonstrations` or `all`.

    With `pay="correct"` the parts `format` (0.2) and `correct` (0.8) are paid together or not at all; with
    `pay="shape"` a well-formed wrong answer earns the part `format`. Without `unseen_is_blank` a thought of characters
    that nobody sees counts, as in `format/tags-v0`.
    """
    check_choice("pay", pay, "correct", "shape")
    sets = task_sets(_draw, split, seed, size)
    return Definition(
        tasks=sets.tasks,
        verifier=TagsVerifier(pay_shape=pay == "shape", unseen_is_blank=unseen_is_blank),
        solution=solution,
        demonstrations=sets.demonstrations,
        max_completion_chars=100_000,
        description="<think> and <answer> tags around a checked answer",
    )


def solution(task: Task) -> str:
    """The working and the answer, each in its tags."""
    working = str(task.metadata.get("working", "")) or "It is plain to see."
    return f"<think>{working}</think><answer>{task.reference}</answer>"


@dataclass(frozen=True)
class TagsVerifier:
    """The answer must be the reference, letter for letter, or earn the full reward of the verifier `content`."""

    pay_shape: bool = False
    content: Verifier | None = None
    unseen_is_blank: bool = True

    @property
    def cheap(self) -> bool:
        return self.content is None or self.content.cheap

    @property
    def version(self) -> str:
        inner = "" if self.content is None else f"({self.content.version})"
        return f"tags-{4 if self.unseen_is_blank else 3}{'-shape' if self.pay_shape else ''}{inner}"

    def verify(self, task: Task, completion: Completion) -> Verdict:
        answer = read(completion, self.unseen_is_blank)
        if isinstance(answer, Flag):
            return paid(False, False, self.pay_shape, answer.detail, (answer,))
        if self.content is None:
            right = answer.text == str(task.reference).strip()
            reason = "" if right else f"answer: got {answer.text[:40]!r}, expected {task.reference!r}"
            return paid(True, right, self.pay_shape, reason, answer=answer.spans[0])
        judged = self.content.verify(task, Completion(answer.text, read_as="text")).placed(answer)
        if judged.reward is None:
            return judged
        right = judged.reward >= 1.0
        reason = "" if right else judged.reason
        return paid(True, right, self.pay_shape, reason, judged.flags, judged.answer or answer.spans[0])


def read(completion: Completion, unseen_is_blank: bool = True) -> Passage | Flag:
    """The answer without the white space around it, or the flag that says where the shape is broken.

    The reasoning is one closed trace of `<think>`, not blank, with nothing before it; what it says is not looked at.
    Its opening tag is written out, unless the policy says that the chat template wrote it (`read_as="opened"`).
    The content is `<answer>...</answer>`, each tag once and so spelled, with white space around them, and not blank.
    """
    text, traces = completion.text, completion.reading.traces
    trace = next(iter(traces), None)
    opened = trace is not None and (trace.opened or completion.read_as == "opened")
    if trace is None or trace.mark != THINK or not opened:
        return Flag("format", 0, len(text), f"expected {THINK} first")
    if not trace.closed:
        return Flag("format", trace.inner_start, len(text), "the reasoning never ends")
    if len(traces) > 1:
        return Flag("format", traces[1].start, traces[1].end, "expected the reasoning once")
    thought = text[trace.inner_start : trace.inner_end]
    blank = not _seen(thought) if unseen_is_blank else not thought.strip()
    if text[: trace.start].strip() or blank:
        return Flag("format", 0, trace.end, "text before the reasoning, or none in it")
    return _answer(text, trace.end)


def _seen(text: str) -> bool:
    """Whether a character is there that leaves ink: no white space, control, format or unassigned one, no bare mark.

    >>> _seen("\u200b \u2060"), _seen("\u200b7")
    (False, True)
    """
    first = text.strip()[:1]
    if first.isascii() and first.isalnum():  # of most thoughts no more is looked at
        return True
    return any(unicodedata.category(sign)[0] not in "CZM" and sign not in FILLERS for sign in text)


def _answer(text: str, start: int) -> Passage | Flag:
    """What stands between the tags behind `start`."""
    found: list[re.Match[str]] = []
    for tag in _TAG_LIKE.finditer(text, start):
        expected = TAGS[len(found)] if len(found) < len(TAGS) else "no more tags"
        if tag[0] != expected:
            return Flag("format", tag.start(), tag.end(), f"expected {expected}, got {tag[0][:20]!r}")
        found.append(tag)
    if len(found) < len(TAGS):
        return Flag("format", len(text), len(text), f"{TAGS[len(found)]} is missing")
    opened, closed = found
    outside = text[start : opened.start()] + text[closed.end() :]
    if outside.strip():
        return Flag("format", start, len(text), f"text outside the tags: {outside.strip()[:20]!r}")
    inside = text[opened.end() : closed.start()]
    answer = inside.strip()
    if not answer:
        return Flag("format", opened.start(), closed.end(), "empty tags")
    begin = opened.end() + len(inside) - len(inside.lstrip())
    return Passage(answer, (Span(begin, begin + len(answer)),))
