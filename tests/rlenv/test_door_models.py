"""A model's folder opens nothing outside of it, holds nobody, and is refused by an error of ours."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from rlenv.core.errors import ConfigError, PolicyError, ScorerError
from rlenv.core.jsontypes import Json
from rlenv.policies.load import load_policy
from rlenv.policies.tiny import tiny_policy
from rlenv.scorers import ask, load_scorer
from rlenv.trainers.planning.plan import model_config_named
from rlenv.trainers.reward_models.bases import load_tokenizer

WEIGHTS = "model.safetensors"
Change = Callable[[Path], object]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved") / "model"
    tiny_policy().save(folder)
    return folder


@pytest.fixture
def model(saved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "model"))


def changed(file: str, **more: Json) -> Change:
    def change(folder: Path) -> None:
        before = json.loads((folder / file).read_text()) if (folder / file).exists() else {}
        (folder / file).write_text(json.dumps({**before, **more}))

    return change


def text(file: str, content: bytes) -> Change:
    return lambda folder: (folder / file).write_bytes(content)


def index(place: Json) -> Change:
    return changed(f"{WEIGHTS}.index.json", metadata={}, weight_map={"model.norm.weight": place})


def linked(folder: Path) -> None:
    (folder / WEIGHTS).rename(folder.parent / WEIGHTS)
    (folder / WEIGHTS).symlink_to(folder.parent / WEIGHTS)


def adapter(base: str, **more: Json) -> Change:
    def change(folder: Path) -> None:
        (folder / "config.json").unlink()
        settings: dict[str, Json] = {"peft_type": "LORA", "target_modules": ["q_proj"], "base_model_name_or_path": base}
        changed("adapter_config.json", **{**settings, **more})(folder)

    return change


def packed(folder: Path) -> None:
    (folder / WEIGHTS).unlink()
    with zipfile.ZipFile(folder / "pytorch_model.bin", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x/data.pkl", b"N0" * 10_000)


REFUSED: dict[str, tuple[Change, str]] = {
    "an index up": (index("../other/model.safetensors"), "expected files of its own folder"),
    "a link": (linked, "is a link"),
    "an adapter to a path": (adapter("/somewhere/model"), "merge it into that model"),
    "an adapter's pattern": (adapter("a/b", target_modules=r"(\w+)+Z"), "repeat too much"),
    "an adapter's long pattern": (adapter("a/b", rank_pattern={".*" * 4: 1}), "repeat too much"),
    "layers for a list": (changed("config.json", model_type="qwen2", num_hidden_layers=10**12), "num_hidden_layers"),
    "layers": (changed("config.json", num_hidden_layers=9_999), "many times the weights"),
    "a packed pickle": (packed, "torch packs nothing"),
    "settings in a list": (text("config.json", b"[1]"), "expected a JSON object"),
    "settings without end": (text("tokenizer_config.json", b"{" * 100_000), "not valid JSON"),
    "settings of other types": (changed("config.json", hidden_size="64"), "Field 'hidden_size' expected int"),
    "a pickle": (lambda folder: (folder / WEIGHTS).rename(folder / "pytorch_model.bin"), "Weights only"),
    "a template": (changed("tokenizer_config.json", chat_template=[{"name": 5}]), "KeyError: 'template'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_folder_of_a_stranger_is_refused_in_one_line(name: str, model: Path) -> None:
    change, said = REFUSED[name]
    change(model)
    (model / "chat_template.jinja").unlink()
    with pytest.raises(PolicyError, match=said) as refused:
        load_policy(str(model))
    assert str(model) in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["an index up", "settings in a list"])
def test_scorers_bases_and_plans_come_in_the_same_way(name: str, model: Path) -> None:
    change, said = REFUSED[name]
    change(model)
    scorer = load_scorer({"kind": "sequence_classification", "path": str(model)})
    with pytest.raises(ScorerError, match=said):
        ask(scorer, ["?"], ["4"])
    for load in (model_config_named, lambda folder: load_tokenizer(folder, [])):
        with pytest.raises(PolicyError, match=said):
            load(str(model))


def test_what_others_save_still_loads(model: Path, tmp_path: Path) -> None:
    policy = tiny_policy()
    policy.model.save_pretrained(tmp_path / "parts", max_shard_size="100KB")
    policy.tokenizer.save_pretrained(tmp_path / "parts")
    cached = tmp_path / "models--a--b" / "snapshots" / "0"
    cached.mkdir(parents=True)
    model.rename(cached.parents[1] / "blobs")
    for blob in (cached.parents[1] / "blobs").iterdir():
        (cached / blob.name).symlink_to(Path("../../blobs") / blob.name)
    for folder in (tmp_path / "parts", cached):
        assert load_policy(str(folder)).name == str(folder)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"max_length": "x"}, "max_length to be int"),
        ({"device": "theirs:0"}, "no device"),
        ({"dtype": "__class__"}, "no dtype"),
        ({"kind": ["x"]}, "asks for a scorer of kind"),
        ({"kind": "ensemble", "members": ["../model"]}, "is of an ensemble"),
        ({"kind": "ensemble", "members": ["x"] * 101}, "at most 100 members"),
        ({"path": "\0"}, "expected the name of a folder inside"),
    ],
)
def test_odd_settings_in_a_scorers_folder_are_refused(settings: dict[str, Json], said: str, model: Path) -> None:
    changed("scorer.json", **{"kind": "sequence_classification", **settings})(model)
    with pytest.raises((ConfigError, ScorerError), match=said):
        ask(load_scorer(str(model)), ["?"], ["4"])
