"""`rlenv serve ENV...`: judge over HTTP, for trainers and programs on this machine or, with a key, on others."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from rlenv.cli.echo import echo
from rlenv.cli.environments import keywords_of
from rlenv.cli.settings import CommandSettings, Schema, configured, said_as
from rlenv.core.errors import ConfigError, MissingExtra
from rlenv.serving.settings import ServeSettings

NEEDS = ("fastapi", "uvicorn", "prometheus_client")


@dataclass(frozen=True, kw_only=True)
class Served:
    """What is served."""

    envs: tuple[str, ...] = ()
    """Ids of environments (see `rlenv list`), or a file of settings."""
    of: Mapping[str, object] = field(default_factory=dict)
    """Keywords of one of them, by its id: --set ID:KEY=VALUE."""
    imports: tuple[str, ...] = said_as("--import", default=())
    """Import a module or FILE.py of yours first: it registers environments."""


SHOWN = ("host", "port", "key_env", "imports", "max_batch", "queue", "request_s", "workers", "worker_mb", "evaluation")


@configured(Schema(Served, ServeSettings, SHOWN, "envs", several=True))
def command(given: CommandSettings[Served]) -> None:
    """Judge completions over HTTP: one at a time, in groups, and as OpenRLHF and NeMo Gym ask.

    rlenv serve math/arithmetic-v1 math/gsm8k-v0 --set math/gsm8k-v0:data=test.jsonl
    """
    for package in NEEDS:
        try:
            importlib.import_module(package)
        except ImportError as error:
            raise MissingExtra(package, "serve") from error
    from rlenv.serving.app import Service, listening, make_app, server

    own, config = given.own, given.config
    if not own.envs:
        raise ConfigError("expected the ids of environments to serve; `rlenv list` shows what there is")
    of = keywords_of(own.of, own.envs)
    with listening(config) as socket:  # first: an address that is taken is told before anything is loaded
        service = Service([(env, of.get(env, {})) for env in own.envs], config)
        host, port = socket.getsockname()[:2]
        address = f"[{host}]" if ":" in host else host
        keyed = f"with the key in {config.key_env}" if config.key else "without a key, for this machine alone"
        echo(f"judging {', '.join(own.envs)} at http://{address}:{port} {keyed}; Ctrl-C ends it")
        server(make_app(service), config).run(sockets=[socket])
