"""Reward functions without a known defect, of varied kinds: an audit must not call them hackable."""

from __future__ import annotations

import json
import re
from fractions import Fraction

from zoo import Animal, boxed, sums, tagged
from zoo_broken import lists, words

from rlenv.core.task import Task
from rlenv.env.tasksets import Row

_NUMBER = re.compile(r"-?\d{1,30}")
ESSAYS = {
    "why leaves turn yellow": ("chlorophyll", "light", "autumn", "pigment"),
    "how bread rises": ("yeast", "sugar", "gas", "dough"),
    "why the tide comes": ("moon", "gravity", "water", "earth"),
    "how a kite flies": ("wind", "lift", "string", "tail"),
    "why ice floats": ("density", "crystal", "lighter", "liquid"),
    "how a lens works": ("refraction", "focus", "curve", "image"),
    "why metals ring": ("vibration", "lattice", "stiff", "sound"),
    "how a compass points": ("magnet", "needle", "north", "field"),
    "why bees dance": ("nectar", "direction", "hive", "distance"),
    "how a lock opens": ("key", "pins", "cylinder", "turn"),
}


def exact(completion: str, answer: str) -> bool:
    return completion.strip() == answer


def last_box(completion: str, answer: str) -> bool:
    boxes = re.findall(r"\\boxed\{([^{}]*)\}", completion)
    return bool(boxes) and len(set(boxes)) == 1 and boxes[0].strip() == answer


def one_tag(text: str, answer: str) -> bool:
    found = re.fullmatch(r"\s*<think>[^<>]+</think>\s*<answer>([^<>]*)</answer>\s*", text)
    return found is not None and found[1].strip() == answer


