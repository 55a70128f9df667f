"""Trains the judge of `safety/refusal-v0`, and says what it reaches on what it has not seen.

    python benchmarks/refusal_judge/train.py                 cross-validated figures
    python benchmarks/refusal_judge/train.py --remake        train on everything, into the package

Learned from are the repository's own pairs (envs/safety/data/prompts.jsonl) and replies made of the files beside this
one: `refusals.txt` and `talk.txt` (what may stand in a refusal), `lawful.txt` (what may be done instead),
`agreements.txt`, and `dresses.txt`: replies that give what they seem to refuse, each filled with the steps of
`topics.jsonl` (vague on purpose: nothing in them can be carried out) or with helpful and agreeing answers of the pairs.

Each fold holds out whole topics, dresses, refusals, reasons and agreements at once.
"""

from __future__ import annotations

import argparse
import json
import random
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import torch
from fit import Row, fitted, spots
from matters import Matter, framed, frames, matters, written
from replies import CONTENT, PAID, Reply, Topic, agreed, lines, listed, made, of_pairs, refused, topics
from safetensors.numpy import load_file

import rlenv.envs.safety.judge as shipped
from rlenv.envs.safety.judge_features import names, prompt_names
from rlenv.envs.safety.judge_pieces import pieces
from rlenv.envs.safety.judge_vectors import Vectors
from rlenv.envs.safety.preferences import split_of_row
from rlenv.envs.safety.prompts import prompt_pairs
from rlenv.envs.safety.refusal_phrases import DECLINE
from rlenv.envs.safety.reward_model import TOY_MODEL

FOLDS = 4
SEEN_ROWS = 5
"""A word that fewer topics have is not learned by itself."""
LONG_REFUSAL = 90
"""Of a longer refusal only the clauses that the rules know refuse for certain."""
WEIGHTS = {"own refusal": 3.0, "own help": 3.0, "own agreement": 3.0, "own partial": 0.7, "wording": 4.0}
PAID_WEIGHT = 1.5
_FILES = ("dresses", "refusals", "talk", "lawful", "agreements")


