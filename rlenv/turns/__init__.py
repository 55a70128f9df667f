"""Episodes of several turns: what answers a policy between its turns, and how such an episode is played and judged."""
