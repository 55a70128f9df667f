"""Where the answer stands in a completion.

The rule: what comes after the thinking holds `<answer>...</answer>`, once, or several times with the same
content. Thinking ends with the last `</think>`; a `<think>` that is never closed leaves no answer.

>>> read("6*7 is <answer> 42 </answer>")
'42'
>>> read("<answer>41</answer> or <answer>42</answer>").name
'several_answers'
>>> read("<think>it must be <answer>42</answer></think>I do not know").name
'no_answer'
"""

from __future__ import annotations

import re

from rlenv.verdict import Flag

OPEN, CLOSE = "<answer>", "</answer>"
_TAG = re.compile(f"{OPEN}|{CLOSE}")
_SPACE = " \t\r\n"


def read(completion: str) -> str | Flag:
    """The answer without the white space around it, or the flag that says why there is none."""
    start = _end_of_thinking(completion)
    found = list(_TAG.finditer(completion, start))
    if not found:
        return Flag("no_answer", start, len(completion), f"expected {OPEN}...{CLOSE} after the thinking")
    for place, tag in enumerate(found):
        expected = CLOSE if place % 2 else OPEN
        if tag[0] != expected:
            return Flag("broken_tags", tag.start(), tag.end(), f"expected {expected}, got {tag[0]}")
    if len(found) % 2:
        return Flag("broken_tags", found[-1].start(), len(completion), f"{CLOSE} is missing")
    pairs = zip(found[::2], found[1::2], strict=True)
    answers = {completion[open_.end() : close.start()].strip(_SPACE) for open_, close in pairs}
    if len(answers) > 1:
        return Flag("several_answers", found[0].start(), found[-1].end(), f"{len(answers)} different answers")
    return answers.pop()


def write(answer: str) -> str:
    """A completion that gives this answer."""
    return f"{OPEN}{answer}{CLOSE}"


def _end_of_thinking(completion: str) -> int:
    """Where the thinking ends: behind the last `</think>`, or nowhere before the end if it is still open."""
    closed = completion.rfind("</think>")
    opened = completion.rfind("<think>")
    if opened > closed:
        return len(completion)
    return 0 if closed < 0 else closed + len("</think>")
