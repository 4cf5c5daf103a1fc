"""As tensorflow.python.ops: what programs reach for beyond the public names."""
