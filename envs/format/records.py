"""Small records made by code: a text that tells them, a JSON Schema for them, and the value itself.

>>> record = draw_record(np.random.default_rng(11))
>>> print(record.text)
Ann Grant, 61, works as a teacher in Graz. She speaks Greek and Spanish. She does not own a car.
>>> record.value["age"], record.value["languages"]
(61, ['Greek', 'Spanish'])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rlenv.core.jsontypes import Json

INSTRUCTION = "Reply with nothing but one JSON value that holds this and conforms to this JSON Schema:"
_FIRST = (("Ann", "She"), ("Bela", "He"), ("Clara", "She"), ("David", "He"), ("Ewa", "She"), ("Farid", "He"))
_LAST = ("Adler", "Berg", "Costa", "Dupont", "Eriksen", "Fischer", "Grant", "Horvat")
_CITIES = ("Oslo", "Turin", "Lyon", "Graz", "Porto", "Gdansk", "Leeds", "Bern")
_JOBS = ("baker", "pilot", "nurse", "teacher", "plumber", "cook")
_LANGUAGES = ("Spanish", "Dutch", "Greek", "Polish", "Danish")
_GOODS = ("apples", "nails", "candles", "envelopes", "bottles", "bricks")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
TEXT: dict[str, Json] = {"type": "string", "minLength": 1}


class Record(NamedTuple):
    """What a text tells, and the schema that its JSON form must conform to."""

    text: str
    schema: dict[str, Json]
    value: dict[str, Json]


def draw_record(rng: np.random.Generator) -> Record:
    """One record of a kind drawn uniformly."""
    kinds = (_person, _order, _timetable)
    return kinds[rng.integers(len(kinds))](rng)


def _pick(rng: np.random.Generator, items: Sequence[str]) -> str:
    return items[int(rng.integers(len(items)))]


def _some(rng: np.random.Generator, items: Sequence[str], count: int) -> list[str]:
    return [items[i] for i in rng.choice(len(items), size=count, replace=False)]


def _object(properties: dict[str, Json]) -> dict[str, Json]:
    """The schema of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": sorted(properties),
        "additionalProperties": False,
    }


def _person(rng: np.random.Generator) -> Record:
    first, pronoun = _FIRST[rng.integers(len(_FIRST))]
    last, city, job = _pick(rng, _LAST), _pick(rng, _CITIES), _pick(rng, _JOBS)
    age, spoken, owns = (
        int(rng.integers(18, 90)),
        _some(rng, _LANGUAGES, int(rng.integers(1, 3))),
        bool(rng.integers(2)),
    )
    text = (
        f"{first} {last}, {age}, works as a {job} in {city}. {pronoun} speaks {' and '.join(spoken)}. "
        f"{pronoun} {'owns' if owns else 'does not own'} a car."
    )
    schema = _object(
        {
            "first_name": TEXT,
            "last_name": TEXT,
            "age": {"type": "integer", "minimum": 0, "maximum": 120},
            "job": {"enum": list(_JOBS)},
            "city": TEXT,
            "languages": {
                "type": "array",
                "items": TEXT,
                "minItems": 1,
                "uniqueItems": True,
                "description": "in the order of the text",
            },
            "owns_car": {"type": "boolean"},
        }
    )
    value: dict[str, Json] = {
        "first_name": first,
        "last_name": last,
        "age": age,
        "job": job,
        "city": city,
        "languages": spoken,
        "owns_car": owns,
    }
    return Record(text, schema, value)


def _order(rng: np.random.Generator) -> Record:
    count = int(rng.integers(2, 4))
    goods = _some(rng, _GOODS, count)
    amounts, cents = rng.integers(2, 60, size=count).tolist(), rng.integers(5, 400, size=count).tolist()
    number = int(rng.integers(1000, 10_000))
    lines = [f"{n} {good} at {c / 100:.2f} each" for good, n, c in zip(goods, amounts, cents, strict=True)]
    paid = bool(rng.integers(2))
    text = f"Order {number}: {'; '.join(lines)}. It has {'' if paid else 'not '}been paid."
    item = _object(
        {
            "good": {"enum": list(_GOODS)},
            "amount": {"type": "integer", "exclusiveMinimum": 0},
            "price": {"type": "number", "exclusiveMinimum": 0},
        }
    )
    schema = _object(
        {
            "order": {"type": "integer"},
            "items": {"type": "array", "items": item, "minItems": 1, "description": "in the order of the text"},
            "paid": {"type": "boolean"},
        }
    )
    items: list[Json] = [
        {"good": good, "amount": n, "price": c / 100} for good, n, c in zip(goods, amounts, cents, strict=True)
    ]
    return Record(text, schema, {"order": number, "items": items, "paid": paid})


def _timetable(rng: np.random.Generator) -> Record:
    days, hour = _some(rng, _DAYS, int(rng.integers(2, 4))), int(rng.integers(7, 18))
    start, teacher = f"{hour:02d}:{15 * int(rng.integers(4)):02d}", _pick(rng, _LAST)
    minutes, room = int(rng.integers(3, 9)) * 15, int(rng.integers(1, 30)) if rng.random() < 0.7 else None
    where = f"in room {room}" if room is not None else "in a room that is not known yet"
    text = f"The course of {teacher} takes {minutes} minutes from {start}, on {', '.join(days)}, {where}."
    schema = _object(
        {
            "teacher": TEXT,
            "days": {"type": "array", "items": {"enum": list(_DAYS)}, "description": "in the order of the text"},
            "start": {"type": "string", "description": "hh:mm, 24 hours"},
            "minutes": {"type": "integer"},
            "room": {"type": ["integer", "null"]},
        }
    )
    value: dict[str, Json] = {"teacher": teacher, "days": days, "start": start, "minutes": minutes, "room": room}
    return Record(text, schema, value)
