"""`tf.gradients`, and what it needs to know: registered gradients, sums of them, custom ones."""
