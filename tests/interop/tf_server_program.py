"""A real TensorFlow's server, until stdin ends. Prints its target.

It listens on all interfaces: start it in a network namespace only.
"""

import os
import sys

import tensorflow.compat.v1 as tf

server = tf.train.Server.create_local_server()
print(server.target, flush=True)
sys.stdin.read()
os._exit(0)  # TensorFlow's servers cannot be stopped
