"""Learned rewards: models, or functions in their place, that score a completion or its steps."""

from rlenv.scorers.scorer import Job, Score, Scorer, Stepped, StepScorer, StepScores, ask

__all__ = ["Job", "Score", "Scorer", "StepScorer", "StepScores", "Stepped", "ask"]
