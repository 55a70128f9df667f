"""Changed rows, requests, run folders, blocks and checkpoints, and what they cost, as JSON on the last line.

    python door_fuzz.py KIND COUNT SEED FOLDER

Each case is an honest input with a few of its bytes or JSON values changed. Nothing but rlenv's own errors may come of
it; processor time and memory are held against honest calls of the same kind, which run first.
"""

from __future__ import annotations

import gzip
import io
import json
import multiprocessing
import random
import resource
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.errors import RlenvError
from rlenv.evaluation.savedrun import SavedRun
from rlenv.serving import forms
from rlenv.serving.judging import Environments, judged
from rlenv.view.viewed import saved_run
from rlenv.workers.pool import shared_pool

HOSTILE: list[Any] = [
    None,
    True,
    -1,
    10**15,
    1e308,
    "",
    "a" * 200_000,
    "(" * 50_000,
    "\ud800\x00",
    "9**9**9**9",
    "(a|a)*b",
    "os:system",
    "../../victim",
    "http://127.0.0.1:1/v1",
    "\\frac{" * 10_000,
    [],
    [[0] * 1_000] * 50,
    {},
    {"kind": "judge", "url": "http://127.0.0.1:1"},
    {"$ref": "#/a", "a": {"$ref": "#/a"}},
    {str(i): i for i in range(5_000)},
]
ENVS = ("math/arithmetic-v0", "math/countdown-v0", "format/json-v0", "format/regex-v0", "games/nim-v0")
TEXTS = ("\\boxed{7}", "<answer>1+2</answer>", "{}", "aab", "take 1")


def changed(data: bytes, draw: random.Random) -> bytes:
    """Some bytes turned over, cut out, said twice or put elsewhere."""
    made = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        if not made:
            break
        first = draw.randrange(len(made))
        last = min(len(made), first + draw.choice((1, 1, 2, 8, 64)))
        how = draw.randrange(5)
        if how == 0:
            made[first] = draw.randrange(256)
        elif how == 1:
            del made[first:last]
        elif how == 2:
            made[first:first] = made[first:last] * draw.choice((1, 2, 50))
        elif how == 3:
            made[first] ^= 1 << draw.randrange(8)
        else:
            del made[first:]
    return bytes(made)


def changed_value(value: Any, draw: random.Random) -> Any:
    """The JSON with one of its values, or one of its keys, made hostile."""
    if isinstance(value, dict) and value and draw.random() < 0.85:
        key = draw.choice(list(value))
        if draw.random() < 0.1:
            return {**value, draw.choice(("factory", "scorer", "cache", "tools", "data", "a")): draw.choice(HOSTILE)}
        if draw.random() < 0.1:
            return {name: inner for name, inner in value.items() if name != key}
        return {**value, key: changed_value(value[key], draw)}
    if isinstance(value, list) and value and draw.random() < 0.85:
        place = draw.randrange(len(value))
        return [*value[:place], changed_value(value[place], draw), *value[place + 1 :]]
    return draw.choice(HOSTILE)


def changed_json(text: str, draw: random.Random) -> bytes:
    """JSON with hostile values, and now and then with changed bytes."""
    made = json.dumps(changed_value(json.loads(text), draw)).encode("utf-8", "surrogatepass")
    return changed(made, draw) if draw.random() < 0.3 else made


def rows(draw: random.Random, folder: Path) -> Iterator[Callable[[], object]]:
    """Rows of cheap environments, judged."""
    whole = [row for env in ENVS for row in rlenv.rows_of(env, range(8))]
    for row in whole:
        yield partial(rlenv.judge_row, row, "x")
    while True:
        row = changed_json(draw.choice(whole), draw).decode("utf-8", "replace")
        text = draw.choice(TEXTS)
        yield partial(rlenv.judge_row, row, text)