@dataclass(frozen=True)
class Pools:
    """What replies are made of."""

    topics: tuple[Topic, ...]
    dresses: tuple[str, ...]
    refusals: tuple[str, ...]
    talk: tuple[str, ...]
    lawful: tuple[str, ...]
    agreements: tuple[str, ...]
    matters: tuple[Matter, ...]
    frames: tuple[tuple[str, str], ...]
    written: tuple[Reply, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--remake", action="store_true", help="train on everything, into the package")
    torch.set_num_threads(1)
    if parser.parse_args().remake:
        return save(trained(pools(0, "all")))
    paid: dict[str, list[bool]] = defaultdict(list)
    groups = lines("dresses.txt")
    for fold in range(FOLDS):
        model = trained(pools(fold, "out"))
        for reply in replies(pools(fold, "in"), seed=1):
            kind = "dress: " + groups[reply.kind] if reply.kind in groups else reply.kind
            paid[kind].append(shipped.judged(reply.prompt, reply.text, model).refuses)
    report(paid)


def pools(fold: int, which: Literal["in", "out", "all"]) -> Pools:
    """What is in a fold, or outside of it."""

    def kept(found: Mapping[str, str]) -> tuple[str, ...]:
        return tuple(text for text, group in found.items() if which == "all" or _in(group, fold) == (which == "in"))

    about = tuple(topic for topic in topics() if which == "all" or _in(topic.row, fold) == (which == "in"))
    dresses, refusals, talk, lawful, agreements = (kept(lines(f"{name}.txt")) for name in _FILES)

    def here(group: str) -> bool:
        return which == "all" or _in(group, fold) == (which == "in")

    own = tuple(matter for matter in matters() if here(matter.row))
    told = tuple((kind, text) for kind, text in frames() if here(text if kind.startswith("=") else kind))
    says = tuple(reply for reply, kind in written() if here(kind) and (which == "in" or here(reply.row)))
    return Pools(about, dresses, refusals, talk, lawful, agreements, own, told, says)


def replies(of: Pools, seed: int = 0) -> list[Reply]:
    """Replies of all kinds to the prompts of every topic."""
    chance = random.Random(seed)
    found: list[Reply] = []
    for topic in of.topics:
        dresses = chance.sample(of.dresses, min(20, len(of.dresses)))
        found += [made(chance, topic, dress, of.refusals, of.talk) for dress in dresses]
        found += [refused(chance, topic, of.refusals, of.talk) for _ in range(14)]
        found += [listed(chance, topic, of.refusals, of.talk, of.lawful) for _ in range(4)]
        found += [agreed(chance, topic, of.agreements, of.talk) for _ in range(3)]
    fills = {kind: [text for k, text in of.frames if k == f"={kind}"] for kind in ("op", "cl", "res")}
    own = [(kind, text) for kind, text in of.frames if not kind.startswith("=")]
    for matter in of.matters:
        found += [framed(chance, matter, *frame, fills) for frame in chance.sample(own, min(40, len(own)))]
    found += of.written
    rows = {topic.row for topic in of.topics}
    return found + [reply for reply in of_pairs() if reply.row in rows]


def trained(of: Pools) -> shipped.Weights:
    """The judge that learned from these."""
    found = replies(of)
    known = vocabulary(found)
    vectors = word_vectors()
    table, bias, *layers = fitted([row for reply in found for row in rows(reply, known, vectors)])
    return shipped.Weights(table, bias, known, *harm(), vectors, *layers)


@lru_cache(maxsize=1)
def word_vectors() -> Vectors:
    """Those of the small reward model, scaled to about 1 and rounded to what eight bits hold."""
    places = json.loads((TOY_MODEL / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    table = load_file(TOY_MODEL / "model.safetensors")["model.embed_tokens.weight"].astype(np.float32)
    words = [word for word in places if word.isascii() and word.removeprefix("##")[:1].isalpha()]
    found = table[[places[word] for word in words]]
    return Vectors(words, np.clip(np.round(found / found.std() * 32), -127, 127).astype(np.float32) / 32)


def harm() -> tuple[np.ndarray, float]:
    """What tells a prompt that asks for harm from its look-alike: learned from the train split, three times over."""
    own = [pair for pair in prompt_pairs() if split_of_row(pair) == "train"]
    asked = [(pair.harmful, 1.0) for pair in own] + [(pair.harmless, 0.0) for pair in own]
    found = [Row(spots(prompt_names(prompt)), (label,)) for prompt, label in asked] * 3
    models = [fitted(found, decay=3e-3, epochs=12, seed=seed) for seed in range(3)]
    return np.mean([table[:, 0] for table, _ in models], 0), float(np.mean([bias[0] for _, bias in models]))


def vocabulary(found: Sequence[Reply]) -> frozenset[str]:
    """The words that replies to several prompts have."""
    seen = defaultdict(set)
    for reply in found:
        for piece in pieces(reply.text):
            for word in piece.words:
                seen[word].add(reply.row)
    return frozenset(word for word, of in seen.items() if len(of) >= SEEN_ROWS and word.isascii())


def rows(reply: Reply, known: frozenset[str], vectors: Vectors) -> list[Row]:
    """Every piece of a reply that has a label; one that runs into content is content."""
    bounds: list[tuple[int, int, int | None, bool | None]] = []
    at = 0
    for text, content, says_no in reply.parts:
        bounds.append((at, at + len(text), content, says_no and (len(text) <= LONG_REFUSAL or None)))
        at += len(text)
    own = reply.kind in ("own refusal", "own partial")
    cut, found = pieces(reply.text), []
    if not cut:
        return []
    meant = vectors.of(cut, pieces(reply.prompt))
    for piece, features, vector in zip(cut, names(cut, reply.prompt, known), meant, strict=True):
        place = next((bound for bound in bounds if bound[0] <= piece.start < bound[1]), (0, 0, None, False))
        label, refuses = place[2:]
        if label is None:
            continue
        if any(a < piece.end - 1 and b > piece.start and la == CONTENT for a, b, la, _ in bounds):
            label, refuses = CONTENT, False
        if own or refuses is None:
            refuses = True if DECLINE.search(piece.text) else None
        weight = WEIGHTS.get(reply.kind.partition(":")[0], 1.0) * (PAID_WEIGHT if label == PAID else 1.0)
        sure = float("nan") if refuses is None else float(refuses)
        found.append(Row(spots(features), (float(label), sure), weight, vector))
    return found


def save(model: shipped.Weights) -> None:
    """Write the model of the package: weights in half precision, words in ASCII."""
    shipped.MODEL.parent.mkdir(exist_ok=True)
    known = np.frombuffer("\n".join(sorted(model.known)).encode("ascii"), np.uint8)
    table = model.table.astype(np.float16)
    asks = model.asks.astype(np.float16)
    np.savez_compressed(
        shipped.MODEL,
        table=table,
        bias=model.bias.astype(np.float32),
        known=known,
        asks=asks,
        asks_bias=np.float32(model.asks_bias),
        words=np.frombuffer("\n".join(model.vectors.words).encode("ascii"), np.uint8),
        vectors=(model.vectors.table * 32).astype(np.int8),
        hidden=model.hidden.astype(np.float16),
        hidden_bias=model.hidden_bias,
        out=model.out,
    )
    print(f"{shipped.MODEL.name}: {shipped.MODEL.stat().st_size / 1e3:.0f} kB, {len(model.known)} words")


def report(paid: Mapping[str, Sequence[bool]]) -> None:
    """The share of each kind that would be paid."""
    for kind, found in sorted(paid.items(), key=lambda item: (-np.mean(item[1]), item[0])):
        print(f"{np.mean(found):.3f} of {len(found):5d}  {kind!r:.100}")
    dressed = [one for kind, found in paid.items() if kind.startswith("dress: ") for one in found]
    print(f"all dresses: {np.mean(dressed):.4f} of {len(dressed)}")


def _in(group: str, fold: int) -> bool:
    return zlib.crc32(group.encode()) % FOLDS == fold


if __name__ == "__main__":
    main()
