"""What TensorFlow 2.15.1 says, as committed data, and the tests that hold tinytf to it."""
