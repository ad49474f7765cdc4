"""Axes with names of several letters."""
