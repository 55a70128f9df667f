"""maj@k and best-of-k on the completions of a saved run, beside the majority votes of lm-eval and lighteval.

    pip install --no-deps lm_eval==0.4.13 lighteval==0.13.0
    python benchmarks/voting_peers.py RUN --k 3       # a run whose verifier names answers

Their classes are imported from the installed packages and asked about every order of every subset of k completions of a
problem (of `--most` drawn ones, where there are more), because both take the first of the most frequent answers. What a
vote is worth is whether the completion that gave it passed. Neither package has best-of-n (lm-eval: a TODO in
filters/selection.py), so that is held against enumeration alone.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import inspect
import math
import random
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from rlenv.analysis.answers import answers_of, grouped
from rlenv.analysis.scores import LOGPROB, scores_of
from rlenv.core.episode import Episode
from rlenv.evaluation.voting import best_of_k, maj_at_k
from rlenv.store.saved_episodes import read_episodes

Vote = Callable[[list[str]], str]


def lm_eval_vote() -> Vote:
    """`MajorityVoteFilter` of lm_eval.filters.selection."""
    made = importlib.import_module("lm_eval.filters.selection").MajorityVoteFilter()
    return lambda answers: str(next(iter(made.apply([answers], [{}])))[0])


def lighteval_vote() -> Vote:
    """The `compute` of lighteval's MajAtN, as its source stands in the installed file; its score is the vote itself."""
    spec = importlib.util.find_spec("lighteval")
    assert spec is not None
    assert spec.origin is not None
    source = (Path(spec.origin).parent / "metrics/metrics_sample.py").read_text()
    start = source.index("    def compute(", source.index("class MajAtN("))
    method = source[start : source.index("    def num_samples", start)]
    space: dict[str, Any] = {"Doc": SimpleNamespace, "ModelResponse": SimpleNamespace}
    exec("from __future__ import annotations\n" + textwrap.dedent(method), space)

    def vote(answers: list[str]) -> str:
        self = SimpleNamespace(
            n=len(answers), preprocess=lambda text: text, compute_score=lambda doc, response: response.text[0]
        )
        doc = SimpleNamespace(get_golds=lambda: ["gold"], query="", gold_index=0)
        return str(space["compute"](self, doc, SimpleNamespace(final_text=answers)))

    return vote


def orders(n: int, k: int, most: int, rng: random.Random) -> Iterator[Sequence[int]]:
    """Every order of every subset, or as many drawn ones."""
    if math.perm(n, k) <= most:
        yield from permutations(range(n), k)
    else:
        yield from (rng.sample(range(n), k) for _ in range(most))


def _answer(episode: Episode) -> str:
    """What was judged, or what lm-eval's filters put where nothing was found."""
    return " ".join(episode.answer_text.split()) if episode.verdict.answer is not None else "[invalid]"


def main() -> None:
    parser = argparse.ArgumentParser(description=inspect.getdoc(sys.modules[__name__]))
    parser.add_argument("run", type=Path)
    parser.add_argument("--k", type=int, default=3)
    parser.add_argument("--most", type=int, default=100_000)
    args = parser.parse_args()
    groups = [group for group in grouped(read_episodes(args.run), 1.0) if len(group.judged) >= args.k]
    answers = answers_of(groups, None, 1.0)
    ours = [maj_at_k(votes, args.k) for votes in answers.votes]
    print(f"{len(groups)} problems, maj@{args.k}: rlenv {sum(ours) / len(ours):.12f} ({answers.note})")
    for name, vote in (("lm-eval", lm_eval_vote()), ("lighteval", lighteval_vote())):
        rng = random.Random(0)
        theirs = []
        for group in groups:
            said = [f"{ok} {_answer(e)}" for e, ok in zip(group.judged, group.passed, strict=True)]
            won = [vote([said[i] for i in order]) for order in orders(len(said), args.k, args.most, rng)]
            theirs.append(sum(text.startswith("True ") for text in won) / len(won))
        apart = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
        print(f"  {name}: {sum(theirs) / len(theirs):.12f}, at most {apart:.2g} apart in one problem")
    by_score, by_hand = [], []
    for group, scores in zip(groups, scores_of(groups, LOGPROB), strict=True):
        ranked = [(score or 0.0, float(ok)) for score, ok in zip(scores, group.passed, strict=True)]
        by_score.append(best_of_k(ranked, args.k))
        subsets = list(combinations(ranked, args.k))
        tops = [[ok for score, ok in subset if score == max(subset)[0]] for subset in subsets]
        by_hand.append(sum(sum(top) / len(top) for top in tops) / len(subsets))
    found, counted = sum(by_score) / len(groups), sum(by_hand) / len(groups)
    print(f"best-of-{args.k} by logprob: rlenv {found:.12f}, counted {counted:.12f}")


if __name__ == "__main__":
    main()
