"""Chapter 1: the programs of the slides, what cells say, the mistakes made on purpose."""

import contextlib
import io
import re
import runpy
from functools import partial

import pytest

import tinytf as tf
from tests.notebooks import reading
from tests.notebooks.reading import NOTEBOOKS, printed, programs
from tinytf.grading import exercise

pytestmark = pytest.mark.as_committed

NAME = "01_graphs_and_sessions.ipynb"

#: The programs of the slides' part on graphs and sessions, and what the slides print.
SLIDES = {
    "a sum": (["a = tf.add(3, 5)", "print(a)"], 'Tensor("Add:0", shape=(), dtype=int32)'),
    "a session": (
        ["a = tf.add(3, 5)", "with tf.Session() as sess:", "    print(sess.run(a))"],
        "8",
    ),
    "another graph": (
        [
            "x = 2",
            "y = 3",
            "op1 = tf.add(x, y)",
            "op2 = tf.multiply(x, y)",
            "op3 = tf.pow(op2, op1)",
            "with tf.Session() as sess:",
            "    op3 = sess.run(op3)",
            "print(op3)",
        ],
        "7776",
    ),
    "a useless node": (
        [
            "x = 2",
            "y = 3",
            "add_op = tf.add(x, y)",
            "mul_op = tf.multiply(x, y)",
            "useless = tf.multiply(x, add_op)",
            "pow_op = tf.pow(add_op, mul_op)",
            "with tf.Session() as sess:",
            "    z = sess.run(pow_op)",
            "print(z)",
        ],
        "15625",
    ),
    "placeholders": (
        [
            "x = tf.placeholder(tf.float32)",
            "y = tf.placeholder(tf.float32)",
            "z = x + y",
            "sess = tf.Session()",
            "print(sess.run(z, feed_dict={x: 3, y: 4.5}))",
            "print(sess.run(z, feed_dict={x: [1, 3], y: [2, 4]}))",
        ],
        "7.5\n[3. 7.]",
    ),
    "variables": (
        [
            'my_variable = tf.get_variable("my_variable", [1, 2, 3])',
            'my_int_variable = tf.get_variable("my_int_variable", [1, 2, 3],',
            "    dtype=tf.int32, initializer=tf.zeros_initializer)",
            'v = tf.get_variable("v", shape=(), initializer=tf.zeros_initializer())',
            "w = v + 1",
            "print(w)",
        ],
        'Tensor("add:0", shape=(), dtype=float32)',
    ),
}


cell = partial(reading.cell, NAME)


@pytest.mark.parametrize("title", SLIDES)
def test_a_program_of_the_slides_prints_what_the_slides_say(title):
    lines, expected = SLIDES[title]
    output = io.StringIO()
    with tf.Graph().as_default(), contextlib.redirect_stdout(output):
        exec("\n".join(lines), {"tf": tf})  # noqa: S102 - the programs above
    assert output.getvalue().strip() == expected


@pytest.mark.parametrize("title", SLIDES)
def test_a_program_of_the_slides_is_in_the_chapter(title):
    lines, expected = SLIDES[title]
    holding = [one for one in programs(NAME) if contains(one["source"], lines)]
    assert holding
    results = "\n".join(printed(one) for one in holding)
    # A later cell of the same notebook: the node's number has grown.
    assert re.sub(r'"Add(_\d+)?:0"', '"Add:0"', results).find(expected) >= 0


def contains(source, lines):
    """Whether the lines stand in the source in this order (others may come between).

    Spaces, line breaks inside brackets and commas before a closing bracket do not count.
    """
    text, start = compact(source), 0
    for line in lines:
        start = text.find(compact(line), start)
        if start < 0:
            return False
    return True


def compact(code):
    """The code without spaces, line breaks and trailing commas."""
    return re.sub(r",(?=[)\]}])", "", re.sub(r"\s", "", code))


def test_the_first_program_is_the_slides_first_with_one_word_changed():
    assert cell("slide-add")["source"] == "import tinytf as tf\n\na = tf.add(3, 5)"
    assert printed(cell("slide-add")) == ""


def test_the_program_of_a_prediction_is_the_one_that_is_run():
    asked = exercise.find("ch01.ex2")
    run = runpy.run_path(str(asked.folder / "checks.py"))
    assert f"```python\n{run['PROGRAM']}```" in asked.text


#: Other cells -> what they say.
SAID = {
    "graph-repr": "<tf.Graph with 3 operations>",
    "gradient": "operations before: 7  after: 22\nfor w = 3 and x = 2: 24.0",
    "watch": "The step is over: 7 operations ran.",
    "digits-train": "92% of the new digits are right",
    "while-loop": "120\n3628800",
    "curves": "loss (.): 30 points, from 2.3 at step 0",
    "read-events": "29 loss 0.5\n29 accuracy 0.9",
}
#: Cell -> why nbval does not compare what it shows, and what looks at it instead.
UNCOMPARED = {"digits-pace-shown": "a measured speed; test_the_pace_is_that_of_one_session"}


def test_the_pace_is_that_of_one_session():
    title, row = printed(cell("digits-pace-shown")).splitlines()
    assert title == "images a second"
    assert re.fullmatch(r"1 +█+ +[\d,]+  one session", row)


def test_the_network_built_by_hand_is_that_of_the_later_chapters():
    by_hand, _, _ = cell("digits-build")["source"].partition("\ntrain = ")
    imported = runpy.run_path(str(NOTEBOOKS / "digits.py"))["network"]
    with tf.Graph().as_default() as ours:
        exec(by_hand.replace("tf.reset_default_graph()", ""), {"tf": tf})  # noqa: S102
    with tf.Graph().as_default() as theirs:
        imported(tf.placeholder(tf.float32, [None, 64]), tf.placeholder(tf.int32, [None]))
    assert [op.type for op in ours.get_operations()] == [op.type for op in theirs.get_operations()]
    assert len(ours.get_operations()) == 43


def test_a_branch_and_a_body_are_watched():
    assert "skip   cond/minus\n" in printed(cell("watch-cond"))
    assert "run    cond/square " in printed(cell("watch-cond"))
    rounds = re.findall(r"(run|skip) +loop/mul \(iteration (\d)\)", printed(cell("watch-loop")))
    assert rounds == [("run", "0"), ("run", "1"), ("skip", "2")]


def test_the_curves_of_the_event_file_are_drawn():
    [drawing] = (output["data"]["text/html"] for output in cell("curves")["outputs"])
    assert "".join(drawing).count("<svg") == 2


#: Cell -> the error's class and words that a learner would search for.
MISTAKES = {
    "error-matmul": ("ValueError", "Dimensions must be equal, but are 3 and 2"),
    "error-exists": ("ValueError", "Variable speed already exists"),
    "error-not-fed": (
        "InvalidArgumentError",
        "You must feed a value for placeholder tensor 'price'",
    ),
    "error-feed-shape": ("ValueError", "Cannot feed value of shape (3,) for Tensor"),
    "error-uninitialised": (
        "FailedPreconditionError",
        "Attempting to use uninitialized value stock",
    ),
    "error-other-graph": ("ValueError", "must be from the same graph as"),
    "error-other-session": ("ValueError", "is not an element of this graph"),
    "error-overwritten": ("TypeError", "Fetch argument 3 has invalid type"),
    "error-types": ("TypeError", "that does not match type int32 of argument 'x'"),
    "error-bool": ("TypeError", "Using a `tf.Tensor` as a Python `bool` is not allowed"),
}
