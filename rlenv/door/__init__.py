"""The line between what the operator wrote and what came from elsewhere."""
