"""A policy that says what a function of its prompt tells it, with the log-probs that its model gives to these words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import httpx2
import torch
from chat_models import chat_policy

from rlenv.core.completion import Completion
from rlenv.core.policy import Sampling
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers.networks.logprobs import completion_logprobs
from rlenv.turns.live import Live
from rlenv.turns.transcript import ready


class Saying(TransformersPolicy):
    """Its `asked` keeps how many transcripts each call had."""

    def __init__(self, say: Callable[[str], str], style: str = "qwen2", context: int = 4096) -> None:
        model = chat_policy(style, context=context)
        super().__init__(model.model, model.tokenizer, "saying")
        self.say, self.asked = say, list[int]()

    def continued(self, lives: Sequence[Live], sampling: Sampling) -> list[Completion | None]:
        """The words, closed by the end of sequence, or cut at the limit."""
        self.asked.append(len(lives))
        rows = ready(lives, self.renderer, sampling, self.context)
        return [None if row is None else self._said(row.ids, row.room) for row in rows]

    def _said(self, ids: list[int], room: int) -> Completion:
        words = self.encode_completion(self.say(self.renderer.text(ids)))
        finished = len(words) <= room
        tokens = torch.tensor([[*ids, *words[:room]]])
        mask = torch.ones(1, len(words[:room]))
        with torch.no_grad():
            logprobs = completion_logprobs(self.model, tokens, torch.ones_like(tokens), mask)[0][0].tolist()
        text = self.text_of(words[:room], finished=finished)
        return Completion(text, tuple(words[:room]), tuple(logprobs), (), finished, self.read_as(ids))


def asked(url: str, key: str, messages: Sequence[Mapping[str, Any]], **more: Any) -> httpx2.Response:
    """One chat request."""
    return httpx2.post(
        f"{url}/chat/completions",
        json={"model": "any", "messages": list(messages), **more},
        headers={"Authorization": f"Bearer {key}"},
        timeout=60,
    )


def message_of(response: httpx2.Response) -> dict[str, Any]:
    """The message that was answered."""
    message: dict[str, Any] = response.json()["choices"][0]["message"]
    return message
