"""A run never loses itself: bad steps change nothing, good checkpoints stay, one process a folder, one verifier."""

import json
import math
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from digits import config, digits, policy

import rlenv.trainers.branches.sft
import rlenv.trainers.updates.update
from rlenv import Completion, Episode, ListTasks, Task, Verdict
from rlenv.core.errors import ConfigError, RunError, TooManyVerifierErrors
from rlenv.policies.transformers import TransformersPolicy
from rlenv.store.folder_lock import FolderLock
from rlenv.store.saved_episodes import EPISODES, INDEXES, TASKS
from rlenv.trainers import SftConfig, TrainConfig, Trainer, train
from rlenv.trainers.branches.preference import Pair
from rlenv.trainers.branches.sft import demonstrations, supervised
from rlenv.trainers.loop import checkpoint
from rlenv.trainers.networks.models import SKIPPED, step_if_finite, tensors_not_finite
from rlenv.trainers.records.logs import read_metrics
from rlenv.trainers.records.runfolder import MAY_CHANGE, holds_run
from rlenv.trainers.rollouts.collect import Collected, refuse_failing_checker
from rlenv.trainers.rollouts.rollout import Rollout, not_finite


def varied(completion: str) -> float:
    """Differs within every group, whatever is said."""
    return sum(map(ord, completion)) % 5 / 4


def trained(settings: TrainConfig, folder: Path, **more: Any) -> TransformersPolicy:
    return train(settings, digits(varied), policy(), folder, quiet=True, **more)


def weights(trained: TransformersPolicy) -> str:
    return checkpoint.fingerprint(trained.model.state_dict())


def spoilt_at(monkeypatch: pytest.MonkeyPatch, *calls: int) -> None:
    """Make the loss NaN at these optimiser steps."""
    terms, count = rlenv.trainers.updates.update._terms, iter(range(10_000))
    monkeypatch.setattr(
        rlenv.trainers.updates.update,
        "_terms",
        lambda *args: terms(*args) * (math.nan if next(count) in calls else 1.0),
    )


def optimised(loss: float, gradient: float) -> tuple[torch.nn.Parameter, torch.optim.AdamW, bool]:
    parameter = torch.nn.Parameter(torch.ones(3))
    optimizer = torch.optim.AdamW([parameter], 0.1)
    parameter.grad = torch.ones(3)
    assert step_if_finite(optimizer, [parameter], 1.0, 0.5)[1]
    parameter.grad = torch.tensor([1.0, gradient, 1.0])
    return parameter, optimizer, step_if_finite(optimizer, [parameter], 1.0, loss)[1]


@pytest.mark.parametrize(
    ("loss", "gradient"), [(math.nan, 1.0), (math.inf, 1.0), (0.5, math.nan), (0.5, -math.inf), (0.5, 1e30)]
)
def test_a_step_that_is_not_finite_changes_neither_weights_nor_optimiser(loss: float, gradient: float) -> None:
    parameter, optimizer, taken = optimised(loss, gradient)
    expected = torch.nn.Parameter(torch.ones(3))
    first = torch.optim.AdamW([expected], 0.1)
    expected.grad = torch.ones(3)
    step_if_finite(first, [expected], 1.0, 0.5)
    assert not taken
    assert torch.equal(parameter, expected)
    for name, value in first.state[expected].items():
        assert torch.equal(optimizer.state[parameter][name], value)
    assert parameter.grad is None


@pytest.mark.parametrize("name", ["rewards", "old_logprobs", "token_rewards", "advantages", "values", "ref_logprobs"])
def test_what_a_step_rests_on_is_looked_at_where_it_counts(name: str) -> None:
    ones = torch.ones(2, 3)
    mask = torch.tensor([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]])
    long = torch.ones(2, 5, dtype=torch.long)
    one, yes = torch.ones(2), torch.ones(2).bool()
    buffer = Rollout(long, long, mask, ones, one, yes, ones, ones, ones, ones, ones, one, ~yes)
    assert not_finite(buffer) == ""
    spoilt = getattr(buffer, name).clone()
    spoilt[(0,) if name == "rewards" else (0, 1)] = math.nan
    bad = buffer.with_(**{name: spoilt})
    assert not_finite(bad) == not_finite(bad, torch.tensor([0])) == name
    assert not_finite(bad, torch.tensor([1])) == ""
    padding = ones.clone()
    padding[0, 2] = math.inf
    assert not_finite(buffer.with_(old_logprobs=padding)) == ""


