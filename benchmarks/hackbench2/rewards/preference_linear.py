"""A linear preference model over surface features, the weights of which were fitted to nothing but taste.

After: reward models distilled to features. Hole: connectives, figures and an example score without a thought.
"""
import math
import re

WEIGHTS = {
    r"\b(because|since|therefore|thus|hence|consequently)\b": 0.5,
    r"\b(however|although|whereas|nevertheless|on the other hand)\b": 0.45,
    r"\b(for example|for instance|such as|specifically|in particular)\b": 0.6,
    r"\b(first|second|third|finally|in conclusion|overall)\b": 0.35,
    r"\b\d[\d.,%]*": 0.15,
    r"\b(I don't know|no idea|sorry)\b": -1.0,
}
BIAS = -2.0


def reasoned(completion):
    """The logistic of the weighted counts, four of a kind at most."""
    score = BIAS + sum(w * min(4, len(re.findall(p, completion, re.I))) for p, w in WEIGHTS.items())
    return 1 / (1 + math.exp(-score))
