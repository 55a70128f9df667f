"""Our audit as graders of the real OpenEnv: on a leaky environment, a sound one, and on what cannot be measured."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conformity import needs

needs("openenv.validation")
needs("uvicorn")

from openenv.validation import GraderRegistry, Level, Subject, run_validation  # noqa: E402
from test_with_openenv_audit import CAREFUL, CARELESS, served  # noqa: E402

from rlenv.integrations.openenv_graders import AdversarialFloor, GameabilityGap, validated  # noqa: E402

FLOOR, GAP = "statistical.adversarial_floor", "statistical.gameability_gap"
MANIFEST = """
name: sums
validation:
  reward: {range: [0.0, 1.0], floor_margin: 0.5}
  resources: {cpu: 1, memory_mb: 256, disk_mb: 100, episode_timeout_s: 30}
  capabilities: {verifier: {kind: reward_channel}ORACLE}
  types: {tags: [math]}
"""
SEEDS = (1234, 5678, 9123)
NOBODY = "http://127.0.0.1:9"


def package(folder: Path, *, location: str = "oracle", action: str = '{"text": "%d"}') -> Path:
    """A package with an honest solution to each seed, which the manifest names unless the location is empty."""
    oracle = f", oracle: {{form: script, location: {location}}}" if location else ""
    (folder / "openenv.yaml").write_text(MANIFEST.replace("ORACLE", oracle))
    (folder / "oracle").mkdir(exist_ok=True)
    for seed in SEEDS:
        said = json.loads(action % (seed % 100 + seed // 100 % 100 + 200))
        plan = {"plan_schema_version": "1", "reset": {"episode_id": "a", "seed": seed}, "actions": [said]}
        (folder / "oracle" / f"{seed}.json").write_text(json.dumps(plan))
    return folder


def commanded(folder: Path, paid: str, **kwargs: Any) -> tuple[int, str, dict[str, Any]]:
    """Exit code, verdict and results by check of the operator's command, on a server that pays so."""
    with served(folder, paid) as url:
        command = [sys.executable, "-m", "rlenv.integrations.openenv_graders", str(package(folder, **kwargs)), url]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    told = json.loads(done.stdout)
    return done.returncode, told["verdict"], {result["check_id"]: result for result in told["results"]}


def test_a_leaky_environment_fails_both_checks(tmp_path: Path) -> None:
    code, verdict, results = commanded(tmp_path, CARELESS)
    assert (code, verdict) == (1, "fail")
    assert [results[id]["status"] for id in ("static.manifest", FLOOR, GAP)] == ["pass", "fail", "fail"]
    assert "holds the answer anywhere" in results[FLOOR]["evidence"][0]
    assert results[FLOOR]["measured"]["adversarial_floor"] == {"mean_share": 1.0, "by": "attack/enumeration"}
    assert results[GAP]["evidence"] == ["honest solutions are paid 1, the best exploit 1; the declared margin is 0.5"]


def test_a_sound_environment_passes_both_checks(tmp_path: Path) -> None:
    code, verdict, results = commanded(tmp_path, CAREFUL)
    assert (code, verdict) == (0, "pass"), results
    assert {result["status"] for result in results.values()} == {"pass"}
    assert results[GAP]["measured"]["measured_by"] == "honest solutions"
    assert results[GAP]["measured"]["failed_answers"] == 0


def test_without_a_solution_exploits_are_measured_by_the_declared_maximum(tmp_path: Path) -> None:
    code, _, results = commanded(tmp_path, CARELESS, location="")
    assert (code, results[FLOOR]["status"], results[GAP]["status"]) == (1, "fail", "skip")
    assert results[FLOOR]["measured"]["measured_by"] == "the declared maximum"
    assert "no honest solutions" in results[GAP]["evidence"][0]


def test_what_an_environment_fails_on_is_no_pass(tmp_path: Path) -> None:
    code, verdict, results = commanded(tmp_path, "1 / 0")
    assert (code, verdict) == (1, "fail")
    assert [results[id]["status"] for id in (FLOOR, GAP)] == ["error", "error"]
    assert "http://127.0.0.1" in results[FLOOR]["evidence"][0]


def statuses(folder: Path, url: str) -> tuple[str, str, str]:
    """Of both checks, and why."""
    found = {result.check_id: result for result in validated(folder, url).results}
    return found[FLOOR].status.value, found[GAP].status.value, found[FLOOR].evidence[0]


def test_a_server_that_is_away_is_an_error(tmp_path: Path) -> None:
    assert statuses(package(tmp_path), NOBODY)[:2] == ("error", "error")


@pytest.mark.parametrize(
    ("kwargs", "why"),
    [
        ({"location": "nowhere"}, "expected runtime plans of OpenEnv in nowhere"),
        ({"location": "../oracle"}, "package-relative path without"),
        ({"location": "openenv.yaml"}, "invalid runtime plan JSON"),
        ({"action": '{"text": "%d", "finished": true}'}, "expected an action with one field of text"),
        ({"action": '{"number": %d}'}, "expected an action with one field of text"),
    ],
)
def test_what_cannot_be_played_is_skipped_with_its_reason(kwargs: dict[str, str], why: str, tmp_path: Path) -> None:
    with served(tmp_path, CAREFUL) as url:
        floor, gap, told = statuses(package(tmp_path, **kwargs), url)
    assert (floor, gap) == ("skip", "skip")
    assert why in told


def test_openenv_finds_the_graders_by_their_entry_points_and_its_own_command_asks_no_package(tmp_path: Path) -> None:
    registry = GraderRegistry()
    registry.load_entry_points()
    known = run_validation(package(tmp_path), max_level=Level.STATIC)
    assert known.manifest is not None
    assert [one.check_id for one in registry.select(known.manifest, Level.STATISTICAL)] == [FLOOR, GAP]
    for grader in (AdversarialFloor(), GameabilityGap()):
        assert grader.run(Subject(tmp_path, known.manifest, None, None, tmp_path)).status.value == "skip"
    command = [sys.executable, "-m", "openenv.cli", "validate", str(tmp_path), "--level", "static", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert [result["check_id"] for result in json.loads(done.stdout)["results"]] == ["static.manifest"], done.stderr
