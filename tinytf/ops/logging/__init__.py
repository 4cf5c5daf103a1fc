"""What is shown while a step runs: `tf.Print`, `tf.print`, tensors as text."""
