"""NeMo Gym's real agent and collector roll out our tasks; `rlenv serve` is their resources server."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from pathlib import Path
from typing import Annotated, Any

import pytest
from conformity import GROUP_SIZE, SOURCES, cases, differences, needs
from serving import serving

needs("nemo_gym")

import uvicorn  # noqa: E402
from nemo_gym.base_responses_api_model import (  # noqa: E402
    BaseResponsesAPIModelConfig,
    Body,
    SimpleResponsesAPIModel,
)
from nemo_gym.openai_utils import NeMoGymResponse, NeMoGymResponseCreateParamsNonStreaming  # noqa: E402
from nemo_gym.rollout_collection import RolloutCollectionConfig, RolloutCollectionHelper  # noqa: E402
from nemo_gym.server_utils import HeadServer, ServerClient, get_global_aiohttp_client  # noqa: E402
from responses_api_agents.simple_agent.app import SimpleAgent, SimpleAgentConfig  # noqa: E402

import rlenv  # noqa: E402
from rlenv.integrations.nemo_gym import nemo_gym_row, to_nemo_gym  # noqa: E402

AGENT, JUDGE, MODEL = "rlenv_agent", "rlenv_judge", "policy_model"


class Script(SimpleResponsesAPIModel):  # type: ignore[misc]  # no types here
    """Says the case that the request's metadata names, by its task and NeMo Gym's seed of the rollout."""

    async def responses(self, body: Annotated[NeMoGymResponseCreateParamsNonStreaming, Body()]) -> NeMoGymResponse:
        told = body.metadata
        case = cases()[int(told["task"]) * GROUP_SIZE + json.loads(told["extra_body"])["seed"]]
        part = {"type": "output_text", "text": case.text, "annotations": []}
        said = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [part]}
        cut = {} if case.finished else {"incomplete_details": {"reason": "max_output_tokens"}}
        return NeMoGymResponse.model_validate(
            {
                "id": "r",
                "created_at": 1,
                "model": "m",
                "object": "response",
                "output": [said],
                "parallel_tool_calls": False,
                "tool_choice": "auto",
                "tools": [],
                **cut,
            }
        )

    async def chat_completions(self, body: Annotated[Any, Body()]) -> Any:
        raise NotImplementedError


def place() -> dict[str, Any]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return {"host": "127.0.0.1", "port": free.getsockname()[1]}


def read(file: Path) -> list[dict[str, Any]]:
    """JSON lines; a text may hold what `splitlines` takes for the end of one."""
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def settings(url: str) -> dict[str, Any]:
    """The configuration that NeMo Gym's command makes of its YAML files."""
    host, _, port = url.removeprefix("http://").partition(":")
    refs = {"resources_server": {"type": "resources_servers", "name": JUDGE}}
    refs["model_server"] = {"type": "responses_api_models", "name": MODEL}
    made = {"entrypoint": "app.py"}
    return {
        JUDGE: {"resources_servers": {"rlenv": {**made, "host": host, "port": int(port)}}},
        MODEL: {"responses_api_models": {"script": {**made, **place()}}},
        AGENT: {"responses_api_agents": {"simple_agent": {**made, **place(), **refs}}},
        "head_server": place(),
    }


async def collected(told: dict[str, Any], config: RolloutCollectionConfig) -> list[dict[str, Any]]:
    """What the collector brings, with an agent and a model of NeMo Gym's own kinds."""
    head, _, _ = HeadServer.run_webserver()
    while not head.started:
        await asyncio.sleep(0)
    client = ServerClient.load_from_global_config()
    agent = {**told[AGENT]["responses_api_agents"]["simple_agent"], "name": AGENT}
    model = {**told[MODEL]["responses_api_models"]["script"], "name": MODEL}
    made = [
        (SimpleAgent(config=SimpleAgentConfig(**agent), server_client=client), agent["port"]),
        (Script(config=BaseResponsesAPIModelConfig(**model), server_client=client), model["port"]),
    ]
    servers = [
        uvicorn.Server(uvicorn.Config(one.setup_webserver(), port=port, log_level="error")) for one, port in made
    ]
    running = [asyncio.create_task(server.serve()) for server in servers]
    try:
        return list(await RolloutCollectionHelper().run_from_config(config))
    finally:
        for server in (*servers, head):
            server.should_exit = True
        await get_global_aiohttp_client().close()
        await asyncio.gather(*running)


def test_nemo_gym_rolls_out_what_the_environment_pays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = cases()[::GROUP_SIZE]
    kwargs = [given for _, given, count in SOURCES for _ in range(count)]
    with (tmp_path / "tasks.jsonl").open("w") as file:
        for number, (case, given) in enumerate(zip(tasks, kwargs, strict=True)):
            row: dict[str, Any] = nemo_gym_row(json.loads(case.row)["env"], case.task, given)
            row["responses_create_params"]["metadata"] = {"task": str(number)}
            file.write(f"{json.dumps(row)}\n")
    out = tmp_path / "rollouts.jsonl"
    config = RolloutCollectionConfig(
        agent_name=AGENT,
        input_jsonl_fpath=str(tmp_path / "tasks.jsonl"),
        output_jsonl_fpath=str(out),
        num_repeats=GROUP_SIZE,
        num_repeats_add_seed=True,
        num_samples_in_parallel=16,
    )
    plugin = tmp_path / "plugin"
    plugin.mkdir()
    monkeypatch.setattr(sys, "argv", ["rlenv"])  # NeMo Gym reads the command line
    with serving(plugin) as url:
        told = settings(url)
        monkeypatch.setenv("NEMO_GYM_CONFIG_DICT", json.dumps(told))
        results = asyncio.run(collected(told, config))
    assert differences([result["reward"] for result in results]) == []
    failed = read(out.with_name("rollouts_failures.jsonl"))
    assert {(row["_ng_failure_class"], row["reward"]) for row in failed} == {("verifier_error", None)}
    paid = [row["reward"] for row in read(out)]
    assert len(paid) + len(failed) == len(cases())
    [metrics] = json.loads(out.with_name("rollouts_aggregate_metrics.json").read_text())
    assert metrics["key_metrics"]["mean/reward"] == pytest.approx(sum(paid) / len(paid))
    assert metrics["key_metrics"]["verifier_errors"] == pytest.approx(len(failed) / len(cases()))


def test_a_file_of_tasks_is_a_dataset_of_nemo_gym(tmp_path: Path) -> None:
    from nemo_gym.base_resources_server import BaseRunRequest

    assert to_nemo_gym("math/arithmetic-v0", tmp_path / "train.jsonl", size=5, agent=AGENT, level=2) == 5
    rows = read(tmp_path / "train.jsonl")
    asked = [BaseRunRequest.model_validate(row).responses_create_params.input[0].content for row in rows]
    assert asked == [rlenv.Task.from_json(json.loads(row["rlenv_row"])["task"]).prompt for row in rows]
