"""verl's reward manager for our rows: whole groups through the wrappers, and no 0 for a checker that failed.

    reward.num_workers=1 reward.reward_manager.source=importlib reward.reward_manager.name=RlenvRewardManager
    reward.reward_manager.module.path=pkg://rlenv.integrations.verl_reward

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
from rlenv.core.errors import ConfigError
from rlenv.env.rows import RowJudge
from rlenv.integrations.decoding import Decoder
from rlenv.integrations.mean_fill import MeanFill
from rlenv.integrations.verl import ROW, TRAIN
from rlenv.integrations.verl_settings import check_settings, end_ids
from rlenv.integrations.versions import check_version

COMPLETION_FIELD = "rlenv_completion"
"""What our agent loop says beside the tokens."""
WAIT_S = 1800.0
"""A group that is not whole after so long will never be: its members are judged as they are, with a warning."""
NO_MASK = "verl's reward loop does not say which tokens a tool wrote; play it with the agent loop that to_verl() names"
log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Asked:
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
        self._judges = {training: RowJudge(training=training) for training in (True, False)}
        self._fill = MeanFill()
        self._waiting: dict[str, list[_Asked]] = {}
        self._ready: list[_Asked] = []
        self._judging: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="rlenv-judge")

    async def run_single(self, data: DataProto) -> dict[str, Any]:
        """The reward of the last sample of `data`, as verl takes it, once its whole group is there."""
        asked = self._asked(data[len(data) - 1])
        if not asked.training or self.group_size == 1:
            self._ready.append(asked)
        else:
            self._gather(asked)
        self._judge_ready()
        return await asked.reward

    def _gather(self, asked: _Asked) -> None:
        """Let it wait for the others of its group; the last one brings them all."""
        members = self._waiting.setdefault(asked.group, [])
        members.append(asked)
        if len(members) == self.group_size:
            self._ready += self._waiting.pop(asked.group)
        elif len(members) == 1:
            asyncio.get_running_loop().call_later(WAIT_S, self._give_up, asked.group, members)

    def _give_up(self, group: str, members: list[_Asked]) -> None:
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
            await self._judge(batch)
        self._judging = None

    async def _judge(self, batch: Sequence[_Asked]) -> None:
        try:
            rewards = await asyncio.get_running_loop().run_in_executor(self._thread, self._rewards, batch)
        except Exception as error:  # whoever waits must hear of it
            for asked in batch:
                if not asked.reward.done():
                    asked.reward.set_exception(error)
            return
        for asked, reward in zip(batch, rewards, strict=True):
            if not asked.reward.done():  # verl may have given up on it
                asked.reward.set_result(reward)

    def _rewards(self, batch: Sequence[_Asked]) -> list[dict[str, Any]]:
        """What verl gets for each, judged whole group by whole group."""
        told: dict[int, dict[str, Any]] = {}
        for training, judge in self._judges.items():
            places = [i for i, asked in enumerate(batch) if asked.training is training]
            mine = [batch[i] for i in places]
            episodes = judge.judge([a.row for a in mine], [a.completion for a in mine], groups=[a.group for a in mine])
            pairs = zip(episodes, self._fill.rewards(episodes), strict=True)
            told |= {place: self._told(*pair) for place, pair in zip(places, pairs, strict=True)}
        return [told[i] for i in range(len(batch))]

    def _told(self, episode: Episode, reward: float) -> dict[str, Any]:
        """The form that verl takes; every sample has the same keys, as it asks for."""
        verdict = episode.verdict
        extra = {
            "graded": float(verdict.graded),
            "cut": float(not episode.completion.finished),
            "flags": float(len(verdict.flags)),
            "reason": verdict.reason,
        }
        return {"reward_score": reward, "reward_extra_info": extra}

    def _asked(self, item: Any) -> _Asked:
        extra = item.non_tensor_batch.get("extra_info") or {}
        if ROW not in extra:
            raise ConfigError(f"expected rows with extra_info[{ROW!r}]; train on the file that to_verl() wrote")
        training = extra.get("split", TRAIN) == TRAIN
        group = str(item.non_tensor_batch.get("uid") or extra.get("index"))
        return _Asked(str(extra[ROW]), self._completion(item), group, training)

    def _completion(self, item: Any) -> Completion:
        told = (item.non_tensor_batch.get("tool_extra_fields") or {}).get(COMPLETION_FIELD)
        told = told or item.non_tensor_batch.get(COMPLETION_FIELD)
        if told:
            return Completion.from_json(json.loads(told))
        responses = item.batch["responses"]
        width = responses.shape[-1]
        length = int(item.batch["attention_mask"][-width:].sum())
        ids = responses[:length].tolist()
        turns = int(item.non_tensor_batch.get("__num_turns__") or 2)
        if "response_mask" not in item.batch and turns > 2:  # the prompt and one answer are two
            return Completion(self._decoder.text(ids), tuple(ids), failure=NO_MASK)
        mask = item.batch["response_mask"][:length].tolist() if "response_mask" in item.batch else ()
        prompt = item.batch["prompts"].tolist()
        return self._decoder.completion(ids, mask, read_as=self._decoder.read_as(prompt))
