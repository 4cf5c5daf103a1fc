"""Conditionals and loops: the primitives, the contexts that build them, and their gradients."""
