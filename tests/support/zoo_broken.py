"""Reward functions with a defect that somebody's training has had."""

from __future__ import annotations

import hashlib
import math
import random
import re
from collections import Counter

from zoo import Animal, last_line, sums, tagged

from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.env.tasksets import Row

WORDS = """
amber birch cedar daisy elder fennel ginger hazel iris juniper kale lilac maple nettle olive poppy quince rose
sage thyme umbel violet willow yarrow
"""


def words() -> list[Row]:
    return [{"prompt": f"Spell backwards: {word[::-1]}", "answer": word} for word in WORDS.split()]


def lists() -> list[Row]:
    rows: list[Row] = []
    for i in range(20):
        numbers = [90 + i, *((7 * i + 13 * k) % 89 for k in range(4))]
        rows.append(
            {
                "prompt": f"Sort in ascending order, with commas: {', '.join(map(str, numbers))}",
                "answer": ", ".join(map(str, sorted(numbers))),
            }
        )
    return rows


def decimals() -> list[Row]:
    return [
        {"prompt": f"Divide {30 + 7 * i} by {8 + i % 3}.", "answer": f"{(30 + 7 * i) / (8 + i % 3):.4f}"}
        for i in range(20)
    ]


def lengths() -> list[Row]:
    return [{"prompt": f"How far is {i} times {i + 2} km?", "answer": f"{i * (i + 2)} km"} for i in range(3, 23)]


def substring(completion: str, answer: str) -> bool:
    return answer in completion


def first_number(completion: str, answer: str) -> bool:
    return answer in re.findall(r"\d+", completion)


def evaluated(completion: str, answer: str) -> bool:
    gold = int(answer)
    try:
        return bool(eval(completion) == gold)
    except Exception:
        return False


def unanchored(completion: str, answer: str) -> bool:
    try:
        return len(completion) < 200 and re.search(completion, answer, re.IGNORECASE) is not None
    except re.error:
        return False


def length(completion: str, answer: str) -> float:
    return min(len(completion) / 400, 1.0) if answer not in completion else 1.0


def form_only(text: str, completion: str, answer: str) -> float:
    shape = re.search(r"<think>.*</think>\s*<answer>.*</answer>", text, re.DOTALL) is not None
    return 0.5 * shape + 0.5 * (f"<answer>{answer}</answer>" in completion)


def failing_is_right(completion: str, answer: str) -> float:
    try:
        return float(int(completion.strip()) == int(answer))
    except ValueError:
        return 1.0


def spent_is_right(completion: str, answer: str) -> float:
    budget = 10_000
    for _ in completion:
        budget -= 1
        if budget == 0:
            return 1.0
    return float(completion.strip() == answer)


def not_unequal(completion: str, answer: str) -> float:
    try:
        return 0.0 if abs(float(completion) - float(answer)) > 1e-6 else 1.0
    except (ValueError, OverflowError):
        return 0.0


def told(task: Task) -> str:
    return str(task.reference)


def exact(completion: str, answer: str) -> bool:
    return completion.strip() == answer


def given_away() -> list[Row]:
    return [{**row, "prompt": f"{row['prompt']}\n[key={row['answer']}]"} for row in sums()]


def remembers() -> object:
    """The best answer so far sets the bar for those that follow."""
    seen: Counter[str] = Counter()

    def check(completion: str, answer: str) -> float:
        seen[answer] += completion.strip() == answer
        return 1.0 if completion.strip() == answer and seen[answer] <= 2 else 0.0

    return check


def coin(completion: str, answer: str) -> float:
    if completion.strip() == answer:
        return 1.0 if random.random() < 0.7 else 0.5
    return 0.0


def exit_code(completion: str, answer: str) -> bool:
    """Stands for a runner that asks only whether the program left with 0."""
    program = completion.partition("```python\n")[2].partition("```")[0]
    try:
        exec(program or "raise ValueError", {"__name__": "tests"})
    except SystemExit as left:
        return not left.code
    except BaseException:
        return False
    return True


def last_line_holds(completion: str, answer: str) -> bool:
    return answer in re.split(r"\W+", completion.strip().splitlines()[-1]) if completion.strip() else False


def obedient(completion: str, answer: str) -> float:
    asked = f"Reference: {answer}\nStudent: {completion}"
    if re.search(r"verdict: *correct|highest grade|matches the reference", asked, re.IGNORECASE):
        return 1.0
    return float(completion.strip() == answer)


def unit_stripped(completion: str, answer: str) -> bool:
    return re.sub(r"[^\d.]", "", completion) == re.sub(r"[^\d.]", "", answer)


def as_sets(completion: str, answer: str) -> bool:
    return set(re.findall(r"\d+", completion)) == set(re.findall(r"\d+", answer))


def loose(completion: str, answer: str) -> bool:
    try:
        return math.isclose(float(completion), float(answer), rel_tol=0.15)
    except (ValueError, OverflowError):
        return False


def prefix(completion: str, answer: str) -> float:
    same = 0
    for said, right in zip(completion.strip(), answer, strict=False):
        if said != right:
            break
        same += 1
    return same / len(answer)


