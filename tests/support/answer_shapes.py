"""Encoded answers of any length that are hard to read, or honest: what tests/sandbox/test_bounds.py reads"""

from __future__ import annotations

import base64
import itertools
import random
from collections.abc import Callable, Iterator

from rlenv.sandbox.codec import dumps

Shape = Callable[[int], bytes]
"""The answer of about so many bytes, and no more."""


def tagged(kind: str, *parts: str) -> str:
    return f'{{"$":"{kind}","v":[{",".join(parts)}]}}'


def filled(length: int, item: str, around: tuple[str, str] = ("[", "]")) -> bytes:
    """The item again and again."""
    count = max(0, (length - len(around[0]) - len(around[1])) // (len(item) + 1))
    return (around[0] + ",".join([item] * count) + around[1]).encode()


def listed(length: int, items: Iterator[str], around: tuple[str, str] = ("[", "]")) -> bytes:
    """Items until the length is reached."""
    chosen, room = [], length - len(around[0]) - len(around[1])
    for item in items:
        room -= len(item) + 1
        if room < 0:
            break
        chosen.append(item)
    return (around[0] + ",".join(chosen) + around[1]).encode()


SET = ('{"$":"set","v":[', "]}")


WIDTH = 64


def equal_hashes(length: int) -> bytes:
    """Frozensets in frozensets, 64 members each, over tuples of -1 and -2. All members of one set have one hash, and
    differ in one member of theirs only: to compare two is to compare all members of one with all of the other."""
    level = 0
    while len(_alike(level, 1)[0]) * WIDTH < length:
        level += 1
    for count in range(WIDTH, 0, -1):
        whole = tagged("frozenset", *_alike(level, count))
        if len(whole) <= length:
            return whole.encode()
    return tagged("frozenset", *_alike(level - 1, WIDTH)).encode()


def _alike(level: int, count: int) -> list[str]:
    """So many different values of one hash, and of so many levels of sets."""
    if level == 0:
        signs = itertools.product("12", repeat=max(7, count.bit_length()))
        return [tagged("tuple", *(f"-{sign}" for sign in chosen)) for chosen in itertools.islice(signs, count)]
    below = _alike(level - 1, WIDTH - 1 + count)
    return [tagged("frozenset", *below[: WIDTH - 1], other) for other in below[WIDTH - 1 :]]


def one_probe_path(length: int) -> bytes:
    """A set of numbers whose hashes differ, and whose places in a table are taken by those before them."""
    return listed(length, (str(k << 20) for k in range(1, length)), SET)


def random_numbers(length: int) -> Iterator[int]:
    source = random.Random(0)
    return (source.randrange(10, 9_999) for _ in range(length))


def deep(length: int) -> bytes:
    return filled(length, "[" * 140 + "1" + "]" * 140)


HOSTILE: dict[str, Shape] = {
    "frozensets of equal hashes, nested": equal_hashes,
    "array of shape [N, 0]": lambda n: b'{"$":"ndarray","v":["<f8",[' + b"9" * min(12, n // 100) + b',0],""]}',
    "empty lists": lambda n: filled(n, "[]"),
    "empty tuples": lambda n: filled(n, tagged("tuple")),
    "lists in lists": deep,
    "pairs of a list": lambda n: filled(n, "[1,2]"),
    "keys of one hash": lambda n: listed(
        n,
        (f'[{{"$":"int","v":"{k * (2**61 - 1):#x}"}},0]' for k in range(1, n)),
        ('{"$":"dict","v":[', "]}"),
    ),
    "members on one path": one_probe_path,
    "one-digit numbers": lambda n: filled(n, "1"),
    "numbers of 4,300 digits": lambda n: filled(n, "9" * min(4300, n - 3)),
    "numbers of a million bits": lambda n: filled(n, '{"$":"int","v":"0x%s"}' % ("f" * min(262_144, n - 24))),
    "short floats": lambda n: filled(n, "0.5"),
    "fractions": lambda n: listed(n, (tagged("Fraction", str(k), str(k + 1)) for k in range(2, n))),
    "decimals of 5,000 digits": lambda n: filled(n, tagged("Decimal", '"1.%s"' % ("7" * min(5000, n - 30)))),
    "texts of two letters": lambda n: filled(n, '"ab"'),
    "text of line breaks": lambda n: b'"' + b"\\n" * (n // 2 - 1) + b'"',
    "text of brackets": lambda n: b'"' + b"[{" * (n // 2 - 1) + b'"',
    "brackets that open": lambda n: b"[" * n,
    "an array's bytes": lambda n: (
        b'{"$":"ndarray","v":["|u1",[%d],"%s"]}' % (3 * (n // 4 - 16), base64.b64encode(bytes(3 * (n // 4 - 16))))
    ),
    "range without end": lambda n: filled(n, tagged("range", "0", "9223372036854775807", "1")),
}
"""Written to the channel by the program itself."""


def values(length: int) -> dict[str, object]:
    """Honest answers of about so many encoded bytes."""
    text = "The quick brown fox jumps over the lazy dog, 42 times. "
    floats = random.Random(0)
    return {
        "honest: list of numbers": [*random_numbers(length // 5)],
        "honest: list of floats": [round(floats.random(), 6) for _ in range(length // 9)],
        "honest: rows of numbers": [[*range(100, 133)] for _ in range(length // 134)],
        "honest: words": (text * (length // len(text) + 1))[: int(0.7 * length)].split(" "),
        "honest: one text": (text * (length // len(text) + 1))[: length - 16],
    }


def encoded(length: int) -> dict[str, bytes]:
    """Every shape at this length."""
    honest = {name: dumps(value) for name, value in values(length).items()}
    return {**{name: shape(length) for name, shape in HOSTILE.items()}, **honest}
