"""Text tools that several rooms share: how text is folded, and what words and sentences say. Judges nothing."""
