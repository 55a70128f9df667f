"""The engines behind VllmPolicy: one in this process, beside the model in training, or a server that others run.

In this process the weights go over in memory. Where the engine has worker processes of its own (tensor_parallel above
1 in a run of one process), and with a server, they go over by a folder: a server is started with

    VLLM_SERVER_DEV_MODE=1 vllm serve FOLDER --logprobs-mode processed_logprobs --dtype float32

and has to see the same folder. vLLM's own transfer of weights (NCCL, IPC) takes two GPUs or more and is not used.
"""

from __future__ import annotations

import copy
import importlib
import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import numpy as np
import torch
import torch.distributed as dist
from safetensors.torch import save_file

from rlenv.core.errors import ConfigError, MissingExtra, PolicyError
from rlenv.door.answer import Answer
from rlenv.door.posting import Patience, Poster, address, ask, client, refusal
from rlenv.policies.vllm_settings import VllmSettings

if TYPE_CHECKING:
    from rlenv.policies.transformers import TransformersPolicy

Found = TypeVar("Found")
KEY = "VLLM_API_KEY"
LORA_RANKS = (1, 8, 16, 32, 64, 128, 256, 320, 512)
"""The ranks that vLLM makes room for."""
IN_PROCESS = {
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",  # the engine's loop runs here, so that weights need no copy
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",  # on a CPU: the trainer's threads stay where they are
    "VLLM_LOGGING_LEVEL": "WARNING",
}


class SampleRequest(NamedTuple):
    """One sample that is wanted."""

    ids: list[int]
    parameters: dict[str, Any]
    """By the names that vLLM's SamplingParams and its server share."""


class Drawn(NamedTuple):
    """One sample."""

    token_ids: list[int]
    logprobs: list[float]
    stopped: bool
    """By an end-of-sequence token or a stop text; False where it was cut at its limit."""


class Engine(Protocol):
    """Draws samples from the weights that it was sent last; VllmPolicy says what the other methods do."""

    def draw(self, asked: Sequence[SampleRequest]) -> list[Drawn]:
        """A sample for each, in order. Raises PolicyError."""

    def draw_along(self) -> None: ...

    def send(self) -> None:
        """Take over the weights of the policy as they are now."""

    def rest(self) -> None: ...

    def close(self) -> None: ...


