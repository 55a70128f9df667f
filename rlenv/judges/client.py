"""Questions to a model as judge: data in a frame that nothing in it can close, each asked once, one verdict read.

The texts stand between lines that carry a mark made from their content, so that no text can hold the mark of the very
request it is in; the verdict must carry it too, so that one which was written beforehand, in the answer, is none.
Nothing is random: the same content gives the same request, which is what caches and seeds ask for.

A cache is one SQLite file that several processes may share and that a kill leaves whole. It keeps the text of an answer
that could be read, under a key made of everything that was asked; a failure is never kept. The file belongs on a local
disk: SQLite's locks are not reliable on network file systems.

>>> read_verdict('It is short.\\n{"mark": "ab", "quality": 4}', "ab", ("quality",))
{'mark': 'ab', 'quality': 4}
>>> read_verdict('{"mark": "ab", "quality": 4} or {"mark": "ab", "quality": 5}', "ab", ("quality",))
Traceback (most recent call last):
    ...
ValueError: 2 verdicts where one was expected
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError, PolicyError
from rlenv.core.jsontypes import Json, canonical
from rlenv.core.policy import Sampling
from rlenv.core.task import Message, Task, prompt_text
from rlenv.policies.endpoint import EndpointPolicy
from rlenv.scorers.cleaning import cleaned

PROMPTS: dict[str, str] = tomllib.loads(Path(__file__).with_name("prompts.toml").read_text("utf-8"))
GREEDY = Sampling(temperature=0.0, max_new_tokens=1024)
"""The same question has the same answer, as far as the server keeps to it."""
WAIT_S = 60.0
"""How long a process waits for another one that writes the cache."""
MAX_CHARS = 100_000
"""No judgement is longer; what is longer is not read."""
_MARK = "mark"
_FLAT = re.compile(r"\{[^{}]*\}")  # takes {"mark": "ab", "quality": 4}
_TWICE = "\0twice"
"""Stands in the fields of an object that says the same thing twice."""
Fields: TypeAlias = "dict[str, object]"


class Slot(NamedTuple):
    """A place in the form of a verdict, for a judge that chooses by log-probs (logprobs.py)."""

    before: str
    """What the form writes in front of it."""
    choices: tuple[str, ...]


class Weighed(NamedTuple):
    """The probability of each choice, slot by slot."""

    chances: tuple[Mapping[str, float], ...]


Answer: TypeAlias = "str | Weighed | PolicyError"


@dataclass(frozen=True)
class Question:
    """One request to a judge, and what it takes to read the answer."""

    mark: str
    messages: tuple[Message, ...]
    judged: str
    """The text that is judged, or both of them: no verdict may come from there."""
    form: tuple[Slot, ...] = ()
    """The verdict that is asked for."""


class Client(Protocol):
    """Whom a judge asks: a server (JudgeClient), or a model of this process (LogprobClient)."""

    @property
    def version(self) -> str:
        """Changes with whom is asked and how."""

    def ask_all(self, questions: Sequence[Question], readable: Readable) -> list[Answer]:
        """One answer a question, in order."""


Readable: TypeAlias = "Callable[[Question, str], bool]"
"""Says whether an answer can be read: no other is kept, and none that is kept is taken without."""


@dataclass(frozen=True)
class JudgeClient:
    """Whom to ask, and how."""

    endpoint: EndpointPolicy
    model: str
    """Whose judgements these are: part of the key of the cache, where the address is not."""
    sampling: Sampling = GREEDY
    cache: str | None = None

    def ask_all(self, questions: Sequence[Question], readable: Readable) -> list[Answer]:
        """One answer a question, in order. Raises ConfigError where the cache cannot be used."""
        keys = [self._key(question) for question in questions]
        by_key = dict(zip(keys, questions, strict=True))
        answers: dict[str, Answer] = {}
        with nullcontext() if self.cache is None else closing(open_cache(self.cache)) as cache:
            for key in by_key:
                kept = None if cache is None else kept_answer(cache, key)
                if kept is not None and readable(by_key[key], kept):
                    answers[key] = kept
            missing = [key for key in by_key if key not in answers]
            for place, said in self.endpoint.answers([by_key[key].messages for key in missing], self.sampling):
                key, answer = missing[place], _text(said)
                answers[key] = answer
                if cache is not None and isinstance(answer, str) and readable(by_key[key], answer):
                    keep_answer(cache, key, answer)
        return [answers[key] for key in keys]

    @property
    def version(self) -> str:
        """Changes with whom is asked and how, not with the address."""
        sampling = self.sampling
        return _key_of(self.model, sampling.temperature, sampling.top_p, sampling.max_new_tokens, sampling.seed)

    def _key(self, question: Question) -> str:
        messages: list[Json] = [dict(message) for message in question.messages]
        return _key_of(self.version, messages)


def _text(answer: Completion | PolicyError) -> str | PolicyError:
    if isinstance(answer, PolicyError):
        return answer
    if not answer.finished:
        return PolicyError("the judge was cut at its token limit; give it more tokens")
    return answer.content.text


def judge_client(
    url: str,
    model: str,
    cache: str | None = None,
    max_tokens: int = GREEDY.max_new_tokens,
    endpoint: Mapping[str, Json] | None = None,
) -> JudgeClient:
    """The same from settings that JSON can hold; `endpoint` holds those of EndpointPolicy, such as `concurrency`.

    Raises ConfigError for settings that it does not have.
    """
    try:
        policy = EndpointPolicy(url, model, **dict(endpoint or {}))  # type: ignore[arg-type]
    except TypeError as error:
        raise ConfigError(f"endpoint: {error}; it takes the settings of rlenv.policies.endpoint") from error
    return JudgeClient(policy, model, Sampling(temperature=0.0, max_new_tokens=max_tokens), cache)


def again_by(client: Client) -> Client:
    """Who is asked the same a second time: past the cache, with another seed."""
    if not isinstance(client, JudgeClient):
        return client
    return replace(client, cache=None, sampling=replace(client.sampling, seed=client.sampling.seed + 1))


def open_cache(path: str) -> sqlite3.Connection:
    """The file, made when it is first used, for one thread. Raises ConfigError where it cannot be made."""
    try:
        cache = sqlite3.connect(path, timeout=WAIT_S, isolation_level=None)
        cache.execute("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT) WITHOUT ROWID")
    except sqlite3.Error as error:
        raise ConfigError(f"cannot keep answers in {Path(path)}: {error}; give another file") from error
    return cache


def kept_answer(cache: sqlite3.Connection, key: str) -> str | None:
    """The answer kept under this key, if there is one."""
    row = cache.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
    return None if row is None else str(json.loads(row[0]))


def keep_answer(cache: sqlite3.Connection, key: str, answer: str) -> None:
    """The answer is on the disk on return; as JSON, because a text may hold what SQLite's do not."""
    cache.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", (key, json.dumps(answer)))


