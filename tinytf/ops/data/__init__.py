"""The ops of tf.data. Edges of type `variant` carry a `resources.datasets.Dataset`."""
