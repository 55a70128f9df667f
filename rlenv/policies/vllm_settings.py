"""How vLLM runs, where it generates for a trainer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rlenv.core.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class VllmSettings:
    """Those of the engine itself do not count where `url` names a server, which has its own."""

    url: str = ""
    """`http://HOST:8000` of a server with VLLM_SERVER_DEV_MODE=1; empty means an engine in this process."""
    memory_share: float = 0.3
    """Of the device's memory that engine and cache may take beside the trainer (vLLM itself would take .92)."""
    tensor_parallel: int = 1
    """Over so many devices each matrix is spread; in a run of several processes these are neighbours among them."""
    max_length: int | None = None
    """Tokens of prompt and completion that there is room for; what the model was made for when not given."""
    dtype: str = "auto"
    """Of the engine's weights; `auto` is that of the policy, where vLLM's own would make float16 of float32."""
    sleep: bool = False
    """Free the engine's memory while the trainer updates (a GPU only)."""
    eager: bool = False
    """Neither compile nor capture graphs: starts sooner, runs slower."""
    adapter: Literal["merged", "lora"] = "merged"
    """A LoRA adapter is merged into the weights that are sent, or sent alone and applied by the engine."""
    concurrency: int = 64
    """Requests under way at a server."""
    more: Mapping[str, bool | int | float | str] = field(default_factory=dict)
    """Other keywords of vllm.LLM."""

    def __post_init__(self) -> None:
        if not 0 < self.memory_share <= 1:
            raise ConfigError(f"expected memory_share in (0, 1], got {self.memory_share}")
        if self.tensor_parallel < 1:
            raise ConfigError(f"expected tensor_parallel of at least 1, got {self.tensor_parallel}")
        if self.adapter not in ("merged", "lora"):
            raise ConfigError(f"expected adapter to be merged or lora, got {self.adapter!r}")
        if self.url and (self.adapter == "lora" or self.sleep):
            raise ConfigError("a server gets merged weights and does not sleep: expected adapter 'merged', sleep False")
