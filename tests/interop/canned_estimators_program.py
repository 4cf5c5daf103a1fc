"""A real TensorFlow trains estimators, its own and ours; run with its interpreter.

canned_estimators_program.py FOLDER: goes on with the training of what is in FOLDER/ours, copies it
to FOLDER/theirs after its first steps, and prints what all of them say of themselves.
"""

import json
import os
import shutil
import sys

import tensorflow.compat.v1 as tf

from tests.interop.canned_estimators_model import results, train

tf.disable_v2_behavior()


def main(folder):
    """Print results: of ours as they are, and after two more steps."""
    ours, theirs = os.path.join(folder, "ours"), os.path.join(folder, "theirs")
    found = [results(tf, ours)]
    shutil.copytree(ours, theirs)
    train(tf, theirs, 2)
    print(json.dumps([*found, results(tf, theirs)]))


main(sys.argv[1])
