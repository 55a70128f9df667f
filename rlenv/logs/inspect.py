"""Logs of Inspect: `.eval`, and the JSON that `inspect log convert --to json` makes of one (inspect-ai 0.3.285).

An `.eval` is a zip with header.json and samples/*.json. Inspect packs it with zstandard, which Python reads from 3.14
on: below that this needs inspect-ai itself, or its zipfile-zstd, in the same environment.
"""

from __future__ import annotations

import importlib
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError
from rlenv.logs.record import SEVERAL_TURNS, Record, completion_of, number, prompt_of

ROW, PLAYED = "rlenv_row", "rlenv_completion"
CUT = ("max_tokens", "model_length")
"""Inspect's reasons to stop that mean that the policy was cut."""
LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""Inspect's values of a score that are letters: correct, incorrect, partial, no answer."""
MAX_SAMPLE = 1 << 28
"""Bytes of one unpacked sample."""


def inspect_records(file: Path, reward: str | None) -> Iterator[Record]:
    """The samples of a log; `reward` names the scorer where there are several."""
    model, samples = _opened(file)
    for where, sample in samples:
        yield _record(f"{file} {where}", sample, reward, model)


def _record(where: str, sample: Mapping[str, Any], scorer: str | None, model: str) -> Record:
    metadata, prompt = sample.get("metadata") or {}, prompt_of(sample.get("input"))
    completion, problem = _completion(sample)
    return Record(
        where,
        _attached(sample, prompt),
        completion,
        _score(where, sample.get("scores") or {}, scorer),
        problem,
        row=str(metadata.get(ROW) or ""),
        task_id=str(sample.get("id") or ""),
        columns={"target": sample.get("target"), **metadata},
        policy=model,
    )


def _completion(sample: Mapping[str, Any]) -> tuple[Completion | None, str]:
    played = (sample.get("store") or {}).get(PLAYED)
    if isinstance(played, Mapping):
        return Completion.from_json(dict(played)), ""
    if sum(message.get("role") == "assistant" for message in sample.get("messages") or []) > 1:
        return None, SEVERAL_TURNS
    choices = (sample.get("output") or {}).get("choices") or []
    if not choices:
        return None, "the model said nothing, or the sample failed before"
    completion = completion_of(choices[0]["message"], finished=choices[0].get("stop_reason") not in CUT)
    return replace(completion, text=_attached(sample, completion.text)), ""


def _attached(sample: Mapping[str, Any], text: str) -> str:
    """Long texts stand apart from where they were said."""
    return str((sample.get("attachments") or {}).get(text.removeprefix("attachment://"), text))


def _score(where: str, scores: Mapping[str, Mapping[str, Any]], scorer: str | None) -> float | None:
    """What the scorer gave; None where it left the sample unscored."""
    if scorer is None and len(scores) > 1:
        raise ConfigError(f"{where}: expected one scorer, got {', '.join(scores)}; say --reward NAME")
    given = scores.get(scorer) if scorer else next(iter(scores.values()), None)
    value = None if given is None else given.get("value")
    return LETTERS[value] if isinstance(value, str) and value in LETTERS else number(value)


def _opened(file: Path) -> tuple[str, list[tuple[str, Mapping[str, Any]]]]:
    try:
        if file.suffix == ".json":
            log = json.loads(file.read_text(encoding="utf-8"))
            samples = log.get("samples") or []
            return str(log["eval"].get("model", "")), [(f"sample {i}", s) for i, s in enumerate(samples, 1)]
        with zipfile.ZipFile(file) as packed:
            names = sorted(name for name in packed.namelist() if name.startswith("samples/"))
            if any(packed.getinfo(name).file_size > MAX_SAMPLE for name in ("header.json", *names)):
                raise ConfigError(f"{file}: a sample is larger than {MAX_SAMPLE:,} bytes; export it without its events")
            header = json.loads(_unpacked(packed, "header.json"))
            return str(header["eval"].get("model", "")), [(name, json.loads(_unpacked(packed, name))) for name in names]
    except ConfigError:
        raise
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ConfigError(f"{file}: not a log of Inspect that has ended ({type(error).__name__}: {error})") from error


def _unpacked(packed: zipfile.ZipFile, name: str) -> bytes:
    try:
        return packed.read(name)
    except NotImplementedError:
        try:
            importlib.import_module("zipfile_zstd")  # teaches zipfile zstandard
        except ImportError:
            raise ConfigError(
                f"{packed.filename} is packed with zstandard, which this Python cannot read: pip install zipfile-zstd, "
                "or `inspect log convert --to json --output-dir DIR FILE` and give the .json"
            ) from None
        with zipfile.ZipFile(str(packed.filename)) as again:
            return again.read(name)