def requests(draw: random.Random, folder: Path) -> Iterator[Callable[[], object]]:
    """Bodies of requests, read and judged as the service does it."""
    environments = Environments([(env, {}) for env in ENVS], evaluation=True)
    bodies: list[tuple[type[forms.JudgeRequest | forms.BatchRequest | forms.OpenRLHFRequest], str]] = []
    for env, text in zip(ENVS, TEXTS, strict=True):
        [row] = rlenv.rows_of(env, [0])
        named = {"env": env, "task": json.loads(row)["task"]}
        bodies += [
            (forms.JudgeRequest, json.dumps({**named, "completion": Completion(text).to_json()})),
            (forms.BatchRequest, json.dumps({"groups": [{**named, "completions": [text, ""]}]})),
            (forms.OpenRLHFRequest, json.dumps({"query": [text], "prompts": [""], "labels": [row]})),
        ]

    def answer(form: type[forms.JudgeRequest | forms.BatchRequest | forms.OpenRLHFRequest], body: bytes) -> None:
        request = forms.read_form(form, body)
        jobs = request.jobs(environments, "")
        request.answer(jobs, judged(jobs, wrappers=True))

    for form, text in bodies:
        yield partial(answer, form, text.encode())
    while True:
        form, text = draw.choice(bodies)
        body = changed_json(text, draw)
        yield partial(answer, form, body)


def folders(draw: random.Random, folder: Path) -> Iterator[Callable[[], object]]:
    """Folders of an evaluation with one changed file, read by report and view."""
    honest = folder / "honest"
    rlenv.evaluate(ENVS[0], "reference", limit=8, out=honest, quiet=True)
    names = [path.name for path in sorted(honest.iterdir()) if path.suffix in (".json", ".gz", ".index")]

    def look(place: Path) -> None:
        saved = SavedRun(place)
        list(saved.episodes())
        saved.settings()
        list(saved_run(place).episodes)

    for _ in range(8):
        yield lambda: look(honest)
    while True:
        place = folder / "changed"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(honest, place)
        name = draw.choice(names)
        data = (honest / name).read_bytes()
        if name.endswith(".gz") and draw.random() < 0.7:  # what is inside, packed again
            lines = gzip.decompress(data).decode().splitlines()
            at = draw.randrange(len(lines))
            lines[at] = changed_json(lines[at], draw).decode("utf-8", "replace").replace("\n", " ")
            data = gzip.compress("".join(line + "\n" for line in lines).encode("utf-8", "replace"))
        elif name.endswith(".json") and draw.random() < 0.7:
            data = changed_json(data.decode(), draw)
        else:
            data = changed(data, draw)
        (place / name).write_bytes(data)
        yield partial(look, place)


def checkpoints(draw: random.Random, folder: Path) -> Iterator[Callable[[], object]]:
    """Checkpoints of a training with changed bytes."""
    import torch

    from rlenv.trainers.loop import checkpoint

    state = {"networks": {"model": {"w": torch.zeros(64)}}, "files": {"metrics.jsonl": 3}, "step": 1}
    written = io.BytesIO()
    torch.save(state, written)
    path = folder / "checkpoint.pt"

    def look(data: bytes) -> None:
        path.write_bytes(data)
        checkpoint.load(path, torch.device("cpu"))

    for _ in range(8):
        yield lambda: look(written.getvalue())
    while True:
        data = changed(written.getvalue(), draw)
        yield partial(look, data)


KINDS = {"rows": rows, "requests": requests, "folders": folders, "checkpoints": checkpoints}


def memory_mb(*, again: bool = False) -> float:
    """The most memory that this process has held, since the last call with `again`."""
    with open("/proc/self/status") as status:
        held = next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))
    if again:
        Path("/proc/self/clear_refs").write_text("5")
    return held


def main(kind: str, count: int, seed: int, folder: Path) -> dict[str, object]:
    draw = random.Random(seed)
    raised: dict[str, int] = {}
    worst_s, worst_mb, honest_mb = 0.0, 0.0, 0.0
    honest_calls = 40 if kind == "rows" else 15 if kind == "requests" else 8
    for number, call in enumerate(KINDS[kind](draw, folder)):
        if number == count + honest_calls:
            break
        memory_mb(again=True)
        before, began = memory_mb(), time.process_time()
        try:
            call()
        except RlenvError:
            pass
        except Exception as error:
            said = f"{type(error).__name__}: {error}"[:300]
            raised[said] = raised.get(said, 0) + 1
        spent, held = time.process_time() - began, memory_mb() - before
        if number < honest_calls:
            honest_mb = max(honest_mb, held)
        else:
            worst_s, worst_mb = max(worst_s, spent), max(worst_mb, held - honest_mb)
    shared_pool().close()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "cases": count,
        "worst_s": worst_s,
        "worst_mb": worst_mb,
        "raised": raised,
        "children_s": children.ru_utime + children.ru_stime,
        "left": [child.name for child in multiprocessing.active_children()],
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))))
