"""The summary of a run: what eval, report, page, card and compare print is what one function counted."""

import json
import random
import re
import zlib
from base64 import b64decode
from pathlib import Path

import pytest

import rlenv
from rlenv import Completion, Definition, Episode, Task, Verdict
from rlenv.analysis import analyse
from rlenv.core.jsontypes import Json
from rlenv.evaluation.report import Report
from rlenv.evaluation.summary import ScoreMean, Summary
from rlenv.policies import ScriptedPolicy
from rlenv.view import html, saved_run

TASKS: list[dict[str, Json]] = [{"prompt": f"say {i}", "answer": str(i), "id": f"t{i}"} for i in range(40)]


def definition(rows: list[dict[str, Json]] = TASKS) -> Definition:
    judge = rlenv.FunctionVerifier(lambda completion, answer: completion == answer, cheap=True)
    return Definition(tasks=rlenv.ListTasks.from_rows(rows), verifier=judge, id="mine/say-v0")


def saved(out: Path, asked: int = 40) -> Path:
    """An evaluation of 40 tasks with two completions each, interrupted after so many tasks."""
    draw, left = random.Random(0), iter(range(2 * asked))

    def answer(task: Task) -> str:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return str(task.reference) if draw.random() < 0.5 else "no"

    policy = ScriptedPolicy("half", answer)
    if asked < 40:
        with pytest.raises(KeyboardInterrupt):
            rlenv.evaluate(definition(), policy, n=2, k=(1, 2), out=out, chunk_tasks=1, quiet=True)
    else:
        rlenv.evaluate(definition(), policy, n=2, k=(1, 2), out=out, chunk_tasks=1, quiet=True)
    return out


def on_page(run: Path) -> dict[str, Json]:
    """What the page of a run holds of it, beside the texts."""
    head = re.search(r'id="data-head">([^<]*)<', html([saved_run(run)]))
    assert head is not None
    found: dict[str, Json] = json.loads(zlib.decompress(b64decode(head[1])))["runs"][0]
    return found


def test_one_pass_rate_has_one_interval_wherever_it_is_printed(tmp_path: Path) -> None:
    run = saved(tmp_path / "run")
    report = json.loads((run / "report.json").read_text())
    again = analyse(run)
    assert {k: found.to_json() for k, found in again.report.pass_at.items()} == {
        int(k): found for k, found in report["pass_at"].items()
    }
    assert again.estimates["pass@1"].to_json() == again.estimates["average@2"].to_json() == report["pass_at"]["1"]
    page = [[k, *(round(e[name], 6) for name in ("value", "low", "high"))] for k, e in report["pass_at"].items()]
    assert [[str(k), *rest] for k, *rest in on_page(run)["pass_at"]] == page  # type: ignore[misc, union-attr]
    card = rlenv.card(definition(), runs=[run], limit=2)
    assert card.policies[0].pass_at[1].to_json() == report["pass_at"]["1"]
    (compared,) = rlenv.compare(run, saved(tmp_path / "other")).sides[str(run)]
    assert compared == pytest.approx(report["pass_at"]["1"]["value"])


def test_the_order_of_the_episodes_changes_nothing(tmp_path: Path) -> None:
    episodes = list(rlenv.read_episodes(saved(tmp_path)))
    first = Report("e", "p", {}, (1, 2)).add(episodes)
    random.Random(1).shuffle(episodes)
    assert Report("e", "p", {}, (1, 2)).add(episodes) == first


def test_what_is_unfinished_says_so_first(tmp_path: Path) -> None:
    whole, part = saved(tmp_path / "whole"), saved(tmp_path / "part", asked=13)
    first = "unfinished: 13 of 40 tasks (in the order of the file)"
    report = analyse(part)
    assert str(report).startswith(f"{first}\n")
    assert report.markdown().startswith(f"**{first}**\n")
    assert str(rlenv.compare(whole, part)).startswith(f"{part}: {first}\n")
    assert on_page(part)["unfinished"] == first
    assert f"\nhalf: {first}\n" in rlenv.card(definition(), runs=[part], limit=2).markdown()
    again = rlenv.rescore(part, definition(), quiet=True)
    assert (again.report.episodes, again.report.unfinished) == (26, first)
    assert "unfinished" not in str(analyse(whole)) + str(on_page(whole)["unfinished"])
    last = Summary({"tasks": 3, "n": 1}).add([Episode(Task("?"), Completion("x"), Verdict(1.0), group=2)])
    assert last.unfinished == "unfinished: 1 of 3 tasks (those that were answered first)"


def scored(*verdicts: Verdict) -> Report:
    episodes = [Episode(Task("?", id=str(i)), Completion("!"), verdict) for i, verdict in enumerate(verdicts)]
    return Report("test/scores-v0", "policy", {}).add(episodes)


def test_scores_are_means_over_the_episodes_that_have_them() -> None:
    def paid(**scores: float) -> Verdict:
        return Verdict.of(("reward", 1.0), scores=scores)

    failed = Verdict(None, "verifier_error", scores={"refused": 0.0}, reason="down")
    report = scored(paid(refused=1.0), paid(refused=0.0, fluent=0.25), paid(refused=1.0), failed)
    assert report.scores == {"fluent": ScoreMean(0.25, 1), "refused": ScoreMean(2 / 3, 3)}
    assert "scores: fluent 0.250 (1), refused 0.667\n" in f"{report}\n"
    assert json.loads(json.dumps(report.to_json()))["scores"]["fluent"] == [0.25, 1]
    many = scored(paid(**{f"member-{i:02}": i / 20 for i in range(20)}))
    assert "member-07 0.350, and 12 more in report.json" in str(many)


def test_nothing_that_a_report_quotes_is_markup(tmp_path: Path) -> None:
    markup = "<script>x</script> ![a](http://e/) `b` | *c*"
    verdict = Verdict.of(("reward", 0.0), reason=markup, flags=[rlenv.Flag("f", 0, 1)])
    task = Task(markup, id=markup, metadata={"level": markup})
    report = Report(markup, markup, {markup: f"``{markup}``"})
    page = report.add([Episode(task, Completion(markup), verdict)]).markdown()
    escaped = r"\<script\>x\</script\> ![a\](http://e/) \`b\` \| \*c\*"
    assert page.startswith(f"# {escaped}: {escaped}\n")
    assert f"- not passed: {escaped} (task {escaped}), reward 0: {escaped}\n" in page
    code = f"``` ``{markup}`` ```".replace("|", r"\|")
    assert f"| {escaped} | {code} |" in page
    rlenv.write_episodes(tmp_path / "e.jsonl", [Episode(task, Completion(markup), verdict)])
    assert "\n| \\<script\\>x\\</script\\> " in analyse(tmp_path / "e.jsonl", by=["level"]).markdown()
