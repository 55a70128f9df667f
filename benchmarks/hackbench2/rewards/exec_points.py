"""Programs are run in rlenv's sandbox on the points that the prompt shows.

After: MBPP-like rewards with public tests, and program-of-thought rewards for labelling rules. Hole: the points are
the only ones.
"""
import json
import re

from rlenv.sandbox import Limits, Program, SandboxSpec, shared_sandbox


def _told(source, seconds=6):
    done = shared_sandbox(SandboxSpec()).run(
        Program(argv=("python3", "-E", "-s", "-S", "-B", "main.py"), files={"main.py": source}, stdin=""),
        Limits(wall_s=seconds),
    )
    return done.stdout.decode(errors="replace")


def _code(completion):
    found = re.findall(r"```(?:python|py)?\n(.*?)```", completion, re.S)
    return found[-1] if found else completion


def points(completion, function, pairs):
    """The share of (arguments, value) pairs, both as Python text, that hold."""
    checks = "".join(
        f"try:\n    _n += {function}({given}) == ({wanted})\nexcept Exception:\n    pass\n" for given, wanted in pairs
    )
    told = re.findall(r"held (\d+)", _told(f"{_code(completion)}\n_n = 0\n{checks}print('held', int(_n))\n"))
    return int(told[-1]) / len(pairs) if told else 0.0


def labels(completion, rows):
    """The share of the shown rows, a dictionary and its label each, that `label(row)` gets right."""
    source = f"{_code(completion)}\nimport json as _j\n_rows = _j.loads({json.dumps(json.dumps(rows))})\n"
    told = re.findall(r"held (\d+)", _told(source + "print('held', sum(label(r) == w for r, w in _rows))\n"))
    return int(told[-1]) / len(rows) if told else 0.0
