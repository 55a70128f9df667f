"""Judging saved episodes again: what counts as changed, what it is told as, and what stays as it was."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import rlenv
from rlenv.core.errors import ConfigError
from rlenv.core.verdict import Flag, Verdict
from rlenv.evaluation.report import Report
from rlenv.evaluation.rescoring import Change
from rlenv.store.saved_episodes import SavedEpisodes
from rlenv.wrappers import RunningCentre


def verifier(name: str = "", reward: float = 1.0, reason: str = "") -> rlenv.Verifier:
    """Pays everything alike, with a flag of this name."""

    def judge(completion: str, answer: str) -> Verdict:
        flags = [Flag(name, 0, 1), Flag(name, 1, 2)] if name else []
        return Verdict.of(("reward", reward), flags=flags, reason=reason)

    return rlenv.FunctionVerifier(judge, cheap=True)


def definition(judge: rlenv.Verifier, size: int = 3) -> rlenv.Definition:
    tasks = [{"prompt": f"{i}?", "answer": str(i), "id": f"t{i}"} for i in range(size)]
    return rlenv.Definition(tasks=rlenv.ListTasks.from_rows(tasks), verifier=judge)


def saved(out: Path, judge: rlenv.Verifier, **settings: object) -> Report:
    return rlenv.evaluate(definition(judge), "reference", n=2, k=2, out=out, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(("old", "new"), [("", "seen"), ("seen", ""), ("seen", "other")])
def test_a_verdict_whose_flags_alone_differ_has_changed(tmp_path: Path, old: str, new: str) -> None:
    saved(tmp_path, verifier(old))
    rescored = rlenv.rescore(tmp_path, definition(verifier(new)))
    assert len(rescored.changes) == 6
    first = rescored.changes[0]
    assert (first.old_reward, first.new_reward) == (1.0, 1.0)
    assert (first.old_flags, first.new_flags) == ((old,) if old else (), (new,) if new else ())
    assert str(first) == f"task t0 episode 0: 1 -> 1, flags {old or 'none'} -> {new or 'none'}"
    assert "6 verdicts changed" in str(rescored)


def test_changes_name_task_group_and_episode_in_order(tmp_path: Path) -> None:
    saved(tmp_path, verifier())
    changes = rlenv.rescore(tmp_path, definition(verifier(reward=0.25, reason="dear"))).changes
    assert [(c.task_id, c.group, c.index) for c in changes] == [
        ("t0", 0, 0), ("t0", 0, 1), ("t1", 1, 2), ("t1", 1, 3), ("t2", 2, 4), ("t2", 2, 5)
    ]  # fmt: skip
    assert str(changes[-1]) == "task t2 episode 5: 1 -> 0.25 (dear)"
    rows = [json.loads(line) for line in (tmp_path / "rescored/changes.jsonl").read_text().splitlines()]
    assert [Change(**{**row, "old_flags": (), "new_flags": ()}) for row in rows] == list(changes)


def test_k_and_threshold_are_those_of_the_run_unless_given(tmp_path: Path) -> None:
    saved(tmp_path, verifier(reward=0.5), threshold=0.5)
    env = definition(verifier(reward=0.5))
    assert rlenv.rescore(tmp_path, env).report.pass_at[2].value == 1.0
    other = rlenv.rescore(tmp_path, env, k=[1], threshold=0.75).report
    assert (list(other.pass_at), other.pass_at[1].value, other.threshold) == ([1], 0.0, 0.75)
    assert rlenv.rescore(tmp_path, env).report.threshold == 0.5  # the run's own settings are as they were


def test_the_new_episodes_are_the_old_ones_with_new_verdicts_and_their_version(tmp_path: Path) -> None:
    saved(tmp_path, verifier())
    mended = rlenv.FunctionVerifier(lambda completion: 0.0, cheap=True)
    for _ in range(2):  # a second time replaces the first
        rescored = rlenv.rescore(tmp_path, definition(mended))
    old = list(rlenv.read_episodes(tmp_path))
    new = list(rlenv.read_episodes(rescored.folder))
    assert len(new) == len(old) == 6
    assert rescored.old_version != mended.version
    assert {e.verifier_version for e in new} == {mended.version} == {rescored.new_version}
    assert {e.verifier_version for e in old} == {rescored.old_version}
    assert [
        replace(e, verdict=o.verdict, verifier_version=o.verifier_version) for e, o in zip(new, old, strict=True)
    ] == old
    settings = json.loads((rescored.folder / "report.json").read_text())["settings"]
    assert settings["verifier_version"] == mended.version
    assert f"verifier {rescored.old_version} -> {mended.version}" in str(rescored)


@pytest.mark.parametrize(("wrapped", "judged"), [(False, [1, 3, 4]), (True, [0, 2, 4])])
def test_a_group_that_was_cut_short_is_left_out_where_wrappers_look_at_groups(
    tmp_path: Path, wrapped: bool, judged: list[int]
) -> None:
    env = definition(verifier())
    if wrapped:
        env = replace(env, wrappers=(RunningCentre(decay=0.5),))
    for kept, expected in zip((1, 3, 4), judged, strict=True):
        run = tmp_path / str(kept)
        saved(run, verifier(), chunk_tasks=2)
        SavedEpisodes(run).keep(kept)
        assert rlenv.rescore(run, env).report.episodes == expected


def test_what_the_run_was_given_goes_to_the_environment_again(tmp_path: Path) -> None:
    rlenv.evaluate("math/arithmetic-v0", "reference", limit=2, env_kwargs={"level": 2}, out=tmp_path)
    assert rlenv.rescore(tmp_path, "math/arithmetic-v0").changes == ()
    settings = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**settings, "env_kwargs": {"lvl": 2}}))
    with pytest.raises(ConfigError, match="lvl"):
        rlenv.rescore(tmp_path)