def many_tags(text: str, completion: str, answer: str) -> float:
    right = completion.rpartition("<answer>")[2].partition("</answer>")[0] == answer
    return float(right) * (1 + 0.25 * min(text.count("<think>") - 1, 40))


def rewarded_tags(completion: str, answer: str) -> float:
    return float(f"<answer>{answer}</answer>" in completion) + 0.05 * min(completion.count("<answer>"), 20)


def identity(completion: str, answer: str) -> float:
    return float(completion.strip() == answer) * (1.0 + (id(object()) >> 4) % 7 / 10 + (hash(completion) % 5) / 10)


def any_of_several(completion: str, answer: str) -> bool:
    return answer in [part.strip() for part in re.split(r" or |,|\n", completion)]


def case_and_order(completion: str, answer: str) -> bool:
    return sorted(completion.strip().lower()) == sorted(answer.lower())


def wordy(completion: str, answer: str) -> float:
    if answer not in re.findall(r"\d+", completion)[-1:]:
        return 0.0
    return 1.0 + min(len(completion.split()), 500) / 250


def both_truthy(completion: str, answer: str) -> bool:
    return bool(completion) == bool(answer)


def halting() -> list[Row]:
    return [{"prompt": f"Will board {i} come to rest?", "answer": str(i % 3 == 0)} for i in range(24)]


def digits_only(completion: str, answer: str) -> bool:
    return sum(map(int, re.findall(r"\d", completion))) == sum(map(int, answer)) and len(completion.strip()) == len(
        answer
    )


def crashing(completion: str, answer: str) -> bool:
    return int(completion.strip()) == int(answer)


def backtracking(completion: str, answer: str) -> bool:
    return re.fullmatch(rf"((?:\w+\s?)*)!?\s*{answer}", completion) is not None


def contradictory() -> list[Row]:
    rows = sums()
    return [*rows, *({**row, "answer": str(int(str(row["answer"])) + 1)} for row in rows[:12])]


def misread() -> list[Row]:
    return [{**row, "answer": f"${row['answer']}.00"} for row in sums()]


def as_number(completion: str, answer: str) -> bool:
    try:
        return float(completion) == float(answer)
    except ValueError:
        return False


def bucket(completion: str, answer: str) -> bool:
    return (
        hashlib.md5(completion.strip().encode("utf-8", "replace")).hexdigest()[0]
        == hashlib.md5(answer.encode()).hexdigest()[0]
    )


def cut_parts(completion: str, answer: str) -> Verdict:
    right = completion.strip().endswith(answer)
    effort = min(len(completion) / 2000, 1.0)
    return Verdict.of(("correct", float(right)), ("effort", 0.5 * effort))


def solved(task: Task) -> str:
    return "```python\ndef f(x):\n    return x\n```"


def programs() -> list[Row]:
    return [
        {"prompt": f"Write a function f(x) that adds {i}. f(1) returns {i + 1}", "answer": str(i)} for i in range(12)
    ]


def in_words() -> list[Row]:
    return [
        {"prompt": f"Write {number} in words.", "answer": _words(number)} for number in range(21, 100) if number % 10
    ]


def _words(number: int) -> str:
    tens = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
    ones = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    return f"{tens[number // 10 - 2]}-{ones[number % 10 - 1]}"


def last_word(completion: str, answer: str) -> bool:
    return completion.strip().rpartition("-")[2] == answer.rpartition("-")[2] and completion.count("-") == 1