def _key_of(*content: Json) -> str:
    return hashlib.blake2b(canonical(content).encode(), digest_size=16).hexdigest()


def question_and_reference(task: Task, use_reference: bool) -> dict[str, str]:
    """What a judge is shown of the task, cleaned as the answer is: some prompts quote what others wrote."""
    named = {"question": cleaned(prompt_text(task.prompt))}
    if use_reference and isinstance(task.reference, str | int | float) and str(task.reference).strip():
        named["reference"] = cleaned(str(task.reference))
    return named


def framed(named: Mapping[str, str], mark: str) -> str:
    """The texts between lines that only this request has."""
    return "\n".join(f"<<<{name} {mark}>>>\n{text}\n<<<end of {name} {mark}>>>\n" for name, text in named.items())


def mark_of(named: Mapping[str, str], version: str) -> str:
    """Twelve hexadecimal digits that depend on everything in the request and stand nowhere in it."""
    count = 0
    while any((mark := _mark(named, version, count)) in text for text in named.values()):
        count += 1
    return mark


def _mark(named: Mapping[str, str], version: str, count: int) -> str:
    return hashlib.blake2b(canonical([dict(named), version, count]).encode(), digest_size=6).hexdigest()


class _Verdict(NamedTuple):
    fields: Fields
    end: int
    """Where the text goes on behind it."""


def read_verdict(answer: str, mark: str, names: Sequence[str], judged: str = "") -> Fields:
    """The fields of the one verdict with these names, at the end and with the mark; quotes of `judged` are none.

    Raises ValueError where there is none or more than one.
    """
    if len(answer) > MAX_CHARS:
        raise ValueError(f"an answer of {len(answer)} characters")
    written = own_verdicts(judged, names)
    verdicts = list(_verdicts(answer, names))
    ours = [each for each in verdicts if each.fields.get(_MARK) == mark]
    others = [
        each for each in verdicts if each.fields.get(_MARK) != mark and _claims(each.fields, names) not in written
    ]
    if len(ours) + len(others) > 1:
        raise ValueError(f"{len(ours) + len(others)} verdicts where one was expected")
    if not ours:
        raise ValueError("no verdict that carries the mark of the request")
    if answer[ours[0].end :].strip().strip("`").strip():
        raise ValueError("something behind the verdict")
    if _TWICE in ours[0].fields:
        raise ValueError("a verdict that says the same thing twice")
    return ours[0].fields


def own_verdicts(judged: str, names: Sequence[str]) -> list[list[object]]:
    """The verdicts that the judged text gives itself, in the judge's own form."""
    return [_claims(each.fields, names) for each in _verdicts(judged, names)]


def _verdicts(text: str, names: Sequence[str]) -> Iterator[_Verdict]:
    """The JSON objects in a text that hold no other and have these names, at a cost bounded by its length."""
    for match in _FLAT.finditer(text):
        if not all(name in match[0] for name in names):
            continue
        try:
            fields = json.loads(match[0], object_pairs_hook=_fields)
        except (ValueError, RecursionError):  # no JSON, a number of too many digits, lists too deep
            continue
        if all(name in fields for name in names):
            yield _Verdict(fields, match.end())


def _claims(fields: Fields, names: Sequence[str]) -> list[object]:
    return [fields[name] for name in names]


def _fields(pairs: list[tuple[str, object]]) -> Fields:
    fields = dict(pairs)
    return fields if len(fields) == len(pairs) else {**fields, _TWICE: True}
