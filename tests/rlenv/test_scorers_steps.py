"""Step scorers equal an independent loop over single samples, and no step can forge another one's mark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from scoring_models import CHATML, gpt2, saved, shape, step_jobs, stepped, tokenizer
from transformers import (
    AutoTokenizer,
    GPT2Config,
    GPT2ForTokenClassification,
    PreTrainedModel,
    Qwen2Config,
    Qwen2ForTokenClassification,
    Qwen2Model,
)

from rlenv import Task
from rlenv.core.errors import ScorerError
from rlenv.scorers import Stepped, StepScorer
from rlenv.scorers.step_models import TokenClassificationScorer, encode_steps

Values = list[tuple[float, ...]]


def values(scorer: StepScorer, jobs: list[Stepped]) -> Values:
    found = [scores.values for scores in scorer.score_steps(jobs)]
    assert None not in found
    return [value for value in found if value is not None]


def flat(rows: Values) -> list[float]:
    assert rows
    return [value for row in rows for value in row]


def token_classifier(folder: Path, side: str = "right", **more: Any) -> str:
    tokens = tokenizer(None, padding_side=side)
    return saved(folder, Qwen2ForTokenClassification, Qwen2Config(**shape(tokens, num_labels=2, **more)), tokens)


@torch.no_grad()
def trl_loop(path: str, jobs: list[Stepped]) -> Values:
    """As TRL's PRM trainer lays rows out: the label on the last token of each separator."""
    tokens = AutoTokenizer.from_pretrained(path)
    model = Qwen2ForTokenClassification.from_pretrained(path).eval()
    found = []
    for job in jobs:
        ids, places = [tokens.bos_token_id, *tokens(job.task.prompt, add_special_tokens=False)["input_ids"]], []
        for step in job.texts:
            ids += tokens(step, add_special_tokens=False)["input_ids"] + tokens("\n")["input_ids"]
            places.append(len(ids) - 1)
        labels = model(torch.tensor([ids])).logits[0].softmax(-1)[:, 1]
        found.append(tuple(float(labels[place]) for place in places))
    return found


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_batch_equals_the_loop(tmp_path: Path, side: str) -> None:
    path, jobs = token_classifier(tmp_path, side), step_jobs(16)
    found = values(TokenClassificationScorer(path=path), jobs)
    assert [len(row) for row in found] == [len(job.spans) for job in jobs]
    assert flat(found) == pytest.approx(flat(trl_loop(path, jobs)), abs=1e-5)
    assert len({round(value, 6) for value in flat(found)}) == len(flat(found))
    small = TokenClassificationScorer(path=path, max_batch_tokens=150)
    assert flat(values(small, jobs)) == pytest.approx(flat(found), abs=1e-5)


@pytest.mark.parametrize("side", ["left", "right"])
def test_learned_positions_do_not_move_with_padding(tmp_path: Path, side: str) -> None:
    tokens = tokenizer(None, padding_side=side)
    config = GPT2Config(**{**gpt2(tokens), "num_labels": 2})
    scorer = TokenClassificationScorer(path=saved(tmp_path, GPT2ForTokenClassification, config, tokens))
    alone = [values(scorer, [job])[0] for job in step_jobs(8)]
    assert flat(values(scorer, step_jobs(8))) == pytest.approx(flat(alone), abs=1e-5)


def test_a_long_prompt_is_cut_from_the_left_and_steps_never_are() -> None:
    tokens = tokenizer(None)
    ids, places = encode_steps(tokens, "abcdefgh", ["x", "y"], "\n", 8, cut_prompt=True)
    assert tokens.decode(ids) == "<s>fghx\ny\n"
    assert places == [5, 7]
    with pytest.raises(ScorerError, match="the scorer takes 8"):
        encode_steps(tokens, "abcdefgh", ["x", "y"], "\n", 8)
    with pytest.raises(ScorerError, match="the scorer takes 4"):
        encode_steps(tokens, "a", ["x", "y"], "\n", 4, cut_prompt=True)


def test_what_does_not_fit_fails_alone_and_no_steps_have_no_scores(tmp_path: Path) -> None:
    scorer = TokenClassificationScorer(path=token_classifier(tmp_path))
    long, short = stepped(Task("?"), ["so " * 300]), stepped(Task("?"), ["2"])
    found = scorer.score_steps([long, short, stepped(Task("?"), [])])
    assert found[0].values is None
    assert "the scorer takes 512" in found[0].reasons[0]
    assert [flag.name for flag in found[0].flags] == ["over_limit"]
    assert scorer.score_steps([stepped(Task("so " * 300), ["2"])])[0].flags == ()
    assert len(found[1].values or ()) == 1
    assert found[2].values == ()


def test_a_trunk_without_its_trained_head_is_refused(tmp_path: Path) -> None:
    tokens = tokenizer(CHATML)
    trunk: type[PreTrainedModel] = Qwen2Model
    path = saved(tmp_path, trunk, Qwen2Config(**shape(tokens, num_labels=2)), tokens)
    with pytest.raises(ScorerError, match="no weights for score"):
        TokenClassificationScorer(path=path).score_steps(step_jobs(1))
