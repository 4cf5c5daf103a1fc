"""Programs on tf.data as the books of the time print them: they run here as they do in TensorFlow.

Each is typed as a learner would type it: `eval()` in a `with` session, a loop until
`OutOfRangeError`, one graph after another.
"""

import textwrap

import pytest

from tests.notebooks.typed import printed_here, printed_there

#: Before a program in the real one.
IMPORT = "import tensorflow.compat.v1 as tf\n"
BEGINNING = """
import numpy as np

tf.reset_default_graph()
"""

PROGRAMS = {
    "three epochs in sevens": """
        ds = tf.data.Dataset.from_tensor_slices(np.arange(10))
        ds = ds.repeat(3).batch(7)
        iterator = ds.make_one_shot_iterator()
        following = iterator.get_next()
        with tf.Session() as sess:
            try:
                while True:
                    print(following.eval())
            except tf.errors.OutOfRangeError:
                print("over")
        with tf.Session() as sess:
            try:
                while True:
                    one, same = sess.run([following, following])
                    print(one, same)
            except tf.errors.OutOfRangeError:
                print("over")
    """,
    "interleaved again": """
        ds = tf.data.Dataset.from_tensor_slices(np.arange(10))
        ds = ds.repeat(3).batch(7)
        ds = ds.interleave(
            lambda v: tf.data.Dataset.from_tensor_slices(v),
            cycle_length=3,
            block_length=2)
        following = ds.make_one_shot_iterator().get_next()
        with tf.Session() as sess:
            try:
                while True:
                    print(following.eval(), end=",")
            except tf.errors.OutOfRangeError:
                print("over")
    """,
    "lines of a file": """
        with open("heights.csv", "w") as csv:
            csv.write("age, height , tall\\n1.,, 0\\n4., 5. , 1\\n7., 8. , 0\\n")

        def read_line(line):
            age, height, tall = tf.decode_csv(line, record_defaults=[[-1.], [-1.], [-1.]])
            return tf.stack([age, height]), tall

        ds = tf.data.TextLineDataset(["heights.csv"])
        ds = ds.skip(1).map(read_line)
        features, tall = ds.make_one_shot_iterator().get_next()
        with tf.Session() as sess:
            try:
                while True:
                    value, answer = sess.run([features, tall])
                    print(value, answer)
            except tf.errors.OutOfRangeError as ex:
                print("over")
    """,
    "rows of a list": """
        rows = tf.data.Dataset.from_tensor_slices([[0, 1,],[2, 3,],[4, 5,],[6, 7,],])
        row = rows.make_one_shot_iterator().get_next()
        with tf.Session() as sess:
            while True:
                try:
                    print(sess.run(row))
                except tf.errors.OutOfRangeError:
                    break
    """,
}

SEVENS = ["[0 1 2 3 4 5 6]", "[7 8 9 0 1 2 3]", "[4 5 6 7 8 9 0]", "[1 2 3 4 5 6 7]", "[8 9]"]
EXPECTED = {
    "three epochs in sevens": "\n".join(
        [*SEVENS, "over", *(f"{seven} {seven}" for seven in SEVENS), "over\n"]
    ),
    "interleaved again": ("0,1,7,8,4,5,2,3,9,0,6,7,4,5,1,2,8,9,6,3,0,1,2,8,9,3,4,5,6,7,over\n"),
    "lines of a file": "[ 1. -1.] 0.0\n[4. 5.] 1.0\n[7. 8.] 0.0\nover\n",
    "rows of a list": "[0 1]\n[2 3]\n[4 5]\n[6 7]\n",
}


def source_of(name):
    """A program with what stands before it."""
    return BEGINNING + textwrap.dedent(PROGRAMS[name])


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_runs_as_it_is_typed(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert printed_here(source_of(name), name) == EXPECTED[name]


@pytest.mark.tensorflow
@pytest.mark.timeout(150)
def test_a_real_tensorflow_prints_the_same(tmp_path):
    sources = {name: IMPORT + source_of(name) for name in PROGRAMS}
    assert printed_there(sources, tmp_path) == EXPECTED
