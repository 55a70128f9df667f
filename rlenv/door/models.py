r"""The one way in for models of a folder or of the hub: policies, scorers, bases and configurations are loaded within.

>>> check_counts({"text_config": {"num_hidden_layers": 10**9}}, "config.json")
Traceback (most recent call last):
rlenv.core.errors.ConfigError: config.json asks for 1000000000 num_hidden_layers, expected at most 10000; ...

A model's settings say how large it is, where its weights lie and on which model it is built, and the library believes
them: it makes the layers, opens the files, and says what it does not like by whatever exception comes first. So its
settings are looked at before, what is made of them is measured against the weights that are there, and each exception
becomes an error of ours.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rlenv.core.errors import ConfigError, MissingExtra, RlenvError
from rlenv.core.jsontypes import Json
from rlenv.door.files import leads_within, planted
from rlenv.door.hub import asking_hub, model_file, no_progress_bars
from rlenv.door.reading import MAX_JSON, check_stored, json_object
from rlenv.door.tokenizers import check_tokenizer

if TYPE_CHECKING:
    import torch

CONFIG, ADAPTER = "config.json", "adapter_config.json"
INDEXES = ("model.safetensors.index.json", "pytorch_model.bin.index.json")
TOKENS = ("tokenizer_config.json", "special_tokens_map.json", "added_tokens.json")
SETTINGS = (CONFIG, ADAPTER, *INDEXES, "generation_config.json", *TOKENS)
MAX_COUNT = 10_000
"""Layers and labels, of which a configuration makes lists before there is a model, and files of weights."""
_COUNTS = re.compile(r"(layers?|labels|depth)$")  # num_hidden_layers, n_layer, num_labels
TENSORS, BYTES_PER_TENSOR = 5_000, 500
"""So many tensors a model may have, and one more for so many bytes of weights: to make one takes 0.1 ms."""
NUMBERS, PLANNED, HELD = 50_000_000, 16, 3
"""So many numbers they may hold, and so many more for each byte: as planned (four bits a number, twice), in memory."""
MAX_REPEATS, MAX_PATTERNS = 3, 50
"""Of one pattern over names of modules, and of such patterns: time grows with the length to the power of the first."""
_REPEAT, _GROUPS = re.compile(r"[*+]|\{\d*,"), re.compile(r"\)[*+{]")  # `.*q_proj`, `(a+)+`
_HUB_ID = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")  # Qwen/Qwen2.5-0.5B, gpt2
_OTHER = "take another model, or mend that file"


@contextmanager
def loading(name: str, failure: Callable[[str], RlenvError]) -> Iterator[None]:
    """Within it a library loads what this folder or hub id names; `failure` makes an error of what there is to say.

    Raises that error for what could hold the process or leads out of the folder, and for whatever the library raises.
    """
    try:
        with no_progress_bars(), asking_hub(name):
            files = _checked(name)
            base = _base_of(name, files)
            with asking_hub(base or name), _measured(_folders(files) + _folders(_checked(base) if base else {})):
                yield
    except MissingExtra:
        raise
    except Exception as error:  # of transformers, tokenizers, safetensors, torch, pickle and peft: any
        raise failure(_first_line(error)) from error


def check_counts(config: Mapping[str, Json], file: object) -> None:
    """Raise ConfigError for more layers or labels than there can be, at any depth."""
    for key, value in config.items():
        if isinstance(value, Mapping):
            check_counts(value, file)
        elif isinstance(value, int) and value > MAX_COUNT and _COUNTS.search(key):
            raise ConfigError(f"{file} asks for {value} {key}, expected at most {MAX_COUNT}; {_OTHER}")


def _base_of(name: str, files: Mapping[str, Path]) -> str:
    """The model of the hub that an adapter is built on; empty for a whole one. Raises ConfigError for one elsewhere."""
    if ADAPTER not in files or (CONFIG in files and Path(name).is_dir()):  # what lies beside it is its base
        return ""
    base = json_object(files[ADAPTER].resolve()).get("base_model_name_or_path")
    if not isinstance(base, str) or not _HUB_ID.fullmatch(base) or Path(base).exists():
        raise ConfigError(
            f"{files[ADAPTER]} is an adapter to {base!r:.80}, which is no model of the hub; merge it into that model "
            "and save it whole"
        )
    return base


def _checked(name: str) -> dict[str, Path]:
    """The files of settings that there are. Raises RlenvError for one to beware of, OSError where there is no model."""
    if Path(name).is_dir():
        _check_links(Path(name))
    if Path(name).is_file():
        files = {CONFIG: Path(name)}
    else:
        asked = ((file, model_file(name, file)) for file in SETTINGS)
        files = {file: found for file, found in asked if found is not None and found.is_file()}
    for file, path in files.items():
        settings = json_object(path.resolve(), 2 * MAX_JSON)  # a hub's folder holds links to its files
        if file == CONFIG:
            check_counts(settings, path)
            _check_patterns(path, settings.get("quantization_config"))
        if file == ADAPTER:
            _check_patterns(path, settings)
        if file in INDEXES:
            _check_index(path, settings.get("weight_map"))
    check_tokenizer(None if Path(name).is_file() else model_file(name, "tokenizer.json"))
    for folder in _folders(files):
        for path in folder.glob("*.bin"):
            check_stored(path)
    return files


def _check_patterns(file: Path, settings: Json) -> None:
    """Raise ConfigError where names of modules, which are patterns to the library, could take long to be looked for."""
    patterns = [text for text in _texts(settings) if _REPEAT.search(text)]
    for text in patterns:
        if _GROUPS.search(text) or len(_REPEAT.findall(text)) > MAX_REPEATS or len(patterns) > MAX_PATTERNS:
            raise ConfigError(
                f"{file} has patterns that repeat too much, as {text!r:.80}; merge the adapter, or name modules plainly"
            )


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from value
        value = list(value.values())
    for inner in value if isinstance(value, list) else ():
        yield from _texts(inner)


def _folders(files: Mapping[str, Path]) -> list[Path]:
    return list({path.parent for path in files.values()})


def _check_links(folder: Path) -> None:
    """Raise RunError for a link out of the folder; one of the hub's cache leads to its blobs."""
    whole = folder.resolve()
    ways = [whole, whole.parents[1] / "blobs"] if whole.parent.name == "snapshots" else [whole]
    for path in (*folder.iterdir(), *folder.glob("additional_chat_templates/*")):
        if not any(path.resolve().is_relative_to(way) for way in ways):
            raise planted(path)


