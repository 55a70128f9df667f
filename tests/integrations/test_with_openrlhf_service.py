"""OpenRLHF's real client of a remote reward asks `rlenv serve`, and gets what `rlenv.make` pays."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from conformity import cases, differences, needs

needs("openrlhf.utils.agent")
needs("fastapi")

import torch  # noqa: E402
from openrlhf.utils.agent import SingleTurnAgentExecutor  # noqa: E402
from serving import serving  # noqa: E402
from test_with_openrlhf import MOST, POLICY, Engine, parameters  # noqa: E402

from rlenv.core.task import prompt_messages  # noqa: E402

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    end = str(POLICY.tokenizer.convert_ids_to_tokens(POLICY.eos_ids[0]))
    with serving(tmp_path_factory.mktemp("plugin"), "--set", f"eos={end}") as served:
        yield f"{served}/openrlhf"


def test_openrlhfs_remote_reward_is_what_the_environment_pays(url: str) -> None:
    executor = SingleTurnAgentExecutor(url)

    async def asked(case: Any) -> dict[str, Any]:
        chat = prompt_messages(case.task.prompt)
        prompt = POLICY.tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
        engine = Engine((case.text,), case.finished)
        return dict(await executor.execute(prompt, case.row, parameters(), MOST, POLICY.tokenizer, engine))

    async def all_of_them() -> list[dict[str, Any]]:
        room = asyncio.Semaphore(16)

        async def one(case: Any) -> dict[str, Any]:
            async with room:
                return await asked(case)

        return list(await asyncio.gather(*map(one, cases())))

    found = asyncio.run(all_of_them())
    assert differences([one["reward"][0] for one in found]) == []
    graded = [one["reward"] for one in found if one["reward"][0] is not None]
    assert torch.tensor(graded).shape == (len(graded), 1)  # what OpenRLHF makes of an answer
