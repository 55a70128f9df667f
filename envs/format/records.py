"""Small records made by code: a text that tells them, a JSON Schema for them, and the value itself.

>>> record = draw_record(np.random.default_rng(11))
>>> print(record.text)
Ann Grant, 61, works as a teacher in Graz. She speaks Greek and Spanish. She does not own a car.
>>> record.value["age"], record.value["languages"]
(61, ['Greek', 'Spanish'])
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rlenv.core.jsontypes import Json

INSTRUCTION = "Reply with nothing but one JSON value that holds this and conforms to this JSON Schema:"
DATA: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "records.json").read_text(encoding="utf-8"))
"""What records are made of, and the schema of each kind."""


class Record(NamedTuple):
    """What a text tells, and the schema that its JSON form must conform to."""

    text: str
    schema: dict[str, Json]
    value: dict[str, Json]


def draw_record(rng: np.random.Generator) -> Record:
    """One record of a kind drawn uniformly."""
    kinds = (("person", _person), ("order", _order), ("timetable", _timetable))
    name, made = kinds[rng.integers(len(kinds))]
    text, value = made(rng)
    return Record(text, DATA["schemas"][name], value)


def _pick(rng: np.random.Generator, items: str) -> str:
    return str(DATA[items][int(rng.integers(len(DATA[items])))])


def _some(rng: np.random.Generator, items: str, count: int) -> list[str]:
    return [DATA[items][i] for i in rng.choice(len(DATA[items]), size=count, replace=False)]


def _person(rng: np.random.Generator) -> tuple[str, dict[str, Json]]:
    first, pronoun = DATA["names"][rng.integers(len(DATA["names"]))]
    last, city, job = _pick(rng, "surnames"), _pick(rng, "cities"), _pick(rng, "jobs")
    age, spoken = int(rng.integers(18, 90)), _some(rng, "languages", int(rng.integers(1, 3)))
    owns = bool(rng.integers(2))
    text = (
        f"{first} {last}, {age}, works as a {job} in {city}. {pronoun} speaks {' and '.join(spoken)}. "
        f"{pronoun} {'owns' if owns else 'does not own'} a car."
    )
    told: dict[str, Json] = {"first_name": first, "last_name": last, "age": age, "job": job, "city": city}
    return text, {**told, "languages": _json(spoken), "owns_car": owns}


def _order(rng: np.random.Generator) -> tuple[str, dict[str, Json]]:
    count = int(rng.integers(2, 4))
    goods = _some(rng, "goods", count)
    amounts, cents = rng.integers(2, 60, size=count).tolist(), rng.integers(5, 400, size=count).tolist()
    number = int(rng.integers(1000, 10_000))
    items = list(zip(goods, amounts, cents, strict=True))
    lines = [f"{n} {good} at {c / 100:.2f} each" for good, n, c in items]
    paid = bool(rng.integers(2))
    text = f"Order {number}: {'; '.join(lines)}. It has {'' if paid else 'not '}been paid."
    listed: list[Json] = [{"good": good, "amount": n, "price": c / 100} for good, n, c in items]
    return text, {"order": number, "items": listed, "paid": paid}


def _timetable(rng: np.random.Generator) -> tuple[str, dict[str, Json]]:
    days, hour = _some(rng, "days", int(rng.integers(2, 4))), int(rng.integers(7, 18))
    start, teacher = f"{hour:02d}:{15 * int(rng.integers(4)):02d}", _pick(rng, "surnames")
    minutes, room = int(rng.integers(3, 9)) * 15, int(rng.integers(1, 30)) if rng.random() < 0.7 else None
    where = f"in room {room}" if room is not None else "in a room that is not known yet"
    text = f"The course of {teacher} takes {minutes} minutes from {start}, on {', '.join(days)}, {where}."
    return text, {"teacher": teacher, "days": _json(days), "start": start, "minutes": minutes, "room": room}


def _json(texts: Sequence[str]) -> list[Json]:
    return list(texts)
