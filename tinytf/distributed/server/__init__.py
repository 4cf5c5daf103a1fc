"""`tf.train.Server`: a master and a worker behind a port, and what one can see of them."""