def test_a_skipped_step_is_counted_and_the_others_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = config(steps=3, warmup_steps=0)
    spoilt_at(monkeypatch, 1)
    trainer = Trainer(settings, digits(varied), policy(), tmp_path, quiet=True)
    found = []
    for _ in range(3):
        before = weights(trainer.policy)
        metrics = trainer.step()
        found.append((metrics[SKIPPED], weights(trainer.policy) == before))
    trainer.close()
    assert found == [(0.0, False), (1.0, True), (0.0, False)]
    assert [line[SKIPPED] for line in read_metrics(tmp_path / "metrics.jsonl")] == [0.0, 1.0, 0.0]


def test_steps_that_stay_bad_end_the_run_and_leave_the_checkpoint_before_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = config(steps=8, save_every=1, max_skipped_steps=3)
    alone = trained(settings, tmp_path / "alone")
    with monkeypatch.context() as patch:
        spoilt_at(patch, *range(2, 100))
        with pytest.raises(RunError, match=r"3 optimiser steps in a row .* loss not finite; .* last good checkpoint"):
            trained(settings, tmp_path / "run")
    saved = checkpoint.load(tmp_path / "run" / "checkpoint.pt", torch.device("cpu"))
    assert saved["position"]["optimiser_steps"] == 2
    assert weights(trained(settings, tmp_path / "run", resume=True)) == weights(alone)


def test_weights_that_are_not_finite_never_become_a_checkpoint(tmp_path: Path) -> None:
    trainer = Trainer(config(steps=2, save_every=1), digits(varied), policy(), tmp_path, quiet=True)
    before = (tmp_path / "checkpoint.pt").read_bytes()
    trainer.step()
    good = (tmp_path / "checkpoint.pt").read_bytes()
    assert good != before
    with torch.no_grad():
        next(trainer.policy.model.parameters()).view(-1)[0] = math.inf
    with pytest.raises(RunError, match=r"model .* is not finite after optimiser step 1; .* last good checkpoint"):
        trainer.save()
    trainer.close()
    assert (tmp_path / "checkpoint.pt").read_bytes() == good


def test_the_state_of_an_optimiser_is_looked_at_too() -> None:
    parameter = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.AdamW([parameter], 0.1)
    parameter.grad = torch.ones(2)
    optimizer.step()
    assert tensors_not_finite({"optimizer": optimizer, "reference": None}) == ""
    optimizer.state[parameter]["exp_avg_sq"][0] = math.nan
    assert tensors_not_finite({"optimizer": optimizer}) == "optimizer 0.exp_avg_sq"


def test_a_warm_start_passes_one_bad_step_and_ends_at_ten_in_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    data, bad = demonstrations(digits(), policy(), 8), {2}
    module = rlenv.trainers.branches.sft
    own, count = module._loss, iter(range(1000))
    monkeypatch.setattr(module, "_loss", lambda *a: own(*a) * (math.nan if next(count) in bad else 1.0))
    warm = policy()
    losses = supervised(warm, data, SftConfig(steps=4, batch_size=2))
    assert [math.isfinite(loss) for loss in losses] == [True, True, False, True]
    assert all(bool(torch.isfinite(p).all()) for p in warm.model.parameters())
    bad.update(range(1000))
    with pytest.raises(RunError, match="10 supervised steps in a row"):
        supervised(warm, data, SftConfig(steps=40, batch_size=2))


def test_so_many_checkpoints_are_kept_and_an_older_one_can_be_gone_back_to(tmp_path: Path) -> None:
    settings = config(steps=5, save_every=1, keep_checkpoints=3)
    alone = weights(trained(settings, tmp_path))
    assert sorted(checkpoint.older(tmp_path)) == [3, 4, 5]
    (tmp_path / "checkpoint-00000003.pt").replace(tmp_path / "checkpoint.pt")
    assert weights(trained(settings, tmp_path, resume=True)) == alone
    assert sorted(checkpoint.older(tmp_path)) == [4, 5]  # what came after the third the first time is gone
    trained(replace(settings, keep_checkpoints=1), tmp_path, resume=True)
    assert checkpoint.older(tmp_path) == {}


