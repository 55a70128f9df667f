"""`rlenv train ENV --policy P`: train a policy in an environment and leave a run folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from rlenv.cli.algorithm_options import change_algorithm
from rlenv.cli.chat_template import ChatTemplate, tell_template
from rlenv.cli.echo import echo
from rlenv.cli.environment_options import Data, Imports, import_modules
from rlenv.cli.mixture_options import DataOf, Envs, MixCurriculum, MixTemperature, SetOf, trained_in
from rlenv.cli.monitor_options import Gold, GoldEvery, GoldSet, GoldTasks, Rules, StopOnGold, monitors
from rlenv.cli.options import with_options
from rlenv.cli.verdict_options import Verdicts
from rlenv.cli.watch_options import Watch
from rlenv.core.errors import PolicyError
from rlenv.trainers.settings.config import TrainConfig

if TYPE_CHECKING:
    from rlenv.policies.transformers import TransformersPolicy

Settings: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="A keyword of the environment, or with a dot in it a setting of the algorithm: control.clip_high=0.28 "
        "(`rlenv algorithms NAME` lists them).",
    ),
]


@with_options(TrainConfig, before=change_algorithm)
def command(
    config: TrainConfig,
    env: Annotated[str, typer.Argument(metavar="ENV", help="The id of an environment; see `rlenv list`.")] = "",
    policy: Annotated[str, typer.Option("--policy", "-p", help="tiny, smollm2-135m, a folder or a hub id.")] = "tiny",
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder of the run.")] = Path("runs/train"),
    resume: Annotated[bool, typer.Option("--resume", help="Continue the run in this folder.")] = False,
    changed_verifier: Annotated[
        bool,
        typer.Option("--changed-verifier", help="Resume even if the verifier or a wrapper has changed."),
    ] = False,
    device: Annotated[str, typer.Option(help="Where the model runs: auto, cpu, cuda, cuda:1 ...")] = "auto",
    dtype: Annotated[
        str, typer.Option(help="The type of the weights. Training in bfloat16 would round small steps away.")
    ] = "float32",
    chat_template_kwargs: ChatTemplate = "",
    data: Data = None,
    settings: Settings = None,
    teacher: Annotated[
        str | None, typer.Option(metavar="POLICY", help="The model that distillation learns from.")
    ] = None,
    pairs: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Learn from the pairs of this file (JSONL with prompt, chosen, rejected)."),
    ] = None,
    imports: Imports = None,
    envs: Envs = None,
    data_of: DataOf = None,
    set_of: SetOf = None,
    mix_temperature: MixTemperature = 1.0,
    mix_curriculum: MixCurriculum = False,
    verdicts: Verdicts = "",
    watch: Watch = "",
    rules: Rules = "default",
    gold: Gold = None,
    gold_set: GoldSet = None,
    gold_every: GoldEvery = 10,
    gold_tasks: GoldTasks = 128,
    stop_on_gold: StopOnGold = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no alarms (report.md has them).")] = False,
) -> None:
    """Train a policy. The folder of the run holds settings, episodes, metrics, a plot, a report and the model.

    For example: rlenv train math/arithmetic-v0 --sft-steps 200 --steps 100 --learning-rate 4e-4 --max-new-tokens 24

    Several environments: rlenv train --env math/arithmetic-v0:2 --env games/guess-v0:1:16 ...

    Several processes: torchrun --nproc_per_node 2 -m rlenv train ..., or accelerate launch.
    """
    import_modules(imports)
    from rlenv.trainers.branches.preference import read_pairs

    given = None if pairs is None else read_pairs(pairs)
    from rlenv.trainers.loop.trainer import train
    from rlenv.trainers.networks.processes import is_main, local_device
    from rlenv.trainers.records.report import write_pages

    trained = trained_in(
        env,
        envs,
        data=data,
        settings=settings,
        data_of=data_of,
        set_of=set_of,
        temperature=mix_temperature,
        curriculum=mix_curriculum,
        watch=watch,
        verdicts=verdicts,
    )
    watching = monitors(
        config,
        out,
        rules=rules,
        gold=gold,
        gold_set=gold_set,
        gold_every=gold_every,
        gold_tasks=gold_tasks,
        stop_on_gold=stop_on_gold,
    )
    device = local_device(device)
    trainee = trainable(policy, device, dtype)
    tell_template(trainee, chat_template_kwargs)
    train(
        config,
        trained,
        trainee,
        out,
        teacher=None if teacher is None else trainable(teacher, device, dtype),
        pairs=given,
        monitors=watching,
        resume=resume,
        changed_verifier=changed_verifier,
        quiet=quiet,
        report=False,
    )
    if is_main():
        echo("\n".join(write_pages(out)))


def trainable(name: str, device: str = "auto", dtype: str = "float32") -> TransformersPolicy:
    """The policy of this name, if it is a model whose weights can be trained."""
    from rlenv.policies.load import load_policy

    policy = load_policy(name, device=device, dtype=dtype)
    from rlenv.policies.transformers import TransformersPolicy

    if not isinstance(policy, TransformersPolicy):
        raise PolicyError(f"{name} cannot be trained; give tiny, smollm2-135m, a folder or a hub id")
    return policy
