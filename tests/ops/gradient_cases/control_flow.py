"""Conditionals and loops."""

import tinytf as tf
from tests.ops.gradient_cases import Case, X, program


def power(x, count=3):
    """x ** count by a loop."""
    return tf.while_loop(
        lambda i, _: i < count, lambda i, y: (i + 1, y * x), [tf.constant(0), tf.ones_like(x)]
    )[1]


CASES: dict[str, list[Case]] = {
    "Switch": [program(lambda x: tf.cond(tf.constant(True), lambda: x * x, lambda: x), X)],
    "Merge": [program(lambda x: tf.cond(tf.constant(False), lambda: x, lambda: x * x + x), X)],
    **{op_type: [program(power, X)] for op_type in ("Enter", "Exit", "NextIteration")},
}

NO_SECOND_ORDER = dict.fromkeys(
    ["Enter", "Exit", "NextIteration"], "Second-order gradient for while loops not supported"
)
