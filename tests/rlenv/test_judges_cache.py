"""Judgements on disk: asked for once, whoever asks, whatever is killed; a failure is asked for again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from json_server import Body, Server, serving
from judge_server import by_length, chat, graded, says, verdict

from rlenv.core.errors import ConfigError
from rlenv.judges.client import keep_answer, kept_answer, open_cache
from rlenv.judges.rubric import JudgeScorer, judge_scorer
from rlenv.scorers.scorer import ask

ANSWERS = [f"answer {n}" for n in range(12)]


def judge(server: Server, path: Path, model: str = "m", concurrency: int = 8, **criteria: str) -> JudgeScorer:
    endpoint = {"backoff_s": 0.0, "retries": 0, "concurrency": concurrency}
    return judge_scorer(server.url, model, criteria or None, cache=str(path), endpoint=endpoint)


def test_what_was_judged_is_not_asked_again_by_another_judge_of_the_same_kind(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    with serving(says(by_length)) as server:
        first = ask(judge(server, path), ["?"] * 12, ANSWERS)
    with serving(says(by_length)) as elsewhere:
        assert ask(judge(elsewhere, path), ["?"] * 12, ANSWERS) == first
        assert elsewhere.bodies == []
        for other in (judge(elsewhere, path, model="n"), judge(elsewhere, path, quality="How short is it?")):
            before = len(elsewhere.bodies)
            ask(other, ["?"], ANSWERS[:1])
            assert len(elsewhere.bodies) == before + 1
        ask(judge(elsewhere, path), ["??"], ANSWERS[:1])
        assert len(elsewhere.bodies) == 3


def test_a_failure_is_never_kept(tmp_path: Path) -> None:
    replies: list[tuple[int, object]] = [(400, "no"), (200, chat("I cannot say.")), (200, chat("", "length"))]

    def answer(number: int, body: Body) -> tuple[int, object]:
        return replies[number] if number < 3 else (200, chat(verdict(graded(body)[0], quality=5)))

    with serving(answer) as server:
        scorer = judge(server, tmp_path / "answers.sqlite")
        found = [ask(scorer, ["?"], ["four"])[0].value for _ in range(5)]
    assert found == [None, None, None, 1.0, 1.0]
    assert len(server.bodies) == 4


def test_an_answer_that_cannot_be_read_any_more_is_asked_for_again(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    with serving(says(by_length)) as server:
        ask(judge(server, path), ["?"], ["four"])
        with closing(open_cache(str(path))) as kept:
            kept.execute("""UPDATE answers SET answer = '"spoiled"'""")
        assert ask(judge(server, path), ["?"], ["four"])[0].value == 0.75
    assert len(server.bodies) == 2


SCORE_ALL = """
import sys
from rlenv.judges.rubric import judge_scorer
from rlenv.scorers.scorer import ask

url, path, *answers = sys.argv[1:]
judge = judge_scorer(url, "m", cache=path, endpoint={"concurrency": 1, "retries": 0})
print([score.value for score in ask(judge, ["?"] * len(answers), answers)])
"""


def started(server: Server, path: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", SCORE_ALL, server.url, str(path), *ANSWERS]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def rows(path: Path) -> int:
    with closing(open_cache(str(path))) as kept:
        count: int = kept.execute("SELECT count(*) FROM answers").fetchone()[0]
    return count


def test_a_killed_judging_goes_on_with_what_it_had(tmp_path: Path) -> None:
    """The process is killed with its eighth request under way and at least one answer on the disk."""
    path = tmp_path / "answers.sqlite"
    killed: list[subprocess.Popen[str]] = []

    def answer(number: int, body: Body) -> tuple[int, object]:
        if number == 7:
            until = time.monotonic() + 60
            while not rows(path) and time.monotonic() < until:
                pass
            os.kill(killed[0].pid, signal.SIGKILL)
            return 0, ""
        return says(by_length)(number, body)  # type: ignore[return-value]

    with serving(answer) as server:
        killed.append(started(server, path))
        assert killed[0].communicate()[0] == ""
        assert killed[0].returncode == -signal.SIGKILL
        assert len(server.bodies) == 8
        count = rows(path)
        assert 0 < count < 8
        assert [score.value for score in ask(judge(server, path), ["?"] * 12, ANSWERS)] == [1.0] * 12
    assert len(server.bodies) == 8 + 12 - count


def test_several_processes_share_one_file(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    with serving(says(by_length)) as server:
        processes = [started(server, path) for _ in range(3)]
        said = [process.communicate()[0] for process in processes]
        assert said == [f"{[1.0] * 12}\n"] * 3
        before = len(server.bodies)
        ask(judge(server, path), ["?"] * 12, ANSWERS)
    assert len(server.bodies) == before


def test_any_text_is_kept_as_it_is(tmp_path: Path) -> None:
    with closing(open_cache(str(tmp_path / "a.sqlite"))) as kept:
        for text in ("", "\ud800 lone", "nul \x00 inside", "ünï\n" * 1000):
            keep_answer(kept, "key", text)
            assert kept_answer(kept, "key") == text
        assert kept_answer(kept, "other") is None


def test_a_file_that_is_something_else_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("not a database, but long enough to be taken for one? " * 40)
    for path in (other, tmp_path / "no" / "folder.sqlite"):
        with pytest.raises(ConfigError, match="give another file"):
            open_cache(str(path))
    assert other.read_text().startswith("not a database")
