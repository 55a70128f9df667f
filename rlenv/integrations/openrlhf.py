"""An environment for OpenRLHF: a file of prompts and a reward function in a file (OpenRLHF 0.11.2).

    from rlenv.integrations.openrlhf import to_openrlhf

    print(to_openrlhf("math/arithmetic-v0", "data/train.jsonl", size=2000, level=5))     # the options for OpenRLHF

The options name the agent of rlenv.integrations.openrlhf_agent, which sees token ids, whole groups and several turns.
This file itself is what `--reward.remote_url` takes instead, where OpenRLHF's own executor must stay: it then sees one
text at a time. The label of a prompt is the row that judges (docs/rows.md), and the only thing that reaches a reward.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from rlenv.core.completion import Completion
from rlenv.core.definition import check_trainable
from rlenv.core.episode import Episode
from rlenv.core.jsontypes import Json, line
from rlenv.core.task import prompt_messages
from rlenv.env.registry import load
from rlenv.env.rows import RowJudge, to_row
from rlenv.integrations.drawn import drawn_tasks
from rlenv.integrations.mean_fill import MeanFill

ENDS = ("<|im_end|>", "<|eot_id|>", "<|endoftext|>", "<|end_of_text|>", "<end_of_turn>", "<|end|>", "</s>", "<eos>")
"""How chat models write the end of a turn; a text that ends otherwise was cut."""


def to_openrlhf(env: str, path: str | Path, *, size: int | None = None, seed: int = 0, **kwargs: Json) -> str:
    """Write the tasks of an environment as OpenRLHF reads them; the options that it wants, one a line.

    `size` tasks are drawn by `seed`; None takes every task of a set of up to 20,000. Raises ConfigError when a size
    must be given, or the environment is for evaluation only.
    """
    definition = load(env, **kwargs)
    check_trainable(definition)
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="ascii") as file:
        for task in drawn_tasks(definition, size, seed):
            file.write(line({"input": prompt_messages(task.prompt), "label": to_row(env, task, kwargs)}))
    return "\n".join(
        [
            f"--data.prompt_dataset {path}",
            "--data.input_key input",
            "--data.label_key label",
            "--data.apply_chat_template",
            f"--train.agent_func_path {Path(__file__).with_name('openrlhf_agent.py')}",
        ]
    )


def reward_func(queries: Sequence[str], prompts: Sequence[str], labels: Sequence[str]) -> dict[str, object]:
    """The rewards of these texts, as OpenRLHF calls it: a query is a prompt with what was said, special tokens too.

    It gives one number, because OpenRLHF asks for one sample a call, or a list. What is not graded gets the mean of
    what the environment paid so far, and `graded` 0 in the logs.
    """
    said = [_said(query, prompt) for query, prompt in zip(queries, prompts, strict=True)]
    episodes = _judge().judge(labels, said)
    rewards = _fill().rewards(episodes)
    logs = [logs_of(episode) for episode in episodes]
    if len(rewards) == 1:
        return {"rewards": rewards[0], "scores": rewards[0], "extra_logs": logs[0]}
    return {
        "rewards": rewards,
        "scores": rewards,
        "extra_logs": {name: [one[name] for one in logs] for name in logs_of(episodes[0])} if episodes else {},
    }


def logs_of(episode: Episode) -> dict[str, float]:
    """What OpenRLHF logs beside the reward: the same keys for every sample."""
    return {"graded": float(episode.verdict.graded), "flags": float(len(episode.verdict.flags))}


def _said(query: str, prompt: str) -> Completion:
    """What stands behind the prompt. A prompt that OpenRLHF shortened cannot be told from it."""
    if not query.startswith(prompt):
        return Completion(query, failure="the text does not begin with its prompt; raise OpenRLHF's maximal length")
    text = query[len(prompt) :]
    end = next((end for end in ENDS if text.endswith(end)), None)
    return Completion(text if end is None else text.removesuffix(end), finished=end is not None)


@cache
def _judge() -> RowJudge:
    return RowJudge(training=True)


@cache
def _fill() -> MeanFill:
    return MeanFill()
