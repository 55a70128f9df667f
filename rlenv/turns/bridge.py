"""The tokens between the policy's last turn and its next one, taken from the tokenizer's own chat template.

A dummy conversation is rendered with and without the observation; the difference is what the template writes behind
the assistant's words, less the end-of-sequence token that was sampled, then the observation and the generation prompt.
What was sampled is never made into tokens again. A template that writes earlier turns in another form than they were
said (that drops their thoughts, for example) is refused: the policy would learn in a context that it never meets.

An observation is hostile text: a special token that it spells is text, never a control token. White space at the ends
of a message is the template's to strip.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.core.reading import MARKS, opens_trace
from rlenv.core.task import Message, Prompt, prompt_messages, prompt_text
from rlenv.turns.tool_prompt import as_user, shown_to_user, tools_text, with_tools_in_system, with_tools_in_user

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Tools: TypeAlias = "Sequence[Mapping[str, Json]]"
QUESTION, WORDS, THOUGHT = "rlenv-question", "rlenv-words", "rlenv-thought"
"""What is said in dummy conversations; no template writes it."""
OPENING = "<think>\n"
WITH_THOUGHT = f"{OPENING}{THOUGHT}\n</think>\n\n{WORDS}"
"""As thinking models say it, so that a template that only brings thoughts into that form changes nothing."""
KEPT_CHARS, KEPT_TEXTS = 10_000, 1_000
"""What the template makes of so short conversations is kept, so many at most: prompts come again when their episodes
are learned from, and games answer with the same few words all the time."""


class RewritesHistory(ConfigError):
    """The chat template writes earlier turns in another form than they were said."""


@dataclass(frozen=True, slots=True)
class _Form:
    """How one kind of observation is written."""

    pieces: tuple[str, ...]
    """What the template writes behind the assistant's words, around each message and behind the last."""
    controls: tuple[int, ...]
    """The control tokens in it."""
    head: str
    """The dummy conversation up to the end of the assistant's words."""
    by_user: bool
    """The template knows no such messages, and all is one message of the user."""


