"""Tests of the course's notebooks and figures."""
