"""Traces of verifiers: `traces.jsonl` of vf-eval and of prime-rl (verifiers 0.4.0)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError
from rlenv.core.reading.message import message_text
from rlenv.logs.record import Record, number

CUT = "length"


def verifiers_records(file: Path, reward: str | None) -> Iterator[Record]:
    """Every trace of every episode; `reward` names one of its rewards, without it their weighted sum counts."""
    with file.open(encoding="utf-8") as lines:
        for place, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                traces = json.loads(line)["traces"]
                yield from (_record(f"{file} line {place}", trace, reward) for trace in traces)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                problem = f"{type(error).__name__}: {error}"
                raise ConfigError(f"{file} line {place}: not an episode of verifiers ({problem}); remove it") from error


def _record(where: str, trace: Mapping[str, Any], reward: str | None) -> Record:
    data = trace["task"]["data"]
    asked = data.get("prompt")
    prompt = asked if isinstance(asked, str) else "\n\n".join(str(m.get("content") or "") for m in asked or [])
    completion, problem = _completion(trace)
    calls = trace.get("calls") or [{}]
    return Record(
        where,
        prompt,
        completion,
        _reward(trace, reward),
        problem,
        row=str(data.get("row") or ""),
        task_id=str(data.get("id") or trace["task"].get("key") or ""),
        columns=data,
        policy=str(calls[-1].get("model") or ""),
    )


def _completion(trace: Mapping[str, Any]) -> tuple[Completion | None, str]:
    said = [node["message"] for node in trace["nodes"] if node.get("sampled")]
    if len(said) != 1:
        return None, "it has several turns" if said else "the model said nothing"
    text, segments = message_text(said[0])
    cut = any(call.get("finish_reason") == CUT for call in trace.get("calls") or [])
    return Completion(text, segments=segments, finished=not cut), ""


def _reward(trace: Mapping[str, Any], named: str | None) -> float | None:
    """The rewards times their weights; None where one was not given, or the trace has an error."""
    rewards = trace.get("rewards") or {}
    kept = {name: value for name, value in rewards.items() if named in (None, name)}
    if not kept or trace.get("errors") or any(value is None for value in kept.values()):
        return None
    values = [number(value["score"]) for value in kept.values()]
    weights = [number(value.get("weight", 1.0)) or 0.0 for value in kept.values()]
    if any(value is None for value in values):
        return None
    return sum((value or 0.0) * weight for value, weight in zip(values, weights, strict=True))
