"""Strings: their parts, numbers, patterns and hashes."""
