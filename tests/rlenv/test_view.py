"""The page of a run, without a browser: what is in it, that it is whole, and that nothing in it is markup."""

import base64
import hashlib
import http.client
import json
import math
import re
import threading
import zlib
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner
from viewed_runs import hostile_run, hostile_texts, training

import rlenv
from rlenv import Completion, Episode, Task, Verdict
from rlenv.analysis import analyse
from rlenv.cli import app
from rlenv.core.reading import Span
from rlenv.core.turn import Turn
from rlenv.view import ViewedRun, html, saved_run
from rlenv.view.live import LivePage, handler
from rlenv.view.shape import shaped

PAGE = files("rlenv.view") / "page"
OURS = sorted(path.name for path in PAGE.iterdir() if path.name.endswith(".js"))


def blocks(page: str) -> dict[str, Any]:
    """The data of a page by the id of its element."""
    found = re.findall(r'<script type="application/octet-stream" id="data-([\w-]+)">([^<]*)</script>', page)
    return {name: json.loads(zlib.decompress(base64.b64decode(data))) for name, data in found}


def texts(page: str, run: int = 0) -> list[str]:
    held = [entry for name, entries in blocks(page).items() if name.startswith(f"{run}-") for entry in entries]
    return [body["text"] for entry in held for body in entry["episodes"]]


def one(text: str, **verdict: Any) -> Episode:
    return Episode(Task("?", id="t"), Completion(text), Verdict(1.0, **verdict))


def run_of(*episodes: Episode) -> ViewedRun:
    return ViewedRun(name="run", episodes=episodes, config={})


def test_every_text_comes_back_as_it_was() -> None:
    assert texts(html([hostile_run()])) == [json.loads(json.dumps(text)) for text in hostile_texts()]


def test_nothing_of_a_run_stands_in_the_page_as_it_is() -> None:
    plain, hostile = html([run_of()]), html([hostile_run()])
    strip = re.compile(r'<script type="application/octet-stream"[^>]*>[A-Za-z0-9+/=]*</script>\n?')  # one block of data
    assert strip.sub("", hostile) == strip.sub("", plain)
    assert hostile.count("<script") == len(blocks(hostile)) + 1


def test_policy_lets_this_script_and_this_style_run_and_nothing_else() -> None:
    page = html([run_of()])
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    assert found is not None
    policy = dict(rule.split(" ", 1) for rule in found[1].split("; "))
    script, style = (
        re.search(r"<script>(.*)</script>\n</body>", page, re.S),
        re.search(r"<style>(.*?)</style>", page, re.S),
    )
    for text, allowed in ((script, policy["script-src"]), (style, policy["style-src"])):
        assert text is not None
        assert allowed == f"'sha256-{base64.b64encode(hashlib.sha256(text[1].encode()).digest()).decode()}'"
    assert policy["default-src"] == "'none'"
    assert "connect-src" not in policy


@pytest.mark.parametrize("name", OURS)
def test_script_makes_no_markup_and_names_no_host(name: str) -> None:
    source = (PAGE / name).read_text("utf-8")
    code = re.sub(r"^\s*//.*$", "", source, flags=re.M)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|https?:", code)


