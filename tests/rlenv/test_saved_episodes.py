"""The episodes of a run's folder: nothing lost, whole after a kill, the same bits, and of the form before as well."""

import gzip
import json
import math
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.errors import RunError
from rlenv.core.jsontypes import line
from rlenv.core.reading import Segment
from rlenv.core.task import Task
from rlenv.core.turn import Turn
from rlenv.core.verdict import Flag, StepReward, Verdict
from rlenv.store.saved_episodes import (
    EPISODES,
    FILES,
    INDEXES,
    LINES,
    TASKS,
    SavedEpisodes,
    convert,
    count_episodes,
    read_episodes,
    write_episodes,
)

FLOAT32 = tuple(np.random.default_rng(0).standard_exponential(50, dtype=np.float32).tolist())


def episode(index: int = 0, task: Task | None = None, verdict: Verdict | None = None) -> Episode:
    said = Completion("4", (6, 2), FLOAT32[2 * index : 2 * index + 2])
    return Episode(
        task or Task("2+2=?", "4", metadata={"level": 1}),
        said,
        verdict or Verdict.of(("correct", 1.0), answer=(0, 1)),
        prompt_ids=(1, 7, 8),
        index=index,
        env_id="math/arithmetic-v0",
        verifier_version="v",
    )


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(text) for text in gzip.decompress(path.read_bytes()).splitlines()]


def texts(found: object) -> list[str]:
    return [line(e.to_json()) for e in found]  # type: ignore[attr-defined]


def test_a_task_is_saved_once_a_run_whoever_writes_on(tmp_path: Path) -> None:
    first, other = [episode(0), episode(1)], [episode(2, Task("1+1=?", "2")), episode(3)]
    saved = SavedEpisodes(tmp_path)
    saved.append(first)
    saved.append(other)
    SavedEpisodes(tmp_path).append(first)
    assert [row["task"] for row in rows(tmp_path / EPISODES)] == [0, 0, 1, 0, 0, 0]
    assert [row["prompt"] for row in rows(tmp_path / TASKS)] == ["2+2=?", "1+1=?"]
    assert texts(read_episodes(tmp_path)) == texts([*first, *other, *first])
    assert texts(read_episodes(tmp_path / EPISODES)) == texts(read_episodes(tmp_path))


def test_tasks_of_one_id_that_differ_in_anything_are_told_apart(tmp_path: Path) -> None:
    given = [
        Task("?", 1, id="t"),
        Task("?", True, id="t"),
        Task("?", "1", id="t"),
        Task("?", 1, id="t", metadata={"a": 1, "b": 2}),
        Task("?", 1, id="t", metadata={"b": 2, "a": 1}),
        Task(({"role": "user", "content": "?"},), 1, id="t"),
    ]
    written = [episode(0, task) for task in given] + [replace(episode(), prompt_ids=()), replace(episode(), env_id="")]
    write_episodes(tmp_path, written)
    assert texts(read_episodes(tmp_path)) == texts(written)
    assert len(rows(tmp_path / TASKS)) == len(written)


def test_everything_an_episode_can_hold_is_kept(tmp_path: Path) -> None:
    turns = (Turn("assistant", 0, 2, 0, 1, segments=(Segment("content", 0, 2),)), Turn("tool", 2, 4, 1, 2))
    said = Completion(
        "a\ud83db\n", (1, 2), (-0.5, 0.0), (1, 0), False, "text", (Segment("reasoning", 0, 1),), turns, "x"
    )
    graded = Verdict(1.5, step_rewards=(StepReward(1.5, 0, 1),), scores={"é": 0.1}, flags=(Flag('"flags":"[]"', 0, 1),))
    written = [Episode(Task("?"), said, graded), Episode(Task("?"), Completion(""), Verdict.error("lost", [Flag("f")]))]
    write_episodes(tmp_path, written)
    assert list(read_episodes(tmp_path)) == written
    assert list(read_episodes(tmp_path, flagged=True)) == written


