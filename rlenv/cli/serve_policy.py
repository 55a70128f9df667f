"""`rlenv serve-policy MODEL`: a policy for agents that own their loop, with a key for each episode, recorded."""

from __future__ import annotations

import os
import secrets
import threading
from dataclasses import dataclass

from rlenv.agents.session import AgentLimits
from rlenv.cli.echo import echo
from rlenv.cli.settings import CommandSettings, Schema, configured
from rlenv.core.errors import ConfigError, MissingExtra

KEY_ENV = "RLENV_AGENTS_KEY"
SHORTEST_KEY = 16


@dataclass(frozen=True, kw_only=True)
class Served:
    """Which policy is served, and where."""

    policy: str = ""
    """A policy, as `rlenv eval --policy` takes it."""
    port: int = 8412
    """0 takes a free one."""
    device: str = "auto"
    """Where a model of transformers runs."""
    seed: int = 0
    """Of what is sampled."""


SCHEMA = Schema(Served, AgentLimits, ("port", "device", "seed", "calls", "tokens", "seconds"), "policy")


@configured(SCHEMA)
def command(given: CommandSettings[Served]) -> None:
    """Serve a policy to harnesses on this machine, in OpenAI's form, and record tokens, log-probs and rows.

    The admin key, which opens and ends episodes, is that in RLENV_AGENTS_KEY, or a new one.
    """
    try:
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise MissingExtra("uvicorn", "serve") from error
    from rlenv.agents.server import PolicyServer
    from rlenv.policies.load import load_policy

    own, chosen = given.own, os.environ.get(KEY_ENV, "")
    if not own.policy:
        raise ConfigError("expected MODEL: a policy, as `rlenv eval --policy` takes it")
    if chosen and len(chosen) < SHORTEST_KEY:
        raise ConfigError(f"expected a key of at least {SHORTEST_KEY} characters in {KEY_ENV}")
    key = chosen or secrets.token_hex(16)
    loaded = load_policy(own.policy, device=own.device)
    with PolicyServer(loaded, limits=given.config, port=own.port, admin_key=key, seed=own.seed) as server:
        shown = f"the admin key of {KEY_ENV}" if chosen else f"the admin key {key}"
        echo(f"serving {loaded.name} at {server.url} with {shown}; POST /episodes opens an episode; Ctrl-C ends it")
        threading.Event().wait()
