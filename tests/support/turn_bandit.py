"""A bandit of two turns, small enough to play every episode that there is, with a real model in float64.

The policy says at most two of five tokens a turn. What is said first decides what is heard and pays a little; what is
said then pays by both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import cast

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.interaction import Reply
from rlenv.core.jsontypes import Json
from rlenv.core.policy import Sampling
from rlenv.core.task import Task
from rlenv.policies.tiny import TEMPLATE
from rlenv.policies.transformers import TransformersPolicy
from rlenv.turns.live import Live
from rlenv.turns.replay import ReplayVerifier
from rlenv.turns.transcript import ready

TOKENS = ("<eos>", "<sep>", "a", "b", "<unk>")
END = 0
TURNS = [(END,), *[(x, END) for x in range(1, 5)], *product(range(1, 5), repeat=2)]
"""All that can be said in a turn; what does not end is cut."""
SAMPLING = Sampling(max_new_tokens=2)


class Bandit:
    """Hears `a` or `b`; rewards are dyadic, so that they are exact in float32."""

    tools: Sequence[Mapping[str, Json]] = ()

    def start(self, task: Task) -> Json:
        return ""

    def respond(self, state: Json, said: Completion) -> Reply:
        before, text = cast("str", state), said.text
        if not before:
            return Reply(f"heard {text}", "ab" if text == "a" else "b", reward={"b": 0.25, "": -0.5}.get(text, 0.0))
        paid = 1.0 if text == before[-1] else 0.125 * len(text)
        return Reply(state, ended=True, reward=paid)


def bandit() -> rlenv.Definition:
    game = Bandit()
    tasks = rlenv.ListTasks([Task("ab")])
    return rlenv.Definition(tasks=tasks, verifier=ReplayVerifier(game), interaction=game, max_turns=2)


def bandit_policy(seed: int = 0) -> TransformersPolicy:
    core = Tokenizer(models.WordLevel({token: i for i, token in enumerate(TOKENS)}, unk_token="<unk>"))
    core.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    core.decoder = decoders.Fuse()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core,
        eos_token="<eos>",
        sep_token="<sep>",
        unk_token="<unk>",
        clean_up_tokenization_spaces=False,
        chat_template=TEMPLATE,
    )
    config = GPT2Config(  # a Llama computes its norms in float32 whatever its weights are
        vocab_size=len(TOKENS),
        n_positions=32,
        n_embd=8,
        n_layer=1,
        n_head=2,
        initializer_range=0.5,
        eos_token_id=END,
        bos_token_id=None,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = GPT2LMHeadModel(config).double()
    return TransformersPolicy(model.eval(), tokenizer, "bandit")


def all_episodes(policy: TransformersPolicy) -> list[Episode]:
    """Every episode that there is, judged, with prompt ids."""
    definition = bandit()
    task = definition.tasks[0]
    prompt = tuple(policy.encode(task.prompt))
    said = list(_all(policy, definition, task))
    batch = rlenv.BatchEnvironment(definition, group_size=len(said))
    batch.reset(tasks=[task])
    return [Episode(e.task, e.completion, e.verdict, prompt_ids=prompt) for e in batch.step(said)]


def _all(policy: TransformersPolicy, definition: rlenv.Definition, task: Task) -> Iterator[Completion]:
    for first in TURNS:
        live = _played(policy, definition, task, [first])
        if live.ended:
            yield live.completion()
            continue
        for second in TURNS:
            yield _played(policy, definition, task, [first, second]).completion()


def _played(
    policy: TransformersPolicy, definition: rlenv.Definition, task: Task, turns: Sequence[Sequence[int]]
) -> Live:
    live = Live.of(definition, task)
    for ids in turns:
        ready([live], policy.renderer, SAMPLING)
        finished = ids[-1] == END
        text = policy.text_of(ids, finished=finished)
        live.step(Completion(text, tuple(ids), (0.0,) * len(ids), finished=finished))
    return live


def chosen_logprobs(model: torch.nn.Module, episode: Episode) -> torch.Tensor:
    """Log-probs of the policy's tokens, from the model's plain logits over the whole transcript. (chosen,)"""
    said = episode.completion
    ids = torch.tensor([[*episode.prompt_ids, *said.token_ids]])
    logprobs = model(input_ids=ids).logits[0, :-1].log_softmax(-1).gather(1, ids[0, 1:, None])[:, 0]
    own: torch.Tensor = logprobs[-len(said.mask) :][torch.tensor(said.mask) > 0]
    return own