@given(st.text(st.characters(codec=None), max_size=30), st.data())
def test_judged_span_is_the_same_text_in_utf16(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    answer = shaped(one(text, answer=Span(start, end)), 0, None)["answer"]
    assert isinstance(answer, list)
    units = text.encode("utf-16-le", "surrogatepass")
    assert units[2 * answer[0] : 2 * answer[1]] == text[start:end].encode("utf-16-le", "surrogatepass")


def test_reasoning_and_calls_of_every_turn_stand_where_they_are() -> None:
    said = ['<think>a</think><tool_call>{"name": "add", "arguments": {}}</tool_call>', "7", "<think>b</think>Seven."]
    text, turns, start = "", [], 0
    for place, part in enumerate(said):
        turns.append(Turn("tool" if place == 1 else "assistant", start, start + len(part)))
        text += part
        start += len(part)
    body = shaped(Episode(Task("?"), Completion(text, turns=tuple(turns)), Verdict(1.0)), 0, None)
    spans: Any = body["spans"]
    assert [(kind, text[a:b], label) for kind, a, b, label in spans] == [
        ("reasoning", "<think>a</think>", ""),
        ("call", '<tool_call>{"name": "add", "arguments": {}}</tool_call>', "add"),
        ("reasoning", "<think>b</think>", ""),
    ]


def test_columns_count_every_episode() -> None:
    head = blocks(html([training(steps=4, groups=2, group_size=4)]))["head"]["runs"][0]
    assert head["groups"]["step"] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert len(head["episodes"]["reward"]) == 32
    assert head["columns"]["level"] == {"values": ["1", "2"], "of": [0, 1] * 4}
    assert head["metrics"]["gold/reward"] == [0.4, None, None, 0.31]
    assert head["flags"] == ["trick"]


def test_texts_beyond_the_limit_are_sampled_and_numbers_are_not() -> None:
    whole = html([training(steps=30)], max_bytes=None)
    sampled = html([training(steps=30)], max_bytes=1500)
    head = blocks(sampled)["head"]["runs"][0]
    assert (head["sampled"], blocks(whole)["head"]["runs"][0]["sampled"]) == (True, False)
    assert head["episodes"] == blocks(whole)["head"]["runs"][0]["episodes"]
    held = sum(block >= 0 for block in head["groups"]["block"])
    assert 0 < len(texts(sampled)) == 4 * held < len(texts(whole)) == 360
    assert sum(len(data) for name, data in re.findall(r'id="data-(0-\d+)">([^<]*)<', sampled)) < 2500


def test_command_shows_evaluations_side_by_side(tmp_path: Path) -> None:
    for name, policy in (("right", "reference"), ("empty", "empty")):
        rlenv.evaluate("math/arithmetic-v0", policy, n=2, limit=3, out=tmp_path / name, quiet=True)
    rlenv.rescore(tmp_path / "right", quiet=True)
    again = saved_run(tmp_path / "right" / "rescored")
    assert (again.name, len(list(again.episodes))) == ("right rescored", 6)
    out = tmp_path / "both.html"
    done = CliRunner().invoke(app, ["view", str(tmp_path / "right"), str(tmp_path / "empty"), "-o", str(out)])
    assert done.exit_code == 0, done.output
    runs = blocks(out.read_text("utf-8"))["head"]["runs"]
    assert [(run["name"], sum(run["episodes"]["reward"])) for run in runs] == [("right", 6.0), ("empty", 0.0)]
    reports = [analyse(tmp_path / name).report for name in ("right", "empty")]
    said = [[k, *(round(x, 6) for x in (e.value, e.low, e.high))] for r in reports for k, e in r.pass_at.items()]
    assert [entry for run in runs for entry in run["pass_at"]] == said
    assert len(texts(out.read_text("utf-8"), 1)) == 6


@pytest.mark.parametrize(("made", "asked", "told"), [(1, 3, "one run or two"), (0, 1, "holds no config.json")])
def test_command_says_what_it_cannot_show(tmp_path: Path, made: int, asked: int, told: str) -> None:
    for place in range(made):
        (tmp_path / str(place)).mkdir()
    done = CliRunner().invoke(app, ["view", *[str(tmp_path / str(i)) for i in range(asked)]])
    assert done.exit_code == 2
    assert told in " ".join(done.output.split())


@pytest.fixture
def live(tmp_path: Path) -> Iterator[tuple[Path, int]]:
    """A served folder, and the port."""
    (tmp_path / "config.json").write_text("{}")
    page = LivePage([tmp_path], lambda folder: run_of(one((folder / "config.json").read_text())))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler(page)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield tmp_path, server.server_address[1]
        server.shutdown()
        thread.join()


def asked(port: int, path: str = "/", **headers: str) -> tuple[int, str, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    try:
        connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.headers.get("ETag", ""), answer.read().decode()
    finally:
        connection.close()


def test_live_page_says_whether_there_is_a_newer_one(live: tuple[Path, int], monkeypatch: pytest.MonkeyPatch) -> None:
    folder, port = live
    monkeypatch.setattr("rlenv.view.live.SHARE", math.inf)  # as often as it is asked for
    status, tag, page = asked(port)
    assert (status, texts(page)) == (200, ["{}"])
    assert "connect-src 'self'" in page
    assert asked(port, If_None_Match=tag)[0] == 304
    (folder / "config.json").write_text('{"newer": 1}')
    status, newer, page = asked(port, If_None_Match=tag)
    assert (status, texts(page)) == (200, ['{"newer": 1}'])
    assert newer != tag


def test_live_page_is_for_this_machine_alone(live: tuple[Path, int]) -> None:
    _, port = live
    assert asked(port, Host=f"evil.example:{port}")[0] == 403
    assert asked(port, "/../etc/passwd")[0] == 404
