"""Verdicts past this machine: on the nodes of a Ray cluster, or of an `rlenv serve` (docs/cluster.md)."""
