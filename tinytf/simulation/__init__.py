"""Virtual time: a graph of work on devices, run without running it."""
