"""Scorers by a specification that JSON can hold, as the keyword of an environment.

    "models/reward"                                a folder: its scorer.json, else its config.json, says what it is
    "Skywork/Skywork-Reward-V2-Qwen3-0.6B"         a model of the hub
    "mypackage.rewards:politeness"                 a scorer, or a plain function, of yours
    {"kind": "label_tokens", "path": "...", ...}   a kind of the table with its settings

Nothing heavy is imported before the scorer is made, and no weights are read before it is used.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias, cast

from rlenv.core.errors import ConfigError, MissingExtra
from rlenv.core.jsontypes import Json
from rlenv.core.verifier import VerifierFunction
from rlenv.door.files import leads_within
from rlenv.door.reading import json_object
from rlenv.env.keywords import check_keywords
from rlenv.scorers.scorer import FunctionScorer, FunctionStepScorer, Scorer, StepFunction, StepScorer

ScorerSpec: TypeAlias = "Json | Scorer | VerifierFunction"
StepScorerSpec: TypeAlias = "Json | StepScorer | StepFunction"

KINDS = {
    "function": "rlenv.scorers.load:named_function",
    "refusal": "rlenv.envs.safety.refusal_scorer:RefusalScorer",
    "sequence_classification": "rlenv.scorers.sequence_classification:SequenceClassificationScorer",
    "label_tokens": "rlenv.judges.labels:LabelTokensScorer",
    "http": "rlenv.scorers.http:HttpScorer",
    "judge": "rlenv.judges.rubric:judge_scorer",
    "ensemble": "rlenv.scorers.ensemble:ensemble",
}
"""Scorers of completions: kind to "module:factory"; the factory's parameters are the settings."""
STEP_KINDS = {
    "function": "rlenv.scorers.load:named_step_function",
    "token_classification": "rlenv.scorers.step_models:TokenClassificationScorer",
    "monte_carlo": "rlenv.scorers.monte_carlo:monte_carlo_scorer",
    "symbolic_steps": "rlenv.envs.process.symbolic:SymbolicSteps",
    "http": "rlenv.scorers.http:HttpStepScorer",
}
"""Scorers of steps, in the same form."""
ARCHITECTURES = (
    ("ForSequenceClassification", "sequence_classification"),
    ("ForTokenClassification", "token_classification"),
)
"""The kind of a model that has no scorer.json, by the end of its architecture's name in config.json."""
SETTINGS_FILE = "scorer.json"
MODELS = frozenset({"sequence_classification", "token_classification", "label_tokens"})
"""Kinds that a scorer.json may name: a model of its own folder. All others name code, addresses or other programs."""
MAX_MEMBERS = 100
"""Of an ensemble in a folder."""
_ATTRIBUTE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


def load_scorer(spec: ScorerSpec) -> Scorer:
    """The scorer of completions that `spec` names (see the head of this file).

    Raises ConfigError when there is none, and MissingExtra when it needs what is not installed.
    """
    scorer = _made(spec, KINDS)
    if isinstance(scorer, Scorer):
        return scorer
    if callable(scorer):
        return FunctionScorer(cast("VerifierFunction", scorer), name=getattr(scorer, "__name__", "score"))
    raise ConfigError(f"expected a scorer of completions, got {type(scorer).__name__} for {spec!r:.200}")


def load_step_scorer(spec: StepScorerSpec) -> StepScorer:
    """The scorer of steps that `spec` names; raises as `load_scorer` does."""
    scorer = _made(spec, STEP_KINDS)
    if isinstance(scorer, StepScorer):
        return scorer
    if callable(scorer) and not isinstance(scorer, Scorer):
        return FunctionStepScorer(cast("StepFunction", scorer), name=getattr(scorer, "__name__", "steps"))
    raise ConfigError(f"expected a scorer of steps, got {type(scorer).__name__} for {spec!r:.200}")


def named_function(function: str, name: str = "score") -> Scorer:
    """The function "module:attribute" as a scorer."""
    return FunctionScorer(cast("VerifierFunction", _attribute(function)), name=name)


def named_step_function(function: str, name: str = "steps") -> StepScorer:
    """The function "module:attribute" as a scorer of steps."""
    return FunctionStepScorer(cast("StepFunction", _attribute(function)), name=name)


def _made(spec: object, kinds: Mapping[str, str]) -> object:
    if isinstance(spec, Mapping):
        return _of_kind(dict(spec), kinds)
    if not isinstance(spec, str):
        return spec
    if _ATTRIBUTE.fullmatch(spec):
        return _attribute(spec)
    folder = Path(spec)
    if (folder / SETTINGS_FILE).is_file():
        return _of_kind(_folder_settings(folder, kinds), kinds)
    return _of_kind({"kind": _kind_of_model(spec), "path": spec}, kinds)


