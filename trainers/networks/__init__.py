"""What learns and how it computes: networks, optimisers, log-probs, processes, weights that are sharded."""
