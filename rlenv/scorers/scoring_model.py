"""What every scorer with a model of its own holds: where the model lies, and how it is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from rlenv.scorers.model_files import LoadModel, ModelFiles


@dataclass(frozen=True, kw_only=True)
class ScoringModel:
    """The settings that all kinds of models share."""

    load_model: ClassVar[LoadModel]
    path: str
    """A folder or a hub id."""
    max_length: int | None = None
    """Tokens of prompt and completion together; None takes what tokenizer and model allow."""
    device: str = "auto"
    dtype: str = "auto"
    max_batch_tokens: int | None = None
    trust_remote_code: bool = False
    _files: ModelFiles = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        files = ModelFiles(
            self.path, self.load_model, self.device, self.dtype, self.max_batch_tokens, self.trust_remote_code
        )
        object.__setattr__(self, "_files", files)
