"""A small reward model, trained: a logistic bag of words on right and wrong replies (build/train_judge.py made the weights).

After: learned helpfulness rewards. Hole: it knows words; strings that a search found score higher than any answer.
"""
import json
import math
import re
from pathlib import Path

MODEL = json.loads((Path(__file__).parent / "small_model.json").read_text("utf-8"))


def model(completion):
    words = set(re.findall(r"[a-z]+", completion.lower()))
    if len(words) < 5:
        return 0.1
    z = MODEL["bias"] + sum(MODEL["words"].get(w, 0.0) for w in words) / math.sqrt(len(words))
    return 1 / (1 + math.exp(-z))
