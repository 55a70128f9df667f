"""verl's agent loop for environments of several turns: games, tools, conversations (verl 0.9.1).

`to_verl` writes the column `agent_name` and the file that names this class. The tokens in verl's loss are those that
its server sampled; what answers has mask 0, and is rendered by our own code, which refuses a template that rewrites
what was said before. The episode is judged by the reward manager (rlenv.integrations.verl.reward).
"""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopOutput

from rlenv.core.policy import Sampling
from rlenv.integrations.adapter import row_in
from rlenv.integrations.token_episode import TokenEpisode
from rlenv.integrations.verl import COMPLETION_FIELD, end_ids


class RlenvAgentLoop(AgentLoopBase):  # type: ignore[misc]  # verl carries no types
    """Plays one episode with verl's server as the policy."""

    async def run(self, sampling_params: dict[str, Any], **row: Any) -> AgentLoopOutput:
        """The episode as verl takes it: its ids, its mask, and the whole completion beside them."""
        episode = await self.loop.run_in_executor(None, self._episode, row_in(row["extra_info"]))
        request, seconds, logprobs_known = uuid4().hex, 0.0, True
        while (ids := await self.loop.run_in_executor(None, episode.ids)) is not None:
            started = self.loop.time()
            of_turn = {**sampling_params, "max_tokens": episode.room}
            said = await self.server_manager.generate(request_id=request, prompt_ids=ids, sampling_params=of_turn)
            seconds += self.loop.time() - started
            logprobs_known = logprobs_known and said.log_probs is not None
            tokens, logprobs = said.token_ids[: episode.room], (said.log_probs or [])[: episode.room]
            await self.loop.run_in_executor(None, episode.say, tokens, logprobs)
        completion = episode.completion()
        return AgentLoopOutput(
            prompt_ids=list(episode.prompt_ids),
            response_ids=list(completion.token_ids) or [self.tokenizer.eos_token_id],  # verl takes no empty answer
            response_mask=(list(completion.mask) or [1] * len(completion.token_ids)) or [0],
            response_logprobs=(list(completion.logprobs) or [0.0]) if logprobs_known else None,
            num_turns=2 * episode.turns,
            metrics={"generate_sequences": seconds},
            extra_fields={COMPLETION_FIELD: json.dumps(completion.to_json()), "turn_scores": [], "tool_rewards": []},
        )

    def _episode(self, row: str) -> TokenEpisode:
        length = int(self.rollout_config.response_length)
        sampling = Sampling(max_new_tokens=length, max_episode_tokens=length)
        return TokenEpisode.of_row(row, self.tokenizer, end_ids(self.config, self.tokenizer), sampling)
