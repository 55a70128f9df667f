"""The generators of HackBench's data; `python benchmarks/make_hackbench.py` writes it."""
