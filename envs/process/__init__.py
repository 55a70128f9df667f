"""Rewards for the steps of a solution: cutting it into steps, scoring them, and giving each its share."""
