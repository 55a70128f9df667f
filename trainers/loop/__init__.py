"""The one training loop, and what it needs to go on after a kill as if nothing had happened."""
