"""From the text of an answer to a tree: LaTeX and plain text, mixed, as people write them."""
