"""A real TensorFlow restores our checkpoints and saves its own; run with its interpreter.

checkpoints_program.py FOLDER: reads FOLDER/ours, writes FOLDER/theirs, and prints what it saw.
"""

import json
import os
import sys

import tensorflow.compat.v1 as tf

from tests.interop.checkpoints_model import look, look_at_rare, restore, save, save_rare

tf.disable_v2_behavior()


def main(folder):
    """Print what TensorFlow saw."""
    ours, theirs = os.path.join(folder, "ours"), os.path.join(folder, "theirs")
    os.makedirs(theirs)
    saved = save(tf, theirs)
    save_rare(tf, theirs)
    seen = {"saved": saved, "restored": restore(tf, ours), "looked": look(tf, ours)}
    print(json.dumps({**seen, "rare": look_at_rare(tf, ours)}))


main(sys.argv[1])
