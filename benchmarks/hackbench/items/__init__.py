"""Honest items: problems with right, worked solutions, from templates of many voices and written by hand."""
