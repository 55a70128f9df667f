"""A policy that calls tools at random with what it has read, and says something at random in between."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rlenv.core.completion import Completion
from rlenv.core.policy import DEFAULT_SAMPLING, Sampling
from rlenv.core.task import Prompt, prompt_text

READ = re.compile(r"[\w.@-]{3,40}")


class RandomCaller:
    """Arguments are choices of the schema or words of the conversation; the later ones more often."""

    name = "random caller"

    def __init__(self, tools: Sequence[Mapping[str, Any]], says: Sequence[str] = (), seed: int = 0) -> None:
        self._tools, self._says = [tool["function"] for tool in tools], list(says)
        self._rng = np.random.default_rng(seed)

    def generate(
        self, prompts: Sequence[Prompt], n: int = 1, sampling: Sampling = DEFAULT_SAMPLING
    ) -> list[Completion]:
        return [Completion(self._turn(READ.findall(prompt_text(prompt)))) for prompt in prompts for _ in range(n)]

    def _turn(self, seen: list[str]) -> str:
        if self._says and self._rng.random() < 0.3:
            return str(self._rng.choice(self._says)).format(word=self._word(seen))
        tool = self._tools[int(self._rng.integers(len(self._tools)))]
        arguments = {
            name: str(self._rng.choice(schema.get("enum") or [self._word(seen)]))
            for name, schema in tool["parameters"]["properties"].items()
        }
        return f"<tool_call>{json.dumps({'name': tool['name'], 'arguments': arguments})}</tool_call>"

    def _word(self, seen: list[str]) -> str:
        return seen[-1 - int(min(self._rng.exponential(15), len(seen) - 1))]
