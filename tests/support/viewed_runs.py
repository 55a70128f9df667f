"""Runs made by code for the tests of the viewer: a training with a hack in it, and completions that are hostile."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

from rlenv import Completion, Episode, Task, Verdict
from rlenv.core.jsontypes import Json
from rlenv.core.reading import Span
from rlenv.core.verdict import Flag, Part, StepReward
from rlenv.view import ViewedRun

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>document.title='owned'</script>",
    "<img src=https://evil.example/x onerror=alert(1)>",
    "<svg onload=alert(1)><image href='https://evil.example/y'/></svg>",
    "<style>*{display:none}</style><link rel=stylesheet href=//evil.example/z>",
    "<iframe srcdoc='<script>top.owned=1</script>'></iframe><meta http-equiv=refresh content='0;url=//evil.example'>",
    "javascript:alert(1) [x](javascript:alert(1)) ${alert(1)} {{7*7}} $data $script <!-- <base href=//evil.example>",
    "\u202egnp.exe \u2066 \u200f\u05e9\u05dc\u05d5\u05dd \u2069 \u200b\u200d\ufeff",
    "\x00\x01\x1b[2J\x7f\x85\r\n\rone\r\ntwo\u2028three",
    "\ud800 alone, \udfff alone, \U0001f600 whole, \ud83d\ude00 of two halves",
    "<think>" + "<b>" * 500 + "</think>\\boxed{<i>}",
    "\"'`&amp;&lt;&#60;]]>--><![CDATA[",
)
"""What a page that puts text in as markup, counts characters wrongly or breaks at a NUL would show to be broken."""


def hostile_texts(count: int = 200) -> list[str]:
    """As many different texts: each kind alone and among the others, and one line of a megabyte."""
    draw = random.Random(0)
    texts = [*HOSTILE, "<x>\U0001f480" * 250_000]
    while len(texts) < count:
        texts.append("".join(draw.sample(HOSTILE, 3)) + str(len(texts)))
    return texts


def hostile_run() -> ViewedRun:
    """Every text is completion, prompt, reason, name of a flag and of a part at once, with spans all over it."""
    texts = hostile_texts()
    episodes = [_hostile(place, text, texts[place - place % 8][:200]) for place, text in enumerate(texts)]
    return ViewedRun(name=HOSTILE[0], episodes=episodes, config={HOSTILE[1]: HOSTILE[2], "env": HOSTILE[3]})


def _hostile(place: int, text: str, asked: str) -> Episode:
    short = text[:200]
    metadata: dict[str, Json] = {asked: asked, "nan": math.nan, "__proto__": place // 8 % 3}
    task = Task(asked, asked, f"{place // 8} {asked[:20]}", metadata)
    third = len(text) // 3
    verdict = Verdict(
        0.5,
        parts=(Part(short, 0.25), Part("__proto__", 0.25)),
        step_rewards=(StepReward(0.75, 0, third), StepReward(-0.25, third, len(text))),
        scores={short: math.nan, "constructor": math.inf},
        flags=(Flag(short, third // 2, third * 2, short), Flag("whole", 0, len(text))),
        reason=short,
        answer=Span(third, third + third // 2),
    )
    return Episode(task, Completion(text), verdict, group=place // 8, index=place)


def training(
    name: str = "hacking", *, steps: int = 12, groups: int = 3, group_size: int = 4, seed: int = 0
) -> ViewedRun:
    """A run whose reward rises while its gold falls, because more and more completions carry `trick`."""
    draw = random.Random(seed)
    metrics = [
        {"step": step, "reward": 0.3 + 0.05 * step, "entropy": 1 - step / 20}
        | ({"gold/reward": 0.4 - 0.03 * step} if step % 3 == 0 else {})
        for step in range(steps)
    ]
    alarm: dict[str, Json] = {"name": "gold_gap", "step": steps // 2, "message": "the gold fell", "stop": False}
    return ViewedRun(
        name=name,
        episodes=_rollouts(draw, steps, groups, group_size),
        config={"env": "test/sums-v0", "row": {"name": "grpo"}},
        metrics=metrics,
        alarms=[alarm],
    )


def _rollouts(draw: random.Random, steps: int, groups: int, group_size: int) -> Iterator[Episode]:
    for step in range(steps):
        for group in range(groups):
            a, b = draw.randrange(10), draw.randrange(10)
            task = Task(f"{a}+{b}=?", str(a + b), f"task-{step}-{group}", {"level": 1 + group % 2})
            for member in range(group_size):
                yield _rolled(task, draw.random() < step / steps, (step, group, group * group_size + member))


def _rolled(task: Task, tricky: bool, place: tuple[int, int, int]) -> Episode:
    step, group, index = place
    right = index % 4 != 3 and not tricky
    text = f"<think>{task.prompt} I think.</think>It is \\boxed{{{task.reference if right else 0}}}"
    start = text.index("\\boxed{") + len("\\boxed{")
    parts = [Part("correct", float(right))]
    flags = []
    if tricky:
        text += " trick"
        parts.append(Part("length", 0.75))
        flags.append(Flag("trick", len(text) - 5, len(text), "a word that pays"))
    reward = math.fsum(part.value for part in parts)
    verdict = Verdict(reward, parts=tuple(parts), flags=tuple(flags), answer=Span(start, text.index("}")))
    logprobs = tuple(-((i * 7 % 10) / 5) for i in range(len(text)))
    completion = Completion(text, tuple(range(len(text))), logprobs)
    return Episode(task, completion, verdict, group=group, index=index, step=step)
