"""Tools to test graphs with, for learners as much as for tinytf's own tests."""