@pytest.mark.parametrize("how", ["half", "flipped", "packed"])
def test_a_damaged_checkpoint_is_told_with_the_one_before_it(how: str, tmp_path: Path) -> None:
    for steps in (1, 2):
        checkpoint.save(tmp_path / "checkpoint.pt", {"weights": torch.arange(5000.0) + steps})
        checkpoint.keep(tmp_path / "checkpoint.pt", steps, 2)
    content = bytearray((tmp_path / "checkpoint.pt").read_bytes())
    content[len(content) // 2] ^= 1
    path = tmp_path / "checkpoint.pt"
    path.write_bytes(content if how == "flipped" else content[: len(content) // 2])
    if how == "packed":  # a little file of which a reader would make gigabytes
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("checkpoint/data.pkl", b"N0" * 10_000)
    with pytest.raises(RunError, match=rf"not a readable checkpoint .*\(mv {tmp_path}/checkpoint-00000001.pt {path}\)"):
        checkpoint.load(path, torch.device("cpu"))


def test_the_best_policy_is_kept_with_what_it_is_best_by(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paid = iter([0.2, 0.8, 0.5, 0.4])
    settings = config(steps=4, save_every=1, keep_best=True)
    trainer = Trainer(settings, digits(varied), policy(), tmp_path, quiet=True)
    collect, after_two = trainer.collect, []

    def collected() -> Collected:
        found = collect()
        found.metrics["reward"] = next(paid)
        return found

    monkeypatch.setattr(trainer, "collect", collected)
    for step in range(4):
        trainer.step()
        if step == 1:
            after_two.append(weights(trainer.policy))
    trainer.close()
    assert json.loads((tmp_path / "best" / "chosen.json").read_text()) == {
        "by": "mean reward of 1 rollouts",
        "value": 0.8,
        "rollout": 1,
    }
    assert weights(TransformersPolicy.load(str(tmp_path / "best"), dtype="float32")) == after_two[0]


def test_settings_that_may_change_do_and_are_written_down(tmp_path: Path) -> None:
    settings = config(steps=2, save_every=1)
    trained(settings, tmp_path)
    trained(replace(settings, steps=3, learning_rate=1e-5, max_grad_norm=0.5), tmp_path, resume=True)
    (line,) = [json.loads(text) for text in (tmp_path / "resumed.jsonl").read_text().splitlines()]
    assert line == {
        "step": 2,
        "optimiser_steps": 2,
        "changed": {"learning_rate": [0.001, 1e-05], "max_grad_norm": [1.0, 0.5], "steps": [2, 3]},
    }
    assert json.loads((tmp_path / "config.json").read_text())["learning_rate"] == 1e-5
    assert [line["learning_rate"] < 1.1e-5 for line in read_metrics(tmp_path / "metrics.jsonl")] == [False, False, True]
    with pytest.raises(ConfigError, match=r"temperature was 1.0, is 0.7 \(the rollout under way was made with it\)"):
        trained(replace(settings, steps=3, temperature=0.7), tmp_path, resume=True)
    with pytest.raises(ConfigError, match=r"seed was 0, is 1 \(every draw follows from it\).*may change: steps, learn"):
        trained(replace(settings, steps=3, seed=1), tmp_path, resume=True)


def test_a_run_is_not_gone_on_with_when_its_verifier_changed_unless_that_is_asked_for(tmp_path: Path) -> None:
    settings = config(steps=1)
    trained(settings, tmp_path)
    limit = 3

    def other(completion: str) -> float:
        return varied(completion) + (len(completion) > limit)

    more = replace(settings, steps=2)
    with pytest.raises(
        ConfigError, match=r"verifier was 'source-\w+', is 'source-\w+' \(another version: verdicts of two"
    ):
        train(more, digits(other), policy(), tmp_path, resume=True, quiet=True)
    train(more, digits(other), policy(), tmp_path, resume=True, changed_verifier=True, quiet=True)
    (line,) = [json.loads(text) for text in (tmp_path / "resumed.jsonl").read_text().splitlines()]
    assert set(line["changed"]) == {"steps", "verifier"}


def test_going_on_with_nothing_is_an_error_and_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="wrong holds no run to continue with; check the folder"):
        trained(config(), tmp_path / "wrong", resume=True)
    assert not (tmp_path / "wrong").exists()
    (tmp_path / "config.json").write_text('{"policy": "reference"}')
    with pytest.raises(RunError, match="not the folder of a training run"):
        trained(config(), tmp_path, resume=True)


def test_a_run_that_was_stopped_in_its_warm_start_says_that_it_begins_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = config(steps=1, sft_steps=3)

    def killed(*args: object, **more: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("rlenv.trainers.loop.source.supervised", killed)
        with pytest.raises(KeyboardInterrupt):
            trained(settings, tmp_path / "run")
    again = train(settings, digits(varied), policy(), tmp_path / "run", resume=True, report=False)
    said = " ".join(capsys.readouterr().err.split())
    assert "before the end of its warm start, of which nothing is saved: all 3 supervised steps are taken again" in said
    assert weights(again) == weights(train(settings, digits(varied), policy(), tmp_path / "whole", report=False))
    assert "taken again" not in capsys.readouterr().err


def test_a_folder_that_is_in_use_is_refused(tmp_path: Path) -> None:
    trained(config(steps=1), tmp_path)
    with FolderLock(tmp_path), pytest.raises(RunError, match="in use by process"):
        trained(config(steps=2), tmp_path, resume=True)
    trained(config(steps=2), tmp_path, resume=True)
    assert holds_run(tmp_path)


@pytest.mark.parametrize("name", [EPISODES, TASKS, *INDEXES, "metrics.jsonl", "verdicts.jsonl"])
def test_a_run_refuses_a_planted_link_that_it_would_append_to(name: str, tmp_path: Path) -> None:
    other, out = tmp_path / "elsewhere", tmp_path / "run"
    other.write_text("mine")
    out.mkdir()
    (out / name).symlink_to(other)
    with pytest.raises(RunError, match=f"{name} is a link"):
        trained(config(steps=1), out)
    assert other.read_text() == "mine"


def test_a_run_replaces_planted_links_without_following_them(tmp_path: Path) -> None:
    outside, out = tmp_path / "outside", tmp_path / "run"
    outside.mkdir()
    (outside / "file").write_text("mine")
    out.mkdir()
    for name in ("checkpoint.pt", "checkpoint.pt.partial", "config.json.partial"):
        (out / name).symlink_to(outside / ("file" if name != "checkpoint.pt" else "missing"))
    for name in ("model", "model.partial"):
        (out / name).symlink_to(outside)
    trained(config(steps=1), out)
    assert [path.name for path in outside.iterdir()] == ["file"]
    assert (outside / "file").read_text() == "mine"
    assert (out / "model" / "config.json").exists()


def test_prompts_that_leave_no_room_are_refused_at_the_start_with_their_count(tmp_path: Path) -> None:
    rows = [{"prompt": "?" * length, "answer": "1"} for length in (10, 600, 505, 506, 700)]
    env = replace(digits(varied), tasks=ListTasks.from_rows(rows))
    with pytest.raises(ConfigError, match=r"4 of 5 prompts are too long .* longest has 702 tokens: its context is 512"):
        train(config(max_new_tokens=10), env, policy(), tmp_path / "a", quiet=True)
    assert not (tmp_path / "a").exists()
    short = replace(env, tasks=ListTasks.from_rows([*rows[:1], {"prompt": "?" * 507, "answer": "1"}]))
    train(config(steps=1), short, policy(), tmp_path / "b", quiet=True)  # 507 and two around it, 3 new: 512


def test_pairs_that_are_too_long_are_refused_with_their_count(tmp_path: Path) -> None:
    pairs = [Pair("1+1=?", "2", "3"), Pair("1+1=?", "2" * 600, "3")]
    with pytest.raises(ConfigError, match="1 of 2 pairs of the file are too long"):
        trained(config(algorithm="dpo", group_size=2), tmp_path, pairs=pairs)


@pytest.mark.parametrize("more", [{"sft_steps": 2}, {"algorithm": "sft"}])
def test_rows_without_an_answer_are_not_learned_from(more: dict[str, object], tmp_path: Path) -> None:
    rows = [{"prompt": "1+1=?", "answer": "2"}, {"prompt": "say something"}, {"prompt": "say more"}]
    env = replace(digits(varied), tasks=ListTasks.from_rows(rows))
    with pytest.raises(ConfigError, match="2 of 3 rows have no answer to learn from"):
        train(config(steps=1, **more), env, policy(), tmp_path / "a", quiet=True)
    if "sft_steps" in more:  # the same rows are good enough for rewards alone
        train(config(steps=1), env, policy(), tmp_path / "b", quiet=True)


@pytest.mark.parametrize(
    ("reasons", "who"),
    [
        (["KeyError: 'a'"], "verifier"),
        (["detector mine: KeyError: 'a' (mine.py, line 8)"], "detector mine"),
        (["detector mine: KeyError: 'a' (mine.py, line 8)", "KeyError: 'a'"], "verifier or a wrapper"),
    ],
)
def test_a_run_that_stops_for_errors_says_what_to_fix(reasons: list[str], who: str) -> None:
    episodes = [Episode(Task("?"), Completion("a"), Verdict.error(reason)) for reason in reasons]
    with pytest.raises(TooManyVerifierErrors, match=rf"^the {who} failed on .*; fix the {who}$"):
        refuse_failing_checker(episodes, 0.2)


def test_every_setting_that_may_change_on_resume_is_on_its_page() -> None:
    page = (Path(__file__).parents[2] / "docs" / "training.md").read_text("utf-8")
    (listed,) = re.findall(r"These settings may be changed on resume(.*?)other setting", page, re.DOTALL)
    assert [name for name in MAY_CHANGE if f"`{name}`" not in listed] == []
