"""Harnesses in boxes of a real engine: what they leave is judged, and the trainer learns from what was recorded."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path

import pytest
from container_engine import REQUIRED, needs_engine

pytest.importorskip("transformers", reason="needs the extra: train")

from by_hand import rows, two_steps_as_by_hand
from saying import Saying

import rlenv
from rlenv.core.episode import Episode
from rlenv.core.policy import Sampling
from rlenv.judge import Judge
from rlenv.sandbox.containers import Backend, docker_boxes
from rlenv.turns.play import play

pytestmark = needs_engine
DATA = Path(__file__).parents[1] / "data"
IMAGE = "rlenv/agents-base:latest"
MINI_IMAGE = os.environ.get("RLENV_MINI_IMAGE", "rlenv/mini-base:latest")
OWN = f"cat > /tmp/own.py <<'END'\n{(DATA / 'harness' / 'ask_and_run.py').read_text()}\nEND\npython3 /tmp/own.py"
MINI = (
    "HOME=/tmp/mini PYTHONDONTWRITEBYTECODE=1 MSWEA_SILENT_STARTUP=1 MSWEA_CONFIGURED=true "
    "LITELLM_LOCAL_MODEL_COST_MAP=True "
    "MSWEA_COST_TRACKING=ignore_errors PYTHONPATH=/opt/site python3 -m minisweagent.run.mini -m openai/policy -y -l 0 "
    '--agent-class default --exit-immediately -o /tmp/mini/run.json -t "$RLENV_TASK"'
)
WAYS = {
    "median": "printf 'import statistics\\n\\nmedian = statistics.median\\n' > stats.py",
    "words": """cat > wc.c <<'END'
#include <stdio.h>
int main(void) { char w[99]; int n = 0; while (scanf("%98s", w) == 1) n++; printf("%d\\n", n); return 0; }
END""",
    "report": "mkdir -p /srv/report && awk -F, 'NR>1{s+=$2}END{print s}' sales.csv > /srv/report/total.txt",
}
"""How the tasks are solved, by a word of their instructions."""
DONE = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
FORMS = {
    "own": lambda command: "It is done." if command == DONE else f"I do it.\n```\n{command}\n```",
    "mini": lambda command: (
        "I do it.\n<tool_call>\n" + json.dumps({"name": "bash", "arguments": {"command": command}}) + "\n</tool_call>"
    ),
}


def agent(form: str) -> Saying:
    """Solves every other task it meets, and idles at the others."""
    turn = count()

    def say(text: str) -> str:
        task, said = text.rpartition("<|im_start|>assistant")[0], text.count("I do it.")
        way = next(way for word, way in WAYS.items() if word in task)
        command = DONE if said else way if next(turn) % 2 == 0 else "true"
        return FORMS[form](command)

    return Saying(say, context=8192)


@pytest.fixture(scope="module")
def backend() -> Iterator[Backend]:
    boxes = docker_boxes()
    if not boxes.has_image(IMAGE):
        (pytest.fail if REQUIRED else pytest.skip)(f"the engine has no image {IMAGE}: make agents-base")
    yield boxes
    boxes.close()


def conversation(policy: Saying, ids: list[int]) -> str:
    return "".join(policy.renderer.text(ids).split())


@pytest.mark.parametrize(("name", "image", "command"), [("own", IMAGE, OWN), ("mini", MINI_IMAGE, MINI)])
def test_a_group_is_played_judged_and_learned_from(
    backend: Backend, tmp_path: Path, name: str, image: str, command: str
) -> None:
    if not backend.has_image(image):
        (pytest.fail if REQUIRED else pytest.skip)(f"the engine has no image {image}: make mini-base")
    base: Mapping[str, str] = {"python:3.12-slim": image, "gcc:14": image}
    folders = shutil.copytree(DATA / "containers", tmp_path / "tasks")
    for told in folders.glob("*/task.toml"):  # a minute is not enough to start six of them side by side
        told.write_text(told.read_text().replace("timeout_sec = 60", "timeout_sec = 900"))
    definition = rlenv.load(
        "container/tasks-v0", tasks=str(folders), base=base, harness=command, backend=backend, max_turns=6
    )
    policy, tasks = agent(name), [definition.tasks[place] for place in range(3)]
    said = play(definition, policy, tasks, 2, Sampling(max_new_tokens=250))
    assert [one.failure for one in said] == [""] * 6
    verdicts = Judge(definition).verdicts([(tasks[place // 2], one) for place, one in enumerate(said)])
    found = [
        Episode(tasks[place // 2], one, verdict, (1,), group=place // 2, index=place)
        for place, (one, verdict) in enumerate(zip(said, verdicts, strict=True))
    ]
    print([(e.verdict.reward, e.verdict.reason, e.completion.played.last.reason) for e in found])  # type: ignore[attr-defined]
    assert sorted(e.verdict.reward or 0.0 for e in found) == [0, 0, 0, 1, 1, 1]
    for one in said:
        assert (one.finished, len(one.breaks)) == (True, 1)
        ((ids, mask),) = rows(one)
        assert sum(mask) == sum(len(turn.token_ids) for turn in one.said_turns)
        for turn in one.said_turns:
            assert "".join(turn.text.split()) in conversation(policy, ids)
            assert policy.text_of(turn.token_ids, finished=True) == turn.text
    apart = two_steps_as_by_hand(policy, agent(name), found, group_size=2)
    print("log-probs differ by at most", apart)
    assert apart < 1e-4
