"""What is kept of reasoning-gym, what is left out, and that both are said where people look."""

import subprocess
import sys
from pathlib import Path

import reasoning_gym

import rlenv
from rlenv.envs.reasoning_gym.catalogue import KEPT, LEFT_OUT, env_id
from rlenv.envs.reasoning_gym.rules import RULES

DOCUMENT = Path(__file__).parents[2] / "docs" / "reasoning_gym.md"


def test_every_dataset_of_the_package_is_kept_or_left_out_with_a_reason() -> None:
    assert sorted([*KEPT, *LEFT_OUT]) == sorted(reasoning_gym.factory.DATASETS)
    assert len(KEPT) >= 80
    assert all(LEFT_OUT.values())


def test_every_kept_dataset_is_registered_with_a_rule() -> None:
    assert set(rlenv.list_envs("reasoning_gym")) == {env_id(name) for name in KEPT}
    assert set(RULES) == set(KEPT)


def test_registering_does_not_import_the_package() -> None:
    script = "import sys, rlenv; rlenv.list_envs(); print([m for m in sys.modules if m.startswith('reasoning_gym')])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_command_prints_the_count_and_the_reasons() -> None:
    command = [sys.executable, "-m", "rlenv.envs.reasoning_gym"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed.startswith(f"{len(KEPT)} of {len(KEPT) + len(LEFT_OUT)} datasets kept\n")
    assert all(f"\n{name} " in printed for name in (*KEPT, *LEFT_OUT))


def test_document_names_the_count_and_the_reasons() -> None:
    text = DOCUMENT.read_text()
    assert f"{len(KEPT)} of its {len(KEPT) + len(LEFT_OUT)} datasets" in text
    assert all(f"| `{name}` | {reason} |" in text for name, reason in LEFT_OUT.items())
