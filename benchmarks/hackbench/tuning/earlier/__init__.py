"""Templates that were in the reporting half until its figures had been looked at; others stand in their place there."""
