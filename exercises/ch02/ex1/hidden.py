"""Hidden checks of ch02.ex1."""

from exercise_checks import KINDS, building, expect, variable

import tinytf as tf
from tinytf.grading import point


@point("towers of any number, and names that only begin like one", 1)
def other_towers(answer):
    with tf.device(building(answer)):
        for number in (3, 10, 128):
            made = tf.constant(1.0, name=f"tower{number}/deep/inside/x")
            expect(made.op, f"/device:GPU:{number}", f"is of tower {number}")
        for name in ("tower", "tower3", "tower3x/y", "towers/y", "tower_3/y", "mytower3/y"):
            expect(tf.constant(1.0, name=name).op, "", "is of no tower: that is tower<n>/...")


@point("a variable is on the CPU also where a block asks for a GPU", 1)
def variables_in_blocks(answer):
    with tf.device(building(answer)), tf.device("/gpu:1"):
        for kind, newer in KINDS.items():
            for name in (kind, f"tower2/deep/{kind}"):
                made = variable(name, newer)
                expect(made.op, "/device:CPU:0", "is a variable, in a block for a GPU")
        made = tf.constant(1.0, name="tower2/x")
        expect(made.op, "/device:GPU:2", "is of tower 2, in a block for another GPU")