def _check_index(file: Path, places: object) -> None:
    """Raise ConfigError for an index of weights that lie elsewhere."""
    found = places.values() if isinstance(places, Mapping) else ()
    named = {place if isinstance(place, str) else repr(place) for place in found}
    if len(named) > MAX_COUNT:
        raise ConfigError(f"{file} names {len(named)} files, expected at most {MAX_COUNT}; {_OTHER}")
    for place in named:
        if not leads_within(file.parent, place):
            raise ConfigError(f"{file} names {place!r:.80}, expected files of its own folder; put the weights there")


@contextmanager
def _measured(folders: list[Path]) -> Iterator[None]:
    """Stops a model that is made of more than the weights in these folders, before it has memory."""
    from torch.nn.modules import module as hooks

    here, left = threading.get_ident(), Counter[str]()

    def measure(owner: object, name: str, made: torch.Tensor | None) -> None:
        if made is None or threading.get_ident() != here or not folders:
            return
        if not left:  # what comes from the hub is there by now
            size = sum(path.stat().st_size for folder in folders for path in _weights(folder)) or 1 << 60
            left.update(tensors=TENSORS + size // BYTES_PER_TENSOR)
            left.update(planned=NUMBERS + PLANNED * size, held=NUMBERS + HELD * size)
        left["tensors"] -= 1
        left["planned" if made.is_meta else "held"] -= made.numel()
        if min(left.values()) <= 0:
            raise ConfigError(f"its {CONFIG} asks for many times the weights that are there; {_OTHER}")

    handles = [
        hooks.register_module_parameter_registration_hook(measure),
        hooks.register_module_buffer_registration_hook(measure),
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _weights(folder: Path) -> list[Path]:
    return [path for way in ("*.safetensors", "*.bin") for path in (*folder.glob(way), *folder.glob(f"*/{way}"))]


def _first_line(error: Exception) -> str:
    """What an error says, in one line without colours; one that may say a key alone is named."""
    if isinstance(error, RlenvError):
        return str(error)
    lines = str(error).strip().splitlines()
    first = " ".join(lines[: 2 if lines and lines[0].endswith(":") else 1])
    said = "".join(filter(str.isprintable, first))[:300].removesuffix(".")
    return said if said and isinstance(error, (OSError, ValueError)) else f"{type(error).__name__}: {said}"
