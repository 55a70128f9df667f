"""Logs of Inspect: `.eval`, and the JSON that `inspect log convert --to json` makes of one (inspect-ai 0.3.285).

An `.eval` is a zip with header.json and samples/*.json. Inspect packs it with zstandard, which Python reads from 3.14
on: below that this needs inspect-ai itself, or its zipfile-zstd, in the same environment.
"""

from __future__ import annotations

import importlib
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError
from rlenv.door.reading import unpacked_most
from rlenv.logs.record import SEVERAL_TURNS, Record, completion_of, logged, number, parsed, prompt_of, text_of

ROW, PLAYED = "rlenv_row", "rlenv_completion"
CUT = ("max_tokens", "model_length")
"""Inspect's reasons to stop that mean that the policy was cut."""
LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""Inspect's values of a score that are letters: correct, incorrect, partial, no answer."""
MAX_SAMPLE, MOST_SAMPLES = 1 << 28, 50_000
"""Bytes of one unpacked sample, and how many an `.eval` may have: to open one takes time, whatever is in it."""
HEADER = "header.json"
_Log: TypeAlias = "tuple[Any, Sequence[str], Callable[[str], Any]]"
"""Its header, where its samples are, and what reads one."""


def inspect_records(file: Path, reward: str | None) -> Iterator[Record]:
    """The samples of a log; `reward` names the scorer where there are several."""
    with ExitStack() as opened:
        with logged(str(file)):
            header, places, sample = _json_log(file) if file.suffix == ".json" else _eval_log(file, opened)
            model = text_of(header["eval"].get("model"))
        for place in places:
            with logged(f"{file} {place}"):
                record = _record(f"{file} {place}", sample(place), reward, model)
            yield record


def _record(where: str, sample: Mapping[str, Any], scorer: str | None, model: str) -> Record:
    metadata, prompt = sample.get("metadata") or {}, prompt_of(sample["input"])
    completion, problem = _completion(sample)
    return Record(
        where,
        _attached(sample, prompt),
        completion,
        _score(where, sample.get("scores") or {}, scorer),
        problem,
        row=text_of(metadata.get(ROW)),
        task_id=text_of(sample.get("id")),
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
    return text_of((sample.get("attachments") or {}).get(text.removeprefix("attachment://"), text))


def _score(where: str, scores: Mapping[str, Mapping[str, Any]], scorer: str | None) -> float | None:
    """What the scorer gave; None where it left the sample unscored."""
    if scorer is None and len(scores) > 1:
        raise ConfigError(f"{where}: expected one scorer, got {', '.join(scores)}; say --reward NAME")
    given = scores.get(scorer) if scorer else next(iter(scores.values()), None)
    value = None if given is None else given.get("value")
    return LETTERS[value] if isinstance(value, str) and value in LETTERS else number(value)


def _json_log(file: Path) -> _Log:
    text = file.read_bytes()
    log: Any = parsed(text, len(text))
    samples = {f"sample {place}": sample for place, sample in enumerate(log.get("samples") or (), start=1)}
    return log, list(samples), samples.__getitem__


def _eval_log(file: Path, opened: ExitStack) -> _Log:
    """Raises ConfigError for a log that cannot be opened or has not ended, and for more than is read."""
    try:
        packed = opened.enter_context(zipfile.ZipFile(file))
    except Exception as error:  # zipfile raises those of several modules
        raise ConfigError(f"{file}: not a log of Inspect ({error}); give the .eval as Inspect wrote it") from error
    sizes = {info.filename: info.file_size for info in packed.infolist()}
    names = sorted(name for name in sizes if name.startswith("samples/"))
    if HEADER not in sizes:
        raise ConfigError(f"{file}: not a log of Inspect that has ended: it has no {HEADER}; let the evaluation end")
    if len(names) > MOST_SAMPLES:
        raise ConfigError(f"{file}: expected at most {MOST_SAMPLES:,} samples, got {len(names):,}; log it in parts")
    read = [sizes[name] for name in (HEADER, *names)]
    if max(read) > MAX_SAMPLE or sum(read) > unpacked_most(file):
        most = min(MAX_SAMPLE, unpacked_most(file))
        raise ConfigError(f"{file}: a sample is larger than {most:,} bytes, or all are; export it without its events")
    return _unpacked(packed, HEADER), names, partial(_unpacked, packed)


def _unpacked(packed: zipfile.ZipFile, name: str) -> Any:
    """What the JSON of an entry says. Raises ConfigError for one that cannot be unpacked."""
    try:
        text = packed.read(name)
    except NotImplementedError:
        try:
            importlib.import_module("zipfile_zstd")  # teaches zipfile zstandard
        except ImportError:
            raise ConfigError(
                f"{packed.filename} is packed with zstandard, which this Python cannot read: pip install zipfile-zstd, "
                "or `inspect log convert --to json --output-dir DIR FILE` and give the .json"
            ) from None
        with zipfile.ZipFile(str(packed.filename)) as again:
            text = again.read(name)
    except Exception as error:  # zipfile raises those of every way to pack
        raise ConfigError(f"{packed.filename} {name}: cannot be unpacked ({error}); give the log as .json") from error
    return parsed(text, packed.getinfo(name).compress_size)
