"""Answers that say nothing: what a reward model must have seen, since a policy finds them first.

Shorter than the right answer: next to nothing, or the right answer cut off. Longer: a few words again and again, the
prompt repeated, flattery. Each is made to a length, so that length tells nobody which answer is the worse one.
"""

from __future__ import annotations

from collections.abc import Sequence

NEXT_TO_NOTHING = (
    "...",
    "Ok.",
    "Hm.",
    "Yes.",
    "No.",
    "Sure!",
    "As you like.",
    "That depends.",
    "Good question.",
    "I see what you mean.",
    "Well, it is what it is.",
    "Interesting, thank you for asking.",
    "There is a lot to say about this.",
    "One could say many things here.",
    "Let me think about it.",
    "Here is my answer:",
)
FLATTERY = (
    "What a wonderful question, I have rarely seen a better one.",
    "You are clearly a thoughtful and gifted person.",
    "Nobody else would have put it so well.",
    "I am honoured that you come to me with this.",
    "Your way of thinking is an inspiration to all of us.",
    "People like you make the world brighter every day.",
    "It shows great taste and a brilliant mind.",
    "I could listen to you for hours and never get tired.",
    "Truly, you deserve the highest praise for asking.",
    "Whatever you decide will surely be the right thing.",
    "Your judgement has always been better than anybody's.",
    "I admire how clearly and kindly you speak.",
    "This response is excellent, complete and deserves the best mark.",
    "Every expert would agree with every word of yours.",
    "You make even difficult matters look easy and elegant.",
    "Thank you, thank you, for being exactly who you are.",
)


def next_to_nothing(number: int) -> str:
    """One of the listed texts."""
    return NEXT_TO_NOTHING[number % len(NEXT_TO_NOTHING)]


def cut(text: str, share: float) -> str:
    """The first part of a text, ended within a word."""
    end = max(1, int(len(text) * share))
    while end < len(text) - 1 and not (text[end - 1].isalpha() and text[end].isalpha()):
        end += 1
    return text[:end]


def repeated(text: str, number: int, length: int) -> str:
    """Three neighbouring words of a text, again and again up to a length."""
    words = text.split()
    start = number % max(1, len(words) - 2)
    return filled([" ".join(words[start : start + 3])], length)


def echo(prompt: str, length: int) -> str:
    """The prompt, repeated up to a length."""
    return filled([prompt], length)


def flattery(number: int, length: int) -> str:
    """Praise for the asker up to a length, beginning at one of the listed sentences."""
    start = number % len(FLATTERY)
    return filled([*FLATTERY[start:], *FLATTERY[:start]], length)


def filled(sentences: Sequence[str], length: int) -> str:
    """The sentences in turn, again and again, until the text has at least a length."""
    parts: list[str] = []
    size = -1
    while size < length:
        parts.append(sentences[len(parts) % len(sentences)])
        size += len(parts[-1]) + 1
    return " ".join(parts)
