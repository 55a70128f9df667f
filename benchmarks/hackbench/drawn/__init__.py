"""Pools of templates that chance deals out to the two halves; see `drawing`."""
