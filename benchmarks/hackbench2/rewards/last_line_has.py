"""Is the gold number somewhere in the closing paragraph?

After: lenient extractors of GSM8K-like recipes that scan the end of the text. Hole: every number there is tried.
"""
import re


def closing(completion, answer):
    end = re.split(r"\n\s*\n", completion.strip())[-1]
    return float(any(abs(float(x.replace(",", "")) - float(answer)) < 1e-6 for x in re.findall(r"-?\d[\d,]*(?:\.\d+)?(?<!,)", end)))
