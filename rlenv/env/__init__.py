"""Environments: how they are registered and made, where their tasks come from, single, in batches and row by row."""
