"""vLLM as the generator: the same policy, sampled by vLLM's engine, with token ids and the log-probs it sampled at.

    policy = VllmPolicy(TransformersPolicy.load(name), Path("runs/engine"), VllmSettings(memory_share=0.4))

The engine's log-probs differ a little from those of the model in training: train with an importance correction
(`correction.kind`). After each rollout's updates `send_weights` brings the engine up to date. Tried with vLLM 0.32's
CPU build (`make test-integrations PACKAGES=vllm`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rlenv.core.completion import Completion
from rlenv.core.policy import DEFAULT_SAMPLING, Sampling
from rlenv.core.task import Prompt
from rlenv.policies.transformers import TransformersPolicy, stopped
from rlenv.policies.vllm_engines import Drawn, Engine, InProcess, SampleRequest, Served
from rlenv.policies.vllm_settings import VllmSettings
from rlenv.turns.live import Live
from rlenv.turns.transcript import ready

STREAMS = 1 << 32
"""torch's generator on a CPU has so many streams: it looks at the low 32 bits of a seed."""


class VllmPolicy:
    """A policy whose tokens vLLM draws; prompts are encoded, and texts decoded, by the tokenizer of `policy`."""

    def __init__(self, policy: TransformersPolicy, folder: Path, settings: VllmSettings | None = None) -> None:
        """`folder` is where the weights are written for vLLM to read.

        Raises MissingExtra where vLLM is not installed, PolicyError where there is no server.
        """
        settings = settings or VllmSettings()
        self.policy, self.name = policy, policy.name
        self.engine: Engine = (Served if settings.url else InProcess)(policy, folder, settings)

    def generate(
        self, prompts: Sequence[Prompt], n: int = 1, sampling: Sampling = DEFAULT_SAMPLING
    ) -> list[Completion]:
        """`n` completions of each prompt with token ids and sampling log-probs, prompt by prompt."""
        encoded = self.policy.renderer.prompts(prompts)
        return self._completions([ids for ids in encoded for _ in range(n)], [sampling.max_new_tokens], sampling)

    def continued(self, lives: Sequence[Live], sampling: Sampling) -> list[Completion | None]:
        """The next turn of each episode, ids in and ids out; None where there is no room for one.

        Transcripts grow at their end: with the engine's prefix cache, nothing is read twice but what a chat template
        rewrites.
        """
        speaking = ready(lives, self.policy.renderer, sampling, self.policy.context)
        rows = [row for row in speaking if row is not None]
        said = iter(self._completions([row.ids for row in rows], [row.room for row in rows], sampling))
        return [None if row is None else next(said) for row in speaking]

    def draw_along(self) -> None:
        """Take part in what the other processes still ask, until none asks any more (`tensor_parallel`)."""
        self.engine.draw_along()

    def send_weights(self) -> None:
        """Give the engine the weights as they are now."""
        self.engine.send()

    def rest(self) -> None:
        """Nothing is generated until `send_weights` is called: an engine that may sleep frees its memory."""
        self.engine.rest()

    def close(self) -> None:
        """Give back what the engine holds."""
        self.engine.close()

    def _completions(
        self, encoded: Sequence[Sequence[int]], rooms: Sequence[int], sampling: Sampling
    ) -> list[Completion]:
        if not encoded:
            return []
        rooms = rooms if len(rooms) == len(encoded) else [*rooms] * len(encoded)
        asked = [
            SampleRequest(list(ids), self._parameters(replace(sampling, max_new_tokens=room), seed))
            for ids, room, seed in zip(encoded, rooms, stream_seeds(sampling.seed, len(encoded)), strict=True)
        ]
        drawn = self.engine.draw(asked)
        return [self._completion(ids, one, sampling) for ids, one in zip(encoded, drawn, strict=True)]

    def _parameters(self, sampling: Sampling, seed: int) -> dict[str, Any]:
        return {
            "max_tokens": sampling.max_new_tokens,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "seed": seed,
            "min_tokens": self.policy.min_new_tokens,
            "stop_token_ids": list(self.policy.eos_ids),
            "stop": list(sampling.stop),
        }

    def _completion(self, ids: Sequence[int], drawn: Drawn, sampling: Sampling) -> Completion:
        ended = drawn.stopped and drawn.token_ids[-1] in self.policy.eos_ids
        text = self.policy.text_of(drawn.token_ids, finished=ended)
        way = self.policy.read_as(ids)
        said = Completion(text, tuple(drawn.token_ids), tuple(drawn.logprobs), (), drawn.stopped, way)
        return stopped(said, sampling.stop, lambda tokens: self.policy.text_of(tokens, finished=False))


def stream_seeds(seed: int, count: int) -> list[int]:
    """A seed for each sample of a call; no two have the same stream of random numbers.

    vLLM gives copy k of a request the seed of the request plus k, so that requests with neighbouring seeds share
    streams. Here each sample is a request of its own, and its seed a place behind the one that `seed` decides, mixed.
    """
    first = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0] >> 2)
    return [(first & ~(STREAMS - 1)) | _mixed((first + place) % STREAMS) for place in range(count)]


def _mixed(number: int) -> int:
    """32 bits stirred, no two alike: the end of MurmurHash3. Neighbouring seeds start a Mersenne twister alike."""
    for factor, shift in ((0x85EBCA6B, 16), (0xC2B2AE35, 13)):
        number = (number ^ number >> shift) * factor % STREAMS
    return number ^ number >> 16