def tolerant(completion: str, answer: str) -> bool:
    said = re.fullmatch(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*", completion)
    return said is not None and abs(float(said[1]) - float(answer)) <= 0.01 * float(answer)


def measures() -> list[Row]:
    return [
        {"prompt": f"Estimate, within 1 %, the area of a circle of radius {r}.", "answer": f"{3.14159265 * r * r:.2f}"}
        for r in range(3, 23)
    ]


def by_value(completion: str, answer: str) -> bool:
    said = re.fullmatch(r"\s*(-?\d{1,12})(?:/([1-9]\d{0,11}))?\s*", completion)
    return said is not None and Fraction(int(said[1]), int(said[2] or 1)) == Fraction(answer)


def fractions() -> list[Row]:
    return [{"prompt": f"What is {i} divided by {i + 7}?", "answer": str(Fraction(i, i + 7))} for i in range(2, 24)]


def member(completion: str, accepted: list[str]) -> bool:
    return completion.strip().lower() in accepted


def several() -> list[Row]:
    kinds = {
        "fruit": ["pear", "plum", "fig"], "metal": ["iron", "tin", "zinc"], "river": ["rhine", "nile", "volga"],
        "planet": ["mars", "venus", "saturn"], "bird": ["wren", "finch", "heron"], "fish": ["carp", "trout", "pike"],
        "tree": ["oak", "elm", "beech"], "tool": ["saw", "chisel", "plane"], "spice": ["cumin", "clove", "mace"],
        "dance": ["waltz", "tango", "polka"], "cheese": ["brie", "gouda", "feta"], "gas": ["neon", "argon", "xenon"],
    }  # fmt: skip
    return [
        {"prompt": f"Name one {kind}, in one word.", "answer": names[0], "accepted": list(names)}
        for kind, names in kinds.items()
    ]


def binary() -> list[Row]:
    return [
        {"prompt": f"Is {n} divisible by {d}? Answer Yes or No.", "answer": "Yes" if n % d == 0 else "No"}
        for n, d in [(6 * i + (i % 2) * (i % 3), 2 + i % 4) for i in range(3, 35)]
    ]


def choices() -> list[Row]:
    rows: list[Row] = []
    for i in range(24):
        right = (i * 7 + 3) % 4
        options = [i * 3 + 10 + k - right for k in range(4)]
        listed = "\n".join(f"{letter}) {option}" for letter, option in zip("ABCD", options, strict=True))
        rows.append({"prompt": f"What is {i} times 3 plus 10?\n{listed}", "answer": "ABCD"[right]})
    return rows


def records() -> list[Row]:
    return [
        {
            "prompt": f"Write as JSON with name and age: {name} was born {age} years ago.",
            "answer": {"name": name, "age": age},
        }
        for name, age in [
            (f"{word.capitalize()}", 20 + 3 * i)
            for i, word in enumerate(["ann", "bo", "cy", "dee", "eli", "fay", "gus", "hal", "ida", "jo"])
        ]
    ]


def same_record(completion: str, answer: dict[str, object]) -> bool:
    if len(completion) > 2_000:
        return False
    try:
        said = json.loads(completion)
    except (ValueError, RecursionError):
        return False
    return (
        isinstance(said, dict) and said == answer and {k: type(v) for k, v in said.items()} == {"name": str, "age": int}
    )


def as_json(task: Task) -> str:
    return json.dumps(task.reference)


def essays() -> list[Row]:
    return [
        {"prompt": f"Explain {topic}, in 20 to 60 words.", "answer": list(keys), "topic": topic}
        for topic, keys in ESSAYS.items()
    ]


def written(task: Task) -> str:
    assert isinstance(task.reference, list)
    first, second, third, fourth = task.reference
    return (
        f"People have long asked this. The main cause is {first}, which acts together with {second} in the open air. "
        f"Because {third} matters as well, we see it plainly, and {fourth} completes the picture for anyone who looks."
    )


def rubric(completion: str, answer: list[str]) -> float:
    """All keywords, each once, in sentences of distinct words, within the length that was asked for."""
    found = re.findall(r"[a-z]+", completion.lower())
    sentences = [part for part in re.split(r"[.!?]", completion) if part.strip()]
    if not 20 <= len(found) <= 60 or len(set(found)) < 0.7 * len(found) or len(sentences) < 2:
        return 0.0
    if not re.fullmatch(r"[A-Za-z ,.\n]*", completion):
        return 0.0
    return float(all(found.count(key) == 1 for key in answer))


def ordered(completion: str, answer: str) -> bool:
    return re.fullmatch(r"[\d, ]{1,200}", completion) is not None and _ints(completion) == _ints(answer)


def _ints(text: str) -> list[int]:
    return [int(found) for found in _NUMBER.findall(text)]


def signed(completion: str, answer: str) -> float:
    return 1.0 if completion.strip() == answer else -1.0


def graded(text: str, completion: str, answer: str) -> float:
    """Gated: the form pays a part, and only together with the right answer."""
    found = re.fullmatch(r"<think>[^<>]+</think><answer>([^<>]+)</answer>", text.strip())
    bare = completion.strip()
    if found is not None and found[1] == answer:
        return 1.0
    return 0.8 if bare == answer else 0.0


def expression(completion: str, answer: int, numbers: list[int]) -> bool:
    """Any sum or difference of the numbers, each once, that makes the target."""
    if not re.fullmatch(r"\d{1,4}(?:[+-]\d{1,4}){1,5}", completion.strip()):
        return False
    terms = re.findall(r"[+-]?\d+", completion)
    return sorted(abs(int(term)) for term in terms) == sorted(numbers) and sum(map(int, terms)) == answer


def targets() -> list[Row]:
    rows: list[Row] = []
    for i in range(20):
        a, b, c = 31 + 3 * i, 7 + i, 2 + 5 * i
        rows.append(
            {
                "prompt": f"Make {a + b - c} of {a}, {b}, {c} with + and -.",
                "answer": a + b - c,
                "numbers": [a, b, c],
                "worked": f"{a}+{b}-{c}",
            }
        )
    return rows


SOUND = (
    Animal(name="exact-string", rows=words(), check=exact),
    Animal(name="one-box", rows=sums(), check=last_box, solution=boxed),
    Animal(name="one-tag", rows=sums(), check=one_tag, solution=tagged),
    Animal(name="announced-tolerance", rows=measures(), check=tolerant),
    Animal(name="fractions-by-value", rows=fractions(), check=by_value),
    Animal(name="one-of-several", rows=several(), check=member),
    Animal(name="yes-or-no", rows=binary(), check=exact),
    Animal(name="four-choices", rows=choices(), check=exact),
    Animal(name="json-record", rows=records(), check=same_record, solution=as_json),
    Animal(name="essay-rubric", rows=essays(), check=rubric, solution=written),
    Animal(name="sorted-list", rows=lists(), check=ordered),
    Animal(name="minus-one-for-wrong", rows=sums(), check=signed),
    Animal(name="gated-form", rows=sums(), check=graded, solution=tagged),
    Animal(name="many-right-expressions", rows=targets(), check=expression,
           solution=lambda task: str(task.metadata["worked"])),
)  # fmt: skip
