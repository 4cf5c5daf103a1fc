"""Namespaces of `tf` that cut across packages: `tf.nn`, `tf.train`, `tf.errors` ..."""
