"""Other libraries' environments as ours; each module imports its library when it is used."""
