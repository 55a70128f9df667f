"""Multiple choice by the option's words, and moderation by the label's word, anywhere in the reply.

After: substring scorers of QA evaluations. Hole: the other options may be said as well.
"""


def option(completion, answer):
    return float(answer.lower() in completion.lower())


def label(completion, answer):
    words = {w.strip(".,;:!?*()\"'").lower() for w in completion.split()}
    return float(answer.lower() in words)
