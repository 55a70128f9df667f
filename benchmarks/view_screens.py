"""The pictures of docs/viewer.md: five views of a run, as Debian's chromium shows them.

    python benchmarks/reward_hacking.py --out runs/hacking --settings hedging --seeds 4 --rollouts 60 --jobs 1
    python benchmarks/view_screens.py runs/hacking/hedging-4/open runs/hacking/hedging-4/watched

The step and the group are those of the last alarm, where the run has one. Needs playwright and chromium.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from rlenv.trainers.records.report import viewed
from rlenv.view import ViewedRun, write_page

DESK, PHONE = (1280, 860), (390, 800)


@dataclass(frozen=True)
class Shot:
    """One picture: a place in a page, and how it is looked at."""

    name: str
    place: str
    size: tuple[int, int] = DESK
    dark: bool = False
    keys: str = ""


def shots(run: ViewedRun) -> list[Shot]:
    """Run, step and group of the first run; the group on a phone in the dark. The last step where it had no alarm."""
    step = run.alarms[-1]["step"] if run.alarms else run.metrics[-1]["step"]
    at_step = f"#at=step&step={step}&sort=flags"
    return [
        Shot("run", "#"),
        Shot("step", at_step, dark=True),
        Shot("group", at_step, keys="j Enter s"),
        Shot("phone", at_step, PHONE, dark=True, keys="j Enter"),
    ]


def take(browser: Browser, url: str, shot: Shot, folder: Path) -> None:
    width, height = shot.size
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme="dark" if shot.dark else "light")
    page.goto(url + shot.place)
    page.wait_for_selector("main[data-ready]")
    for key in shot.keys.split():
        page.keyboard.press(key)
        page.wait_for_timeout(150)
    page.wait_for_timeout(300)
    path = folder / f"view-{shot.name}.png"
    page.screenshot(path=path)
    page.close()
    Image.open(path).quantize(128).save(path, optimize=True)  # a quarter of the size, and no difference to be seen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    parser.add_argument("--images", type=Path, default=Path("docs/images"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        one, both = Path(folder) / "one.html", Path(folder) / "both.html"
        write_page(one, [viewed(options.first)])
        write_page(both, [viewed(options.first), viewed(options.second)])
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for shot in shots(viewed(options.first)):
            take(browser, one.as_uri(), shot, options.images)
        take(browser, both.as_uri(), Shot("pair", "#at=pair"), options.images)
        browser.close()


if __name__ == "__main__":
    main()
