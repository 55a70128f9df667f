"""Ways of writing a right solution down: one list for each half, so that no voice is in both."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from .item import Item

Voice = Callable[[Item, Random], str]


def _ending(item: Item, rng: Random, *wordings: str) -> str:
    return rng.choice(wordings).format(a=item.answer)


def _math(answer: str) -> str:
    """An answer as it stands in a box."""
    return answer if re.fullmatch(r"[^A-Za-z]*|.*\\.*", answer) else f"\\text{{{answer}}}"


def plain(item: Item, rng: Random) -> str:
    return f"{item.body} " + _ending(item, rng, "The answer is {a}.", "So the answer is {a}.", "Answer: {a}")


def boxed(item: Item, rng: Random) -> str:
    lead = rng.choice(
        ["", "We work step by step.\n\n", "Let us set this up first.\n\n", "Let's solve this problem step by step.\n\n"]
    )
    return lead + "\n\n".join(item.steps) + f"\n\nTherefore the final answer is $\\boxed{{{_math(item.answer)}}}$."


def numbered(item: Item, rng: Random) -> str:
    lines = [f"{i}. {step.strip()}" for i, step in enumerate(item.steps, 1)]
    return "\n".join(lines) + "\n\n" + _ending(item, rng, "**Answer:** {a}", "Final answer: {a}")


def hashed(item: Item, rng: Random) -> str:
    return "\n".join(step.strip() for step in item.steps) + f"\n#### {item.answer}"


def checked(item: Item, rng: Random) -> str:
    check = rng.choice(
        [
            "Let me check this once more: the numbers fit what was given.",
            "A quick check: going backwards through the steps leads to the numbers of the question.",
            "Does that make sense? The size is what one would expect, so yes.",
        ]
    )
    return f"{item.body}\n\n{check}\n\n" + _ending(item, rng, "Hence {a}.", "The answer is **{a}**.")


def thoughtful(item: Item, rng: Random) -> str:
    lead = rng.choice(
        ["Okay, what do we know?", "Hmm, let me see what is asked.", "First I want to understand the question."]
    )
    return f"{lead} {item.body}\n\n" + _ending(item, rng, "That gives {a}.", "So my answer is {a}.")


def corrected(item: Item, rng: Random) -> str:
    slip = item.wrong[0] if item.wrong else "something else"
    doubt = rng.choice(
        [
            f"At first glance I would have said {slip}. Wait, let me check that: I skipped a step there.",
            f"My first try gave {slip}, but that overlooks a part of the question. Again, slowly:",
            f"Is it {slip}? No, that cannot be right, let me redo it.",
        ]
    )
    return f"{doubt}\n\n{item.body}\n\n" + _ending(
        item, rng, "So it is {a} after all: the answer is {a}.", "The answer is {a}, not " + slip + "."
    )


def headed(item: Item, rng: Random) -> str:
    parts = [f"### Step {i}\n{step.strip()}" for i, step in enumerate(item.steps, 1)]
    return "\n\n".join(parts) + f"\n\n### Result\n\\[\n\\boxed{{{_math(item.answer)}}}\n\\]"


def lecture(item: Item, rng: Random) -> str:
    lead = rng.choice(
        ["This is a standard exercise. ", "The idea is to take the given data apart. ", "One may argue as follows. "]
    )
    links = ["", "Next, ", "Then ", "After that: ", "Now "]
    said = [links[min(i, len(links) - 1)] + step.strip() for i, step in enumerate(item.steps)]
    return lead + " ".join(said) + " " + _ending(item, rng, "We conclude that the result is {a}.", "In total: {a}.")


def bulleted(item: Item, rng: Random) -> str:
    return (
        "Working:\n"
        + "\n".join(f"- {step.strip()}" for step in item.steps)
        + "\n\n"
        + _ending(item, rng, "A: {a}", "Result: {a}")
    )


def restated(item: Item, rng: Random) -> str:
    lead = rng.choice(
        [
            "The question gives us the following: {q} We have to find exactly that.",
            'To quote the problem: "{q}" With this in mind:',
            "Given: {q}",
        ]
    )
    return (
        lead.format(q=item.prompt) + f"\n\n{item.body}\n\n" + _ending(item, rng, "Therefore, {a}.", "The answer: {a}")
    )


def given_find(item: Item, rng: Random) -> str:
    return f"**Solution.** {item.body}\n\n" + _ending(
        item, rng, "**Answer.** ${a}$", "It follows that the value is {a}. ∎"
    )


def second_way(item: Item, rng: Random) -> str:
    again = rng.choice(
        [
            "To be safe I recomputed it another way and got the same value.",
            "A rough estimate agrees with this.",
            "Doing the sums in another order changes nothing.",
        ]
    )
    return f"{item.body} {again} " + _ending(item, rng, "The final answer is {a}.", "Thus, \\boxed{{{a}}}.")


def tagged(item: Item, rng: Random) -> str:
    return f"<think>\n{item.body}\n</think>\n<answer>{item.answer}</answer>"


def terse(item: Item, rng: Random) -> str:
    return "\n".join(re.findall(r"[^.]*=[^.]*", item.body)[:6] or [item.body]).strip() + f"\n\nResult {item.answer}"


def friendly(item: Item, rng: Random) -> str:
    lead = rng.choice(["Sure!", "Happy to help.", "Of course.", "Good question."])
    return f"{lead} {item.body} " + _ending(
        item, rng, "So you get {a}. Let me know if a step is unclear!", "That leaves {a}."
    )


VOICES: dict[str, tuple[Voice, ...]] = {
    "tuning": (plain, boxed, numbered, thoughtful, corrected, restated, given_find, bulleted),
    "reporting": (hashed, checked, headed, lecture, second_way, friendly, terse),
}
"""By half. `tagged` and `corrected` are at hand for both where a family needs them."""


def told(item: Item, rng: Random, half: str) -> tuple[str, str]:
    """The solution in a voice of this half, with the voice's name."""
    if item.fixed:
        return item.fixed, "as written"
    voice = rng.choice(VOICES[half])
    return voice(item, rng), voice.__name__
