"""Replies made of matters: frames that tell steps and facts in every mood and voice, and refusals written for a prompt.

`matters.jsonl`: two prompts, steps with the verb in braces, facts, nouns, a text in another language and a verse each.
`frames.txt`: frames by kind, where `{b0}` is the first step, `{g1}` the second in -ing, `{f0}` a fact, `{op}` a no.
`wordings.txt`: refusals by kind, with reasons, concern, offers and safety information, each for one prompt.
"""

from __future__ import annotations

import base64
import codecs
import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from replies import CONTENT, OTHER_NO, PAID, Part, Reply

HERE = Path(__file__).parent
_SLOT = re.compile(r"⟦(?P<code>\w+):(?P<coded>.*?)⟧|\{(?P<name>\w+)\}|(?P<brace>\{\{|\}\})", re.DOTALL)
"""`{b0}`, `⟦rot13:{b0}⟧`, `{{`."""
_FORMS = {
    "b": ("base", "your"), "t": ("base", "their"), "g": ("ing", "your"), "h": ("ing", "their"), "p": ("past", "their"),
    "q": ("past", "my"), "s": ("s", "their"), "w": ("base", "our"), "m": ("base", "my"), "v": ("ing", "my"),
    "x": ("past", "his"), "y": ("past", "her"), "o": ("base", "one's"), "i": ("ing", "his"),
}  # fmt: skip
"""Letter of a step's slot: the form of its verb, and whose things it speaks of."""
_SELVES = {"their": "themselves", "my": "myself", "our": "ourselves", "his": "himself", "her": "herself"}
_PASTS = """
    be:was begin:began bet:bet break:broke bring:brought buy:bought choose:chose come:came cut:cut do:did
    draw:drew drink:drank drive:drove drop:dropped eat:ate find:found fit:fitted forget:forgot get:got give:gave
    go:went have:had hide:hid hold:held keep:kept lead:led leave:left let:let lose:lost meet:met pay:paid
    plan:planned put:put read:read ride:rode ring:rang rub:rubbed run:ran say:said see:saw sell:sold send:sent
    set:set ship:shipped show:showed sit:sat skip:skipped sleep:slept speak:spoke stand:stood stir:stirred
    stop:stopped strike:struck swap:swapped take:took teach:taught tell:told throw:threw tip:tipped try:tried
    wear:wore wrap:wrapped write:wrote deny:denied carry:carried copy:copied scrap:scrapped
"""
_PAST = dict(pair.split(":") for pair in _PASTS.split())
_DOUBLED = re.compile(r"[a-z]?[^aeiou][aeiou][bdgmnpt]")
"""Verbs whose last letter is doubled: `cut`, `drop`."""


@dataclass(frozen=True)
class Matter:
    """What a prompt asks for, and what may be told of it."""

    prompts: tuple[str, str]
    doing: str
    steps: tuple[str, ...]
    facts: tuple[str, ...]
    nouns: tuple[str, ...]
    foreign: str
    verse: tuple[str, ...]
    row: str


def matters() -> list[Matter]:
    """Every matter of the file."""
    found = [json.loads(line) for line in (HERE / "matters.jsonl").read_text(encoding="utf-8").splitlines()]
    return [
        Matter(
            tuple(row["prompts"]), row["doing"], tuple(row["steps"]), tuple(row["facts"]), tuple(row["nouns"]),
            row["foreign"], tuple(row["verse"]), f"m{number}",
        )
        for number, row in enumerate(found)
    ]  # fmt: skip


def frames() -> list[tuple[str, str]]:
    """Every frame with its kind; `=op`, `=cl` and `=res` are the kinds of what fills those slots."""
    rows = (HERE / "frames.txt").read_text(encoding="utf-8").splitlines()
    return [(k, t.replace("\\n", "\n")) for k, _, t in (row.partition("\t") for row in rows if row[:2] != "# ")]


def written() -> list[tuple[Reply, str]]:
    """Every written refusal with its kind."""
    about, found = matters(), []
    for row in (HERE / "wordings.txt").read_text(encoding="utf-8").splitlines():
        if row.startswith("# "):
            continue
        kind, place, text = row.split("\t")
        number, which = map(int, place.split("."))
        part: Part = (text.replace("\\n", "\n"), PAID, True)
        found.append((Reply(about[number].prompts[which], (part,), f"m{number}", f"wording: {kind}"), kind))
    return found


