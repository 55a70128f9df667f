"""What trackers of metrics hold, read back with their own packages: TensorBoard, mlflow and trackio."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import rlenv
from rlenv.core.policy import ScriptedPolicy
from rlenv.trainers.records.logs import MetricsLog

CONFIG = {"env": "math/arithmetic-v0", "steps": 3, "kl": {"coefficient": 0.1}, "long": {"words": "w" * 4000}}
LOGGED = [{"reward": 0.25, "pass@1": 0.5}, {"reward": 0.5, "pass@1": 0.625}, {"reward": 0.75, "pass@1": 1.0}]


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the trackers write into."""
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/mlflow.db")
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path / "trackio"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(tracker: str, places: Path) -> Path:
    """The folder of a run of two steps that was resumed with other settings for a third."""
    run = places / "first"
    run.mkdir()
    for steps, shares in ((2, LOGGED[:2]), (3, LOGGED[2:])):
        (run / "config.json").write_text(json.dumps({**CONFIG, "steps": steps}))
        first = steps - len(shares)
        log = MetricsLog.of_run(run, tracker, first)
        for step, values in enumerate(shares, start=first):
            log.write(step, values)
        log.close()
    return run


def test_mlflow_holds_one_run_with_its_settings_and_every_step(places: Path) -> None:
    mlflow = pytest.importorskip("mlflow", reason="needs mlflow: make test-integrations")
    written("mlflow", places)
    client = mlflow.MlflowClient()
    experiment = client.get_experiment_by_name("rlenv")
    [run] = client.search_runs([experiment.experiment_id])
    assert (run.info.run_name, run.info.status) == ("first", "FINISHED")
    assert (run.data.params["env"], run.data.params["kl.coefficient"]) == ("math/arithmetic-v0", "0.1")
    for name, shown in (("reward", "reward"), ("pass@1", "pass_1")):
        found = [(each.step, each.value) for each in client.get_metric_history(run.info.run_id, shown)]
        assert sorted(found) == [(step, values[name]) for step, values in enumerate(LOGGED)]


def test_trackio_holds_one_run_with_every_step(places: Path) -> None:
    storage = pytest.importorskip("trackio.sqlite_storage", reason="needs trackio: make test-integrations")
    written("trackio", places)
    stored = storage.SQLiteStorage
    assert stored.get_runs("rlenv") == ["first"]
    found = [(row["step"], row["reward"], row["pass@1"]) for row in stored.get_logs("rlenv", "first")]
    assert sorted(found) == [(step, *values.values()) for step, values in enumerate(LOGGED)]


def test_tensorboard_holds_every_step(places: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(written("tensorboard", places) / "tensorboard"))
    events.Reload()
    found = [(event.step, event.value) for event in events.Scalars("pass@1")]
    assert found == [(step, values["pass@1"]) for step, values in enumerate(LOGGED)]


def evaluated(tracker: str, places: Path) -> list[list[object]]:
    """The rows that a tracker is to show of an evaluation with one wrong answer."""
    policy = ScriptedPolicy(
        "scripted", lambda task: "\ud800 none" if task.id == first else rf"\boxed{{{task.reference}}}"
    )
    tasks = rlenv.load("math/arithmetic-v1").tasks
    first = tasks[0].id
    definition = replace(rlenv.load("math/arithmetic-v1"), tasks=rlenv.ListTasks([tasks[i] for i in range(3)]))
    rlenv.evaluate(definition, policy, out=places / "eval", trackers=tracker, quiet=True)
    return [[e.task.id, e.verdict.reward] for e in rlenv.read_episodes(places / "eval")]


def test_mlflow_holds_the_completions_of_an_evaluation(places: Path) -> None:
    mlflow = pytest.importorskip("mlflow", reason="needs mlflow: make test-integrations")
    wanted = evaluated("mlflow", places)
    client = mlflow.MlflowClient()
    [run] = client.search_runs([client.get_experiment_by_name("rlenv").experiment_id])
    assert run.data.metrics["pass_1"] == pytest.approx(2 / 3)
    table = json.loads(Path(client.download_artifacts(run.info.run_id, "completions_000000.json")).read_text())
    assert [[row[0], row[table["columns"].index("reward")]] for row in table["data"]] == wanted


def test_trackio_holds_the_completions_of_an_evaluation(places: Path) -> None:
    storage = pytest.importorskip("trackio.sqlite_storage", reason="needs trackio: make test-integrations")
    wanted = evaluated("trackio", places)
    [logged] = [row for row in storage.SQLiteStorage.get_logs("rlenv", "eval") if "completions" in row]
    rows = logged["completions"]["_value"]
    assert [[row["task"], row["reward"]] for row in rows] == wanted


def test_tensorboard_holds_the_completions_of_an_evaluation(places: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    wanted = evaluated("tensorboard", places)
    events = EventAccumulator(str(places / "eval" / "tensorboard"))
    events.Reload()
    [event] = events.Tensors("completions/text_summary")
    lines = event.tensor_proto.string_val[0].decode().splitlines()
    assert [line.split(" | ")[0].removeprefix("| ") for line in lines[2:]] == [task for task, _ in wanted]
