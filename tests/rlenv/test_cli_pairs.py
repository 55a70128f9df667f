"""`rlenv pairs`: a run's episodes become a pair file."""

from pathlib import Path

from typer.testing import CliRunner

from rlenv import Completion, Episode, Task, Verdict
from rlenv.cli import app
from rlenv.store.saved_episodes import write_episodes
from rlenv.trainers.branches.preference import Pair, read_pairs


def saved(folder: Path, rewards: list[float]) -> Path:
    episodes = [
        Episode(Task("1+1=?"), Completion(str(i)), Verdict.of(("reward", reward)), index=i)
        for i, reward in enumerate(rewards)
    ]
    write_episodes(folder / "episodes.jsonl", episodes)
    return folder


def test_what_a_run_ranked_is_written_as_pairs(tmp_path: Path) -> None:
    run, out = saved(tmp_path, [0.0, 1.0, 1.0, 0.0]), tmp_path / "pairs.jsonl"
    done = CliRunner().invoke(app, ["pairs", str(run), "--out", str(out)])
    assert (done.exit_code, done.stdout) == (0, f"1 pairs in {out}\n")
    assert read_pairs(out) == [Pair("1+1=?", "1", "0")]
    done = CliRunner().invoke(app, ["pairs", str(run), "--out", str(out), "--per-group", "0", "--chat"])
    assert done.exit_code == 0
    assert len(read_pairs(out)) == 4
    assert read_pairs(out)[0].prompt == ({"role": "user", "content": "1+1=?"},)


def test_a_folder_without_episodes_is_one_line(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["pairs", str(tmp_path)])
    assert done.exit_code == 2
    assert "holds no episodes" in done.output
