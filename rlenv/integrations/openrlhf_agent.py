"""OpenRLHF's agent for our environments, of one turn or several; `to_openrlhf` prints the option that names this file.

OpenRLHF starts the samples of one prompt together, with one object of sampling parameters among them. The last of them
to end judges the whole group, through the environment's wrappers; a checker that failed becomes the mean of the group.
The prompt is rendered here, from the row in the label, and what was sampled is never tokenised again.
"""

from __future__ import annotations

import asyncio
from copy import deepcopy
from typing import Any

from openrlhf.utils.agent import AgentExecutorBase

from rlenv.core.episode import Episode
from rlenv.core.policy import Sampling
from rlenv.foreign.versions import check_version
from rlenv.integrations.adapter import Payer, logs_of
from rlenv.integrations.token_episode import TokenEpisode

Paid = list[tuple[Episode, float]]


class _Group:
    """The samples of one prompt, from the first that begins to the last that ends.

    No dataclass: OpenRLHF loads this file without entering it in `sys.modules`, where those look.
    """

    def __init__(self, parameters: Any, row: str) -> None:
        self.parameters, self.row = parameters, row  # the first is kept so that nothing else gets its identity
        self.playing = 0
        self.ended: list[TokenEpisode] = []
        self.settling: asyncio.Task[None] | None = None
        self.paid: asyncio.Future[Paid] = asyncio.get_running_loop().create_future()


class AgentExecutor(AgentExecutorBase):  # type: ignore[misc]  # OpenRLHF carries no types
    """What OpenRLHF's engines run in place of their own executor."""

    def __init__(self) -> None:
        check_version("openrlhf", "0.11.2", "0.12")
        self._groups: dict[int, _Group] = {}
        self._payer = Payer()

    async def execute(
        self,
        prompt: str,
        label: str,
        sampling_params: Any,
        max_length: int,
        hf_tokenizer: Any,
        llm_engine: Any,
        images: object = None,
    ) -> dict[str, Any]:
        """One episode, in the form of OpenRLHF; `max_length` bounds it with its prompt.

        Raises ConfigError for a label that is no row, and what loading its environment raises.
        """
        if id(sampling_params) not in self._groups:
            self._groups[id(sampling_params)] = _Group(sampling_params, label)
        group = self._groups[id(sampling_params)]
        group.playing += 1  # all of the group come here before the first of them waits for the engine
        try:
            episode = await asyncio.to_thread(_episode, label, sampling_params, max_length, hf_tokenizer)
            await _play(episode, sampling_params, llm_engine)
            group.ended.append(episode)
        finally:
            group.playing -= 1
            if not group.playing:
                del self._groups[id(sampling_params)]
                group.settling = asyncio.get_running_loop().create_task(self._settle(group))
        paid = await asyncio.shield(group.paid)  # which one that is given up must not cancel for the others
        judged, reward = paid[group.ended.index(episode)]
        return {
            "prompt": prompt,
            "label": label,
            "images": images,
            **_tokens(episode, logprobs=sampling_params.logprobs is not None),
            "reward": reward,
            "scores": reward,
            "extra_logs": logs_of(judged),
        }

    async def _settle(self, group: _Group) -> None:
        said = [episode.completion() for episode in group.ended]
        try:
            group.paid.set_result(await asyncio.to_thread(self._payer.pay, [group.row] * len(said), said))
        except Exception as error:  # whoever waits must hear of it
            group.paid.set_exception(error)


def _episode(row: str, parameters: Any, max_length: int, tokenizer: Any) -> TokenEpisode:
    sampling = Sampling(max_new_tokens=parameters.max_tokens or max_length)
    return TokenEpisode.of_row(row, tokenizer, [int(tokenizer.eos_token_id)], sampling, context=max_length)


async def _play(episode: TokenEpisode, parameters: Any, engine: Any) -> None:
    while (ids := await asyncio.to_thread(episode.ids)) is not None:
        of_turn = deepcopy(parameters)
        of_turn.max_tokens = episode.room
        said = (await engine.generate(ids, of_turn)).outputs[0]
        tokens = list(said.token_ids)
        known = zip(tokens, said.logprobs or (), strict=False)
        logprobs = [of_token[i].logprob if i in of_token else 0.0 for i, of_token in known]
        await asyncio.to_thread(episode.say, tokens, logprobs, cut=said.finish_reason == "length")


def _tokens(episode: TokenEpisode, *, logprobs: bool) -> dict[str, Any]:
    """The tokens, and which of them were sampled."""
    said, before = episode.completion(), len(episode.prompt_ids)
    turns = [(turn.first_token, turn.end_token) for turn in said.turns if turn.by_policy]
    spoken = turns if said.turns else [(0, len(said.token_ids))]
    return {
        "mm_train_inputs": None,
        "observation_tokens": [*episode.prompt_ids, *said.token_ids],
        "action_ranges": [(before + first, before + end) for first, end in spoken],
        "rollout_log_probs": [*([0.0] * before), *said.logprobs] if logprobs else None,
        "truncated": not said.finished,
    }
