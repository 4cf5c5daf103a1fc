"""The client's end: what `tf.Session("grpc://...")` does."""
