"""Files of runs: written whole or not at all, locked, and episodes in compressed blocks."""
