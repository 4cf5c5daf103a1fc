"""`tf.TensorArray` and its op types."""
