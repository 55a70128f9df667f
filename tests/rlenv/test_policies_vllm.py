"""The generator of vLLM, against a stand-in that has the documented names only: the real engine is not run here."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest
import torch

pytest.importorskip("transformers")

from rlenv.errors import MissingExtra
from rlenv.policies import Sampling
from rlenv.policies.policy import Policy
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.vllm import VllmPolicy


class _Engine:
    """Answers with what a policy of ours samples, in the shape of vLLM's outputs."""

    def __init__(self, model: str, logprobs_mode: str, **settings: Any) -> None:
        assert logprobs_mode == "processed_logprobs"
        self.model, self.policy, self.resets = model, tiny_policy(1), 0

    def generate(self, prompts: list[Any], parameters: list[Any], use_tqdm: bool) -> list[Any]:
        return [self._answer(p.prompt_token_ids, s) for p, s in zip(prompts, parameters, strict=True)]

    def apply_model(self, function: Any) -> None:
        function(SimpleNamespace(load_weights=lambda weights: self.policy.model.load_state_dict(dict(weights))))

    def reset_prefix_cache(self) -> None:
        self.resets += 1

    def _answer(self, ids: list[int], given: Any) -> Any:
        text = str(self.policy.tokenizer.decode(ids[1:-1]))
        sampling = Sampling(max_new_tokens=given.max_tokens, temperature=given.temperature, seed=given.seed)
        said = self.policy.generate([text], given.n, sampling)
        return SimpleNamespace(outputs=[self._output(c) for c in said])

    def _output(self, said: Any) -> Any:
        steps = [{i: SimpleNamespace(logprob=x)} for i, x in zip(said.token_ids, said.logprobs, strict=True)]
        return SimpleNamespace(token_ids=list(said.token_ids), logprobs=steps)


@pytest.fixture
def _stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    module = SimpleNamespace(
        LLM=_Engine,
        SamplingParams=SimpleNamespace,
        TokensPrompt=SimpleNamespace,
    )
    monkeypatch.setitem(sys.modules, "vllm", module)


@pytest.mark.usefixtures("_stand_in")
def test_completions_carry_tokens_and_the_logprobs_that_they_were_sampled_at() -> None:
    policy = VllmPolicy(tiny_policy(0), "folder")
    assert isinstance(policy, Policy)
    sampling = Sampling(max_new_tokens=6, seed=4)
    assert policy.generate(["1+1=?"], 3, sampling) == tiny_policy(1).generate(["1+1=?"], 3, sampling)


@pytest.mark.usefixtures("_stand_in")
def test_sent_weights_are_what_the_engine_samples_from() -> None:
    ours = tiny_policy(0)
    policy = VllmPolicy(ours, "folder")
    with torch.no_grad():
        for parameter in ours.model.parameters():
            parameter.mul_(1.1)
    policy.send_weights()
    sampling = Sampling(max_new_tokens=6, seed=4)
    assert policy.generate(["1+1=?"], 3, sampling) == ours.generate(["1+1=?"], 3, sampling)
    assert policy.engine.resets == 1


def test_without_vllm_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(MissingExtra, match="vllm"):
        VllmPolicy(tiny_policy(0), "folder")
