"""The tasks of the package `reasoning-gym`, with checks of our own in place of its scorers.

Nothing here imports the package until a task is made; `python -m rlenv.envs.reasoning_gym` prints what is
kept, how each answer is checked, and what is left out and why.
"""
