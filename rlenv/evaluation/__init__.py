"""Evaluating a policy: asking, judging, saving, and the estimates of what was found."""