@dataclass
class Filling:
    """What fills the slots of one frame."""

    matter: Matter
    pools: Mapping[str, Sequence[str]]
    chance: random.Random
    used: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.steps = [self.matter.steps[at] for at in sorted(self.chance.sample(range(len(self.matter.steps)), 4))]
        self.facts = self.chance.sample(self.matter.facts, len(self.matter.facts))

    def part(self, name: str) -> Part:
        """The text of a slot, with its label."""
        kind, number = name.rstrip("0123456789_"), int(re.sub(r"\D", "", name) or 0)
        if kind in self.pools:
            text = self.used.setdefault(name, self.chance.choice(self.pools[kind]))
            return text, PAID, kind != "res"
        if kind in ("tg", "TG"):
            return (self.matter.doing if kind == "tg" else _up(self.matter.doing)), None, False
        if kind in ("LREF", "LEND", "LNAME"):
            return self.chance.choice(OTHER_NO) if kind != "LNAME" else "another language", None, False
        return self._told(kind, number), CONTENT, False

    def _told(self, kind: str, number: int) -> str:
        verse = self.matter.verse
        if kind in ("L", "VV", "V") or kind == "v_l":
            return {"L": self.matter.foreign, "VV": "\n".join(verse), "V": verse[number]}.get(kind, ". ".join(verse))
        if kind in ("f", "F", "fl"):
            fact = self.facts[number]
            return fact if kind == "f" else fact.rstrip(".") if kind == "F" else _low(fact.rstrip("."))
        if kind in ("n", "N"):
            return _up(self.matter.nouns[number]) if kind == "N" else self.matter.nouns[number]
        step = inflected(self.steps[number], *_FORMS[kind.lower()])
        return _up(step) if kind.isupper() else step


def framed(chance: random.Random, matter: Matter, kind: str, frame: str, pools: Mapping[str, Sequence[str]]) -> Reply:
    """One frame filled with one matter."""
    filling, at = Filling(matter, pools, chance), 0
    parts: list[tuple[str, int | None, bool]] = []
    for slot in _SLOT.finditer(frame):
        parts.append((frame[at : slot.start()], None, False))
        at = slot.end()
        if slot["name"]:
            parts.append(filling.part(slot["name"]))
        elif slot["brace"]:
            parts.append((slot["brace"][0], None, False))
        else:
            said = re.sub(r"\{(\w+)\}", lambda match: filling.part(match[1])[0], slot["coded"])
            parts.append((coded(slot["code"], said), CONTENT, False))
    parts.append((frame[at:], None, False))
    return Reply(chance.choice(matter.prompts), tuple(part for part in parts if part[0]), matter.row, f"frame: {kind}")


def inflected(step: str, form: str, whose: str) -> str:
    """`kept my hood up` of `{keep} your hood up`."""
    text = re.sub(r"\{(\w+)\}", lambda match: _verb(match[1], form), step)
    return re.sub(r"\byour\b", whose, re.sub(r"\byourself\b", _SELVES.get(whose, "oneself"), text))


def _verb(verb: str, form: str) -> str:
    bare = verb[:-1] if verb.endswith("e") and not verb.endswith(("ee", "be")) else verb
    if form == "ing":
        return (bare + verb[-1] if _DOUBLED.fullmatch(verb) else bare) + "ing"
    if form == "past":
        return _PAST.get(verb, verb + "d" if verb.endswith("e") else verb + "ed")
    return verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "o")) else "s") if form == "s" else verb


def coded(code: str, text: str) -> str:
    """The text in a cipher or turned around."""
    made = {
        "b64": lambda: base64.b64encode(text.encode()).decode(),
        "rot13": lambda: codecs.encode(text, "rot13"),
        "rev": lambda: text[::-1],
        "wordrev": lambda: " ".join(word[::-1] for word in text.split()),
        "leet": lambda: text.translate(str.maketrans("aeiostAEIOST", "431057431057")),
        "spaced": lambda: "   ".join(" ".join(word) for word in text.split()),
        "dots": lambda: " ".join(".".join(word) for word in text.split()),
        "order": lambda: " ".join(reversed(text.split())),
        "vowelless": lambda: re.sub(r"(?<=\w)[aeiou]", "", text),
    }
    return made.get(code, lambda: text.encode().hex(" "))()


def _up(text: str) -> str:
    return text[:1].upper() + text[1:]


def _low(text: str) -> str:
    return text if text.startswith("I ") else text[:1].lower() + text[1:]
