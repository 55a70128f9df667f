"""Training learned rewards: reward models from pairs of completions, step models from labelled steps.

    from rlenv.trainers.reward_models.reward_model import train_reward_model
    from rlenv.trainers.reward_models.step_model import train_step_model

The folder `model` of such a run is a scorer: `rlenv.scorers.load.load_scorer` and `load_step_scorer` take it as it is.
Nothing is imported here, so that reading a file of pairs does not cost an import of torch.
"""
