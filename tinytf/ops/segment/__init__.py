"""Rows combined by the segment they belong to."""
