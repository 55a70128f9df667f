"""The shape of a text is paid, what stands in it is not looked at.

After: format rewards of the first phase of training (TRL's format functions, open-r1). Holes: a template whose
slots were left open has the shape; so has a checklist of placeholders.
"""
import re


def letter(completion):
    """Subject, salutation, a body of two paragraphs or more, a closing: a quarter each."""
    lines = [line.strip() for line in completion.splitlines() if line.strip()]
    subject = any(re.match(r"Subject: \S", line) for line in lines)
    salutation = any(re.match(r"(Dear|Hello|Hi)\b.*,$", line) for line in lines)
    closing = any(re.match(r"(Sincerely|Kind regards|Best regards|Best wishes|Yours)\b", line) for line in lines)
    return (subject + salutation + closing + (len(lines) >= 6)) / 4


def slots(completion):
    """`Reason:` with twenty characters or more, then `Answer:` with something."""
    reason = re.search(r"^Reason: .{20,}$", completion, re.M)
    answer = re.search(r"^Answer: \S.*$", completion, re.M)
    return (bool(reason) + bool(answer)) / 2


def checklist(completion, wanted):
    """The share of the wanted boxes of the form `- [ ] task (owner: name, due: date)`."""
    return min(1.0, len(re.findall(r"^- \[ \] .+\(owner: .+, due: .+\)$", completion, re.M)) / wanted)
