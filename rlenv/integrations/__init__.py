"""Bridges to other libraries' trainers; each imports its library when it is used."""
