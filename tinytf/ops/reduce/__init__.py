"""Many numbers to fewer: sums, means, extremes, and where they are."""
