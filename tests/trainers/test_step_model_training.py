"""train-prm: a rule is learned, labels stand on separators, the seed decides, a resumed run ends alike."""

import json
import math
from pathlib import Path

import pytest
from reward_rows import step_config, sums, weights
from transformers import TrainerCallback

from rlenv.core.errors import ConfigError
from rlenv.scorers.load import load_step_scorer
from rlenv.scorers.step_models import encode_steps
from rlenv.trainers.reward_models import fitting
from rlenv.trainers.reward_models.accuracy import stepped
from rlenv.trainers.reward_models.bases import tokenizer_of
from rlenv.trainers.reward_models.rows import StepLabels
from rlenv.trainers.reward_models.step_model import IGNORED, encoded_steps, train_step_model


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was left alone."""
    out = tmp_path_factory.mktemp("runs") / "run"
    train_step_model(step_config(save_every=8), sums(), "tiny", out, device="cpu", quiet=True)
    return out


def test_labels_stand_on_the_last_token_of_each_separator() -> None:
    tokenizer = tokenizer_of(["count one two"])
    row = StepLabels("count", ("one", "two", "one"), (True, False, None))
    example = encoded_steps(tokenizer, [row], step_config(separator=" ;\n"))[0]
    ids, places = encode_steps(tokenizer, "count", row.steps, " ;\n")
    assert example["input_ids"] == ids
    assert {place: label for place, label in enumerate(example["labels"]) if label != IGNORED} == {
        places[0]: 1,
        places[1]: 0,
    }
    assert tokenizer.decode([ids[places[0]]]) == "\n"


def test_rows_that_teach_nothing_are_left_out() -> None:
    tokenizer = tokenizer_of(["count one two"])
    unknown = StepLabels("count", ("one",), (None,))
    long = StepLabels("count", ("one " * 500,), (True,))
    short = StepLabels("count", ("one",), (True,))
    assert len(encoded_steps(tokenizer, [unknown, long, short], step_config(max_length=100))) == 1
    with pytest.raises(ConfigError, match="labelled row"):
        encoded_steps(tokenizer, [unknown], step_config())


@pytest.mark.slow
def test_a_rule_is_learned_and_holds_on_prompts_never_seen(trained: Path) -> None:
    report = json.loads((trained / "report.json").read_text())
    assert report["area"] == 1.0
    assert report["first_wrong"]["value"] == report["all_right"]["value"] == 1.0
    scorer = load_step_scorer(str(trained / "model"))
    scores = scorer.score_steps([stepped(StepLabels("sum zoe", ("right one", "wrong 9"), (None, None)))])[0].values
    assert scores is not None
    assert scores[0] > 0.5 > scores[1]


@pytest.mark.slow
def test_the_first_loss_is_the_mean_over_labelled_steps(tmp_path: Path) -> None:
    rows = [
        StepLabels("p", ("one", "two", "three"), (True, False, None)),
        StepLabels("p", ("four",), (False,)),
    ]
    config = step_config(steps=1, batch_size=2, micro_batch_size=1, learning_rate=1e-12)
    model = train_step_model(config, rows, "tiny", tmp_path / "run", held_out=[], device="cpu")
    scores = load_step_scorer(str(model)).score_steps([stepped(row) for row in rows])
    first, second = (score.values for score in scores)
    assert first is not None
    assert second is not None
    expected = -(math.log(first[0]) + math.log(1 - first[1]) + math.log(1 - second[0])) / 3
    log = [json.loads(text) for text in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    assert log[-1]["train_loss"] == pytest.approx(expected, abs=1e-5)


@pytest.mark.slow
def test_a_run_that_broke_off_ends_with_the_weights_of_the_run_left_alone(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stopped(TrainerCallback):
        def __init__(self, advance: object) -> None: ...

        def on_step_end(self, args: object, state: object, control: object, **kwargs: object) -> None:
            if state.global_step == 11:  # type: ignore[attr-defined]
                raise KeyboardInterrupt

    out = tmp_path / "stopped"
    with monkeypatch.context() as patch:
        patch.setattr(fitting, "_Progress", Stopped)
        with pytest.raises(KeyboardInterrupt):
            train_step_model(step_config(save_every=8), sums(), "tiny", out, device="cpu", quiet=True)
    model = train_step_model(step_config(save_every=8), sums(), "tiny", out, resume=True, device="cpu", quiet=True)
    assert weights(model) == weights(trained / "model")
