"""What prime-rl's orchestrator calls: the taskset is loaded by the client, and a server of verifiers plays its tasks.

prime-rl (0.8.0 at 559b447) loads a taskset with `vf.load_taskset`, starts `serve_env` as a process and sends each task
to it with `EnvClient.run`; what comes back are the traces that it trains on.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from conformity import SUMS, cases, differences, needs, search_path

vf = needs("verifiers.v1")

from test_with_verifiers import Model, listening  # noqa: E402
from verifiers.v1.serve import EnvClient  # noqa: E402

from rlenv.integrations.verifiers import to_verifiers  # noqa: E402
from rlenv.integrations.verifiers.taskset import task_of  # noqa: E402

SERVER = """
import json, sys
from verifiers.v1.configs.serve import StaticPoolConfig, pool_serve_kwargs
from verifiers.v1.serve import env_config_data, serve_env
from verifiers.v1.utils.loaders import resolve_env_config

if __name__ == "__main__":
    config = resolve_env_config(json.loads(sys.argv[2]))
    serve_env(
        **pool_serve_kwargs(StaticPoolConfig(num_workers=1)),
        address=sys.argv[1],
        config_data=env_config_data(config),
        max_concurrent=8,
    )
"""
"""As prime-rl's `env-server` starts it."""


class Script(Model):
    """Says the case whose number is the name of the model."""

    def says(self, body: dict[str, Any]) -> tuple[str, str]:
        case = cases()[int(body["model"])]
        return case.text, "stop" if case.finished else "length"


@pytest.fixture
def url() -> Iterator[str]:
    with listening(Script) as address:
        yield address


@contextmanager
def served(folder: Path, config: dict[str, Any], packages: Path) -> Iterator[str]:
    """The address of an env server that plays this configuration."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    script = folder / "env_server.py"
    script.write_text(SERVER)
    plugin = folder / "plugin"
    plugin.mkdir()
    paths = os.pathsep.join([str(packages), search_path(plugin)])
    settings = {**os.environ, "PYTHONPATH": paths, "OPENAI_API_KEY": "x", "NO_PROXY": "*"}
    with subprocess.Popen([sys.executable, str(script), address, json.dumps(config)], env=settings) as process:
        try:
            yield address
        finally:
            process.terminate()


async def played(address: str, url: str, taskset: str) -> list[float | None]:
    """The reward of each case, None where its trace ends in an error that says it was not graded."""
    client = EnvClient(address=address)
    await client.wait_for_server_startup(timeout=120.0)
    config = vf.taskset_config_type(taskset).model_validate({"id": taskset})
    assert list(vf.load_taskset(config))
    endpoint = vf.EvalClientConfig(base_url=url, api_key_var="OPENAI_API_KEY")
    room = asyncio.Semaphore(4)

    async def one(number: int) -> float | None:
        async with room:
            data = task_of(cases()[number].row).data.model_dump(mode="json")
            episode = await client.run(task_data=data, client=endpoint, model=str(number), sampling=vf.SamplingConfig())
        [trace] = episode.traces
        if trace.errors:
            assert "not graded" in trace.errors[-1].message, trace.errors
            return None
        return float(trace.reward)

    try:
        return list(await asyncio.gather(*[one(number) for number in range(len(cases()))]))
    finally:
        await client.close()


def test_an_env_server_pays_what_the_environment_pays(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = to_verifiers(SUMS, tmp_path, size=4, level=2)
    package = tmp_path / name
    monkeypatch.syspath_prepend(str(package))
    runtime = {"harness": {"id": "null"}, "runtime": {"type": "subprocess"}}
    config = {"taskset": {"id": name}, "agent": runtime}
    with served(tmp_path, config, package) as address:
        rewards = asyncio.run(played(address, url, name))
    assert differences(rewards) == []
