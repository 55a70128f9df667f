"""Learning that weighs no score function by rewards: imitation, preferences, distillation, self-training."""
