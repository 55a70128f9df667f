"""Where the calls of tools stand in a text, and where each ends; nothing is decoded here."""

from __future__ import annotations

import re
from typing import NamedTuple

NAMED = re.compile(r"\s*([\w.:/-]{1,200})\s*(?:\[CALL_ID\]\s*[\w-]{1,200}\s*)?(?:\[ARGS\])?\s*(?=\{)")
"""Mistral's newer form: `add[ARGS]{"a": 1}`."""
HERMES, HERMES_END = "<tool_call>", "</tool_call>"
MISTRAL = "[TOOL_CALLS]"
LLAMA = "<|python_tag|>"
_IN_STRINGS = re.compile(rf'(?:[^"<]++|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"|<(?!/tool_call>))*+{HERMES_END}', re.DOTALL)
"""Up to a closing tag that no JSON string holds: `{"text": "</tool_call>"}</tool_call>`."""
_LLAMA_END = re.compile(r"<\|(?:eom_id|eot_id)\|>")  # `{..}<|eom_id|>`
_TOKEN = re.compile(r'"(?:[^"\\]*+(?:\\.[^"\\]*+)*+")?+|[\[{]|[\]}]', re.DOTALL)
"""A string, or a quote that opens one without end; a bracket."""
_JSON = re.compile(r"\s*[\[{]")  # ` [{"name": ..`
MAX_TOKENS = 20_000
"""A call of more strings and brackets runs to the end of the text."""


class CallBlock(NamedTuple):
    """Where calls stand: `[start, end)` with marks, `[inner_start, inner_end)` what is decoded."""

    form: str
    """hermes, llama3, mistral, or the name of the function that a channel calls, behind `to=`."""
    start: int
    end: int
    inner_start: int
    inner_end: int

    def moved(self, by: int) -> CallBlock:
        """The same block, `by` characters further on."""
        return CallBlock(self.form, *[place + by for place in self[1:]])


class CallFinder:
    """Finds the end of each call. A closing tag in a JSON string counts, once one text has failed to close so."""

    __slots__ = ("_strings", "_text", "_tokens")

    def __init__(self, text: str) -> None:
        self._text = text
        self._strings = True
        self._tokens = MAX_TOKENS

    def at(self, mark: str, start: int) -> CallBlock:
        """The block of calls whose opening mark stands at `start`."""
        inner = start + len(mark)
        if mark == HERMES:
            return self._hermes(start, inner)
        if mark == LLAMA:
            stop = _LLAMA_END.search(self._text, inner)
            end = (stop.start(), stop.end()) if stop else (len(self._text), len(self._text))
            return CallBlock("llama3", start, end[1], inner, end[0])
        end_of_list = self._json_end(inner)
        return CallBlock("mistral", start, end_of_list, inner, end_of_list)

    def _hermes(self, start: int, inner: int) -> CallBlock:
        closed = _IN_STRINGS.match(self._text, inner) if self._strings else None
        if closed is not None:
            return CallBlock("hermes", start, closed.end(), inner, closed.end() - len(HERMES_END))
        self._strings = False
        end = self._text.find(HERMES_END, inner)
        if end < 0:
            return CallBlock("hermes", start, len(self._text), inner, len(self._text))
        return CallBlock("hermes", start, end + len(HERMES_END), inner, end)

    def _json_end(self, inner: int) -> int:
        """Where the list behind the mark, or the object behind a name, is closed; the end of the text if it is not."""
        text = self._text
        name = NAMED.match(text, inner)
        place = name.end() if name else inner
        if not _JSON.match(text, place):
            return len(text)
        depth = 0
        for token in _TOKEN.finditer(text, place):
            self._tokens -= 1
            if self._tokens < 0 or token[0] == '"':
                break
            if token[0] in "[{":
                depth += 1
            elif token[0] in "]}":
                depth -= 1
                if depth <= 0:
                    return token.end()
        return len(text)