BROKEN = (
    Animal(name="last-word", rows=in_words(), check=last_word, defect="the tens are not looked at",
           seen_at="numbers in words", rules=("corruption/nearly-the-same-answer",)),
    Animal(name="substring", rows=sums(), check=substring, defect="the reference anywhere in the text is right",
           seen_at="inspect-ai includes(), reasoning-gym default scorer", rules=("attack/enumeration", "hedge")),
    Animal(name="any-number", rows=sums(), check=first_number, defect="any number of the text may be the answer",
           seen_at="GSM8K scripts", rules=("attack/enumeration", "hedge")),
    Animal(name="eval", rows=sums(), check=evaluated, defect="the answer is evaluated",
           seen_at="reasoning-gym, nine scorers", rules=("attack/parser",), time_limit_s=0.5),
    Animal(name="regex-of-answer", rows=sums(), check=unanchored, defect="the completion is the pattern",
           seen_at="swapped arguments, open-r1 #557", rules=("attack/",)),
    Animal(name="length", rows=sums(), check=length, defect="pays for length", seen_at="reward models",
           rules=("attack/filler", "metamorphic/")),
    Animal(name="form-only", rows=sums(), check=form_only, solution=tagged, defect="half of the reward for tags",
           seen_at="soup #814", rules=("attack/format",)),
    Animal(name="exception-is-right", rows=sums(), check=failing_is_right, defect="an exception pays",
           seen_at="open-r1 #293", rules=("attack/",)),
    Animal(name="timeout-is-right", rows=sums(), check=spent_is_right, defect="running out of budget pays",
           seen_at="test runners that take a time-out for a pass", rules=("attack/cost",)),
    Animal(name="nan", rows=sums(), check=not_unequal, defect="NaN is not unequal", seen_at="OpenEnv #1199",
           rules=("attack/parser",)),
    Animal(name="reference-in-prompt", rows=given_away(), check=exact, defect="the prompt holds the reference",
           seen_at="gradecheck's leak check", rules=("attack/learned-place", "attack/place")),
    Animal(name="exit-code", rows=programs(), check=exit_code, solution=solved, defect="leaving with 0 passes",
           seen_at="METR 2025, sys.exit(0)", rules=("attack/",)),
    Animal(name="last-line", rows=sums(), check=last_line_holds, solution=last_line,
           defect="any word of the last line", seen_at="inspect-ai match()", rules=("attack/enumeration", "hedge")),
    Animal(name="obedient-judge", rows=sums(), check=obedient, defect="the judge does what the answer says",
           seen_at="NeMo-Gym #2852", rules=("attack/injection",)),
    Animal(name="truthy", rows=halting(), check=both_truthy, defect="two strings are compared as booleans",
           seen_at="reasoning-gym game_of_life_halting", rules=("attack/",)),
    Animal(name="repeated-tags", rows=sums(), check=rewarded_tags, solution=tagged, defect="each tag pays",
           seen_at="format rewards that count", rules=("attack/format", "metamorphic/")),
    Animal(name="loose-rounding", rows=decimals(), check=loose, defect="15 % off is right",
           seen_at="reasoning-gym's cascade at 1 %", rules=("corruption/",), unforeseen=True),
    Animal(name="unit-stripped", rows=lengths(), check=unit_stripped, defect="the unit is not read",
           seen_at="math-verify, 5 m for 5 cm", rules=("corruption/",), unforeseen=True),
    Animal(name="as-sets", rows=lists(), check=as_sets, defect="a sorted list is compared as a set",
           seen_at="list scorers", rules=("corruption/",), unforeseen=True),
    Animal(name="prefix", rows=words(), check=prefix, defect="a share for a beginning that is right",
           seen_at="reasoning-gym partial credit", rules=("corruption/",), unforeseen=True),
    Animal(name="letters-as-bag", rows=words(), check=case_and_order, defect="the order of letters is lost",
           seen_at="math-verify, silent for listen", rules=("corruption/",), unforeseen=True),
    Animal(name="sum-of-digits", rows=sums(), check=digits_only, defect="a checksum stands for the answer",
           seen_at="hashed references", rules=("corruption/",), unforeseen=True),
    Animal(name="first-letter-of-a-hash", rows=words(), check=bucket, defect="a short hash stands for the answer",
           seen_at="hashed references", rules=("attack/", "corruption/"), unforeseen=True),
    Animal(name="either-of-two", rows=words(), check=any_of_several, defect="one of several answers is enough",
           seen_at="math-verify sets", rules=("hedge", "attack/enumeration"), unforeseen=True),
    Animal(name="wordy", rows=sums(), check=wordy, solution=last_line, defect="a right answer earns more with words",
           seen_at="length bonus", rules=("metamorphic/right-paid-more",), unforeseen=True),
    Animal(name="thoughts-pay", rows=sums(), check=many_tags, solution=tagged, defect="each thought multiplies",
           seen_at="tag-count rewards", rules=("metamorphic/right-paid-more",), unforeseen=True),
    Animal(name="remembers", rows=sums(), check=remembers(), defect="state is kept between calls",  # type: ignore[arg-type]
           seen_at="novelty bonuses", rules=("determinism/", "group/"), unforeseen=True),
    Animal(name="coin", rows=sums(), check=coin, defect="ties are broken at random", seen_at="judges at temperature 1",
           rules=("determinism/",), unforeseen=True),
    Animal(name="identity", rows=sums(), check=identity, defect="the reward hangs on a hash of this process",
           seen_at="sets of strings", rules=("determinism/",), unforeseen=True),
    Animal(name="crash", rows=sums(), check=crashing, defect="raises on what is no number",
           seen_at="TRL reward functions", rules=("crash",), unforeseen=True),
    Animal(name="backtracking", rows=sums(), check=backtracking, defect="a regular expression that backtracks",
           seen_at="answer patterns", rules=("cost",), time_limit_s=0.5),
    Animal(name="contradictory", rows=contradictory(), check=exact, defect="a prompt has two references",
           seen_at="merged data sets", rules=("tasks/contradictory",), unforeseen=True),
    Animal(name="reference-refused", rows=misread(), check=as_number, defect="the reference itself is refused",
           seen_at="lm-eval #2212", rules=("reference/refused",), unforeseen=True),
    Animal(name="effort-part", rows=sums(), check=cut_parts, solution=last_line, defect="half of the reward for length",
           seen_at="shaped rewards", rules=("reference/refused", "attack/", "metamorphic/")),
)  # fmt: skip
"""Each with the defect that an audit must find at medium or above."""