class Renderer:
    """Prompts and bridges as token ids of one tokenizer."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase, eos_ids: Sequence[int], name: str = "this model") -> None:
        self.tokenizer, self.eos_ids, self.name = tokenizer, tuple(eos_ids), name
        self.template_kwargs: Mapping[str, Json] = {}
        """More variables for the chat template, `{"enable_thinking": false}`; to be set before the first prompt."""
        self._template: object = None
        self._forms: dict[tuple[tuple[str, ...], str], _Form] = {}
        self._shows_tools: dict[str, bool] = {}
        self._texts: dict[str, str] = {}
        self._controls: frozenset[int] = frozenset()
        self._spelled: re.Pattern[str] = re.compile("")

    def prompt(self, prompt: Prompt, tools: Tools = ()) -> list[int]:
        """The ids of a prompt with its tools, generation prompt included. (P,)

        A template that ignores tools gets them told in the system message.
        """
        self._refresh()
        if self._template is None:
            text = prompt_text(prompt)
            return self.ids(f"{tools_text(tools)}\n\n{text}" if tools else text, special=True)
        return self.ids(self._prompt_text(prompt_messages(prompt), tools))

    def _prompt_text(self, messages: Sequence[Message], tools: Tools) -> str:
        """As the template writes it, or with its tools in words where the template ignores them."""
        if not tools or self._knows(tools):
            return self._rendered(messages, tools)
        in_system = self._try(with_tools_in_system(messages, tools), ())
        if in_system is not None and tools_text(tools) in in_system:
            return in_system
        return self._rendered(with_tools_in_user(messages, tools), ())

    def prompts(self, prompts: Sequence[Prompt]) -> list[list[int]]:
        """The ids of prompts without tools; the template is asked for all of them together."""
        self._refresh()
        if self._template is not None:
            self._texts_of([prompt_messages(prompt) for prompt in prompts])
        return [self.prompt(prompt) for prompt in prompts]

    def conversation(self, messages: Sequence[Message], tools: Tools = ()) -> list[int]:
        """The ids of a conversation that is written anew as a prompt; what is not the policy's is hostile text. (P,)"""
        self._refresh()
        others = [message["role"] not in ("assistant", "system") for message in messages]
        hostile = [
            other and self._spelled.search(message["content"]) is not None
            for other, message in zip(others, messages, strict=True)
        ]
        if self._template is None or not any(hostile):
            return self.prompt(tuple(messages), tools)
        marks = [f"rlenv-heard-{place}-" if is_hostile else "" for place, is_hostile in enumerate(hostile)]
        marked = [{**m, "content": mark or m["content"]} for m, mark in zip(messages, marks, strict=True)]
        rest, ids = self._prompt_text(marked, tools), list[int]()
        for message, mark in zip(messages, marks, strict=True):
            if mark and mark in rest:
                before, _, rest = rest.partition(mark)
                ids += self.ids(before) + self.plain(message["content"])
        return ids + self.ids(rest)

    def bridge(self, said: Sequence[int], heard: Sequence[Message], tools: Tools = ()) -> list[int]:
        """The ids from the end of what was said (the ids of that turn) to the beginning of the next turn. (T,)

        Where the turn did not end with the token by which the template ends it, the bridge writes that token.
        Raises RewritesHistory for a template that does.
        """
        self._refresh()
        if self._template is None:
            return self.plain("\n{}\n".format("\n".join(shown_to_user(message) for message in heard)))
        form = self._form(tuple(message["role"] for message in heard), tools)
        texts = self._shown([as_user(heard)] if form.by_user else heard, form, tools)
        ids = self._joined(form, texts)
        end = next((place for place, i in enumerate(ids) if i in self._controls), None)
        ends_turn = end is not None and not str(self.tokenizer.decode(ids[:end])).strip()
        return ids[end + 1 :] if end is not None and ends_turn and said and ids[end] == said[-1] else ids

    def text(self, ids: Sequence[int]) -> str:
        """What these ids spell, control tokens included."""
        return str(self.tokenizer.decode(list(ids)))

    def plain(self, text: str) -> list[int]:
        """The ids of a text in which nothing is a control token, whatever it spells."""
        self._refresh()
        ids = self.ids(text, split_special_tokens=True)
        if self._controls.isdisjoint(ids):
            return ids
        cuts = [0, *(spelled.start() + 1 for spelled in self._spelled.finditer(text)), len(text)]
        parts = [_valid(text[first:last]) for first, last in pairwise(cuts) if last > first]
        encoding: Any = self.tokenizer(parts, add_special_tokens=False, split_special_tokens=True)
        ids = [int(i) for of_part in encoding["input_ids"] for i in of_part]
        return [i for i in ids if i not in self._controls]  # a control token of one character cannot be cut

    def _refresh(self) -> None:
        """Read off the tokenizer what is kept of it, at the first use and where its template was changed."""
        template = self.tokenizer.chat_template
        if self._controls and template == self._template:
            return
        self._template = template
        self._forms.clear()
        self._shows_tools.clear()
        self._texts = {}
        spelled = {token: i for i, token in self._control_tokens().items()}
        self._controls = frozenset(spelled.values())
        longest = "|".join(re.escape(token) for token in sorted(spelled, key=len, reverse=True))
        self._spelled = re.compile(f"(?={longest})")  # `(?=<\|im_end\|>|<\|im_start\|>)`: overlapping ones too

    def _control_tokens(self) -> dict[int, str]:
        """Special tokens, and added ones that the template or a format of completions uses as marks; never `unk`."""
        added = cast("dict[int, Any]", self.tokenizer.added_tokens_decoder)
        template = str(self._template or "")
        tokens = {
            i: str(token.content)
            for i, token in added.items()
            if token.special or token.content in MARKS or token.content in template
        }
        special = zip(self.tokenizer.all_special_ids, self.tokenizer.all_special_tokens, strict=True)
        tokens |= {int(i): str(token) for i, token in special}
        tokens |= {i: str(self.tokenizer.convert_ids_to_tokens(i)) for i in self.eos_ids}
        tokens.pop(cast("int", getattr(self.tokenizer, "unk_token_id", None)), None)
        return {i: token for i, token in tokens.items() if token.strip()}

    def _knows(self, tools: Tools) -> bool:
        """Whether the template shows tools at all."""
        key = json.dumps(list(tools))
        if key not in self._shows_tools:
            question = [{"role": "user", "content": QUESTION}]
            shown = self._try(question, tools)
            self._shows_tools[key] = shown is not None and shown != self._rendered(question, ())
        return self._shows_tools[key]

    def _form(self, roles: tuple[str, ...], tools: Tools) -> _Form:
        key = (roles, json.dumps(list(tools)))
        if key not in self._forms:
            form = self._read_form(roles, tools, by_user=False) or self._read_form(("user",), tools, by_user=True)
            if form is None:
                raise ConfigError(
                    f"the chat template of {self.name} shows no message behind an assistant's ({', '.join(roles)}): it "
                    "is not made for several turns; set tokenizer.chat_template to one that is"
                )
            self._forms[key] = form
        return self._forms[key]

    def _read_form(self, roles: tuple[str, ...], tools: Tools, *, by_user: bool) -> _Form | None:
        """How the template writes messages of these roles; None where it cannot. Raises ConfigError if it rewrites."""
        marks = [f"rlenv-observation-{place}-" for place in range(len(roles))]
        heard = [{"role": role, "content": mark} for role, mark in zip(roles, marks, strict=True)]
        whole = self._try(_conversation(WORDS, heard), tools)
        if whole is None or WORDS not in whole:
            return None
        head, _, rest = whole.rpartition(WORDS)
        pieces = []
        for mark in marks:
            piece, there, rest = rest.partition(mark)
            if not there:
                return None
            pieces.append(piece)
        self._refuse_rewriting(heard, tools, whole)
        pieces.append(rest)
        ids = self.ids("x".join(pieces))
        return _Form(tuple(pieces), tuple(i for i in ids if i in self._controls), head + WORDS, by_user)

    def _refuse_rewriting(self, heard: Sequence[Message], tools: Tools, whole: str) -> None:
        """Raise ConfigError unless the template leaves what was said before as it was, thoughts too."""
        opened = self._rendered([{"role": "user", "content": QUESTION}], tools)
        after = "a message of the " + " and the ".join(dict.fromkeys(message["role"] for message in heard))
        for said in (WORDS, WITH_THOUGHT):
            spoken = said.removeprefix(OPENING) if opens_trace(opened) else said
            once = self._try(_conversation(spoken, heard), tools)
            twice = self._try([*_conversation(spoken, heard), *_conversation(spoken, heard)[1:]], tools)
            tail = whole.rpartition(WORDS)[2]
            if _goes_on(opened, spoken, tail, once) and once is not None and _goes_on(once, spoken, tail, twice):
                continue
            dropped = THOUGHT in spoken and THOUGHT not in (once or "")
            what = "it drops what was thought" if dropped else "it writes in another form what was said"
            raise RewritesHistory(
                f"the chat template of {self.name} rewrites history: {what} before {after}, so that a policy would "
                "learn in a context that it never meets again; set tokenizer.chat_template to one that leaves earlier "
                "turns as they were said (trl.chat_template_utils.get_training_chat_template makes it for known "
                "models), or take another model"
            )

    def _shown(self, heard: Sequence[Message], form: _Form, tools: Tools) -> list[str]:
        """Each message as the template writes it: as it is, without white space around it, or as JSON."""
        texts = [message["content"] for message in heard]
        whole = self._try(_conversation(WORDS, heard), tools) or ""
        if whole == form.head + _around(form.pieces, texts):
            return texts
        return [self._shown_one(heard, place, form, tools) for place in range(len(heard))]

    def _shown_one(self, heard: Sequence[Message], place: int, form: _Form, tools: Tools) -> str:
        """One of the messages between dummies; as it is where it changes what the template writes around it."""
        dummies = [{**message, "content": "x"} for message in heard]
        dummies[place] = dict(heard[place])
        whole = self._try(_conversation(WORDS, dummies), tools) or ""
        before = form.head + _around(form.pieces[: place + 1], ["x"] * place)
        behind = _around(form.pieces[place + 1 :], ["x"] * (len(heard) - place - 1))
        inner = len(whole) - len(before) - len(behind)
        if inner < 0 or not whole.startswith(before) or not whole.endswith(behind):
            return heard[place]["content"]
        return whole[len(before) : len(before) + inner]

    def _joined(self, form: _Form, texts: Sequence[str]) -> list[int]:
        """The ids of the whole bridge at once, unless an observation spells control tokens: then piece by piece."""
        ids = self.ids(_around(form.pieces, texts))
        if tuple(i for i in ids if i in self._controls) == form.controls:
            return ids
        ids = self.ids(form.pieces[0])
        for text, piece in zip(texts, form.pieces[1:], strict=True):
            ids += self.plain(text) + self.ids(piece)
        return ids

    def _try(self, messages: Sequence[Message], tools: Tools) -> str | None:
        try:
            return self._rendered(messages, tools)
        except ConfigError:  # a template is a program of others, and refuses roles and orders in its own ways
            return None

    def _rendered(self, messages: Sequence[Message], tools: Tools) -> str:
        return self._texts_of([messages], tools)[0]

    def _texts_of(self, conversations: Sequence[Sequence[Message]], tools: Tools = ()) -> list[str]:
        """What the template makes of each, kept where it is short."""
        from rlenv.door.templates import all_rendered

        kept, behind = self._texts, json.dumps(list(tools))
        keys = [json.dumps([dict(message) for message in messages]) + behind for messages in conversations]
        new = {key: messages for key, messages in zip(keys, conversations, strict=True) if key not in kept}
        if not new:
            return [kept[key] for key in keys]
        variables = self.template_kwargs
        made = all_rendered(self.tokenizer, [*new.values()], tools=tools, answer=True, variables=variables)
        texts = dict(zip(new, made, strict=True))
        short = {key: text for key, text in texts.items() if len(key) <= KEPT_CHARS}
        self._texts = (kept if len(kept) + len(short) <= KEPT_TEXTS else {}) | short
        return [texts[key] if key in texts else kept[key] for key in keys]

    def ids(self, text: str, *, special: bool = False, **options: bool) -> list[int]:
        """The ids of a text as it stands; a special token that it spells is one."""
        if not text:
            return []
        encoding: Any = self.tokenizer(_valid(text), add_special_tokens=special, **options)
        return [int(i) for i in encoding["input_ids"]]


def _valid(text: str) -> str:
    return text.encode("utf-8", "replace").decode()  # tokenizers refuse lone surrogates


def _conversation(said: str, heard: Sequence[Message]) -> list[Message]:
    return [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": said}, *heard]


def _around(pieces: Sequence[str], texts: Sequence[str]) -> str:
    """The pieces with the texts between them; one piece more than texts, or as many."""
    between = [*texts, ""]
    return "".join(piece + between[place] for place, piece in enumerate(pieces))


def _goes_on(before: str, said: str, tail: str, text: str | None) -> bool:
    """Whether a text is what stood before, then what was said, then the bridge; white space may stand between."""
    if text is None or not text.startswith(before):
        return False
    return text[len(before) :].lstrip() == said.lstrip() + tail
