"""A harness that owns its loop: what it is told, what is recorded, and what becomes of one that keeps no limit."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="needs the extra: serve")

from local_boxes import LocalWorkplace

from rlenv.agents.harness import Harness
from rlenv.core.completion import Completion
from rlenv.core.policy import Sampling
from rlenv.core.task import Prompt, Task, prompt_text

SAMPLING = Sampling(max_new_tokens=60, max_episode_tokens=400)
NO_HURRY: Mapping[str, float] = {}
WRITES = "I write it.\n```\nprintf 4 > answer; echo wrote\n```"
OWN = f"{sys.executable} {Path(__file__).parents[1] / 'data' / 'harness' / 'ask_and_run.py'}"
CALL = "import os,urllib.request as u\ndef ask(body, key=os.environ['OPENAI_API_KEY'], **more):\n" + (
    " r = u.Request(os.environ['OPENAI_BASE_URL']+'/chat/completions', body,"
    " {'Authorization': 'Bearer '+key, **more})\n try: return u.urlopen(r).status\n"
    " except u.HTTPError as e: return e.read().decode()\n except OSError as e: return str(e)\n"
    'HI = b\'{"messages": [{"role": "user", "content": "hi"}]}\'\n'
)


def script(text: str) -> str:
    quoted = (CALL + text).replace("'", "'\"'\"'")
    return f"{sys.executable} -c '{quoted}'"


class Writer:
    """Writes a number, looks at it, and says so; without tokens."""

    name = "writer"

    def generate(self, prompts: Sequence[Prompt], n: int = 1, sampling: Sampling = SAMPLING) -> list[Completion]:
        last = [prompt_text(prompt).split("user:")[-1] for prompt in prompts]
        return [Completion("finished" if "wrote" in text else WRITES) for text in last]


def driven(
    tmp_path: Path, command: str, tasks: int = 1, calls: int = 8, seconds: Mapping[str, float] = NO_HURRY
) -> tuple[list[Completion], LocalWorkplace]:
    workplace = LocalWorkplace(tmp_path, seconds)
    made = Harness(workplace, command, calls).drive(Writer(), [Task(f"Write {i}.") for i in range(tasks)], SAMPLING)
    return made, workplace


def reason(completion: Completion) -> str:
    return str(completion.played.last.reason)  # type: ignore[attr-defined]


def test_an_episode_is_what_was_said_and_is_judged_by_what_was_left(tmp_path: Path) -> None:
    made, workplace = driven(tmp_path, OWN, tasks=3)
    assert [one.failure for one in made] == [""] * 3
    for one in made:
        assert one.text == f"{WRITES}\nfinished"
        assert (one.finished, workplace.answers[one.submission]) == (True, "4")
        assert "it ended with 0" in reason(one)
    assert len({one.submission for one in made}) == 3


FAULTS = {
    "calls": (script("print([ask(HI) for _ in range(9)])"), "4 requests refused by the limit of calls"),
    "bytes": (script("print(ask(HI), ask(b'x' * (50 << 20)))"), "1 requests refused by the limit of bytes"),
    "time": (script("import time; time.sleep(99)"), "it took more than 2 s"),
    "key": (script("print(ask(HI), ask(HI, 'rlenv-' + '0' * 32))"), "expected the key of an episode"),
    "endless": (
        script("import itertools\nask(HI)\nask(iter(lambda: b'{' * 100, b''), **{'Transfer-Encoding': 'chunked'})"),
        "refused by the limit of",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_harness_that_keeps_no_limit_is_named_and_harms_nobody_else(tmp_path: Path, name: str) -> None:
    bad, why = FAULTS[name]
    both = f"if grep -q 1. <<< $RLENV_TASK; then {bad}; else {OWN}; fi"
    hurry = {"Write 1.": 2.0} if name == "time" else {"Write 1.": 8.0} if name == "endless" else NO_HURRY
    made, workplace = driven(tmp_path, f"bash -c {shlex.quote(both)}", tasks=2, calls=5, seconds=hurry)
    assert (made[0].failure, made[0].finished, workplace.answers[made[0].submission]) == ("", True, "4")
    assert why in (made[1].failure or reason(made[1]))
    assert made[1].finished is (name == "key") or made[1].failure


def test_a_harness_that_never_asks_is_a_failure_and_says_its_words(tmp_path: Path) -> None:
    (made,), _ = driven(tmp_path, "echo no such agent >&2; exit 127")
    assert "it ended with 127; it said 'no such agent'" in made.failure


def test_a_box_without_python_is_a_failure(tmp_path: Path) -> None:
    harness = Harness(LocalWorkplace(tmp_path, python="/bin/false"), OWN, 4)
    (made,) = harness.drive(Writer(), [Task("Write 0.")], SAMPLING)
    assert "a harness needs python3 in its box" in made.failure


def test_nothing_but_the_policy_is_reached(tmp_path: Path) -> None:
    look = script(
        "base = os.environ['OPENAI_BASE_URL'][:-3]\nprint(ask(HI))\n"
        "for path in ('/episodes', '/v1/files'):\n"
        " try: u.urlopen(u.Request(base + path, b'', {'Authorization': 'Bearer x'}))\n"
        " except u.HTTPError as e: print(path, e.code)"
    )
    (made,), _ = driven(tmp_path, look)
    assert "/episodes 401 /v1/files 401" in reason(made)