class InProcess:
    """vLLM's engine in this process; `folder` is where it reads the model at its start."""

    def __init__(self, policy: TransformersPolicy, folder: Path, settings: VllmSettings) -> None:
        self.policy, self.folder, self.settings = policy, folder, settings
        self._group: Any = None
        self._by_folder = settings.tensor_parallel > 1 and not dist.is_initialized()
        self._asleep, self._adapters, self._adapter = False, 0, None
        self._begun = not dist.is_initialized()
        """vLLM makes a process group of its own where there is none, and this object ends it."""
        os.environ.update(IN_PROCESS)
        self._vllm = _vllm()
        _save(policy, folder, base=settings.adapter == "lora")
        if dist.is_initialized() and settings.tensor_parallel > 1:
            self._group, _ = dist.new_subgroups(settings.tensor_parallel)
        with _undisturbed():
            self.llm = self._vllm.LLM(
                model=str(folder), logprobs_mode="processed_logprobs", **_limits(settings, policy)
            )

    def draw(self, asked: Sequence[SampleRequest]) -> list[Drawn]:
        if self._asleep:
            raise PolicyError("vLLM's engine sleeps; call send_weights() before generate()")
        return self._drawn(asked) if self._group is None else self._together(asked) or []

    def draw_along(self) -> None:
        while self._group is not None and self._together(None) is not None:
            pass

    def _together(self, asked: Sequence[SampleRequest] | None) -> list[Drawn] | None:
        """What this process asked, drawn by all of its group; None once no process of the group asks any more.

        Episodes end earlier in one process than in another, and each call of the engine takes all of them: who has
        what it needs asks None.
        """
        shares: list[list[SampleRequest] | None] = [None] * dist.get_world_size(self._group)
        dist.all_gather_object(shares, None if asked is None else list(asked), group=self._group)
        if all(share is None for share in shares):
            return None
        wanted = [share or [] for share in shares]
        first = sum(map(len, wanted[: dist.get_rank(self._group)]))
        drawn = self._drawn([one for share in wanted for one in share])  # the same everywhere, in the same order
        return drawn[first : first + len(asked or [])]

    def _drawn(self, asked: Sequence[SampleRequest]) -> list[Drawn]:
        room, longest = self.llm.model_config.max_model_len, max(len(one.ids) for one in asked)
        if longest >= room:
            raise PolicyError(f"vLLM has room for {room} tokens, and a prompt has {longest}; raise max_length")
        given = [self._vllm.TokensPrompt(prompt_token_ids=one.ids) for one in asked]
        parameters = [
            self._vllm.SamplingParams(**one.parameters, logprobs=0, detokenize=bool(one.parameters["stop"]))
            for one in asked
        ]
        outputs = self.llm.generate(given, parameters, use_tqdm=False, lora_request=self._adapter)
        return [_said(output.outputs[0]) for output in outputs]

    def send(self) -> None:
        if self._asleep:
            self.llm.wake_up(tags=["weights"])
        if self.settings.adapter == "lora":
            self._send_adapter()
        elif self._by_folder:
            _write(self.policy, self.folder)
            self.llm.collective_rpc("reload_weights", kwargs={"weights_path": str(self.folder)})
        else:
            self.llm.collective_rpc("reload_weights", kwargs={"weights_iterator": _weights(self.policy)})
        if self._asleep:
            self.llm.wake_up(tags=["kv_cache"])
            self._asleep = False
        self.llm.reset_prefix_cache()

    def _send_adapter(self) -> None:
        """Each version has a number of its own, so that nothing cached of an older one is taken for it."""
        if self._adapter is not None:
            self.llm.llm_engine.remove_lora(self._adapters)
        self._adapters += 1
        place = self.folder / "adapter"
        self.policy.model.save_pretrained(place)
        request = importlib.import_module("vllm.lora.request").LoRARequest
        self._adapter = request(f"policy-{self._adapters}", self._adapters, str(place))

    def rest(self) -> None:
        if self.settings.sleep and not self._asleep:
            self.llm.sleep(level=1 if self.settings.adapter == "lora" else 2)  # 2 forgets the weights
            self._asleep = True

    def close(self) -> None:
        self.llm.llm_engine.engine_core.shutdown()
        if self._begun and dist.is_initialized():
            importlib.import_module("vllm.distributed").cleanup_dist_env_and_memory()


class Served:
    """A `vllm serve` of the same model; `folder` is where it reads new weights."""

    def __init__(self, policy: TransformersPolicy, folder: Path, settings: VllmSettings) -> None:
        self.policy, self.folder, self.url = policy, folder.resolve(), address(settings.url).removesuffix("/v1")
        patience = Patience(concurrency=settings.concurrency, timeout_s=3600)
        self._http, self._threads = client(patience, KEY), ThreadPoolExecutor(settings.concurrency)
        self._poster = Poster(self._http, patience)
        models = ask(self._http, patience, "GET", f"{self.url}/v1/models")
        self.model = self._read("/v1/models", models, lambda listed: str(listed["data"][0]["id"]))

    def draw(self, asked: Sequence[SampleRequest]) -> list[Drawn]:
        return list(self._threads.map(self._one, asked))

    def draw_along(self) -> None:
        """It answers each process by itself."""

    def _one(self, asked: SampleRequest) -> Drawn:
        body = {"model": self.model, "prompt": asked.ids, "logprobs": 0, "return_token_ids": True, **asked.parameters}
        answer = self._poster.post(f"{self.url}/v1/completions", body)
        return self._read("/v1/completions", answer, lambda made: self._drawn(made["choices"][0]))

    def _drawn(self, choice: Any) -> Drawn:
        if choice["finish_reason"] not in ("stop", "length"):
            raise PolicyError(f"{self.url}: a completion ended by {choice['finish_reason']}; see the server's log")
        return Drawn(choice["token_ids"], choice["logprobs"]["token_logprobs"], choice["finish_reason"] == "stop")

    def send(self) -> None:
        """All processes take part in the saving; one tells the server, which answers nobody meanwhile."""
        first = not dist.is_initialized() or dist.get_rank() == 0
        _write(self.policy, self.folder, write=first)
        if first:
            self._tell("/pause?mode=wait")
            reload = {"method": "reload_weights", "kwargs": {"weights_path": str(self.folder)}}
            self._tell("/collective_rpc", reload)
            self._tell("/reset_prefix_cache")
            self._tell("/resume")
        if dist.is_initialized():
            dist.barrier()

    def rest(self) -> None:
        """It is another's: it stays as it is."""

    def close(self) -> None:
        self._threads.shutdown(cancel_futures=True)
        self._http.close()

    def _tell(self, path: str, body: dict[str, Any] | None = None) -> None:
        self._check(path, self._poster.post(self.url + path, body or {}))

    def _read(self, path: str, answer: Answer, read: Callable[[Any], Found]) -> Found:
        """Raises PolicyError for what is no answer."""
        self._check(path, answer)
        try:
            return read(answer.json())
        except (ValueError, KeyError, TypeError, IndexError) as error:
            excerpt = answer.excerpt[:200]
            raise PolicyError(f"{self.url + path}: not an answer of vLLM ({error!r}): {excerpt}") from error

    def _check(self, path: str, answer: Answer) -> None:
        if answer.status_code != 200:
            hint = {404: "start the server with VLLM_SERVER_DEV_MODE=1"}
            raise PolicyError(refusal(self.url + path, answer, KEY, hint))


