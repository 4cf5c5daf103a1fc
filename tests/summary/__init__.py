"""Tests of event files and their writers."""
