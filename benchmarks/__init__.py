"""Timings beside real TensorFlow, as ratios within one run on one machine."""
