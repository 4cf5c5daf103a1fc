"""Checks of ch08.ex1."""

import tinytf as tf
from tinytf.grading import Wrong, point

#: File -> its lines, the heading among them.
FILES = {"a": 5, "b": 3, "c": 4, "d": 1, "e": 2}
#: More lines than any answer has.
MOST = 100


def reader(files, heading):
    """A function `read`: the lines of a file, its heading and then "a1", "a2" ..."""

    def read(name):
        count = tf.py_func(lambda text: files[text.decode()], [name], tf.int64, stateful=False)
        lines = tf.data.Dataset.range(tf.reshape(count, []))
        return lines.map(
            lambda n: tf.cond(
                tf.equal(n, 0), lambda: name + heading, lambda: name + tf.as_string(n)
            )
        )

    return read


def given(answer, names, together, turn, epochs, files=FILES, heading=": heading"):
    """The lines that an answer's dataset gives."""
    with tf.Graph().as_default(), tf.Session() as sess:
        made = answer(list(names), reader(files, heading), together, turn, epochs)
        if not isinstance(made, tf.data.Dataset):
            raise Wrong(
                "build_lines must return a dataset", "a tf.data.Dataset", f"a {type(made).__name__}"
            )
        line = made.make_one_shot_iterator().get_next()
        lines = []
        while len(lines) < MOST:
            try:
                lines.append(sess.run(line).decode())
            except tf.errors.OutOfRangeError:
                return lines
        raise Wrong(
            "the dataset does not end",
            f"{epochs} times all lines",
            f"{MOST} and more",
            hint="`repeat` without a number repeats for ever",
        )


#: (files, together, turn) -> one epoch.
ORDERS = {
    ("ab", 2, 1): "a1 b1 a2 b2 a3 a4",
    ("abc", 2, 1): "a1 b1 a2 b2 a3 a4 c1 c2 c3",
    ("abc", 2, 2): "a1 a2 b1 b2 a3 a4 c1 c2 c3",
    ("abc", 3, 1): "a1 b1 c1 a2 b2 c2 a3 c3 a4",
    ("ac", 2, 3): "a1 a2 a3 c1 c2 c3 a4",
}


@point("every line comes once in an epoch, and no heading", 2)
def all_lines(answer):
    lines = given(answer, "abcde", 2, 1, 1)
    headings = [line for line in lines if "heading" in line]
    if headings:
        raise Wrong(
            "headings came",
            "no heading of any file",
            headings,
            hint="which stage sees the lines of one file alone?",
        )
    wanted = sorted(f"{name}{n}" for name, count in FILES.items() for n in range(1, count))
    if sorted(lines) != wanted:
        raise Wrong("one epoch has other lines", wanted, sorted(lines))


@point("the files take turns, as many at a time and as long as asked for", 3)
def turns(answer):
    for (names, together, turn), order in ORDERS.items():
        wanted = order.split()
        lines = [x for x in given(answer, names, together, turn, 1) if "heading" not in x]
        if lines != wanted:
            raise Wrong(
                f"files {list(names)}, {together} together, turns of {turn}: another order",
                wanted,
                lines,
                hint="cycle_length files are open, block_length lines of one come in a turn",
            )


@point("an epoch begins when the one before is over", 2)
def epochs(answer):
    for names, together, turn in (("abc", 2, 1), ("ab", 3, 2)):
        once = given(answer, names, together, turn, 1)
        twice = given(answer, names, together, turn, 2)
        if twice != once + once:
            raise Wrong(
                f"files {list(names)}, {together} together: two epochs are not one after the other",
                once + once,
                twice,
                hint="what does `repeat` repeat, where you have it?",
            )
