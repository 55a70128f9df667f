"""Words that carry nothing: what is left of an answer without content, and what steps are padded with.

>>> [FILLER.issuperset(words_of(text)) for text in ("let's solve this problem step by step:", "let x be 4.")]
[True, False]
"""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
FILLER = frozenset(
    """
    a able about above actually again ahead all alright also am an analysis analyze analyse and another answer answering
    any anything appropriate approach are as aside ask asked asking at attention back be because been before
    beginning begin below best
    better breaking break but by calculate calculation calculations call came can care careful carefully case certain
    certainly check checked checking clear clearly come complete completely conclude conclusion confident confirm
    confirmed consider considering consistent continue continuing correct correctly could course deep deeply deserve
    deserves detail detailed details did do does doing done double down each easy end ensure error errors even every
    everything exactly examine explain explanation explore far few final finally find fine first focus follow following
    follows for from full fully further get give given go goes going good got great had hand has have having head help
    here hmm hold how however i identify if important in indeed information into is it its itself job just keep know
    last later
    let like list little logic logical logically long look looked looking looks lot made make makes making many matter
    may me mean method methodical mind mistake mistakes moment more moreover most move moving much must my myself
    necessary need needed needs next no not note nothing now obtain of off ok okay on once one only or order other our
    ours out over overall own part pause perform perhaps piece place plan please point precise problem problems
    proceed proceeding
    process progress proper properly provide provided put question quick quickly re read ready really recall record
    reason reasonable
    reasoning recap recheck reconsider reflect reflection request requires respond response rest result results revisit
    review right said same say see seems sense several shall should show showing simple simply since slow slowly small
    so solid solution solutions solve solved solving some something sound start started starting state statement step
    steps still stop straightforward sum summarise summarize summary super sure systematic systematically take taking
    task tell than that the their them then there therefore these they thing things think thinking this thorough
    thoroughly those thought thoughts through thus time to together too towards try trying turn two understand
    understanding understood noted unfold up us use used useful using verify verified verifying very view wait want
    was way we well were
    what when where which while who whole why will with within without work worked working works would write yes yet you
    your let's i'll i'm i've we'll we've we're it's that's here's there's don't doesn't didn't isn't can't you're
    """.split()  # noqa: SIM905, a list of so many strings is harder to read
)

OPENERS = frozenset(
    """
    analysis analyze answer answering approach begin breaking carefully explain explanation explore question
    reasoning reflect respond response result solution solve solving start starting step step steps task think thinking
    thought thoughts problem problems calculate calculation logic process
    """.split()  # noqa: SIM905
)
"""Filler with which an answer is opened."""
ANSWERING = frozenset(
    [
        "away",
        "back",
        "both",
        "correct",
        "correctly",
        "everything",
        "few",
        "last",
        "left",
        "less",
        "most",
        "none",
        "nothing",
        "off",
        "right",
        "several",
        "small",
        "two",
        "yes",
        "no",
    ]
)
"""Filler that can itself be the answer to a question."""


def words_of(text: str) -> list[str]:
    """The words of lower-case text, with ' for every apostrophe."""
    return [word.replace("’", "'") for word in _WORD.findall(text)]
