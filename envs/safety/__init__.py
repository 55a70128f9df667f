"""Safety: refusing what harms, helping with what only looks like it, and saying what is right to a user who is not."""
