"""The page in a real browser: from a file, by mouse and by keys, with completions that are hostile."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser import started_browser
from viewed_runs import hostile_run, hostile_texts, training

from rlenv import Completion, Episode, Task, Verdict
from rlenv.view import ViewedRun, write_page
from rlenv.view.live import LivePage, handler

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started_browser() as browser:
        yield browser


@dataclass
class Opened:
    """A page in the browser, and everything that it did beside being a page."""

    page: Page
    url: str
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def go(self, place: str = "") -> Page:
        """Open it anew at a place: the hash behind its address."""
        self.page.goto("about:blank")
        self.page.goto(self.url + place)
        self.page.wait_for_selector("main[data-ready]")
        return self.page

    def level(self, level: str) -> None:
        self.page.wait_for_selector(f'main[data-at="{level}"]')

    def dismiss(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def was_quiet(self) -> bool:
        return self.errors == self.dialogs == [] and {url.partition("#")[0] for url in self.requests} <= {self.url}


def opened(browser: Browser, path: Path, *runs: ViewedRun) -> Opened:
    write_page(path, runs)
    found = Opened(browser.new_page(viewport={"width": 1200, "height": 800}), path.as_uri())
    found.page.on("request", lambda request: found.requests.append(request.url))
    found.page.on("pageerror", lambda error: found.errors.append(str(error)))
    found.page.on("console", lambda message: found.errors.append(message.text))
    found.page.on("dialog", found.dismiss)
    return found


@pytest.fixture
def one(browser: Browser, tmp_path: Path) -> Iterator[Opened]:
    found = opened(browser, tmp_path / "report.html", training())
    yield found
    found.page.close()
    assert found.was_quiet(), (found.requests, found.errors, found.dialogs)


def test_every_level_is_reached_by_mouse(one: Opened) -> None:
    page = one.go()
    assert page.locator("h1").inner_text() == "hacking"
    assert page.locator(".panel canvas").count() >= 4
    page.locator(".steps a.open").nth(7).click()
    one.level("step")
    page.locator("a.group").first.click()
    one.level("group")
    assert page.locator(".card").count() == 4
    page.locator(".reasoning summary").first.click()
    assert page.locator(".reasoning[open]").count() == 1
    page.get_by_role("button", name="shade unexpected tokens").click()
    page.wait_for_selector(".strip i")
    page.locator(".crumbs a").first.click()
    one.level("run")


def test_every_level_is_reached_by_keys(one: Opened) -> None:
    page = one.go()
    for key, level in (
        ("j", "run"),
        ("j", "run"),
        ("k", "run"),
        ("Enter", "step"),
        ("]", "step"),
        ("j", "step"),
        ("Enter", "group"),
    ):
        page.keyboard.press(key)
        one.level(level)
    page.wait_for_function("() => document.querySelector('h1').textContent.startsWith('Group 0 of step 1')")
    page.keyboard.press("j")
    assert page.locator(".card.current").count() == 1
    page.keyboard.press("r")
    page.wait_for_selector(".reasoning[open]")
    page.keyboard.press("u")
    one.level("step")
    page.keyboard.press("u")
    one.level("run")
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")


def test_filters_stand_in_the_address_and_are_kept_by_a_link(one: Opened) -> None:
    page = one.go()
    page.keyboard.press("/")
    page.keyboard.type("TRICK")
    page.wait_for_function("() => location.hash.includes('q=TRICK')")
    page.get_by_label("result").select_option("flagged")
    page.get_by_label("level", exact=True).select_option("2")
    page.wait_for_function("() => location.hash.includes('c.level=2')")
    said = page.locator(".filters .quiet").inner_text()
    found = re.fullmatch(r"(\d+) of 144 episodes", said)  # "25 of 144 episodes"
    assert found is not None
    assert 0 < int(found[1]) < 144
    place = page.evaluate("location.hash")
    again = one.go(place)
    assert again.locator(".filters .quiet").inner_text() == said
    assert again.get_by_label("search the texts").input_value() == "TRICK"
    again.locator(".steps a.open").first.click()
    again.locator("a.group").first.click()
    one.level("group")
    assert set(again.locator(".mark.hit").all_inner_texts()) == {"trick"}
    again.get_by_label("search the texts").blur()
    again.keyboard.press("x")
    again.wait_for_function("() => !location.hash.includes('q=')")


def test_hostile_completions_change_nothing(browser: Browser, tmp_path: Path) -> None:
    found = opened(browser, tmp_path / "report.html", hostile_run(), replace(hostile_run(), name="again"))
    expected = hostile_texts()
    page = found.go()
    for first in range(0, len(expected), 8):
        page.evaluate("place => { location.hash = place; }", f"#at=group&g={first // 8}")
        page.wait_for_selector(f'.card[data-ordinal="{first}"]')
        for button in page.locator(".card button.more").all():
            button.click()
        seen = page.evaluate(
            "text => { const wanted = JSON.parse(text); return [...document.querySelectorAll('.card')].map((card) => "
            "card.querySelector('.text').textContent === wanted[card.dataset.ordinal]); }",
            json.dumps(dict(enumerate(expected[first : first + 8], start=first))),
        )
        assert seen == [True] * 8
    for place in ("", "#at=step&step=0", "#at=pair", "#q=%3Cscript", f"#at=task&task={'<script>'}"):
        assert found.go(place).locator("script:not([type]):not(:last-of-type), iframe, svg, img, base").count() == 0
    assert found.page.title().endswith("rlenv view")
    assert found.was_quiet(), (found.requests, found.errors, found.dialogs)
    found.page.close()


def test_policy_stops_a_script_and_a_request_that_slipped_in(one: Opened) -> None:
    page = one.go()
    with socket.create_server(("127.0.0.1", 0)) as host:
        markup = f'<img src="http://127.0.0.1:{host.getsockname()[1]}/x" onerror="slipped = 1">'
        with page.expect_console_message(lambda message: "Content Security Policy" in message.text):
            page.evaluate("markup => document.body.insertAdjacentHTML('beforeend', markup)", markup)
        page.evaluate("new Promise(requestAnimationFrame)")
        assert page.evaluate("window.slipped") is None
        host.setblocking(False)
        with pytest.raises(BlockingIOError):
            host.accept()
    one.errors.clear()
    one.requests.clear()  # the browser tells of the one that it did not let out


def test_live_page_takes_what_the_run_has_new(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rlenv.view.live.EVERY_S", 0.05)
    said = tmp_path / "said"
    said.write_text("first")

    def viewed(folder: Path) -> ViewedRun:
        return ViewedRun(
            name="live", episodes=[Episode(Task("?"), Completion(said.read_text()), Verdict(1.0))], config={}
        )

    with ThreadingHTTPServer(("127.0.0.1", 0), handler(LivePage([tmp_path], viewed))) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_address[1]}/#at=group&g=0")
        page.wait_for_selector("text=first")
        said.write_text("second")
        page.wait_for_selector(".card >> text=second")
        page.close()
        server.shutdown()
        thread.join()
