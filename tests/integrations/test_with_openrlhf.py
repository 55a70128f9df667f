"""OpenRLHF's real executors, ours loaded as OpenRLHF loads it, pay what `rlenv.make` pays. Its engine is a script."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conformity import GROUP_SIZE, SUMS, Case, Game, cases, differences, differences_of_games, games, needs

needs("openrlhf.utils.agent")

from chat_models import chat_policy  # noqa: E402
from openrlhf.datasets.prompts_dataset import preprocess_data  # noqa: E402
from openrlhf.utils.agent import AgentExecutorBase, SingleTurnAgentExecutor  # noqa: E402

from rlenv.core.task import prompt_messages  # noqa: E402
from rlenv.integrations import openrlhf as ours  # noqa: E402
from rlenv.integrations.openrlhf import to_openrlhf  # noqa: E402

pytestmark = pytest.mark.slow
POLICY = chat_policy("qwen2")
END = POLICY.eos_ids[0]
MOST = 6000


def loaded() -> AgentExecutorBase:
    """Our agent, loaded from its file as OpenRLHF's engines do."""
    path = Path(ours.__file__).with_name("openrlhf_agent.py")
    spec = importlib.util.spec_from_file_location("agent_module", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert issubclass(module.AgentExecutor, AgentExecutorBase)
    return module.AgentExecutor()


def sampled(text: str, finished: bool) -> Any:
    ids = [int(i) for i in POLICY.tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"]]
    ids = [*ids[: MOST - 1000], END] if finished else ids
    logprobs = [{i: SimpleNamespace(logprob=-0.5)} for i in ids]
    one = SimpleNamespace(token_ids=ids, logprobs=logprobs, finish_reason="stop" if finished else "length")
    return SimpleNamespace(outputs=[one])


class Engine:
    """Says the turns of one script, and remembers what it read."""

    def __init__(self, turns: Sequence[str], finished: bool) -> None:
        self.left = [sampled(text, finished or place < len(turns) - 1) for place, text in enumerate(turns)]
        self.read: list[list[int]] = []

    async def generate(self, ids: list[int], parameters: Any, multi_modal_data: Any = None) -> Any:
        assert parameters.max_tokens > 0
        self.read.append(ids)
        await asyncio.sleep(0)
        return self.left.pop(0)


def parameters() -> Any:
    return SimpleNamespace(max_tokens=MOST - 500, logprobs=1)


async def group(executor: AgentExecutorBase, mine: Sequence[Case | Game], engines: Sequence[Engine]) -> list[Any]:
    """As `generate_responses` of OpenRLHF's engine starts them: with one object of parameters."""
    shared = parameters()
    tasks = [
        executor.execute("", one.row, shared, MOST, POLICY.tokenizer, engine)
        for one, engine in zip(mine, engines, strict=True)
    ]
    return list(await asyncio.gather(*tasks))


def test_our_agent_pays_what_the_environment_pays() -> None:
    async def all_of_them() -> list[Any]:
        executor = loaded()
        groups = [cases()[i : i + GROUP_SIZE] for i in range(0, len(cases()), GROUP_SIZE)]
        plays = [group(executor, mine, [Engine((c.text,), c.finished) for c in mine]) for mine in groups]
        return [one for mine in await asyncio.gather(*plays) for one in mine]

    found = asyncio.run(all_of_them())
    assert differences([one["reward"] for one in found], failed="mean") == []
    graded = [one["reward"] if one["extra_logs"]["graded"] else None for one in found]
    assert differences(graded) == []
    assert [one["truncated"] for one in found] == [not case.finished for case in cases()]
    start, end = found[0]["action_ranges"][0]
    assert found[0]["observation_tokens"][start:end][-1] == END
    assert set(found[0]["rollout_log_probs"][start:end]) == {-0.5}


def test_our_agent_plays_games_in_the_very_tokens_that_were_sampled() -> None:
    async def all_of_them() -> list[Any]:
        executor = loaded()
        plays = [group(executor, [game], [engine]) for game, engine in zip(games(), engines, strict=True)]
        return [one for mine in await asyncio.gather(*plays) for one in mine]

    engines = [Engine(game.turns, game.finished) for game in games()]
    spoken = [[said.outputs[0].token_ids for said in engine.left] for engine in engines]
    found = asyncio.run(all_of_them())
    assert differences_of_games([one["reward"] for one in found]) == []
    for one, turns in zip(found, spoken, strict=True):
        said = [one["observation_tokens"][first:end] for first, end in one["action_ranges"]]
        assert said == turns[: len(said)]
        assert len(one["rollout_log_probs"]) == len(one["observation_tokens"])


def test_one_that_breaks_does_not_hang_the_others() -> None:
    class Broken:
        async def generate(self, *_: Any, **__: Any) -> Any:
            raise OSError("the engine is gone")

    async def both() -> list[Any]:
        executor, shared, case = loaded(), parameters(), cases()[0]
        engines = [Engine((case.text,), True), Broken()]
        tasks = [executor.execute("", case.row, shared, MOST, POLICY.tokenizer, engine) for engine in engines]
        return list(await asyncio.gather(*tasks, return_exceptions=True))

    whole, broken = asyncio.run(both())
    assert whole["reward"] == 1.0
    assert isinstance(broken, OSError)


def through(ask: Callable[[SingleTurnAgentExecutor, Case], Any]) -> list[Any]:
    executor = SingleTurnAgentExecutor(str(ours.__file__))
    return [ask(executor, case) for case in cases()]


def test_the_reward_function_pays_what_the_environment_pays() -> None:
    def asked(executor: SingleTurnAgentExecutor, case: Case) -> Any:
        chat = prompt_messages(case.task.prompt)
        prompt = POLICY.tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
        engine = Engine((case.text,), case.finished)
        return asyncio.run(executor.execute(prompt, case.row, parameters(), MOST, POLICY.tokenizer, engine))

    found = through(asked)
    assert differences([one["reward"] if one["extra_logs"]["graded"] else None for one in found]) == []
    assert all(isinstance(one["reward"], float) for one in found)


def test_openrlhf_reads_the_file(tmp_path: Path) -> None:
    options = to_openrlhf(SUMS, tmp_path / "train.jsonl", size=3, level=2)
    rows = [json.loads(line) for line in (tmp_path / "train.jsonl").read_text().splitlines()]
    prompt, label = preprocess_data(rows[0], None, "input", "label", POLICY.tokenizer.apply_chat_template)
    assert rows[0]["input"][0]["content"] in prompt
    assert json.loads(label)["env"] == SUMS
    assert f"--data.prompt_dataset {tmp_path / 'train.jsonl'}" in options
