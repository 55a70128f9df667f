"""Any model behind an OpenAI-compatible endpoint: vLLM, SGLang, llama.cpp, `transformers serve`, a provider.

    policy = EndpointPolicy("http://localhost:8000/v1", "Qwen/Qwen2.5-0.5B-Instruct", concurrency=64)
    completions = policy.generate(["What is 2 + 2?"], n=4)

An address that ends in `/completions` is that of a base model: it gets the prompt as text, not as messages. One that
ends in `/responses` or `/messages` is asked as OpenAI's Responses or Anthropic's Messages (rlenv.policies.dialects).
Requests go out side by side. `n` completions are asked for in one request, so that the server reads the prompt once; a
server that does not take `n` is asked `n` times. Busy servers (429, 5xx, timeouts) are asked again after a pause that
doubles each time. The key, where one is needed, is read from the environment. Sampling seeds are sent; whether they are
kept is up to the server. Token ids are not part of this interface, so its completions are for evaluation.

In episodes of several turns `max_episode_tokens` counts what the server's `usage` says, so that what was heard last
counts after the turn; a server that refuses because its context is full ends the episode as cut.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from rlenv.core.completion import Completion
from rlenv.core.errors import MISREAD, ConfigError, PolicyError
from rlenv.core.jsontypes import Json
from rlenv.core.policy import DEFAULT_SAMPLING, Sampling
from rlenv.core.task import Prompt
from rlenv.door.posting import Patience, Poster, address, client, refusal, tls
from rlenv.policies import dialects
from rlenv.policies.chat_api import CHAT, TEXT, Answered, Request, answered, api_messages
from rlenv.policies.ledger import counted
from rlenv.turns.live import Live

if TYPE_CHECKING:
    import httpx2

SEED_STRIDE = 1_000_003
"""Separates the seeds of the requests of one call."""
_FULL = re.compile(r"context[ _](?:length|size|window)|maximum model length|prompt is too long", re.IGNORECASE)
"""`This model's maximum context length is 4096 tokens`: what servers say when there is no room."""
_Made = TypeVar("_Made")


class _NoRoom(PolicyError):
    """The server's context is full."""


class _Used(NamedTuple):
    """What an episode has used so far, in the server's tokens."""

    after_prompt: int = 0
    total: int = 0
    """All that the model had read and said at the end of its last turn."""

    def after(self, answered: Answered) -> _Used:
        """What was heard since the last turn is what the request is longer than all before it."""
        heard = max(0, answered.prompt_tokens - self.total) if self.total else 0
        used = self.after_prompt + heard + answered.said_tokens
        return _Used(used, answered.prompt_tokens + answered.said_tokens)


@dataclass
class _Dialect:
    """What this server turned out to take; learned from its first refusals."""

    takes_n: bool = True
    limit_key: str = "max_tokens"