def _of_kind(settings: dict[str, Any], kinds: Mapping[str, str]) -> object:
    kind = settings.pop("kind", None)
    if kind not in kinds:
        other = "steps" if kinds is KINDS else "completions"
        hint = f"; {kind!r} scores {other}" if kind in {**KINDS, **STEP_KINDS} else ""
        raise ConfigError(f"expected 'kind' to be one of {', '.join(sorted(kinds))}, got {kind!r}{hint}")
    factory = _factory(kind, kinds)
    check_keywords(f"scorer {kind}", factory, settings, others="")
    return factory(**settings)


def _factory(kind: str, kinds: Mapping[str, str]) -> Callable[..., object]:
    try:
        return cast("Callable[..., object]", _attribute(kinds[kind]))
    except ModuleNotFoundError as error:
        raise MissingExtra(str(error.name), "train") from error


def _folder_settings(folder: Path, kinds: Mapping[str, str]) -> dict[str, Any]:
    """What scorer.json says; paths in it are relative to the folder, and the folder is the model."""
    settings: dict[str, Any] = json_object(folder / SETTINGS_FILE)
    if settings.get("trust_remote_code"):
        raise ConfigError(
            f"{folder / SETTINGS_FILE} asks for trust_remote_code, which is yours to give: "
            f'scorer={{"kind": ..., "path": {str(folder)!r}, "trust_remote_code": true}}'
        )
    if settings.get("kind") == "ensemble" and isinstance(settings.get("members"), list):
        settings["members"] = _members(folder, settings["members"])
    elif str(settings.get("kind")) not in MODELS:
        raise ConfigError(
            f"{folder / SETTINGS_FILE} asks for a scorer of kind {settings.get('kind')!r:.80}; a folder may be a "
            f"model ({', '.join(sorted(MODELS))}) or an ensemble; if you trust it, give its content as scorer={{...}}"
        )
    if "path" in settings:
        settings["path"] = _below(folder, settings["path"])
    elif settings.get("kind") in kinds and "path" in inspect.signature(_factory(settings["kind"], kinds)).parameters:
        settings["path"] = str(folder)
    return settings


def _members(folder: Path, members: list[object]) -> list[str]:
    """The folders of an ensemble. Raises ConfigError for too many, and for an ensemble among them: it may be itself."""
    if len(members) > MAX_MEMBERS:
        raise ConfigError(f"{folder / SETTINGS_FILE}: expected at most {MAX_MEMBERS} members, got {len(members)}")
    found = [_below(folder, member) for member in members]
    for file in (Path(member) / SETTINGS_FILE for member in found):
        if file.is_file() and json_object(file).get("kind") == "ensemble":
            raise ConfigError(f"{folder / SETTINGS_FILE}: {file} is of an ensemble; name its members instead")
    return found


def _below(folder: Path, path: object) -> str:
    """A path that stands in scorer.json. Raises ConfigError for one that leads out of its folder."""
    if not isinstance(path, str) or not leads_within(folder, path):
        raise ConfigError(
            f"{folder / SETTINGS_FILE}: expected the name of a folder inside {folder}, got {path!r:.80}; put the model "
            "there, or give it yourself as scorer={...}"
        )
    return str(folder / path)


def _kind_of_model(path: str) -> str:
    """The kind that the architecture in a model's config.json stands for."""
    architectures = _architectures(path)
    kinds = (kind for name in architectures for ending, kind in ARCHITECTURES if name.endswith(ending))
    if kind := next(kinds, ""):
        return kind
    raise ConfigError(
        f"cannot tell what kind of scorer {path} is from its architectures {architectures}; "
        'say so: {"kind": ..., "path": ...}'
    )


def _architectures(path: str) -> list[str]:
    config = Path(path) / "config.json"
    try:
        if Path(path).is_dir():
            return [str(name) for name in cast("list[Json]", json_object(config).get("architectures") or [])]
        try:
            from transformers import PretrainedConfig
        except ModuleNotFoundError as error:
            raise MissingExtra(str(error.name), "train") from error
        return list(PretrainedConfig.get_config_dict(path)[0].get("architectures") or [])
    except (OSError, ValueError, TypeError) as error:
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ConfigError(
            f"cannot find the scorer {path!r}: {first}; give a folder, a hub id or module:name"
        ) from error


def _attribute(name: str) -> object:
    module, _, attribute = name.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except ModuleNotFoundError as error:
        if error.name is not None and module.startswith(error.name):
            raise ConfigError(f"scorer {name}: no module {error.name!r}; give module:name that Python finds") from error
        raise
    except AttributeError as error:
        raise ConfigError(f"scorer {name}: module {module} has no {attribute!r}") from error
