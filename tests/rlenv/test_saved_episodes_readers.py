"""pandas, datasets and DuckDB read what a run saved, as docs/evaluation.md says, without us."""

import json
from pathlib import Path
from typing import Any

import pytest

from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, Verdict
from rlenv.store.saved_episodes import EPISODES, TASKS, write_episodes

COUNT, FIRST_FLAG = 200, 152
"""What has no fixed shape comes late, when a reader has long guessed the types."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    for start in range(0, COUNT, 8):
        write_episodes(folder, [episode(i) for i in range(start, start + 8)])
    return folder


def episode(i: int) -> Episode:
    task = Task(f"{i // 8}+1=?", str(i // 8 + 1), metadata={"level": i // 80} if i < FIRST_FLAG else {"rules": [1]})
    if i < FIRST_FLAG:
        verdict = Verdict.of(("correct", float(i % 2)))
    else:
        verdict = Verdict.of(
            ("correct", 1.0), ("style", -0.25), scores={"s": 0.5}, flags=[Flag("late", 0, 1)], answer=(0, 1)
        )
    return Episode(task, Completion("né\n", (1, 2), (-0.5, -0.25)), verdict, group=i // 8, index=i, step=i // 40)


def test_pandas(run: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="needs the extra: data")
    episodes = pandas.read_json(run / EPISODES, lines=True)
    tasks = pandas.read_json(run / TASKS, lines=True)
    assert len(episodes) == COUNT
    assert len(tasks) == COUNT // 8
    assert episodes.groupby("step").reward.mean().tolist() == [0.5, 0.5, 0.5, pytest.approx(0.55), 0.75]
    flagged = episodes[episodes["flags"] != "[]"].merge(tasks, on="task")
    assert len(flagged) == COUNT - FIRST_FLAG
    row = flagged.iloc[0]
    assert (row.text, row.prompt, row.logprobs) == ("né\n", "19+1=?", [-0.5, -0.25])
    assert json.loads(row["flags"]) == [["late", 0, 1, ""]]
    assert json.loads(row.reference) == "20"


def test_datasets(run: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="needs the extra: data")

    def load(name: str) -> Any:
        return datasets.load_dataset(
            "json", data_files=str(run / name), split="train", cache_dir=str(tmp_path), chunksize=2_000
        )

    episodes, tasks = load(EPISODES), load(TASKS)
    assert (len(episodes), len(tasks)) == (COUNT, COUNT // 8)
    flagged = episodes.filter(lambda row: row["flags"] != "[]")
    assert len(flagged) == COUNT - FIRST_FLAG
    assert json.loads(flagged[0]["flags"]) == [["late", 0, 1, ""]]
    assert json.loads(tasks[flagged[0]["task"]]["reference"]) == "20"
    assert flagged[0]["text"] == "né\n"


def test_duckdb(run: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="needs the extra: dev")
    found = duckdb.sql(f"SELECT step, avg(reward) FROM '{run / EPISODES}' GROUP BY step ORDER BY step").fetchall()
    assert found == [(0, 0.5), (1, 0.5), (2, 0.5), (3, pytest.approx(0.55)), (4, 0.75)]
    joined = (
        f"SELECT prompt, count(*), min(flags->>'$[0][0]') FROM '{run / EPISODES}' JOIN '{run / TASKS}' USING (task)"
    )
    assert duckdb.sql(f"{joined} WHERE flags <> '[]' GROUP BY prompt ORDER BY prompt").fetchall() == [
        (f"{group}+1=?", 8, "late") for group in range(19, 25)
    ]
