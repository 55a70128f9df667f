"""A policy that says what a script tells it, and is trained on it as on words of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from trl_peer import Script

from rlenv.core.completion import Completion
from rlenv.core.policy import DEFAULT_SAMPLING, Sampling
from rlenv.core.task import Prompt, prompt_text
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers.networks.logprobs import completion_logprobs

END, FIRST_LETTER, LAST_LETTER = 3, 5, 90
LONGEST = 6


class ScriptedPolicy(TransformersPolicy):
    """Says random letters, drawn anew for every rollout, and keeps a script of them with what each is paid."""

    def __init__(
        self, model: TransformersPolicy, pay: Callable[[str], float], group_size: int, *, interrupted: bool = False
    ) -> None:
        """With `interrupted`, the second token of longer completions is the environment's, not the policy's."""
        super().__init__(model.model, model.tokenizer, "scripted")
        self.pay, self.interrupted = pay, interrupted
        self.script = Script(group_size)
        self._generator = torch.Generator().manual_seed(8)

    def generate(
        self, prompts: Sequence[Prompt], n: int = 1, sampling: Sampling = DEFAULT_SAMPLING
    ) -> list[Completion]:
        texts = [prompt_text(prompt) for prompt in prompts]
        prompt_ids = [self.encode(prompt) for prompt in prompts]
        said = [self._letters() for _ in range(len(prompts) * n)]
        completions = [self._said(prompt_ids[place // n], ids) for place, ids in enumerate(said)]
        self.script.prompts.append(texts)
        self.script.prompt_ids.append(prompt_ids)
        self.script.completion_ids.append(said)
        self.script.masks.append([list(completion.mask) for completion in completions])
        self.script.rewards.append([self.pay(completion.text) for completion in completions])
        return completions

    def _letters(self) -> list[int]:
        length = int(torch.randint(1, LONGEST, (1,), generator=self._generator))
        drawn = torch.randint(FIRST_LETTER, LAST_LETTER, (length,), generator=self._generator)
        return [*drawn.tolist(), END]

    @torch.no_grad()
    def _said(self, prompt_ids: list[int], said: list[int]) -> Completion:
        ids = torch.tensor([[*prompt_ids, *said]])
        spoken = torch.ones(1, len(said))
        logprobs, _ = completion_logprobs(self.model, ids, torch.ones_like(ids), spoken)
        text = str(self.tokenizer.decode(said[:-1], skip_special_tokens=True))
        mask = [0 if self.interrupted and place == 1 and len(said) > 3 else 1 for place in range(len(said))]
        return Completion(text, tuple(said), tuple(logprobs[0].tolist()), tuple(mask))