@pytest.mark.parametrize(
    "logprobs",
    [
        FLOAT32,
        (-0.0, 0.0, -math.inf),
        (-1e-45, -3.4028234663852886e38),
        (-1, -2),
    ],
)
def test_log_probs_come_back_with_the_same_bits(logprobs: tuple[float, ...], tmp_path: Path) -> None:
    write_episodes(tmp_path, [Episode(Task("?"), Completion("", (), logprobs), Verdict.of(("r", 0.0)))])
    read = next(read_episodes(tmp_path)).completion.logprobs
    assert np.array(read).tobytes() == np.array(logprobs, dtype=np.float64).tobytes()


def test_those_behind_a_place_those_from_a_number_on_and_the_last_and_the_first_ones(tmp_path: Path) -> None:
    saved, written = SavedEpisodes(tmp_path), [episode(i, Task(f"{i // 2}?")) for i in range(6)]
    assert (saved.size(), saved.count(), saved.last(3)) == (0, 0, [])
    saved.append(written[:2])
    place = saved.size()
    saved.append(written[2:])
    assert list(saved.read(place)) == written[2:]
    write_episodes(tmp_path / "other.jsonl", written)
    for first in range(8):
        for path in (tmp_path, tmp_path / "other.jsonl"):
            assert list(read_episodes(path, first=first)) == written[first:]
    assert [list(saved.last(count)) for count in (1, 5, 9)] == [written[-1:], written[1:], written]
    saved.keep(3)
    assert (saved.count(), list(saved.read())) == (3, written[:3])
    saved.append(written[3:])
    assert list(saved.read()) == written


def test_a_kill_in_the_middle_of_a_member_leaves_the_members_before(tmp_path: Path) -> None:
    before, after = [episode(0)], [episode(1, Task("new"))]
    write_episodes(tmp_path, before)
    first = {name: (tmp_path / name).stat().st_size for name in (EPISODES, TASKS)}
    write_episodes(tmp_path, after)
    whole = {name: (tmp_path / name).read_bytes() for name in (EPISODES, TASKS)}
    torn = [(first[EPISODES], size) for size in range(first[TASKS], len(whole[TASKS]), 5)]  # tasks are written first
    torn += [(size, len(whole[TASKS])) for size in range(first[EPISODES], len(whole[EPISODES]), 5)]
    for sizes in torn:
        for name, size in zip(whole, sizes, strict=True):
            (tmp_path / name).write_bytes(whole[name][:size])
        assert list(read_episodes(tmp_path)) == before
        write_episodes(tmp_path, after)
        assert {name: (tmp_path / name).read_bytes() for name in whole} == whole


@pytest.mark.parametrize("killed", ["", "before the end"])
def test_a_folder_of_the_form_before_is_read_and_converted_before_it_goes_on(killed: str, tmp_path: Path) -> None:
    written = [episode(i % 20, Task(f"{i // 4}?")) for i in range(100)]
    write_episodes(tmp_path / LINES, written)
    with (tmp_path / LINES).open("a") as file:
        file.write('{"cut')
    assert list(read_episodes(tmp_path)) == written
    assert count_episodes(tmp_path) == 100
    with pytest.raises(RunError, match=f"rlenv convert {tmp_path}"):
        write_episodes(tmp_path, [episode(1)])
    if killed:
        (tmp_path / "converted").mkdir()
        (tmp_path / "converted" / TASKS).write_bytes(b"half")
        (tmp_path / TASKS).write_bytes(b"of a conversion" if killed == "before the end" else b"")
    assert convert(tmp_path) == convert(tmp_path) == 100
    assert {path.name for path in tmp_path.iterdir()} == {*FILES, *INDEXES, "run.lock"} - {LINES}
    write_episodes(tmp_path, [episode(1)])
    assert list(read_episodes(tmp_path)) == [*written, episode(1)]


def test_episodes_without_their_tasks_are_told_with_what_to_do(tmp_path: Path) -> None:
    write_episodes(tmp_path, [episode(0)])
    (tmp_path / TASKS).unlink()
    with pytest.raises(RunError, match=r"not episodes whose tasks are in tasks\.jsonl\.gz .*put back both files"):
        list(read_episodes(tmp_path))


def test_a_run_of_a_later_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rlenv.store.episode_rows.VERSION", 99)
    write_episodes(tmp_path, [episode(0)])
    monkeypatch.undo()
    with pytest.raises(RunError, match="version 99, which a newer rlenv wrote; upgrade rlenv"):
        list(read_episodes(tmp_path))


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
