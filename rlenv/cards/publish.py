"""An environment as a data set of the Hugging Face hub: its card, its audit, rows, runs and package in one repository.

    write_page(folder, card.markdown(license="apache-2.0"), audit, rows_of("mine/words-v0", size=40), runs, package)
    push(folder, "me/words")

README.md          the card, and below it the README of the package
audit.json         the whole report of the audit
tasks.jsonl        rows: `rlenv_row` judges anywhere (docs/rows.md), beside it the prompt and the reference as text
runs/NAME.parquet  episodes (rlenv.store.tables), and NAME.json, the report of an evaluation
pyproject.toml ... the package; `pip install git+https://huggingface.co/datasets/ME/NAME`
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rlenv.core.errors import ConfigError, MissingExtra, RunError
from rlenv.core.jsontypes import Json, canonical, line
from rlenv.core.task import prompt_text
from rlenv.env.rows import read_row
from rlenv.integrations.adapter import ROW
from rlenv.store.files import replace_text
from rlenv.store.saved_episodes import read_episodes
from rlenv.text.escaping import shown_json, shown_line

if TYPE_CHECKING:
    from rlenv.audit import Audit

README = "README.md"
LEFT_OUT = frozenset({"__pycache__", "build", "dist", "runs", "models", "node_modules", "venv", "env", "site"})
"""Folders of a package that are no part of it; nor is what begins with a dot."""
MOST_MB = 50.0
"""Of a package's files together: it is code, and rows at most."""


def write_page(
    folder: Path,
    page: str,
    audit: Audit | None,
    rows: Sequence[str],
    runs: Sequence[Path] = (),
    package: Path | None = None,
) -> None:
    """Write what is published into an empty folder.

    Raises ConfigError for runs of one name, for a package that is none, is too large or has a name of the page's, and
    RunError for a folder that holds something.
    """
    _check(folder, runs)
    folder.mkdir(parents=True, exist_ok=True)
    if package is not None:
        page = f"{page}\n{_packed(package, folder)}"
    configs: list[Json] = []
    if rows:
        replace_text(folder / "tasks.jsonl", "".join(map(_row, rows)))
        configs.append({"config_name": "tasks", "data_files": "tasks.jsonl"})
    for run in runs:
        (folder / "runs").mkdir(exist_ok=True)
        read_episodes(run).to_parquet(folder / "runs" / f"{run.name}.parquet")
        if (run / "report.json").exists():
            shutil.copyfile(run / "report.json", folder / "runs" / f"{run.name}.json")
        configs.append({"config_name": f"run-{run.name}", "data_files": f"runs/{run.name}.parquet"})
    if audit is not None:
        replace_text(folder / "audit.json", shown_json(audit.to_json(), indent=1) + "\n")
    replace_text(folder / README, _with_configs(page, configs))


def push(folder: Path, repo: str, *, private: bool = True, endpoint: str | None = None) -> str:
    """Upload the folder as one commit to a data set of the hub, which is made where there is none; its address.

    The token is that of `hf auth login` or HF_TOKEN, the hub that of HF_ENDPOINT unless `endpoint` names one.
    Raises RunError, with what the hub says, where it refuses or cannot be reached.
    """
    try:
        from huggingface_hub import HfApi
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError
        from huggingface_hub.utils.tqdm import disable_progress_bars
    except ImportError as error:
        raise MissingExtra("huggingface_hub", "data") from error
    api = HfApi(endpoint=endpoint, library_name="rlenv")
    disable_progress_bars()
    try:
        made = api.create_repo(repo, repo_type="dataset", private=private, exist_ok=True)
        api.upload_folder(
            repo_id=made.repo_id, repo_type="dataset", folder_path=folder, commit_message="An environment of rlenv"
        )
    except HFValidationError as error:
        raise ConfigError(f"expected a repository USER/NAME, got {repo!r}: {shown_line(str(error), 300)}") from error
    except (HfHubHTTPError, OSError) as error:
        told = shown_line(str(error), 500)
        raise RunError(
            f"the hub did not take {repo}: {told}; look at its name and your login (`hf auth whoami`, HF_TOKEN)"
        ) from error
    return str(made)


def _check(folder: Path, runs: Sequence[Path]) -> None:
    names = [run.name for run in runs]
    if len(set(names)) < len(names):
        raise ConfigError(f"expected runs of different names, got {', '.join(names)}; rename a folder")
    if folder.exists() and any(folder.iterdir()):
        raise RunError(f"{folder} holds something already; give another folder")


def _row(row: str) -> str:
    task = read_row(row).task
    reference = task.reference if isinstance(task.reference, str) else canonical(task.reference)
    return line({"id": task.id, "prompt": prompt_text(task.prompt), "reference": reference, ROW: row})


def _packed(package: Path, folder: Path) -> str:
    """The README of a package whose other files are copied."""
    if not (package / "pyproject.toml").is_file():
        raise ConfigError(f"{package} is no package: it has no pyproject.toml; `rlenv new NAME` writes one")
    files = list(_files(package))
    size = sum(file.stat().st_size for file in files) / 1e6
    if size > MOST_MB:
        raise ConfigError(f"{package}: expected at most {MOST_MB:g} MB, got {size:.0f} MB; move data out of it")
    for file in files:
        place = folder / file.relative_to(package)
        if place.name in ("audit.json", "tasks.jsonl") and place.parent == folder:
            raise ConfigError(f"{file} has a name of the page's own; rename it, or move it into the package's folder")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
    readme = folder / README
    return readme.read_text(encoding="utf-8") if readme.exists() else ""


def _files(folder: Path) -> Iterator[Path]:
    """Its files, without what is hidden, made or linked."""
    for path in sorted(folder.iterdir()):
        hidden = path.name.startswith(".") or path.name in LEFT_OUT or path.name.endswith((".egg-info", ".pyc"))
        if hidden or path.is_symlink():
            continue
        if path.is_dir():
            yield from _files(path)
        else:
            yield path


def _with_configs(page: str, configs: Sequence[Json]) -> str:
    """The page whose head names the tables too: the hub shows and loads each by its name."""
    try:
        from huggingface_hub import DatasetCard
    except ImportError as error:
        raise MissingExtra("huggingface_hub", "data") from error
    card = DatasetCard(page)
    if configs:
        card.data["configs"] = list(configs)
    return str(card)
