"""Verifiers run in processes that can be killed: the pool, its protocol, and what ends a worker."""
