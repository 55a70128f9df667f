"""Policies in, better policies out. A trainer sees an environment only through its interface."""
