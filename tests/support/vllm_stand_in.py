"""A stand-in for the vllm module, with the names we use; `make test-integrations PACKAGES=vllm` runs the real one."""

from types import SimpleNamespace
from typing import Any

from rlenv.policies import Sampling
from rlenv.policies.tiny import tiny_policy


class Engine:
    """Answers with what a policy of ours samples, in the shape of vLLM's outputs."""

    def __init__(self, model: str, logprobs_mode: str, **settings: Any) -> None:
        assert logprobs_mode == "processed_logprobs"
        self.model, self.settings, self.policy, self.done = model, settings, tiny_policy(1), list[Any]()
        self.reason = ""
        self.model_config = SimpleNamespace(max_model_len=settings.get("max_model_len", 512))
        self.seeds: list[int] = []
        self.llm_engine = SimpleNamespace(engine_core=SimpleNamespace(shutdown=lambda: self.done.append("shutdown")))

    def generate(self, prompts: list[Any], parameters: list[Any], use_tqdm: bool, lora_request: Any) -> list[Any]:
        return [self._answer(p.prompt_token_ids, s) for p, s in zip(prompts, parameters, strict=True)]

    def collective_rpc(self, method: str, kwargs: dict[str, Any]) -> None:
        self.done.append(method)
        self.policy.model.load_state_dict(dict(kwargs["weights_iterator"]))

    def reset_prefix_cache(self) -> None:
        self.done.append("reset")

    def sleep(self, level: int) -> None:
        self.done.append(("sleep", level))

    def wake_up(self, tags: list[str]) -> None:
        self.done.append(("wake", *tags))

    def _answer(self, ids: list[int], given: Any) -> Any:
        assert given.logprobs == 0
        assert given.detokenize == bool(given.stop)  # stop texts are found in text
        self.seeds.append(given.seed)
        sampling = Sampling(max_new_tokens=given.max_tokens, temperature=given.temperature, seed=given.seed)
        return SimpleNamespace(outputs=[self._output(c) for c in self.policy._sampled([ids], 1, sampling)])

    def _output(self, said: Any) -> Any:
        steps = [{i: SimpleNamespace(logprob=x)} for i, x in zip(said.token_ids, said.logprobs, strict=True)]
        reason = self.reason or ("stop" if said.finished else "length")
        return SimpleNamespace(token_ids=list(said.token_ids), logprobs=steps, finish_reason=reason)


MODULE = SimpleNamespace(LLM=Engine, SamplingParams=SimpleNamespace, TokensPrompt=SimpleNamespace)
