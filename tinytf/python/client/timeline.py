"""`from tinytf.python.client import timeline`, as programs for TensorFlow write it."""

from tinytf.tracing.chrome_trace import AllocationMaximum, StepStatsAnalysis, Timeline

__all__ = ["AllocationMaximum", "StepStatsAnalysis", "Timeline"]
