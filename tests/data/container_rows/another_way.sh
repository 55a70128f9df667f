#!/bin/bash
cat > sums.py <<'END'
import statistics


def total(numbers, start=0):
    for number in numbers:
        start += number
    return start


def mean(numbers):
    return statistics.fmean(numbers) if numbers else 0
END
