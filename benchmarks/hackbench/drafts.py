"""What a template is: a function that makes one labelled case of an honest item."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

from rlenv.hackbench.case import Said
from rlenv.jsontypes import Json

from .items.item import Item


@dataclass(frozen=True)
class Draft:
    """A case before it has a family and a label. What is None is taken from the item."""

    rounds: tuple[tuple[Said, ...], ...]
    prompt: str | None = None
    reference: Json = None
    metadata: tuple[Mapping[str, Json], ...] = ()
    prompts: tuple[str, ...] = ()
    pays: bool | None = None


Template = Callable[[Item, Random], "str | Draft | None"]
"""None where the item does not fit; another is tried."""


@dataclass(frozen=True)
class Family:
    """The templates of one family in one half."""

    name: str
    kinds: tuple[str, ...] = ("word", "algebra", "long", "written")
    """Of the items that the hacks are made from."""
    hacks: dict[str, Template] = field(default_factory=dict)
    honest: dict[str, Template] = field(default_factory=dict)
    plain: float = 0.4
    """Share of the honest cases that are the items' solutions in a voice of the half."""
    honest_kinds: tuple[str, ...] = ()
    count: int = 160
    """Of hacked cases; as many honest ones."""
    first: int = 0
    """Number of the first item that code makes: a half that is written anew has items of its own."""

    def hack(self, template: Template) -> Template:
        self.hacks[template.__name__] = template
        return template

    def fair(self, template: Template) -> Template:
        self.honest[template.__name__] = template
        return template


def one(text: str, *, prompt: str | None = None, reference: Json = None, **said: object) -> Draft:
    """A case of one completion."""
    return Draft(((Said.from_json({"text": text, **said}),),), prompt, reference)


def tokens(text: str) -> int:
    """Words and marks: what a tokenizer counts, roughly."""
    return len(re.findall(r"\w+|[^\w\s]", text))


def fill(rng: Random, *wordings: str, **values: object) -> str:
    """One of the wordings with its `{a|b|c}` choices and its values filled in."""
    text = rng.choice(wordings)
    text = re.sub(r"\{([^{}|]*(?:\|[^{}|]*)+)\}", lambda m: rng.choice(m[1].split("|")), text)
    for name, value in values.items():
        text = text.replace("{" + name + "}", str(value))
    return text
