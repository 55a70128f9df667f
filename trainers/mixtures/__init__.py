"""The environments of a run: one or several, each with its share, its group size and its sampler."""
