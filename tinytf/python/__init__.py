"""Paths of TensorFlow's own package by which programs import what has no public name."""
