"""Everything a run needs to go on as if it had never stopped, in one file written whole or not at all."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from rlenv.errors import RunError

FILE = "checkpoint.pt"


def save(path: Path, state: Mapping[str, Any]) -> None:
    """Write, flush to the disk, then put in place: a kill leaves the old checkpoint or the new one."""
    temporary = path.with_suffix(".tmp")
    with temporary.open("wb") as file:
        torch.save(dict(state), file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def load(path: Path, device: torch.device) -> dict[str, Any]:
    """The saved state, on this device. Raises RunError when the file is not one of ours."""
    try:
        state: dict[str, Any] = torch.load(path, map_location=device, weights_only=True)
    except Exception as error:  # torch raises errors of zipfile, pickle and its own
        raise RunError(
            f"{path} is not a readable checkpoint ({type(error).__name__}); start in a new folder"
        ) from error
    return state


def fingerprint(tensors: Mapping[str, torch.Tensor]) -> str:
    """The same text for bitwise the same weights."""
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(tensors):
        digest.update(name.encode())
        digest.update(tensors[name].detach().cpu().contiguous().view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()
