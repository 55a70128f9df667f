"""Learned rewards: models, or functions in their place, that score a completion or its steps."""

from rlenv.scorers.load import load_scorer, load_step_scorer
from rlenv.scorers.scorer import (
    FunctionScorer,
    FunctionStepScorer,
    Job,
    Score,
    Scorer,
    ScorerVerifier,
    Stepped,
    StepScorer,
    StepScores,
    ask,
)

__all__ = [
    "FunctionScorer",
    "FunctionStepScorer",
    "Job",
    "Score",
    "Scorer",
    "ScorerVerifier",
    "StepScorer",
    "StepScores",
    "Stepped",
    "ask",
    "load_scorer",
    "load_step_scorer",
]