@dataclass(frozen=True)
class EndpointPolicy(Patience):
    """`url` ends before `/chat/completions`; `model` is the server's name for the model."""

    url: str
    model: str
    api_key_env: str = "OPENAI_API_KEY"
    """The environment variable that holds the key (by default ANTHROPIC_API_KEY for `/messages`); none is sent where it
    is not set."""
    logprobs: bool = False
    """Ask for the log-probs of the sampled tokens."""
    extra_body: Mapping[str, Json] = field(default_factory=dict)
    """Fields of the request that only this server knows."""
    max_context: int | None = None
    """How many tokens, prompt and completion together, the server has room for. A request that it refuses as too long
    is made again with the room that is left; a prompt without any has an empty completion, cut at its limit."""
    _dialect: _Dialect = field(default_factory=_Dialect, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "url", address(self.url).removesuffix(CHAT))
        if self.max_context is not None and self.max_context < 2:
            raise ConfigError(f"expected max_context of at least 2 tokens, got {self.max_context}")
        dialects.check(self.path, logprobs=self.logprobs)
        object.__setattr__(self, "api_key_env", dialects.key_of(self.path, self.api_key_env))
        self._dialect.takes_n &= self.path in (CHAT, TEXT)
        super().__post_init__()

    @property
    def path(self) -> str:
        """The interface that is asked, behind the address."""
        return dialects.dialect_of(self.url) or (TEXT if self.url.endswith(TEXT) else CHAT)

    @property
    def name(self) -> str:
        return f"{self.url}#{self.model}"

    def identity(self) -> dict[str, Json]:
        """What changes its completions beside its name and the sampling."""
        settings: dict[str, Json] = {"extra_body": self.extra_body, "max_context": self.max_context}
        return {key: value for key, value in settings.items() if value}

    def generate(
        self, prompts: Sequence[Prompt], n: int = 1, sampling: Sampling = DEFAULT_SAMPLING
    ) -> list[Completion]:
        """`n` completions of each prompt, prompt by prompt.

        Raises PolicyError when the server refuses, or is still busy after the last retry.
        """
        return self._all(
            lambda asker, place: asker.several(prompts[place], n, _seeded(sampling, place)).completions, len(prompts)
        )

    def continued(self, lives: Sequence[Live], sampling: Sampling) -> list[Completion | None]:
        """The next turn of each episode, without tokens; None where there is no room for one.

        Raises PolicyError as `generate` does.
        """
        alike = groupby(lives, key=lambda live: id(live if live.said or sampling.max_episode_tokens else live.task))
        groups = [list(group) for _, group in alike]  # copies of one prompt go out in one request

        def turns(asker: _Asker, place: int) -> list[Completion | None]:
            said = asker.turn(groups[place], _seeded(sampling, place)).completions
            return list(said) or [None] * len(groups[place])

        return self._all(turns, len(groups))

    def answers(
        self, prompts: Sequence[Prompt], sampling: Sampling = DEFAULT_SAMPLING
    ) -> Iterator[tuple[int, Completion | PolicyError]]:
        """The place and the one completion of each prompt, in the order in which they come.

        All have the same sampling seed. What goes wrong with one prompt is its answer and leaves the others alone;
        only where as many in a row as go out side by side stay without an answer, the rest is not asked.
        """

        def one(asker: _Asker, place: int) -> Completion | PolicyError:
            try:
                return asker.several(prompts[place], 1, sampling).completions[0]
            except PolicyError as error:
                return error

        return self._each(one, len(prompts), outages=self.concurrency)

    @contextmanager
    def session(self) -> Iterator[EndpointSession]:
        """Connections for threads that ask one by one."""
        with ExitStack() as clients:
            yield EndpointSession(self, clients)

    def _all(self, ask: Callable[[_Asker, int], list[_Made]], count: int) -> list[_Made]:
        """What is made of each place, in order; the first failure is raised, and stops the others."""
        failures: list[PolicyError] = []

        def tried(asker: _Asker, place: int) -> list[_Made]:
            try:
                return ask(asker, place)
            except PolicyError as error:
                failures.append(error)
                asker.poster.stopped.set()
                return []

        by_place = dict(self._each(tried, count))
        if failures:
            raise failures[0]
        return [one for place in range(count) for one in by_place[place]]

    def _each(
        self, ask: Callable[[_Asker, int], _Made], count: int, outages: int | None = None
    ) -> Iterator[tuple[int, _Made]]:
        """Each place and what is made of it, side by side, as it comes; what nobody waits for is not asked."""
        with client(self, self.api_key_env) as http, ThreadPoolExecutor(self.concurrency) as threads:
            asker = _Asker(self, http, outages)
            places = {threads.submit(ask, asker, place): place for place in range(count)}
            try:
                for future in as_completed(places):
                    yield places[future], future.result()
            finally:
                asker.poster.stopped.set()
                for future in places:
                    future.cancel()


def _seeded(sampling: Sampling, place: int) -> Sampling:
    """Each request of a call has a seed of its own."""
    return replace(sampling, seed=sampling.seed + SEED_STRIDE * place)


