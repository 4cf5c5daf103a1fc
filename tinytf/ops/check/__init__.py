"""Assertions about values, shapes and numbers."""
