"""The other branches on the one loop: every row learns, repeats itself, and goes on bitwise from any stop."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from digits import ROWS, config, digits, policy, rewards, stopped_after, warm

from rlenv import ListTasks
from rlenv.core.errors import ConfigError
from rlenv.policies.transformers import TransformersPolicy
from rlenv.store.saved_episodes import SavedEpisodes
from rlenv.trainers import ALGORITHMS, SftConfig, TrainConfig, Trainer, changed, train, with_changes
from rlenv.trainers.branches.preference import Pair
from rlenv.trainers.branches.sft import demonstrations, supervised
from rlenv.trainers.loop.checkpoint import fingerprint
from rlenv.trainers.records.logs import read_metrics

NAMES = ("dpo", "kto", "simpo", "raft", "star", "distill", "gkd")
"""One of each kind of loss, and of each way of choosing."""
QUICK = ("dpo", "kto", "star", "distill", "gkd")
"""One of each kind: pairs, a preference without pairs, what the policy said itself, a teacher, its distributions."""
PAIRS = [Pair(str(row["prompt"]), str(row["answer"]), str(n)) for n, row in enumerate(ROWS)]
"""The right digit before the one that was asked about."""

OWN: dict[str, dict[str, object]] = {
    "star": {"steps": 8, "group_size": 32, "epochs": 30, "warmup_steps": 3},
    "simpo": {"algorithm": with_changes(ALGORITHMS["simpo"], {"preference.beta": 1.0, "preference.margin": 4.0})},
}
"""What a row needs to learn the trivial environment beside what all need."""


def weights(trained: TransformersPolicy) -> str:
    return fingerprint(trained.model.state_dict())


def taught(seed: int = 0) -> TransformersPolicy:
    """A teacher that knows the answers."""
    teacher = policy(seed)
    supervised(teacher, demonstrations(digits(), teacher, 8), SftConfig(steps=120, batch_size=16, learning_rate=5e-3))
    return teacher


@pytest.fixture(scope="module")
def teacher() -> TransformersPolicy:
    return taught()


def given(name: str, teacher: TransformersPolicy) -> dict[str, Any]:
    return {"teacher": teacher if name in ("distill", "gkd") else None, "quiet": True}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_row_learns_the_trivial_environment(name: str, teacher: TransformersPolicy, tmp_path: Path) -> None:
    """STaR on 256 completions a rollout: from 0.77 to 0.89 with each of five seeds, and from 0.43 on 64 of them.

    SimPO with a margin of four nats a token, from 0.39 to 0.97 or more with each of six seeds.

    With its own margin of half a nat the policy is content from the start (it is two ahead), and what the last tenth of
    the loss does to other tokens is left to rounding: between 0.24 and 0.99.
    """
    settings = config(
        **{"algorithm": name, "steps": 120, "groups": 8, "group_size": 8, "learning_rate": 2e-3, **OWN.get(name, {})}
    )
    look = config(algorithm="grpo", steps=1, groups=8, group_size=32, learning_rate=1e-12)
    train(look, digits(), warm(), tmp_path / "before", quiet=True)
    trained = train(settings, digits(), warm(), tmp_path / "run", **given(name, teacher))
    train(look, digits(), trained, tmp_path / "after", quiet=True)
    assert rewards(tmp_path / "before")[0] < 0.5
    assert rewards(tmp_path / "after")[0] > (0.9 if name == "simpo" else 0.75)


@pytest.mark.parametrize("name", QUICK)
def test_a_run_resumed_between_any_two_optimiser_steps_ends_with_the_same_weights(
    name: str, teacher: TransformersPolicy, tmp_path: Path
) -> None:
    row = ALGORITHMS[name]
    if row.preference is not None and row.needs_reference:
        row = changed(row, "kl.reset_every", 2)
    settings = config(algorithm=row, steps=2, epochs=2, minibatches=2, save_every=1)
    whole = train(settings, digits(), warm(), tmp_path / "whole", **given(name, teacher))
    for stop in (3, 7):  # in the middle of the first and of the last rollout
        folder = tmp_path / str(stop)
        stopped_after(Trainer(settings, digits(), warm(), folder, **given(name, teacher)), stop)
        resumed = train(settings, digits(), warm(), folder, resume=True, **given(name, teacher))
        assert weights(resumed) == weights(whole)
        assert lines(folder) == lines(tmp_path / "whole")
        assert [m["loss"] for m in read_metrics(folder / "metrics.jsonl")] == [
            m["loss"] for m in read_metrics(tmp_path / "whole" / "metrics.jsonl")
        ]


def lines(folder: Path) -> list[object]:
    return [e.to_json() for e in SavedEpisodes(folder).read()]


def test_a_pair_file_is_learned_without_a_rollout(tmp_path: Path) -> None:
    settings = config(algorithm="dpo", steps=20, groups=8, group_size=2)
    runs = [train(settings, digits(), warm(), tmp_path / place, pairs=PAIRS, quiet=True) for place in ("a", "b")]
    assert weights(runs[0]) == weights(runs[1]) != weights(warm())
    metrics = read_metrics(tmp_path / "a" / "metrics.jsonl")
    margins = [step["rewards/margins"] for step in metrics]
    assert margins[-1] > margins[0]
    assert metrics[-1]["rewards/accuracies"] == 1.0
    assert metrics[0]["pairs"] == 8
    assert "reward" not in metrics[0]
    assert lines(tmp_path / "a") == []


def test_a_pair_file_goes_with_groups_of_two_and_a_preference_row(tmp_path: Path) -> None:
    for settings, says in ((config(algorithm="dpo"), "group_size=2"), (config(group_size=2), "use dpo")):
        with pytest.raises(ConfigError, match=says):
            train(settings, digits(), policy(), tmp_path, pairs=PAIRS, quiet=True)


def test_a_run_goes_on_with_its_own_pairs_only(tmp_path: Path) -> None:
    settings = config(algorithm="dpo", steps=1, groups=2, group_size=2)
    train(settings, digits(), policy(), tmp_path, pairs=PAIRS, quiet=True)
    for pairs in (PAIRS[1:], None):
        with pytest.raises(ConfigError, match="pairs"):
            train(replace(settings, steps=2), digits(), policy(), tmp_path, pairs=pairs, resume=True, quiet=True)


def test_a_reset_reference_is_the_policy_of_that_moment(tmp_path: Path) -> None:
    """Iterative: at the first update after each reset the policy is its reference, and in between it is not."""
    row = changed(ALGORITHMS["dpo"], "kl.reset_every", 2)
    settings = config(algorithm=row, steps=4, groups=4, group_size=2)
    train(settings, digits(), warm(), tmp_path, pairs=PAIRS, quiet=True)
    metrics = read_metrics(tmp_path / "metrics.jsonl")
    margins = [abs(m["rewards/margins"]) for m in metrics]
    assert len(margins) == 4
    assert metrics[0]["loss"] == pytest.approx(0.693147, abs=1e-5)
    assert max(margins[::2]) < 1e-5 < min(margins[1::2])


def test_the_loss_of_sft_is_the_mean_negative_log_probability_of_the_solutions_tokens(tmp_path: Path) -> None:
    settings = TrainConfig(algorithm="sft", steps=1, groups=8, group_size=1, max_new_tokens=3, learning_rate=1e-3)
    train(settings, digits(), policy(), tmp_path, quiet=True)
    model, total, count = policy(), 0.0, 0
    for shown in demonstrations(digits(), model, 8):
        ids = torch.tensor([[*shown.prompt_ids, *shown.completion_ids]])
        with torch.no_grad():
            logprobs = model.model(ids).logits[0, :-1].log_softmax(-1)
        said = logprobs.gather(1, ids[0, 1:, None])[-len(shown.completion_ids) :]
        total, count = total - float(said.sum()), count + len(said)
    assert read_metrics(tmp_path / "metrics.jsonl")[0]["loss"] == pytest.approx(total / count, abs=1e-6)


def test_sft_is_shown_the_demonstrations_where_the_environment_sets_them_apart(tmp_path: Path) -> None:
    shown: list[str] = []

    def solution(task: object) -> str:
        shown.append(task.prompt)  # type: ignore[attr-defined]
        return "1"

    env = digits(solution=solution, demonstrations=ListTasks.from_rows(ROWS[:2]))
    settings = TrainConfig(algorithm="sft", steps=3, groups=2, group_size=1, max_new_tokens=3)
    train(settings, env, policy(), tmp_path, quiet=True)
    assert set(shown) == {ROWS[0]["prompt"], ROWS[1]["prompt"]}


def test_an_episode_of_a_failing_verifier_is_in_no_pair_and_is_not_learned(tmp_path: Path) -> None:
    """With nothing graded nothing moves."""
    before = weights(policy())
    env = digits(lambda: float("nan"))
    for name in ("dpo", "kto", "star", "raft"):
        settings = config(algorithm=name, steps=1, max_error_share=1.0)
        trained = train(settings, env, policy(), tmp_path / name, quiet=True)
        assert weights(trained) == before, name
