"""Learned rewards: models, or functions in their place, that score a completion or its steps."""

from rlenv.scorers.function import FunctionScorer, FunctionStepScorer
from rlenv.scorers.load import load_scorer, load_step_scorer
from rlenv.scorers.scorer import Job, Score, Scorer, Stepped, StepScorer, StepScores, ask
from rlenv.scorers.verifier import ScorerVerifier

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
