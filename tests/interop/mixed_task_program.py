"""One task of a mixed cluster, until stdin ends: `program.py LIBRARY CLUSTER JOB INDEX`.

LIBRARY is "tinytf" or "tensorflow"; CLUSTER is JSON. A real TensorFlow's server listens on all
interfaces: run it in a network namespace only.
"""

import json
import os
import sys

library, cluster, job, index = sys.argv[1:]
if library == "tinytf":
    import tinytf as tf
else:
    import tensorflow.compat.v1 as tf

server = tf.train.Server(json.loads(cluster), job, int(index))
print(server.target, flush=True)
sys.stdin.read()
os._exit(0)  # TensorFlow's servers cannot be stopped
