"""Runs programs nobody trusts; knows nothing of tasks or rewards. No backend stands here yet."""
