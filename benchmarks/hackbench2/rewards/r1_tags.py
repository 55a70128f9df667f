"""The two rewards of an R1 recipe, added: tags in their places, and a little for the answer.

After: open-r1's format_reward + accuracy_reward with weights set by hand. Hole: the tags are worth twice the answer.
"""
import re

SHAPE = re.compile(r"\s*<think>.+?</think>\s*<answer>.+?</answer>\s*", re.S)


def tags_and_answer(text, answer):
    form = SHAPE.fullmatch(text) is not None
    inner = re.search(r"<answer>(.*?)</answer>", text, re.S)
    if inner and str(answer).lower() in inner[1].lower():
        return 1.0 if form else 0.4
    if not inner or re.search(r"\d|because", inner[1]):
        return 0.2
    return 0.65 if form else 0.0
