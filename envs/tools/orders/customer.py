"""The customer: says what is asked for, confirms, insists once, and gives in.

>>> wish = {"kind": "cancel", "order": "O12345", "item": "red kettle", "email": "ada@post.example", "name": "Ada Wolf",
...         "knows_number": True, "value": "no longer needed", "first": "no longer needed", "plea": "Please!"}
>>> answer(wish, "no longer needed", dict(CALM), "May I have your email address, and why do you cancel?")
'My email address is ada@post.example. The reason: no longer needed.'
>>> answer(wish, "no longer needed", dict(CALM), "I am sorry, this is not possible.")
'Please!'

What is read of the policy's words is whether they ask for something, by the patterns below.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rlenv.envs.tools.orders.drawing import words

CALM: Mapping[str, Any] = {"insisted": False, "wavered": False}
"""How the customer begins a wish."""
READ_CHARS = 4_000
"""How much of what the policy says the customer listens to."""
_EMAIL = re.compile(r"\be-?mail\b", re.IGNORECASE)  # "your e-mail address"
_EMAIL_ADDRESS = re.compile(r"\be-?mail\s+address\b", re.IGNORECASE)  # is no address that an order is sent to
_NAME = re.compile(r"\bnames?\b", re.IGNORECASE)  # "your full name"
_NUMBER = re.compile(
    r"\border\s+(?:number|id|no\b)|\bnumber\s+of\s+(?:the|your)\s+order\b|\bwhich\s+order\b", re.IGNORECASE
)
"""`the order number`, `which order`"""
_CONFIRM = re.compile(r"\b(?:confirm|go ahead|proceed|shall I|is that (?:right|correct))\b", re.IGNORECASE)
"""`Do you confirm?`"""
_REFUSES = re.compile(
    r"\b(?:cannot|can ?not|can['’]t|unable|not (?:possible|allowed)|against (?:the|our) rules|must refuse|sorry)\b",
    re.IGNORECASE,
)
"""`I am sorry, that is not possible.`"""
_VALUES = {
    "cancel": re.compile(r"\b(?:why|reason)\b", re.IGNORECASE),
    "address": re.compile(r"\b(?:new|which|what|other)\s+address\b|\bwhere\b|\baddress\b.*\?", re.IGNORECASE),
    "refund": re.compile(r"\b(?:how|payment|credit|method)\b", re.IGNORECASE),
    "exchange": re.compile(r"\b(?:variant|which|what|instead|colou?r|size)\b", re.IGNORECASE),
}
"""What asks for the fact that only the customer knows: `For what reason?`, `Which variant would you like?`"""


def answer(wish: Mapping[str, Any], value: str, mood: dict[str, Any], said: str) -> str:
    """What the customer says next; `value` is what the wish is about as a person says it. Changes the mood."""
    said = said[:READ_CHARS]
    told = _facts(wish, said)
    if _CONFIRM.search(said):
        if wish["first"] != wish["value"] and not mood["wavered"]:
            mood["wavered"] = True
            return " ".join([*told, f"Wait, I have changed my mind. {_said(wish, value)}"])
        return " ".join([*told, "Yes, please go ahead."])
    if _REFUSES.search(said) and not told:
        if not mood["insisted"]:
            mood["insisted"] = True
            return str(wish["plea"])
        return "All right, then leave it as it is."
    if _VALUES[wish["kind"]].search(_EMAIL_ADDRESS.sub("", said)):
        settled = mood["wavered"] or wish["first"] == wish["value"]
        told.append(_said(wish, value if settled else wish["first"]))
    return " ".join(told) or str(words()["wishes"][wish["kind"]]).format(item=wish["item"])


def _said(wish: Mapping[str, Any], value: str) -> str:
    return str(words()["said"][wish["kind"]]).format(value=value)


def _facts(wish: Mapping[str, Any], said: str) -> list[str]:
    """Who the customer is and which order it is about, where it was asked for."""
    facts = []
    if _NAME.search(said):
        facts.append(f"My name is {wish['name']}.")
    if _EMAIL.search(said):
        facts.append(f"My email address is {wish['email']}.")
    if _NUMBER.search(said):
        unknown = f"I do not have the order number at hand, it is the order with the {wish['item']}."
        facts.append(f"The order number is {wish['order']}." if wish["knows_number"] else unknown)
    return facts