class _Asker:
    """The requests of one policy by one client."""

    def __init__(
        self,
        policy: EndpointPolicy,
        http: httpx2.Client,
        outages: int | None = None,
        stopped: threading.Event | None = None,
    ) -> None:
        self.policy, self.dialect = policy, policy._dialect
        dialects.dress(http, policy.path)
        self.poster = Poster(http, policy, outages, stopped or threading.Event())

    def turn(self, lives: Sequence[Live], sampling: Sampling) -> Answered:
        """The next turn of one episode, or the first of several that begin with the same prompt.

        No completion where there is no room for one.
        """
        live, most = lives[0], sampling.max_episode_tokens
        used = live.memory if isinstance(live.memory, _Used) else _Used()
        room = sampling.max_new_tokens if most is None else min(sampling.max_new_tokens, most - used.after_prompt)
        if room < 1:
            return Answered([])
        if self.policy.path == TEXT:
            raise PolicyError(f"{self.policy.url} takes no turns; give the address of the chat, which ends in /v1")
        request = Request(api_messages(live), live.tools, self.policy.path)
        try:
            made = self._several(request, len(lives), replace(sampling, max_new_tokens=room))
        except _NoRoom:
            return Answered([])
        if len(lives) == 1:
            live.memory = used.after(made)
        return made

    def several(self, prompt: Prompt, n: int, sampling: Sampling) -> Answered:
        """`n` completions of one prompt."""
        return self._or_cut(self._several, prompt, n, sampling)

    def some(self, prompt: Prompt, n: int, sampling: Sampling) -> Answered:
        """As many completions as one request gives."""
        return self._or_cut(self._fitting, prompt, n if self.dialect.takes_n else 1, sampling)

    def _or_cut(
        self, ask: Callable[[Request, int, Sampling], Answered], prompt: Prompt, n: int, sampling: Sampling
    ) -> Answered:
        """What is asked for; empty completions, cut at their limit, where the prompt leaves no room in the context."""
        try:
            return ask(Request.of(prompt, self.policy.path), n, sampling)
        except _NoRoom as error:
            if self.policy.max_context is None:
                advice = "say how many tokens it has room for (--max-context), or ask for fewer (--max-new-tokens)"
                raise PolicyError(f"{error}; {advice}") from error
            return Answered([Completion("", finished=False)] * n)

    def _several(self, request: Request, n: int, sampling: Sampling) -> Answered:
        """`n` completions, in one request or, where the server gives fewer, in more."""
        made, prompt_tokens, said_tokens = list[Completion](), 0, 0
        while len(made) < n:
            wanted = n - len(made) if self.dialect.takes_n else 1
            got = self._fitting(request, wanted, replace(sampling, seed=sampling.seed + len(made)))
            made += got.completions
            prompt_tokens, said_tokens = got.prompt_tokens, said_tokens + got.said_tokens
        return Answered(made, prompt_tokens, said_tokens)

    def _fitting(self, request: Request, n: int, sampling: Sampling) -> Answered:
        """The same request with the room that the context has left, where all that was asked for does not fit."""
        most = self.policy.max_context
        try:
            return self._once(request, n, sampling)
        except _NoRoom:
            if most is None:
                raise
        prompt_tokens = self._once(request, 1, replace(sampling, max_new_tokens=1)).prompt_tokens
        if not 0 < prompt_tokens < most:
            raise _NoRoom(f"{self.policy.url}: the prompt takes {prompt_tokens or 'an unknown number of'} tokens")
        room = min(most - prompt_tokens, sampling.max_new_tokens)
        return self._once(request, n, replace(sampling, max_new_tokens=room))

    def _once(self, request: Request, n: int, sampling: Sampling) -> Answered:
        """One request; a refusal that names a field is met by leaving that field out."""
        policy = self.policy
        for _ in range(3):
            n, limit_key = n if self.dialect.takes_n else 1, self.dialect.limit_key
            body = request.body(policy.model, n, sampling, limit_key, logprobs=policy.logprobs)
            response = self.poster.post(
                policy.url.removesuffix(policy.path) + policy.path, {**body, **policy.extra_body}
            )
            if response.status_code not in (400, 422) or _FULL.search(response.excerpt):
                break
            if limit_key == "max_tokens" and "max_completion_tokens" in response.excerpt:
                self.dialect.limit_key = "max_completion_tokens"
            elif n > 1:
                self.dialect.takes_n = False
            else:
                break
        if response.status_code != 200:
            hint = f"check that the address ends in /v1 and that the server has a model {policy.model!r}"
            refused = refusal(policy.url, response, policy.api_key_env, {404: hint})
            raise _NoRoom(refused) if _FULL.search(response.excerpt) else PolicyError(refused)
        try:
            got = answered(response.json(), n, policy.path)
        except MISREAD as error:
            excerpt = response.excerpt[:200]
            raise PolicyError(f"{policy.url}: not an answer of a chat model ({error!r}): {excerpt}") from error
        counted(policy.name, prompt_tokens=got.prompt_tokens, said_tokens=got.said_tokens, cost=got.cost)
        if len(got.completions) < n:
            self.dialect.takes_n = False
        return got._replace(completions=got.completions[:n])


class EndpointSession:
    """An endpoint as threads ask it: one request a call, each thread by a connection of its own.

    With one pool for all, each request looks at the connections of all others first.
    """

    def __init__(self, policy: EndpointPolicy, clients: ExitStack) -> None:
        self._policy, self._clients = policy, clients
        self._own, self._lock, self._stopped = threading.local(), threading.Lock(), threading.Event()
        self._tls = tls()

    def some(self, prompt: Prompt, n: int, sampling: Sampling) -> Answered:
        return self._asker().some(prompt, n, sampling)

    def turn(self, live: Live, sampling: Sampling) -> Answered:
        return self._asker().turn([live], sampling)

    def stop(self) -> None:
        self._stopped.set()

    def _asker(self) -> _Asker:
        """This thread's."""
        asker: _Asker | None = getattr(self._own, "asker", None)
        if asker is None:
            http = client(self._policy, self._policy.api_key_env, self._tls)
            with self._lock:
                self._clients.enter_context(http)
            asker = self._own.asker = _Asker(self._policy, http, stopped=self._stopped)
        return asker
