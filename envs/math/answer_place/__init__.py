"""Where the final answer of a completion stands, and what a reader of the completion sees there."""
