"""Templates of the half that detectors may be tuned on."""
