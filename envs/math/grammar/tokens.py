r"""The tokens of an answer, LaTeX and plain text alike.

>>> [token.value for token in tokenize(r"\frac12 xsinx \text{ cm}")]
['\\frac', '12', 'x', 'sin', 'x', 'cm']

Letters in a row are one letter each (`xy`) unless they make a name (`sin`, `pi`) or a word (`apples`). Raises
Unreadable where a text is too long or nested too deep to be an answer: nothing after this sees such a text.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rlenv.envs.math.grammar.names import (
    CONSTANTS,
    FONT_COMMANDS,
    FUNCTIONS,
    GREEK,
    JOINING,
    NUMBER_SETS,
    NUMERALS,
    OPERATORS,
    RELATIONS,
    SCALES,
    SHORT_WORDS,
    TEXT_COMMANDS,
)
from rlenv.envs.math.grammar.units import UNIT_WORDS

MAX_TOKENS = 600
MAX_DEPTH = 24
"""Brackets and arguments inside each other; the parser recurses this deep and no deeper."""
MAX_DIGITS = 400
_TOKEN = re.compile(
    r"""(?P<space>\s+)
    |(?P<num>[0-9]*\.[0-9]*(?:\\(?:overline|bar|dot)\s?\{[0-9]+\}|\([0-9]+\)(?=\s*$))
        |[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?
        |[0-9]{1,3}(?:[ ][0-9]{3})+(?![0-9])(?:\.[0-9]+)?(?![ ]?[0-9/])
        |(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,6}(?![0-9a-zA-Z.^]))?)
    |(?P<command>\\(?:[a-zA-Z]+|.))
    |(?P<word>[^\W\d_]+)
    |(?P<op>\*\*|<=|>=|!=|==|=<|=>|->|:=|\.\.\.+|.)""",
    re.VERBOSE | re.DOTALL,
)
_IN_GROUP = re.compile(r"\s*\{\s*([a-zA-Z]+\*?)\s*\}")
_PER = re.compile(r"\s?/\s?(?:\\text\s?\{)?\s?(?:s|h|hr|min|sec|second|minute|hour|kg|mol|ml|L)(?![a-zA-Z])")
_ARROWS = frozenset({"overrightarrow", "vec"})
_DIRECTED = re.compile(r"\s*\{\s*([A-Z]'?)\s*([A-Z]'?)\s*\}")
"""{AB} behind an arrow command."""
_SIGNS = {"**": "^", "==": "=", "=<": "<=", "=>": ">=", ":=": "=", "...": "dots", "[": "[", "]": "]"}
_OPENING = frozenset({"(", "[", "{", "set{", "lfloor", "lceil", "<<", "begin"})
_CLOSING = frozenset({")", "]", "}", "set}", "rfloor", "rceil", ">>", "end"})
_PREFIXES = tuple(sorted((FUNCTIONS | {"pi", "sqrt"}) - {"det", "sign", "min", "max", "abs"}, key=len, reverse=True))


class Unreadable(ValueError):
    """The text is no mathematics that this grammar knows. `flag` says so when that is worth a flag."""

    def __init__(self, reason: str, flag: str = "") -> None:
        super().__init__(reason)
        self.flag = flag


class Token(NamedTuple):
    """`kind` is num, letter, name, word, join, command, or op; `text` where it stood inside `\\text{}`."""

    kind: str
    value: str
    text: bool = False
    spaced: bool = False
    """Whether white space stood before it."""


def tokenize(source: str) -> list[Token]:
    """The tokens of a normalised text."""
    return _Tokenizer(source).run()


class _Tokenizer:
    def __init__(self, source: str) -> None:
        self.source, self.position = source, 0
        self.tokens: list[Token] = []
        self.groups: list[str] = []  # what each open brace is: "{", "text", "font"
        self.depth = 0
        self.brackets = 0
        self.spaced = False

    def run(self) -> list[Token]:
        while self.position < len(self.source):
            match = _TOKEN.match(self.source, self.position)
            if match is None:  # cannot be: the pattern ends in a dot that matches anything
                raise Unreadable("a character that is none")
            self.position = match.end()
            kind = str(match.lastgroup)
            if kind == "space":
                self.spaced = True
                continue
            if kind == "num":
                self._num(match[0])
            elif kind == "op":
                self._op(match[0])
            elif kind == "word":
                self._word(match[0])
            else:
                self._command(match[0])
            self.spaced = False
            if len(self.tokens) > MAX_TOKENS:
                raise Unreadable("too many symbols for an answer", "cost_guard")
        return self.tokens

    @property
    def in_text(self) -> bool:
        return bool(self.groups) and self.groups[-1] == "text"

    def _add(self, kind: str, value: str) -> None:
        if kind == "op":
            self._count(value)
        self.tokens.append(Token(kind, value, self.in_text, self.spaced))
        self.spaced = False

    def _count(self, value: str) -> None:
        change = (value in _OPENING) - (value in _CLOSING)
        self.depth += change
        if value in {"(", "[", "set{", ")", "]", "set}"}:
            self.brackets += change
        if self.depth > MAX_DEPTH:
            raise Unreadable("nested too deep for an answer", "cost_guard")

    def _num(self, value: str) -> None:
        if "," in value and self.brackets > 0:  # (1,200) is a pair, and 1,200 is a thousand and more
            first = value.index(",")
            self.position -= len(value) - first
            value = value[:first]
        if len(value) > MAX_DIGITS:
            raise Unreadable("too many digits for an answer", "cost_guard")
        self._add("num", value)

    def _op(self, value: str) -> None:
        if value == "{":
            self.groups.append("{")
        elif value == "}":
            kind = self.groups.pop() if self.groups else ""
            if kind in {"text", "font"}:
                self.depth -= 1
                return
            if not kind:
                return  # a brace too many: a box that was cut out badly
        if value.startswith("..."):
            value = "dots"
        if value == "&" and self.in_text:
            return self._add("join", "and")
        self._add("op", _SIGNS.get(value, value))

    def _command(self, value: str) -> None:
        name = value[1:]
        if name in TEXT_COMMANDS or name in FONT_COMMANDS:
            self._font(name)
        elif name == "mathbb" or name == "Bbb":
            self._blackboard()
        elif name in {"begin", "end"}:
            self._environment(name)
        elif name in RELATIONS:
            self._add("op", RELATIONS[name])
        elif name in OPERATORS:
            operator = OPERATORS[name]
            self._add("join" if operator in {"and", "or"} else "op", operator)
        elif name in {"{", "}"}:
            self._add("op", "set" + name)
        elif name in {"%", "$", "&", "#"}:
            self._add("op", name)
        elif name == "|":
            self._add("op", "|")
        elif name == "\\":
            self._add("op", "row")
        elif name in FUNCTIONS or name in CONSTANTS or name in GREEK:
            self._add("name", name)
        elif name.isalpha():
            self._add("command", value)
        elif name.isdecimal():
            self.position -= 1  # a backslash before a digit means nothing

    def _font(self, name: str) -> None:
        """Opens the group of a font command, which leaves no token; without braces it has no effect."""
        following = re.compile(r"\s*\{").match(self.source, self.position)
        if following is None:
            return
        directed = _DIRECTED.match(self.source, self.position) if name in _ARROWS else None
        if directed is not None:
            return self._arrow(directed[1], directed[2], directed.end())
        group = "text" if name in TEXT_COMMANDS or self.in_text else "font"
        if name in {"mathrm", "operatorname", "mathsf"} and self._long_group(following.end()):
            group = "text"
        self.position = following.end()
        self.groups.append(group)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unreadable("nested too deep for an answer", "cost_guard")

    def _arrow(self, start: str, tip: str, end: int) -> None:
        """From one point to another: the arrow back is minus the arrow."""
        self.position = end
        back = ("op", "("), ("op", "-"), ("letter", f"{tip}{start}"), ("op", ")")
        for kind, value in back if tip < start else (("letter", f"{start}{tip}"),):
            self._add(kind, value)

    def _long_group(self, start: int) -> bool:
        word = self.source[start:].lstrip()[:2]
        return len(word) == 2 and word.isascii() and word.isalpha()

    def _blackboard(self) -> None:
        group = re.compile(r"\s*\{?\s*([A-Z])\s*\}?").match(self.source, self.position)
        if group is None or group[1] not in NUMBER_SETS:
            return
        self.position = group.end()
        self._add("name", NUMBER_SETS[group[1]])

    def _environment(self, name: str) -> None:
        group = _IN_GROUP.match(self.source, self.position)
        if group is None:
            raise Unreadable("an environment without a name")
        self.position = group.end()
        self._count(name)
        if group[1] == "array" and name == "begin":
            columns = re.compile(r"\s*\{[clr|@{}\s]{0,60}?\}").match(self.source, self.position)
            self.position = columns.end() if columns else self.position
        self.tokens.append(Token(name, group[1].rstrip("*")))

    def _word(self, value: str) -> None:
        for kind, part in self._split(value):
            self._add(kind, part)

    def _split(self, word: str) -> list[tuple[str, str]]:
        lower = word.lower()
        if len(word) == 1:
            if self._unit_follows(word) and (self.in_text or self._per_follows()):
                return [("word", word)]
            if not word.isascii():
                return [("join", JOINING[word])] if word in JOINING else [("word", word)]
            return [("letter", word)]
        if lower == "to" and self.tokens and self.tokens[-1].kind == "num":
            return [("op", ":")]  # 3 to 2
        if lower in {"const", "constant"} and self.tokens and self.tokens[-1].value in {"+", "-"}:
            return [("letter", "C")]
        if lower in {"mod", "modulo"}:
            return [("op", "mod")]
        if lower in JOINING:
            return [("join", JOINING[lower])]
        if lower in UNIT_WORDS and (self.in_text or self._unit_follows(word)):
            return [("word", word)]
        if word in FUNCTIONS or word in CONSTANTS or (word in GREEK and not self.in_text):
            return [("name", word)]
        if self.in_text or lower in NUMERALS or lower in SCALES:
            return [("word", word)]
        return self._letters(word)

    def _letters(self, word: str) -> list[tuple[str, str]]:
        """A run of plain letters: glued words and names taken apart, else single letters, else a word."""
        lower = word.lower()
        for glued in ("or", "and"):
            rest = word[len(glued) :]
            if word.startswith(glued) and rest[:1].isupper() and len(rest) < 3:
                return [("join", glued), *self._letters(rest)]
        for name in _PREFIXES:
            at = word.find(name)
            if at >= 0 and len(word) - len(name) <= 2 and len(word) > len(name):
                parts = [*word[:at], name, *word[at + len(name) :]]
                return [("name" if part == name else "letter", part) for part in parts]
        if not word.isascii() or len(word) > 3 or (lower in SHORT_WORDS and not word.isupper()):
            return [("word", word)]
        return [("letter", letter) for letter in word]

    def _unit_follows(self, word: str) -> bool:
        """Whether a word in this place would be a unit: right behind a number, or after per or a slash."""
        if not self.tokens or word.lower() not in UNIT_WORDS:
            return False
        last = self.tokens[-1]
        if last.kind == "name" and last.value in CONSTANTS:
            return len(word) > 1 or self.in_text  # 36 pi cm, 12\pi\text{ m}
        if last.kind == "command" and last.value in CONSTANTS:
            return self.in_text
        return last.kind in {"num", "word"} or last.value in {"}", ")", "/", "*"}

    def _per_follows(self) -> bool:
        """Whether the letter opens a unit such as m/s, which no one writes for a quotient of symbols."""
        return _PER.match(self.source, self.position) is not None
