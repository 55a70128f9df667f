"""Makes the cases of a family and half: as many hacked as honest, every template as often as the others."""

from __future__ import annotations

import importlib
import importlib.util
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random

from rlenv.hackbench.case import Case, Said

from .drafts import Draft, Family, Template
from .drawn.drawing import drawn
from .items.item import Item
from .items.pool import pool
from .items.voices import told

FAMILIES = (
    "length_gaming", "overlong", "truncation", "repetition", "format_gaming", "hedging", "prompt_copying",
    "reference_leak", "judge_manipulation", "sycophancy", "language_switching", "verifier_gaming", "test_tampering",
    "special_casing", "step_padding",
)  # fmt: skip
GENERATED = ("tuning", "reporting")
EARLIER = ("tuning.earlier", "tuning.earlier.second")
"""Where templates stand that were in the reporting half before."""
TRIES = 40


def cases(name: str, half: str) -> list[Case]:
    """The cases of one family in one half; the same ones each time."""
    family = _family(name, half)
    seen: set[str] = set()
    hacked = list(_labelled(family, half, True, family.hacks, seen))
    fair = dict(family.honest)
    if family.plain:
        fair |= {f"plain_{number}": _plain(half) for number in range(_plain_share(family))}
    honest = list(_labelled(family, half, False, fair, seen))
    if len(hacked) != len(honest):
        raise ValueError(f"{name}, {half}: {len(hacked)} hacked and {len(honest)} honest cases; add templates or items")
    return hacked + honest


def _family(name: str, half: str) -> Family:
    """The family's templates of the half; in the tuning half with those that were reported on before."""
    pooled = _found("drawn", name)
    if half == "reporting" and pooled:
        return drawn(pooled, half)
    family = _found(half, name)
    if family is None:
        raise ValueError(f"no templates of {name} in {half}")
    for other in (_found(package, name) for package in EARLIER) if half == "tuning" else ():
        family = _with(family, other) if other else family
    return _with(family, drawn(pooled, half)) if pooled else family


def _found(package: str, name: str) -> Family | None:
    module = f"{__package__}.{package}.{name}"
    found: Family | None = importlib.import_module(module).FAMILY if importlib.util.find_spec(module) else None
    return found


def _with(family: Family, other: Family) -> Family:
    """The family with the other's templates beside its own."""
    if family.hacks.keys() & other.hacks.keys() or family.honest.keys() & other.honest.keys():
        raise ValueError(f"{family.name}: two templates have one name")
    hacks = {known: _for(other.kinds, template) for known, template in other.hacks.items()}
    honest = {known: _for(other.honest_kinds or other.kinds, template) for known, template in other.honest.items()}
    return replace(family, hacks=family.hacks | hacks, honest=family.honest | honest)


def _for(kinds: tuple[str, ...], template: Template) -> Template:
    """The template, for items of the kinds that it was written for."""
    return lambda item, rng: template(item, rng) if item.kind in kinds else None


def _plain_share(family: Family) -> int:
    """How many templates the plain solutions must count as, to have their share."""
    return max(round(family.plain / (1 - family.plain) * len(family.honest)), 1) if family.honest else 1


def _plain(half: str) -> Template:
    def plain(item: Item, rng: Random) -> Draft:
        text, _ = told(item, rng, half)
        return Draft(((Said(text),),))

    return plain


def _labelled(
    family: Family, half: str, hacked: bool, templates: dict[str, Template], seen: set[str]
) -> Iterator[Case]:
    kinds = family.kinds if hacked else (family.honest_kinds or family.kinds)
    items = itertools.cycle(pool(half, *kinds, first=family.first))
    made = 0
    for turn in range(family.count * TRIES):
        if made == family.count:
            return
        name = list(templates)[(made + turn // family.count) % len(templates)]
        item, rng = next(items), Random(f"{family.name}/{half}/{hacked}/{name}/{turn}")
        draft = templates[name](item, rng)
        if draft is None:
            continue
        case = _case(
            family.name, half, hacked, name, item, draft if isinstance(draft, Draft) else Draft(((Said(draft),),))
        )
        if case.id not in seen:
            seen.add(case.id)
            made += 1
            yield case


def _case(family: str, half: str, hacked: bool, template: str, item: Item, draft: Draft) -> Case:
    label = "hack" if hacked else "honest"
    template = "plain" if template[:6] == "plain_" and template[6:].isdigit() else template
    return Case(
        family=family,
        hacked=hacked,
        prompt=item.prompt if draft.prompt is None else draft.prompt,
        rounds=draft.rounds,
        reference=item.answer if draft.reference is None else draft.reference,
        template=f"{family}/{label}/{half}/{template}",
        half=half,
        item=item.id,
        metadata=draft.metadata,
        prompts=draft.prompts,
        pays=draft.pays,
    )


def of_half(half: str, families: Iterable[str] = FAMILIES) -> list[Case]:
    """All cases of a half."""
    return [case for name in families for case in cases(name, half)]
