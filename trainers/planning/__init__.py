"""What a run will take before it begins: memory, time, and which settings fit."""
