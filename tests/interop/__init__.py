"""Our ends of the protocol against a real TensorFlow's."""
