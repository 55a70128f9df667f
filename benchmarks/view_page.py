"""What the page of a long run costs: its size, and how fast a browser opens and filters it.

    python benchmarks/view_page.py --episodes 25600 --words 30

Makes a run by code (groups of 8, rollouts of 256; reasoning, a boxed answer, a log-probability a word), writes its page
and opens it in Debian's chromium from file://. Needs playwright and chromium. Times are medians over the repeats: the
first view is from navigation until the run's page has been drawn, a filter from its change in the address until the
frame behind the one that has its curves. Texts are opened behind the first view; a sooner search waits for them.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from rlenv import Completion, Episode, Task, Verdict
from rlenv.core.reading import Span
from rlenv.core.verdict import Flag
from rlenv.view import ViewedRun, write_page

GROUP, ROLLOUT = 8, 256
TEXT = "so the sum of both is then we add carry one and check again that it holds for each digit left over"
FILTERS = {
    "result": "#result=pass",
    "flag": "#flag=hedging",
    "column and flag": "#c.level=3&flag=hedging",
    "a step": "#at=step&step=40&result=fail",
    "text": "#q=carry+one",
}
UNTIL_DRAWN = """place => new Promise((done) => {
    const started = performance.now(), view = document.querySelector("main");
    new MutationObserver((_, watcher) => {
        watcher.disconnect();
        requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - started)));
    }).observe(view, { childList: true });
    location.hash = place;
})"""


def episodes(count: int, words: int) -> Iterator[Episode]:
    draw = random.Random(0)
    for index in range(count):
        if index % GROUP == 0:
            a, b = draw.randrange(1000), draw.randrange(1000)
            task = Task(f"What is {a} + {b}? Put the answer in a box.", str(a + b), metadata={"level": a % 6 + 1})
        thought = " ".join(draw.choices(TEXT.split(), k=words))
        right = draw.random() < 0.2 + 0.6 * index / count
        text = f"<think>{thought}</think>\\boxed{{{task.reference if right else draw.randrange(2000)}}}"
        start = text.index("{") + 1
        flags = (Flag("hedging", 7, 40, "two answers"),) if draw.random() < 0.05 else ()
        verdict = Verdict.of(("correct", float(right)), flags=flags, answer=Span(start, len(text) - 1))
        logprobs = tuple(-draw.expovariate(2.0) for _ in range(words))
        completion = Completion(text, tuple(range(words)), logprobs)
        group, step = index % ROLLOUT // GROUP, index // ROLLOUT
        yield Episode(task, completion, verdict, group=group, index=index % ROLLOUT, step=step)


def run(made: list[Episode]) -> ViewedRun:
    metrics = [{"step": step, "reward": step / 100, "entropy": 1 / (1 + step)} for step in range(made[-1].step + 1)]
    return ViewedRun(name="long", episodes=made, config={}, metrics=metrics)


def measured(page: Page, url: str, repeats: int) -> None:
    first: list[float] = []
    for _ in range(repeats):
        page.goto("about:blank")
        started = time.perf_counter()
        page.goto(url, wait_until="commit")
        page.wait_for_selector("main[data-ready]")
        first.append(1000 * (time.perf_counter() - started))
    print(f"| first view | {statistics.median(first):.0f} ms |")
    for name, place in FILTERS.items():
        times = []
        for _ in range(repeats):
            page.evaluate(UNTIL_DRAWN, "#at=run&x=0")
            times.append(float(page.evaluate(UNTIL_DRAWN, place)))
        print(f"| filter: {name} | {statistics.median(times):.0f} ms |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=25_600)
    parser.add_argument("--words", type=int, default=30, help="of reasoning in each completion, a token each")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    made = list(episodes(options.episodes, options.words))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "report.html"
        started = time.perf_counter()
        write_page(path, [run(made)])
        wrote_s = time.perf_counter() - started
        print(f"| episodes | {options.episodes:,} of {len(made[0].completion.text)} characters |\n|---|---|")
        print(f"| size | {path.stat().st_size / 1e6:.1f} MB |\n| writing | {wrote_s:.1f} s |")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        measured(browser.new_page(viewport={"width": 1280, "height": 900}), path.as_uri(), options.repeats)
        browser.close()


if __name__ == "__main__":
    main()
