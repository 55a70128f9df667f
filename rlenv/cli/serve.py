"""`rlenv serve ENV...`: judge over HTTP, for trainers and programs on this machine or, with a key, on others."""

from __future__ import annotations

import importlib
from typing import Annotated

import typer

from rlenv.cli.echo import echo
from rlenv.cli.environment_options import Imports, import_modules, kwargs_of
from rlenv.cli.options import with_options
from rlenv.core.errors import ConfigError, MissingExtra
from rlenv.serving.settings import ServeSettings

NEEDS = ("fastapi", "uvicorn", "prometheus_client")


@with_options(ServeSettings)
def command(
    envs: Annotated[list[str], typer.Argument(metavar="ENV...", help="Ids of environments; see `rlenv list`.")],
    data_of: Annotated[list[str] | None, typer.Option(metavar="ID=FILE", help="A data file of one of them.")] = None,
    set_of: Annotated[list[str] | None, typer.Option(metavar="ID:KEY=VALUE", help="A keyword of one of them.")] = None,
    imports: Imports = None,
    *,
    config: ServeSettings,
) -> None:
    """Judge completions over HTTP: one at a time, in groups, and as OpenRLHF and NeMo Gym ask."""
    for package in NEEDS:
        try:
            importlib.import_module(package)
        except ImportError as error:
            raise MissingExtra(package, "serve") from error
    from rlenv.serving.app import Service, listening, make_app, server

    import_modules(imports)
    kwargs = kwargs_of(data_of, set_of)
    if strangers := sorted(set(kwargs) - set(envs)):
        raise ConfigError(f"keywords of {', '.join(strangers)}, which is not served; name it among the environments")
    with listening(config) as socket:  # first: an address that is taken is told before anything is loaded
        service = Service([(env, kwargs.get(env, {})) for env in envs], config)
        host, port = socket.getsockname()[:2]
        address = f"[{host}]" if ":" in host else host
        keyed = f"with the key in {config.key_env}" if config.key else "without a key, for this machine alone"
        echo(f"judging {', '.join(envs)} at http://{address}:{port} {keyed}; Ctrl-C ends it")
        server(make_app(service), config).run(sockets=[socket])
