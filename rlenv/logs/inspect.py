"""Logs of Inspect: `.eval`, and the JSON that `inspect log convert --to json` makes of one (inspect-ai 0.3.285).

An `.eval` is a zip with header.json and samples/*.json. Inspect packs it with zstandard, which Python reads from 3.14
on: below that this needs inspect-ai itself, or its zipfile-zstd, in the same environment.
"""

from __future__ import annotations

import importlib
import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError
from rlenv.core.reading.message import message_text
from rlenv.logs.record import Record, number

ROW, PLAYED = "rlenv_row", "rlenv_completion"
CUT = ("max_tokens", "model_length")
"""Inspect's reasons to stop that mean that the policy was cut."""
LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""Inspect's values of a score that are letters: correct, incorrect, partial, no answer."""
_ATTACHED = "attachment://"
MAX_SAMPLE = 1 << 28
"""Bytes of one unpacked sample."""


def inspect_records(file: Path, reward: str | None) -> Iterator[Record]:
    """The samples of a log; `reward` names the scorer where there are several."""
    model, samples = _opened(file)
    for where, sample in samples:
        yield _record(f"{file} {where}", sample, reward, model)


def _record(where: str, sample: Mapping[str, Any], scorer: str | None, model: str) -> Record:
    attached = sample.get("attachments") or {}
    asked = sample.get("input")
    prompt = asked if isinstance(asked, str) else "\n\n".join(_text(m.get("content")) for m in asked or [])
    completion, problem = _completion(sample)
    return Record(
        where,
        attached.get(prompt.removeprefix(_ATTACHED), prompt),
        completion,
        _score(where, sample.get("scores") or {}, scorer),
        problem,
        row=str((sample.get("metadata") or {}).get(ROW) or ""),
        task_id=str(sample.get("id") or ""),
        columns={"target": sample.get("target"), **(sample.get("metadata") or {})},
        policy=model,
    )


def _completion(sample: Mapping[str, Any]) -> tuple[Completion | None, str]:
    played = (sample.get("store") or {}).get(PLAYED)
    if isinstance(played, Mapping):
        return Completion.from_json(dict(played)), ""
    if sum(message.get("role") == "assistant" for message in sample.get("messages") or []) > 1:
        return None, "it has several turns"
    choices = (sample.get("output") or {}).get("choices") or []
    if not choices:
        return None, "the model said nothing, or the sample failed before"
    text, segments = message_text(_parts(choices[0]["message"]))
    text = (sample.get("attachments") or {}).get(text.removeprefix(_ATTACHED), text)
    return Completion(text, segments=segments, finished=choices[0].get("stop_reason") not in CUT), ""


def _parts(message: Mapping[str, Any]) -> dict[str, object]:
    """A message whose content may be parts of reasoning and of text, in the form of an endpoint."""
    content = message.get("content")
    thought = (
        [p.get("reasoning", "") for p in content if p.get("type") == "reasoning"] if isinstance(content, list) else []
    )
    return {"content": _text(content), "reasoning_content": "\n".join(thought), "tool_calls": message.get("tool_calls")}


def _text(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if part.get("type") == "text")
    return str(content or "")


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
