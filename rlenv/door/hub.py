"""Models of the Hugging Face hub: its libraries ask one that is not there six times, for half a minute a file."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies


@contextmanager
def no_progress_bars() -> Iterator[None]:
    """Loading and saving a model is one line of ours, not a bar for each of its files."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


@contextmanager
def asking_hub(name: str) -> Iterator[None]:
    """Within it, what the hub holds of this name is looked for on this machine alone where the hub cannot be found."""
    if Path(name).exists() or _is_there():
        yield
        return
    settings: list[Any] = [
        sys.modules[name] for name in ("huggingface_hub.constants", "datasets.config") if name in sys.modules
    ]
    before = [module.HF_HUB_OFFLINE for module in settings]
    try:
        for module in settings:
            module.HF_HUB_OFFLINE = True
        yield
    finally:
        for module, was in zip(settings, before, strict=True):
            module.HF_HUB_OFFLINE = was


def model_file(name: str, file: str) -> Path | None:
    """A file of a folder or of a model of the hub; None where the hub has none.

    Raises OSError for a config.json, which is asked for first, where there is no model or no hub.
    """
    if Path(name).is_dir():
        return Path(name) / file
    from transformers.utils.hub import cached_file

    found = cached_file(name, file, _raise_exceptions_for_missing_entries=file == "config.json")
    return None if found is None else Path(found)


def _is_there() -> bool:
    """Whether the hub's name leads anywhere; behind a proxy it need not."""
    from huggingface_hub.constants import ENDPOINT

    if set(getproxies()) - {"no"}:  # NO_PROXY alone names none
        return True
    try:
        socket.getaddrinfo(urlsplit(ENDPOINT).hostname, None)
    except OSError:
        return False
    return True