def _said(output: Any) -> Drawn:
    if output.finish_reason not in ("stop", "length"):
        raise PolicyError(f"vLLM ended a completion by {output.finish_reason}; see its log above")
    tokens = [int(i) for i in output.token_ids]
    logprobs = [float(step[i].logprob) for step, i in zip(output.logprobs, tokens, strict=True)]
    return Drawn(tokens, logprobs, output.finish_reason == "stop")


def _weights(policy: TransformersPolicy) -> Iterator[tuple[str, torch.Tensor]]:
    """Each weight as it is now, an adapter merged in; one that is spread over processes is put together."""
    for name, weight in policy.merged().state_dict().items():
        whole = getattr(weight, "full_tensor", None)  # of torch's DTensor
        yield name, weight if whole is None else whole()


def _write(policy: TransformersPolicy, folder: Path, *, write: bool = True) -> None:
    """The weights alone, for an engine that has the model already.

    A head that is tied to the embeddings is written too, which `save_pretrained` leaves out: without it vLLM 0.32's
    CPU build continues with the head that it had.
    """
    weights = {name: weight.detach().cpu().clone() for name, weight in _weights(policy)}  # files take no shared tensors
    if write:
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = folder / "weights.tmp"
        save_file(weights, unfinished, {"format": "pt"})
        unfinished.replace(folder / "model.safetensors")


def _save(policy: TransformersPolicy, folder: Path, *, base: bool) -> None:
    """The model as vLLM reads it at its start; `base` leaves its adapter out."""
    if not base:
        policy.save(folder)
        return
    adapted: Any = copy.deepcopy(policy.model)
    adapted.unload().save_pretrained(folder)
    policy.tokenizer.save_pretrained(folder)


def _limits(settings: VllmSettings, policy: TransformersPolicy) -> dict[str, Any]:
    """The keywords of vllm.LLM for this policy."""
    dtype = str(policy.model.dtype).removeprefix("torch.") if settings.dtype == "auto" else settings.dtype
    keywords: dict[str, Any] = {
        "dtype": dtype,
        "gpu_memory_utilization": settings.memory_share,
        "tensor_parallel_size": settings.tensor_parallel,
        "enforce_eager": settings.eager,
        "enable_sleep_mode": settings.sleep,
    }
    if settings.max_length is not None:
        keywords["max_model_len"] = settings.max_length
    if dist.is_initialized():
        keywords["distributed_executor_backend"] = "external_launcher"
    if settings.adapter == "lora":
        adapters: Mapping[str, Any] = getattr(policy.model, "peft_config", None) or {}
        if not adapters:
            raise ConfigError("adapter 'lora' sends a LoRA adapter alone: set lora_rank, or adapter='merged'")
        rank = max(one.r for one in adapters.values())
        keywords |= {"enable_lora": True, "max_loras": 1, "max_lora_rank": next(r for r in LORA_RANKS if r >= rank)}
    return {**keywords, **settings.more}


@contextmanager
def _undisturbed() -> Iterator[None]:
    """vLLM seeds every generator of the process and, on a CPU, takes torch's setting of threads away."""
    states, threads = (random.getstate(), np.random.get_state()), torch.set_num_threads
    try:
        with torch.random.fork_rng():
            yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])
        torch.set_num_threads = threads


def _vllm() -> Any:
    try:
        return importlib.import_module("vllm")
    except ImportError as error:
        raise MissingExtra("vllm", "vllm") from error
