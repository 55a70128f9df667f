"""train-rm: the loss is the formula, a rule is learned, a killed run goes on alike, and the folder is an environment's
scorer.
"""

import json
import math
import os
import signal
from pathlib import Path

import numpy as np
import pytest
import torch
from reward_rows import polite, reward_config, weights
from transformers import TrainerCallback

from rlenv import Definition, ListTasks
from rlenv.core.errors import ConfigError, PolicyError, RunError
from rlenv.env.batch import BatchEnvironment
from rlenv.policies.tiny import tiny_policy
from rlenv.scorers.encoding import encode
from rlenv.scorers.load import load_scorer
from rlenv.scorers.scorer import ScorerVerifier, ask
from rlenv.trainers.branches.preference import Pair
from rlenv.trainers.reward_models import fitting
from rlenv.trainers.reward_models.reward_model import train_reward_model
from rlenv.trainers.reward_models.rows import Preference

pytestmark = pytest.mark.slow  # TRL is what trains


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was left alone."""
    out = tmp_path_factory.mktemp("runs") / "run"
    train_reward_model(reward_config(save_every=5), polite(), "tiny", out, device="cpu", quiet=True)
    return out


def test_a_rule_is_learned_and_holds_on_prompts_never_seen(trained: Path) -> None:
    report = json.loads((trained / "report.json").read_text())
    assert report["accuracy"]["value"] == 1.0
    assert report["pairs"] == 6
    assert "| bag of words |" in (trained / "report.md").read_text()
    assert not (trained / "checkpoints").exists()


def test_the_folder_is_a_scorer_that_an_environment_takes(trained: Path) -> None:
    tasks = ListTasks.from_rows([{"prompt": "ask zoe for jam"}])
    definition = Definition(tasks=tasks, verifier=ScorerVerifier(load_scorer(str(trained / "model"))))
    environment = BatchEnvironment(definition, group_size=2)
    environment.reset(1)
    good, bad = (episode.verdict for episode in environment.step(["please zoe, jam", "now zoe, jam"]))
    assert good.status == bad.status == "graded"
    assert good.reward is not None
    assert bad.reward is not None
    assert good.reward > bad.reward


def test_the_same_seed_gives_the_same_weights_and_another_does_not(trained: Path, tmp_path: Path) -> None:
    again = train_reward_model(reward_config(save_every=5), polite(), "tiny", tmp_path / "again", device="cpu")
    other = train_reward_model(reward_config(seed=1), polite(), "tiny", tmp_path / "other", device="cpu")
    assert weights(again) == weights(trained / "model")
    assert weights(other) != weights(trained / "model")


def test_training_leaves_the_global_random_state_alone(tmp_path: Path) -> None:
    before = torch.get_rng_state()
    train_reward_model(reward_config(steps=1), polite(), "tiny", tmp_path / "run", device="cpu")
    assert torch.equal(before, torch.get_rng_state())


def test_a_killed_run_ends_with_the_weights_of_the_run_left_alone(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "killed"
    child = os.fork()
    if child == 0:
        try:
            monkeypatch.setattr(fitting, "_Progress", dying_at(8))
            train_reward_model(reward_config(save_every=5), polite(), "tiny", out, device="cpu", quiet=True)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    torn = out / "checkpoints" / "checkpoint-7"
    torn.mkdir()
    newest = fitting.newest_checkpoint(out / "checkpoints")
    assert newest is not None
    assert newest.name == "checkpoint-5"
    with pytest.raises(RunError, match="already holds a run"):
        train_reward_model(reward_config(save_every=5), polite(), "tiny", out, device="cpu")
    model = train_reward_model(reward_config(save_every=5), polite(), "tiny", out, resume=True, device="cpu")
    assert weights(model) == weights(trained / "model")


def dying_at(step: int) -> type[TrainerCallback]:
    """A callback that kills the process at the end of this step."""

    class Dying(TrainerCallback):
        def __init__(self, advance: object) -> None: ...

        def on_step_end(self, args: object, state: object, control: object, **kwargs: object) -> None:
            if state.global_step == step:  # type: ignore[attr-defined]
                os.kill(os.getpid(), signal.SIGKILL)

    return Dying


def test_a_run_is_not_resumed_with_other_pairs_or_settings(trained: Path) -> None:
    with pytest.raises(ConfigError, match="rows"):
        train_reward_model(reward_config(save_every=5), polite()[2:], "tiny", trained, resume=True)
    with pytest.raises(ConfigError, match="learning_rate"):
        train_reward_model(reward_config(learning_rate=1.0), polite(), "tiny", trained, resume=True)


@pytest.mark.parametrize(("margin", "center"), [(False, 0.0), (True, 0.0), (False, 0.5)])
def test_the_first_loss_is_the_formula(tmp_path: Path, margin: bool, center: float) -> None:
    pair = Preference(Pair("ask", "please", "now, and at once"), margin=1.5)
    config = reward_config(steps=1, batch_size=1, learning_rate=1e-12, margin=margin, center=center)
    model = train_reward_model(config, [pair], "tiny", tmp_path / "run", held_out=[], device="cpu")
    chosen, rejected = (
        s.value for s in ask(load_scorer(str(model)), ["ask"] * 2, [pair.pair.chosen, pair.pair.rejected])
    )
    assert chosen is not None
    assert rejected is not None
    gap = chosen - rejected - (1.5 if margin else 0.0)
    expected = math.log1p(math.exp(-gap)) + center * (chosen + rejected) ** 2
    log = [json.loads(text) for text in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    assert log[-1]["train_loss"] == pytest.approx(expected, abs=1e-5)


def test_micro_batches_change_nothing_but_memory(tmp_path: Path) -> None:
    whole, parts = (
        train_reward_model(
            reward_config(steps=3, micro_batch_size=size), polite(), "tiny", tmp_path / str(size), device="cpu"
        )
        for size in (8, 2)
    )
    texts = ["please", "now"]
    first, second = (ask(load_scorer(str(model)), ["ask"] * 2, texts) for model in (whole, parts))
    assert [s.value for s in first] == pytest.approx([s.value for s in second], abs=1e-4)


def test_members_make_an_ensemble_of_models_standardised_by_what_they_learned_from(tmp_path: Path) -> None:
    config = reward_config(steps=3, members=2, eval_share=0.0)
    model = train_reward_model(config, polite(), "tiny", tmp_path / "run", device="cpu")
    assert weights(model / "member-0") != weights(model / "member-1")
    prompts = [row.pair.prompt for row in polite()] * 2
    texts = [row.pair.chosen for row in polite()] + [row.pair.rejected for row in polite()]
    members = [model, model / "member-0", model / "member-1"]
    together, *each = (np.array([s.value for s in ask(load_scorer(str(m)), prompts, texts)], float) for m in members)
    for values in each:
        assert (values.mean(), values.std()) == pytest.approx((0.0, 1.0), abs=1e-4)
    assert together == pytest.approx(sum(each) / 2, abs=1e-6)


def test_pairs_too_long_are_left_out_and_counted(tmp_path: Path) -> None:
    rows = [*polite(), Preference(Pair("ask", "please " * 300, "now"))]
    train_reward_model(reward_config(steps=1, max_length=60), rows, "tiny", tmp_path / "run", held_out=[])
    assert json.loads((tmp_path / "run" / "report.json").read_text()) == {"learned": 25, "left_out": 1}
    with pytest.raises(ConfigError, match="raise max_length"):
        train_reward_model(reward_config(max_length=3), rows, "tiny", tmp_path / "none", held_out=[])


def test_a_folder_whose_padding_ends_texts_gets_a_padding_of_its_own(tmp_path: Path) -> None:
    policy = tiny_policy(0)
    policy.tokenizer.pad_token = policy.tokenizer.eos_token
    policy.save(tmp_path / "base")
    model = train_reward_model(reward_config(steps=1), polite(), str(tmp_path / "base"), tmp_path / "run", device="cpu")
    tokenizer = load_scorer(str(model)).files.loaded.tokenizer  # type: ignore[attr-defined]
    assert tokenizer.pad_token_id != tokenizer.eos_token_id
    assert tokenizer.pad_token_id not in encode(tokenizer, "ask", "now")


def test_adapters_are_merged(tmp_path: Path) -> None:
    tiny_policy(0).save(tmp_path / "base")
    base, out = str(tmp_path / "base"), tmp_path
    lora = train_reward_model(reward_config(steps=2, lora_rank=2), polite(), base, out / "lora", device="cpu")
    assert ask(load_scorer(str(lora)), ["ask"], ["please"])[0].value is not None


def test_a_base_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="give tiny, a folder or a hub id") as caught:
        train_reward_model(reward_config(), polite(), str(tmp_path / "absent"), tmp_path / "run")
    assert "\n" not in str(caught.value)
