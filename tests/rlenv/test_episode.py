"""Episodes on disk: nothing lost, a cut last line left out, a bad line named."""

import json
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.errors import RunError
from rlenv.core.jsontypes import line
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, Verdict
from rlenv.store.saved_episodes import count_episodes, read_episodes, write_episodes

PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
# Lone surrogates included. JSON reads a high one before a low one as the one character they encode.
hostile_text = st.text(st.characters(categories=("L", "N", "S", "Z", "C"))).filter(lambda text: not PAIR.search(text))
numbers = st.floats(allow_nan=False) | st.floats(allow_nan=False, width=32)
metadata = st.dictionaries(st.text(max_size=3), numbers, max_size=2)


@st.composite
def verdicts(draw: st.DrawFn) -> Verdict:
    text, value = draw(hostile_text), draw(st.none() | st.integers())
    flags = [Flag(text, 0, 3)] if draw(st.booleans()) else []
    return Verdict.error(text, flags) if value is None else Verdict.of((text, value), flags=flags, reason=text)


episodes = st.builds(
    Episode,
    task=st.builds(Task, hostile_text, hostile_text, metadata=metadata),
    completion=st.builds(
        Completion,
        hostile_text,
        st.lists(st.integers(0, 10**6), max_size=3).map(tuple),
        st.lists(numbers, max_size=3).map(tuple),
        st.lists(st.integers(0, 1), max_size=3).map(tuple),
        st.booleans(),
    ),
    verdict=verdicts(),
    prompt_ids=st.lists(st.integers(0, 10**6), max_size=3).map(tuple),
    group=st.integers(0, 99),
    index=st.integers(0, 99),
    step=st.integers(0, 99),
    seed=st.integers(0, 2**63),
    env_id=st.text(),
    verifier_version=st.text(),
)
EPISODE = Episode(Task("2+2=?", "4"), Completion("4"), Verdict.of(("correct", 1.0)))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(written=st.lists(episodes, max_size=3))
def test_episodes_survive_the_disk(written: list[Episode], tmp_path: Path) -> None:
    run, path = tmp_path / "run", tmp_path / "episodes.jsonl"
    path.unlink(missing_ok=True)
    shutil.rmtree(run, ignore_errors=True)
    run.mkdir()
    for place in (path, run):
        write_episodes(place, written[:1])
        write_episodes(place, written[1:])
        if written:
            assert [line(e.to_json()) for e in read_episodes(place)] == [line(e.to_json()) for e in written]
            assert list(read_episodes(place, flagged=True)) == [e for e in written if e.verdict.flags]
            assert count_episodes(place) == len(written)
    assert path.read_bytes().count(b"\n") == len(written)


@pytest.mark.parametrize("kept", [1, 40, -1])
def test_last_line_cut_by_a_kill_is_left_out(kept: int, tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    write_episodes(path, [EPISODE, EPISODE, EPISODE])
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1] + lines[2][:kept])
    assert list(read_episodes(path)) == [EPISODE, EPISODE]


@pytest.mark.parametrize("line", ["{", "[]", '{"task": {"prompt": "?"}, "completion": {}}'])
def test_bad_line_is_named(line: str, tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    write_episodes(path, [EPISODE])
    with path.open("a") as file:
        file.write(line + "\n")
    write_episodes(path, [EPISODE])
    with pytest.raises(RunError, match=r"episodes\.jsonl line 2: not an episode .*remove the line"):
        list(read_episodes(path))


def test_an_episode_of_a_later_version_is_refused_by_line(tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    path.write_text(json.dumps(EPISODE.to_json() | {"version": 99}) + "\n")
    with pytest.raises(RunError, match=r"line 1: .*version 99.*upgrade rlenv"):
        list(read_episodes(path))
