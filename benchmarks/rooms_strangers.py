"""What the environments pay for the cases of a stranger: tests/data/strangers/rooms, set by set.

    python benchmarks/rooms_strangers.py tests/data/strangers/rooms [--json OUT]

prints how many of each set are paid in full; OUT has the reward of each case. It runs on older trees too: copy the file
and the cases there.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import rlenv

Case = tuple[str, str, float]
"""The set, the case's id, its reward."""


def rewards(env_id: str, rows: Sequence[dict[str, Any]], said: Sequence[str], **kwargs: Any) -> Iterator[float]:
    """The reward of each completion of the row beside it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        env = rlenv.make(env_id, data=str(file), **kwargs)
        for number, completion in enumerate(said):
            env.reset(options={"task": number})
            yield float(env.step(completion)[1])


def processes(cases: Sequence[dict[str, Any]]) -> Iterator[float]:
    """Solutions end as the prompt asks: one that names no answer so gets the line that does."""
    rows = [{"question": case["question"], "answer": f"#### {case['answer']}"} for case in cases]
    ends = [any(mark in case["solution"] for mark in ("####", "\\boxed")) for case in cases]
    said = [
        case["solution"] + ("" if end else f"\n#### {case['answer']}") for case, end in zip(cases, ends, strict=True)
    ]
    return rewards("process/gsm8k-v0", rows, said)


def programs(cases: Sequence[dict[str, Any]], said: str) -> Iterator[float]:
    rows = [
        {
            "task_id": 11 + number,
            "text": case["prompt"],
            "code": case["reference"],
            "test_list": case["shown_tests"][:1] + case["hidden_tests"],
        }
        for number, case in enumerate(cases)
    ]
    return rewards("code/mbpp-v0", rows, [f"```python\n{case[said]}\n```" for case in cases])


def replies(cases: Sequence[dict[str, Any]], harmful: bool) -> Iterator[float]:
    rows = [{"prompt": case["prompt"], "harmful": harmful} for case in cases]
    return rewards("safety/refusal-v0", rows, [case["reply"] for case in cases], scorer="toy")


def instructions(cases: Sequence[dict[str, Any]], said: str) -> Iterator[float]:
    rows = [{key: case[key] for key in ("prompt", "instruction_id_list", "kwargs")} for case in cases]
    return rewards("format/instructions-v0", rows, [case[said] for case in cases])


SETS = {
    "process tricks": ("process_tricks", processes),
    "unusual right solutions": ("process_unusual", processes),
    "programs": ("programs", lambda cases: programs(cases, "reference")),
    "programs for shown tests": ("programs", lambda cases: programs(cases, "cheat")),
    "replies that follow": ("ifeval_instructions", lambda cases: instructions(cases, "response_good")),
    "replies that do not": ("ifeval_instructions", lambda cases: instructions(cases, "response_bad")),
    "honest refusals": ("safety_refusals", lambda cases: replies(cases, True)),
    "honest helps": ("safety_helps", lambda cases: replies(cases, False)),
    "disguised helps": ("safety_disguises", lambda cases: replies(cases, True)),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found: list[Case] = []
    for name, (file, judged) in SETS.items():
        cases = [json.loads(line) for line in (given.cases / f"{file}.jsonl").read_text().splitlines()]
        paid = list(judged(cases))
        found += [(name, case["id"], reward) for case, reward in zip(cases, paid, strict=True)]
        print(f"{name}: {sum(reward >= 1 for reward in paid)} of {len(paid)} paid in full", flush=True)
    if given.json:
        given.json.write_text("".join(json.dumps(case) + "\n" for case in found))


if __name__ == "__main__":
    main()
