"""verl's reward manager for our rows: whole groups through the wrappers, and no 0 for a checker that failed.

    reward.num_workers=1 reward.reward_manager.source=importlib reward.reward_manager.name=RlenvRewardManager
    reward.reward_manager.module.path=pkg://rlenv.integrations.verl.reward

verl asks for one sample at a time and takes only numbers. So the samples of a group wait for one another in the one
worker (their checkers run side by side in processes of ours), and a sample that could not be judged gets the mean of
its group, whose advantage is 0; `graded` in verl's extra information says which these were. What verl decodes, we do
not use: the text comes from the token ids, and what a tool wrote is told apart by the mask or by our agent loop.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from verl import DataProto
from verl.experimental.reward_loop.reward_manager.base import RewardManagerBase

from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.foreign.versions import check_version
from rlenv.integrations.adapter import Payer, logs_of, row_in
from rlenv.integrations.token_episode import Decoder
from rlenv.integrations.verl import COMPLETION_FIELD, TRAIN, check_settings, end_ids

WAIT_S = 1800.0
"""A group that is not whole after so long will never be: its members are judged as they are, with a warning."""
NO_MASK = "verl's reward loop does not say which tokens a tool wrote; play it with the agent loop that to_verl() names"
log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Sample:
    """One sample that waits for its reward."""

    row: str
    completion: Completion
    group: str
    training: bool
    reward: asyncio.Future[dict[str, Any]] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class RlenvRewardManager(RewardManagerBase):  # type: ignore[misc]  # verl carries no types
    """What verl's reward loop asks for the reward of each sample."""

    def __init__(self, config: Any, tokenizer: Any, compute_score: Any = None, **_: Any) -> None:
        """Raises ConfigError for settings under which a group would never be whole, and for another version."""
        check_version("verl", "0.9.1", "0.10")
        check_settings(config)
        super().__init__(config, tokenizer, compute_score)
        self.group_size = int(config.actor_rollout_ref.rollout.n)
        self._decoder = Decoder(tokenizer, end_ids(config, tokenizer))
        self._payers = {training: Payer(training=training) for training in (True, False)}
        self._waiting: dict[str, list[_Sample]] = {}
        self._ready: list[_Sample] = []
        self._judging: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="rlenv-judge")

    async def run_single(self, data: DataProto) -> dict[str, Any]:
        """The reward of the last sample of `data`, as verl takes it, once its whole group is there."""
        sample = self._sample(data[len(data) - 1])
        if not sample.training or self.group_size == 1:
            self._ready.append(sample)
        else:
            self._gather(sample)
        self._judge_ready()
        return await sample.reward

    def _gather(self, sample: _Sample) -> None:
        """Let it wait for the others of its group; the last one brings them all."""
        members = self._waiting.setdefault(sample.group, [])
        members.append(sample)
        if len(members) == self.group_size:
            self._ready += self._waiting.pop(sample.group)
        elif len(members) == 1:
            asyncio.get_running_loop().call_later(WAIT_S, self._give_up, sample.group, members)

    def _give_up(self, group: str, members: list[_Sample]) -> None:
        if self._waiting.get(group) is not members:
            return
        log.warning("%d of %d members of a group came in %.0f s", len(members), self.group_size, WAIT_S)
        self._ready += self._waiting.pop(group)
        self._judge_ready()

    def _judge_ready(self) -> None:
        """Judge what is ready beside what verl does; a task of its own, which no caller's end cancels."""
        if self._judging is None:
            self._judging = asyncio.get_running_loop().create_task(self._judge_all())

    async def _judge_all(self) -> None:
        """All that is ready in one call, until nothing is."""
        while self._ready:
            batch, self._ready = self._ready, []
            try:
                rewards = await asyncio.get_running_loop().run_in_executor(self._thread, self._rewards, batch)
            except Exception as error:  # whoever waits must hear of it
                for sample in batch:
                    if not sample.reward.done():
                        sample.reward.set_exception(error)
                continue
            for sample, reward in zip(batch, rewards, strict=True):
                if not sample.reward.done():  # verl may have given up on it
                    sample.reward.set_result(reward)
        self._judging = None

    def _rewards(self, batch: Sequence[_Sample]) -> list[dict[str, Any]]:
        """What verl gets for each, judged whole group by whole group."""
        rewards: dict[int, dict[str, Any]] = {}
        for training, payer in self._payers.items():
            places = [i for i, sample in enumerate(batch) if sample.training is training]
            mine = [batch[i] for i in places]
            paid = payer.pay([s.row for s in mine], [s.completion for s in mine], [s.group for s in mine])
            rewards |= {place: _reward(*one) for place, one in zip(places, paid, strict=True)}
        return [rewards[i] for i in range(len(batch))]

    def _sample(self, item: Any) -> _Sample:
        extra = item.non_tensor_batch.get("extra_info") or {}
        group = str(item.non_tensor_batch.get("uid") or extra.get("index"))
        return _Sample(row_in(extra), self._completion(item), group, extra.get("split", TRAIN) == TRAIN)

    def _completion(self, item: Any) -> Completion:
        columns = item.non_tensor_batch
        whole = (columns.get("tool_extra_fields") or {}).get(COMPLETION_FIELD) or columns.get(COMPLETION_FIELD)
        if whole:
            return Completion.from_json(json.loads(whole))
        responses = item.batch["responses"]
        length = int(item.batch["attention_mask"][-responses.shape[-1] :].sum())
        ids = responses[:length].tolist()
        turns = int(columns.get("__num_turns__") or 2)
        if "response_mask" not in item.batch and turns > 2:  # the prompt and one answer are two
            return Completion(self._decoder.text(ids), tuple(ids), failure=NO_MASK)
        mask = item.batch["response_mask"][:length].tolist() if "response_mask" in item.batch else ()
        return self._decoder.completion(ids, mask, read_as=self._decoder.read_as(item.batch["prompts"].tolist()))


def _reward(episode: Episode, reward: float) -> dict[str, Any]:
    """The form that verl takes; every sample has the same keys, as it asks for."""
    cut = float(not episode.completion.finished)
    return {
        "reward_score": reward,
        "reward_extra_info": {**logs_of(episode), "cut": cut, "reason": episode.verdict.reason},
    }
