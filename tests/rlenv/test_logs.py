"""Completions that others logged: read, matched to their tasks, and judged again."""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import rlenv
from rlenv.cli import app
from rlenv.core.errors import ConfigError, RlenvError
from rlenv.core.jsontypes import Json
from rlenv.logs import import_logs
from rlenv.logs.forms import form_of

ROWS = [{"prompt": f"What is {i} + {i}?", "answer": str(2 * i), "id": f"t{i}"} for i in range(1, 4)]
CHAT = "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"


def doubles() -> rlenv.Definition:
    judge = rlenv.FunctionVerifier(lambda completion, answer: completion.strip() == answer, cheap=True)
    return rlenv.Definition(tasks=rlenv.ListTasks.from_rows(ROWS), verifier=judge, id="test/doubles-v0")


def trl_rows() -> list[dict[str, Any]]:
    """Two steps of a run whose reward paid for the answer anywhere; the checker failed on one."""
    rows = []
    for step, task in ((1, ROWS[0]), (2, ROWS[1])):
        answer = task["answer"]
        for said, reward in ((answer, 1.0), (f"1 2 3 4 {answer}", 1.0), ("no", 0.0), (answer, float("nan"))):
            prompt = CHAT.format(task["prompt"])
            told = {"step": step, "prompt": prompt, "completion": said, "lenient": reward}
            rows.append({**told, "reason": "", "advantage": 0.1})
    return rows


def parquet_table(file: Path, rows: list[dict[str, Any]]) -> Path:
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra: data")
    parquet = pytest.importorskip("pyarrow.parquet")
    file.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pyarrow.Table.from_pylist(rows), file)
    return file


def test_a_table_of_trl_is_judged_again_with_every_flip_and_the_change_of_the_mean(tmp_path: Path) -> None:
    parquet_table(tmp_path / "completions/completions_00001.parquet", trl_rows()[:4])
    parquet_table(tmp_path / "completions/completions_00002.parquet", trl_rows()[4:])
    done = import_logs([tmp_path / "completions"], tmp_path / "run", env=doubles())
    assert (done.group_size, done.report.episodes, done.report.verifier_errors) == (4, 8, 2)
    assert done.report.mean_reward == pytest.approx(4 / 6)
    again = rlenv.rescore(tmp_path / "run", doubles(), quiet=True)
    flips = [(c.task_id, c.index, c.old_reward, c.new_reward) for c in again.changes]
    assert flips == [("t1", 1, 1.0, 0.0), ("t1", 3, None, 1.0), ("t2", 5, 1.0, 0.0), ("t2", 7, None, 1.0)]
    assert (again.won, again.lost) == (0, 2)
    assert again.mean_change is not None
    assert again.mean_change.value == pytest.approx(-1 / 3)  # over the pairs that have both rewards
    assert again.mean_change.low < -1 / 3 < again.mean_change.high
    assert "0 pass now and did not, 2 did and do not; mean reward -0.333 [" in str(again)


