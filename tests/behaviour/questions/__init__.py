"""The questions, by family."""
