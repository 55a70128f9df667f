"""Randomly initialised models of the shapes that scorers come in, in folders as they are published."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedModel, PreTrainedTokenizerBase, PreTrainedTokenizerFast

from rlenv import Completion, Task
from rlenv.core.task import prompt_text
from rlenv.scorers import Job, Stepped

CHATML = "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
INST = (
    "{{ bos_token }}{% for m in messages %}{% if m['role'] == 'assistant' %} {{ m['content'] }}{{ eos_token }}"
    "{% else %}[INST] {{ m['content'] }} [/INST]{% endif %}{% endfor %}"
)
SPECIAL = ("<s>", "</s>", "<|im_start|>", "<|im_end|>", "<extra_0>", "<pad>")
WORDS = ("Yes", "No", "safe", "unsafe", " +", " -", " ки", "[INST]", "[/INST]", "\n\n")
"""Tokens of more than one byte."""
HIDDEN = 32
MISSING = object()


def tokenizer(
    template: str | None = CHATML, *, pad: str | None = "<pad>", padding_side: str = "right"
) -> PreTrainedTokenizerFast:
    """A token for every byte, for WORDS and for SPECIAL; `ки` is read as ` ки` is, as by a sentencepiece model."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    core = Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(alphabet)}, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    core.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    core.add_tokens([AddedToken(token, normalized=False) for token in (*WORDS, "ки")])
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        bos_token="<s>",
        eos_token="</s>",
        pad_token=pad,
        padding_side=padding_side,
        chat_template=template,
        clean_up_tokenization_spaces=False,
    )


def saved(
    folder: Path,
    model: Callable[[Any], PreTrainedModel],
    config: Any,
    tokenizer: PreTrainedTokenizerBase,
    seed: int = 0,
) -> str:
    """The path of a folder with a model of this class and config, weights drawn wide enough to tell texts apart."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        made = model(config)
        for parameter in made.parameters():
            torch.nn.init.normal_(parameter, std=0.3)
    made.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def shape(tokenizer: PreTrainedTokenizerBase, **more: Any) -> dict[str, Any]:
    """The sizes that decoders share."""
    return {
        "vocab_size": len(tokenizer),
        "hidden_size": HIDDEN,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 512,
        "pad_token_id": tokenizer.pad_token_id,
        **more,
    }


def gpt2(tokenizer: PreTrainedTokenizerBase) -> dict[str, Any]:
    """The sizes of a decoder with learned positions."""
    return {"vocab_size": len(tokenizer), "n_embd": HIDDEN, "n_layer": 2, "n_head": 2, "n_positions": 512}


def chat(task: Task, completion: Completion | str) -> list[dict[str, str]]:
    """The conversation as a chat template takes it."""
    said = completion if isinstance(completion, str) else completion.text
    return [{"role": "user", "content": prompt_text(task.prompt)}, {"role": "assistant", "content": said}]


def set_config(folder: str, **values: object) -> None:
    """Change config.json of a saved model; what is MISSING is taken out."""
    path = Path(folder) / "config.json"
    config = {**json.loads(path.read_text()), **values}
    path.write_text(json.dumps({key: value for key, value in config.items() if value is not MISSING}))


def jobs(count: int) -> list[Job]:
    """Prompts and completions of many lengths."""
    return [
        (Task(f"What is {i} + {i}?" * (1 + i % 3)), Completion("It is " + "so " * i + str(2 * i))) for i in range(count)
    ]


def stepped(task: Task, steps: Sequence[str]) -> Stepped:
    """The steps as one completion, a line each."""
    spans, start = [], 0
    for step in steps:
        spans.append((start, start + len(step)))
        start += len(step) + 1
    return Stepped(task, Completion("\n".join(steps)), tuple(spans))


def step_jobs(count: int) -> list[Stepped]:
    """Solutions of one to four steps."""
    return [
        stepped(task, [f"{completion.text} step {k}" for k in range(1 + i % 4)])
        for i, (task, completion) in enumerate(jobs(count))
    ]
