"""A real TensorFlow loads our models and saves its own; run with its interpreter.

saved_models_program.py FOLDER: reads FOLDER/ours, writes FOLDER/theirs, and prints what it saw.
"""

import json
import os
import sys

import tensorflow.compat.v1 as tf

from tests.interop.saved_models_model import save, use

tf.disable_v2_behavior()


def main(folder):
    """Print what TensorFlow saw."""
    theirs = os.path.join(folder, "theirs")
    os.makedirs(theirs)
    save(tf, theirs)
    print(json.dumps([use(tf, os.path.join(folder, place)) for place in ("ours", "theirs")]))


main(sys.argv[1])
