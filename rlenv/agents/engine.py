"""Asks the policy for many episodes together: requests that wait at the same time are one batch.

One thread uses the policy and its tokenizer. Policies that continue transcripts (`TurnPolicy`) get token ids and give
token ids; any other is asked with messages, and its calls have no tokens to learn from.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from itertools import groupby

from rlenv.agents.chat import ChatRequest, answer_of
from rlenv.agents.prompts import as_messages, prompt_ids
from rlenv.agents.session import Call, Session
from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError
from rlenv.core.interaction import Reply
from rlenv.core.jsontypes import Json
from rlenv.core.policy import Policy, Sampling
from rlenv.core.task import Task
from rlenv.turns.bridge import Renderer
from rlenv.turns.live import Live
from rlenv.turns.play import TurnPolicy, turn_seed

GATHER_S = 0.01
"""How long the first request of a batch waits for others."""
MOST = 64
"""Requests in one batch."""


class _Nobody:
    """What answers the policy here is a harness, elsewhere."""

    tools = ()

    def start(self, task: Task) -> Json:
        return None

    def respond(self, state: Json, said: Completion) -> Reply:
        raise NotImplementedError


@dataclass
class _Request:
    session: Session
    asked: ChatRequest
    tokens: int
    """Reserved for it."""
    answer: Future[Call] = field(default_factory=Future)
    ids: list[int] = field(default_factory=list)


class Engine:
    """The thread that asks the policy."""

    def __init__(self, policy: Policy, seed: int = 0) -> None:
        self.policy, self.version = policy, 0
        self.renderer = _renderer_of(policy)
        self._seed, self._batches = seed, 0
        self._waiting: queue.SimpleQueue[_Request | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="rlenv-agents-engine", daemon=True)
        self._thread.start()

    def submit(self, session: Session, asked: ChatRequest) -> Future[Call]:
        """The call that a request becomes; it is recorded in its session before the future is done."""
        granted = session.reserve(asked.sampling.max_new_tokens)
        limited = replace(asked, sampling=replace(asked.sampling, max_new_tokens=max(1, granted)))
        request = _Request(session, limited, granted)
        self._waiting.put(request)
        return request.answer

    def close(self) -> None:
        """End the thread once what was asked is answered."""
        self._waiting.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (first := self._waiting.get()) is not None:
            batch, until, last = [first], time.monotonic() + GATHER_S, False
            while len(batch) < MOST and (left := until - time.monotonic()) > 0:
                try:
                    more = self._waiting.get(timeout=left)
                except queue.Empty:
                    break
                if more is None:
                    last = True
                    break
                batch.append(more)
            self._answer(batch)
            if last:
                return

    def _answer(self, batch: Sequence[_Request]) -> None:
        ready = [request for request in batch if self._is_ready(request)]
        for sampling, same in groupby(
            sorted(ready, key=lambda request: repr(request.asked.sampling)), key=lambda request: request.asked.sampling
        ):
            requests = list(same)
            try:
                said = self._said(requests, replace(sampling, seed=turn_seed(self._seed, self._batches)))
            except Exception as error:  # a policy is the user's, and fails in its own ways
                _fail(requests, error)
                continue
            self._batches += 1
            for request, one in zip(requests, said, strict=True):
                self._done(request, one)

    def _is_ready(self, request: _Request) -> bool:
        """Whether its prompt could be made into tokens, and somebody still waits for the answer."""
        if not request.answer.set_running_or_notify_cancel():
            request.session.release(request.tokens)
            return False
        try:
            if self.renderer is not None:
                request.ids = prompt_ids(self.renderer, request.asked, request.session.calls)
        except Exception as error:  # templates of others
            _fail([request], error)
            return False
        return True

    def _said(self, requests: Sequence[_Request], sampling: Sampling) -> Sequence[Completion | None]:
        if self.renderer is not None and isinstance(self.policy, TurnPolicy):
            lives = [Live(Task(""), _Nobody(), 1, prompt_ids=tuple(request.ids)) for request in requests]
            return self.policy.continued(lives, sampling)
        prompts = [tuple(as_messages(request.asked, request.session.calls)) for request in requests]
        said = self.policy.generate(prompts, 1, sampling)
        return [replace(one, token_ids=(), logprobs=()) for one in said]

    def _done(self, request: _Request, said: Completion | None) -> None:
        session, asked = request.session, request.asked
        if said is None:
            _fail([request], session.refusal("context", "the conversation is longer than the model's context"))
            return
        answer = answer_of(said, tools=bool(asked.tools), number=len(session.calls))
        call = Call(tuple(request.ids), said, self.version, asked.messages, answer, asked.tools)
        session.release(request.tokens)
        session.calls.append(call)
        request.answer.set_result(call)


def _renderer_of(policy: Policy) -> Renderer | None:
    """What makes prompts into tokens; None for a policy without tokens."""
    if not isinstance(policy, TurnPolicy):
        return None
    owner = getattr(policy, "policy", policy)  # that of vLLM has a policy of transformers
    renderer = getattr(owner, "renderer", None)
    if not isinstance(renderer, Renderer):
        raise ConfigError(f"expected a policy with a renderer, got {policy.name}")
    return renderer


def _fail(requests: Iterable[_Request], error: Exception) -> None:
    for request in requests:
        request.session.release(request.tokens)
        request.answer.set_exception(error)