@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
def test_the_same_table_as_text(suffix: str, tmp_path: Path) -> None:
    rows, file = trl_rows(), tmp_path / f"table{suffix}"
    if suffix == ".jsonl":
        said = [{**row, "completion": [{"role": "assistant", "content": row["completion"]}]} for row in rows]
        file.write_text("".join(json.dumps(row) + "\n" for row in said))
    else:
        with file.open("w", newline="") as out:
            writer = csv.DictWriter(out, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    done = import_logs([file], tmp_path / "run", env=doubles())
    assert (done.report.episodes, done.report.verifier_errors) == (8, 2)
    assert done.report.mean_reward == pytest.approx(4 / 6)


def test_a_table_with_several_rewards_asks_which_of_them(tmp_path: Path) -> None:
    file = tmp_path / "table.jsonl"
    file.write_text("".join(json.dumps({**row, "lenient": 0.0, "length": 7.0}) + "\n" for row in trl_rows()))
    with pytest.raises(ConfigError, match=r"got lenient, length; say --reward NAME"):
        import_logs([file], tmp_path / "run", env=doubles())
    assert import_logs([file], tmp_path / "run", env=doubles(), reward="length").report.mean_reward == 7.0
    with pytest.raises(ConfigError, match="expected a column 'strict'"):
        import_logs([file], tmp_path / "other", env=doubles(), reward="strict")


def verl_line(**changes: Json) -> str:
    row = {"input": CHAT.format(ROWS[0]["prompt"]), "output": "2", "gts": "2", "score": 1.0, "step": 3, **changes}
    return json.dumps(row) + "\n"


def test_a_dump_of_verl_and_the_reward_that_it_made_up_for_a_failed_checker(tmp_path: Path) -> None:
    folder = tmp_path / "rollouts"
    folder.mkdir()
    (folder / "3.jsonl").write_text(verl_line(graded=1.0) + verl_line(graded=0.0, score=0.5))
    (folder / "10.jsonl").write_text(verl_line(step=10, graded=1.0) + verl_line(step=10, output="3", graded=1.0))
    done = import_logs([folder], tmp_path / "run", env=doubles())
    assert (done.group_size, done.report.verifier_errors) == (2, 1)
    assert [e.step for e in rlenv.read_episodes(tmp_path / "run")] == [3, 3, 10, 10]
    changes = rlenv.rescore(tmp_path / "run", doubles(), quiet=True).changes
    assert [(c.old_reward, c.new_reward) for c in changes] == [(None, 1.0), (1.0, 0.0)]


def sample(said: str, value: Json, **changes: Json) -> dict[str, Json]:
    """A sample as inspect-ai 0.3.285 writes it, without what nobody reads here."""
    row = rlenv.to_row("math/arithmetic-v0", rlenv.Task("9-7=?", "2", "t"), {"level": 2})
    message: dict[str, Json] = {"role": "assistant", "content": said}
    user: dict[str, Json] = {"role": "user", "content": "9-7=?"}
    return {
        "id": "t",
        "epoch": 1,
        "input": "9-7=?",
        "target": "2",
        "messages": [user, message],
        "output": {"choices": [{"message": message, "stop_reason": "stop"}]},
        "scores": {"rlenv": {"value": value}},
        "metadata": {"rlenv_row": row},
        **changes,
    }


def eval_log(file: Path, samples: list[dict[str, Json]]) -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("header.json", json.dumps({"eval": {"model": "mockllm/model"}, "plan": {}}))
        for number, one in enumerate(samples):
            packed.writestr(f"samples/t_epoch_{number}.json", json.dumps(one))
    return file


def test_a_log_of_inspect_names_its_environment_in_the_rows(tmp_path: Path) -> None:
    cut: Json = {"choices": [{"message": {"role": "assistant", "content": "9-"}, "stop_reason": "max_tokens"}]}
    thought: Json = [{"type": "reasoning", "reasoning": "is it \\boxed{3}?"}, {"type": "text", "text": "\\boxed{2}"}]
    samples = [
        sample("\\boxed{2}", "C"),
        sample("2", 1.0),
        sample("", 0.0, output=cut),
        sample("", None, output={"choices": [{"message": {"role": "assistant", "content": thought}}]}),
    ]
    done = import_logs([eval_log(tmp_path / "log.eval", samples)], tmp_path / "run")
    assert (done.report.env, done.report.policy, done.report.cut) == ("math/arithmetic-v0", "mockllm/model", 1)
    again = rlenv.rescore(tmp_path / "run", quiet=True)
    assert [(c.old_reward, c.new_reward) for c in again.changes] == [(1.0, 0.0), (None, 1.0)]
    as_json = tmp_path / "log.json"
    as_json.write_text(json.dumps({"eval": {"model": "mockllm/model"}, "plan": {}, "samples": samples}))
    assert form_of(as_json) == "inspect"
    assert import_logs([as_json], tmp_path / "other").report.to_json() == done.report.to_json()


def trace(said: list[str], rewards: dict[str, Json], **changes: Json) -> dict[str, Json]:
    """A trace as verifiers 0.4.0 writes it, without what nobody reads here."""
    row = rlenv.to_row("math/arithmetic-v0", rlenv.Task("9-7=?", "2", "t"), {"level": 2})
    nodes: list[Json] = [{"message": {"role": "user", "content": "9-7=?"}, "sampled": False}]
    nodes += [{"message": {"role": "assistant", "content": text}, "sampled": True} for text in said]
    data: Json = {"id": "t", "prompt": "9-7=?", "row": row}
    calls: Json = [{"model": "m", "finish_reason": "stop"}]
    return {"task": {"data": data}, "nodes": nodes, "rewards": rewards, "calls": calls, "errors": [], **changes}


def test_traces_of_verifiers(tmp_path: Path) -> None:
    paid: Json = {"score": 0.5, "weight": 2.0}
    cut: Json = [{"model": "m", "finish_reason": "length"}]
    episodes: list[Json] = [
        {"traces": [trace(["\\boxed{2}"], {"rlenv": paid})]},
        {"traces": [trace(["\\boxed{3}"], {"rlenv": paid}, calls=cut)]},
        {"traces": [trace(["\\boxed{2}"], {"rlenv": None})]},
        {"traces": [trace(["\\boxed{2}"], {"rlenv": paid}, errors=[{"type": "OSError"}])]},
    ]
    file = tmp_path / "traces.jsonl"
    file.write_text("".join(json.dumps(episode) + "\n" for episode in episodes))
    done = import_logs([file], tmp_path / "run")
    assert (done.report.policy, done.report.verifier_errors, done.report.cut) == ("m", 2, 1)
    changes = rlenv.rescore(tmp_path / "run", quiet=True).changes
    assert [(c.old_reward, c.new_reward) for c in changes] == [(1.0, 0.0), (None, 1.0), (None, 1.0)]
    file.write_text('{"traces": [{}]}\n')
    with pytest.raises(ConfigError, match=r"traces\.jsonl line 1: not as its library writes it"):
        import_logs([file], tmp_path / "other")


def test_what_cannot_be_imported_is_one_line_and_writes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "what.jsonl"
    file.write_text('{"a": 1}\n')
    for paths, options, said in (
        ([tmp_path / "none"], {}, "expected a file or folder"),
        ([file], {}, "cannot tell whose log this is; say --from trl or verl"),
        ([file], {"form": "wandb"}, "expected a form out of trl, verl"),
        ([file], {"form": "verl"}, "its completions name none; say env=ID"),
        ([file], {"form": "verl", "env": doubles()}, "no task of the environment has its prompt"),
    ):
        with pytest.raises(ConfigError, match=said):
            import_logs(paths, tmp_path / "run", **options)
    assert not (tmp_path / "run").exists()


RATED: dict[str, Json] = {"rlenv": {"score": [1], "weight": {}}}
ODD_LOGS: dict[str, tuple[str, str]] = {
    "a list": ("1.jsonl", "[1]"),
    "a prompt": ("1.jsonl", verl_line(input=[1])),
    "depth": ("traces.jsonl", '{"traces": ' + "[" * 100_000),
    "values": ("traces.jsonl", '{"traces": [' + "[]," * 2_000_000 + "[]]}"),
    "rewards": ("traces.jsonl", json.dumps({"traces": [trace(["a"], RATED, calls=5)]})),
    "samples": ("log.json", '{"eval": {}, "plan": {}, "samples": 5}'),
    "a sample": ("log.json", json.dumps({"eval": {}, "plan": {}, "samples": [sample("2", 1.0), [1]]})),
}


@pytest.mark.parametrize("name", ODD_LOGS)
def test_what_a_log_holds_of_another_shape_is_refused_with_its_place(name: str, tmp_path: Path) -> None:
    file, text = ODD_LOGS[name]
    (tmp_path / file).write_text(text + "\n", errors="surrogateescape")
    form = {"1.jsonl": "verl", "traces.jsonl": "verifiers", "log.json": "inspect"}[file]
    with pytest.raises(RlenvError, match=rf"{file}.*: (not as its library writes it|expected a row of named columns)"):
        import_logs([tmp_path / file], tmp_path / "run", form=form)


@pytest.mark.parametrize(
    ("header", "text", "samples", "said"),
    [
        ("", "{}", 1, "it has no header.json"),
        ('{"eval": {}}', "[1]", 1, "log.eval samples/1: not as its library writes it"),
        ('{"eval": {}}', " ", 80_000_000, "a sample is larger than "),
        ('{"eval": {}}', "{}", -11, "at most 10 samples, got 11"),
    ],
)
def test_an_eval_that_holds_something_else_is_refused(
    header: str, text: str, samples: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`samples` are in one entry each where the number is below 0, and in one where it is above."""
    monkeypatch.setattr("rlenv.logs.inspect.MOST_SAMPLES", 10)
    with zipfile.ZipFile(tmp_path / "log.eval", "w", zipfile.ZIP_DEFLATED) as packed:
        if header:
            packed.writestr("header.json", header)
        for number in range(max(1, -samples)):
            packed.writestr(f"samples/{number + 1}", text * max(1, samples))
    with pytest.raises(ConfigError, match=said):
        import_logs([tmp_path / "log.eval"], tmp_path / "run")


def test_a_link_out_of_the_folder_of_a_log_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text(verl_line())
    (tmp_path / "log").mkdir()
    (tmp_path / "log/1.jsonl").symlink_to(tmp_path / "mine.jsonl")
    with pytest.raises(ConfigError, match="a link out of its folder"):
        import_logs([tmp_path / "log"], tmp_path / "run", env=doubles())


def test_both_commands(tmp_path: Path) -> None:
    log = eval_log(tmp_path / "log.eval", [sample("2", 1.0), sample("\\boxed{2}", 1.0, epoch=2)])
    done = CliRunner().invoke(app, ["import", str(log), "--out", str(tmp_path / "run")])
    assert done.exit_code == 0, done.output
    assert f"now: rlenv rescore {tmp_path / 'run'}" in done.output
    module = ["--import", "rlenv.testing"]
    done = CliRunner().invoke(app, ["import", str(log), "--out", str(tmp_path / "other"), *module])
    assert f"now: rlenv rescore {tmp_path / 'other'} --import rlenv.testing\n" in done.output
    again = CliRunner().invoke(app, ["rescore", str(tmp_path / "run"), "--quiet"])
    assert again.exit_code == 0, again.output
    assert "task t episode 0: 1 -> 0" in again.output
    assert "0 pass now and did not, 1 did and do not; mean reward -0.500" in again.output
