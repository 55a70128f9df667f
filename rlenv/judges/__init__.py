"""Models as judges: by a rubric, of pairs, by labels; and what a judge is worth (check.py)."""
