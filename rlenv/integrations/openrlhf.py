"""An environment for OpenRLHF (0.11.2): a file of prompts, and a reward function where its own executor must stay.

    print(to_openrlhf("math/arithmetic-v1", "data/train.jsonl", size=2000, level=5))     # the options for OpenRLHF

The options name the agent of rlenv.integrations.openrlhf_agent, which sees token ids, whole groups and several turns.
This file itself is what `--reward.remote_url` takes instead: it then sees one text at a time. The label of a prompt is
the row that judges (docs/rows.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from rlenv.core.completion import Completion
from rlenv.core.jsontypes import Json
from rlenv.core.task import prompt_messages
from rlenv.integrations.adapter import Payer, check_lists, export, logs_of, text_completion, write_jsonl

ENDS = ("<|im_end|>", "<|eot_id|>", "<|endoftext|>", "<|end_of_text|>", "<end_of_turn>", "<|end|>", "</s>", "<eos>")
"""How chat models write the end of a turn; a text that ends otherwise was cut."""


def to_openrlhf(env: str, path: str | Path, *, size: int | None = None, seed: int = 0, **kwargs: Json) -> str:
    """Write the tasks of an environment as OpenRLHF reads them; the options that it wants, one a line.

    `size` tasks are drawn by `seed`; None takes every task of a set of up to 20,000. Raises ConfigError when a size
    must be given, or the environment is for evaluation only.
    """
    made = export(env, kwargs, size, seed)
    pairs = zip(made.tasks, made.rows, strict=True)
    write_jsonl(path, [{"input": prompt_messages(task.prompt), "label": row} for task, row in pairs])
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
    what the environment paid so far, and `graded` 0 in the logs. Raises ConfigError for lists of unequal length.
    """
    check_lists(queries=queries, prompts=prompts, labels=labels)
    said = [_said(query, prompt) for query, prompt in zip(queries, prompts, strict=True)]
    paid = _payer().pay(labels, said)
    rewards, logs = [reward for _, reward in paid], [logs_of(episode) for episode, _ in paid]
    if len(rewards) == 1:
        return {"rewards": rewards[0], "scores": rewards[0], "extra_logs": logs[0]}
    columns = {name: [one[name] for one in logs] for name in (logs[0] if logs else ())}
    return {"rewards": rewards, "scores": rewards, "extra_logs": columns}


def _said(query: object, prompt: object) -> Completion:
    """What stands behind the prompt. A prompt that OpenRLHF shortened cannot be told from it."""
    if not isinstance(query, str) or not isinstance(prompt, str):
        return text_completion(query if isinstance(prompt, str) else prompt)
    if not query.startswith(prompt):
        return Completion(query, failure="the text does not begin with its prompt; raise OpenRLHF's maximal length")
    text = query[len(prompt) :]
    end = next((end for end in ENDS if text.endswith(end)), "")
    return Completion(text.removesuffix(end), finished=bool(end))


@cache
def _payer() -> Payer:
    return Payer()
