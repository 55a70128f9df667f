"""Templates that were in the reporting half after those of the package above, until they had been run there."""
