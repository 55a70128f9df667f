def median(values: list[float]) -> float:
    """The middle of the values, or the mean of the two in the middle."""
    return sorted(values)[len(values) // 2]
