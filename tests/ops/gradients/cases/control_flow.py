"""Conditionals and loops."""

import tinytf as tf
from tests.ops.gradients.cases import Case, X, program


def power(x, count=3):
    """x ** count by a loop."""
    return tf.while_loop(
        lambda i, _: i < count, lambda i, y: (i + 1, y * x), [tf.constant(0), tf.ones_like(x)]
    )[1]


def in_an_array(*steps):
    """The elements of a `TensorArray` on which these steps were done, stacked and squared."""

    def build(x):
        array = tf.TensorArray(x.dtype, 3, clear_after_read=False, infer_shape=False)
        array = steps[0](array, x)
        results = [step(array) for step in steps[1:]]
        return [result * result for result in results]

    return [program(build, X)]


CASES: dict[str, list[Case]] = {
    "Switch": [program(lambda x: tf.cond(tf.constant(True), lambda: x * x, lambda: x), X)],
    "Merge": [program(lambda x: tf.cond(tf.constant(False), lambda: x, lambda: x * x + x), X)],
    **{op_type: [program(power, X)] for op_type in ("Enter", "Exit", "NextIteration")},
    "TensorArrayWriteV3": in_an_array(
        lambda array, x: array.write(0, x).write(2, x * x), lambda array: array.read(2)
    ),
    "TensorArrayReadV3": in_an_array(
        lambda array, x: array.write(1, x), lambda array: array.read(1), lambda array: array.read(1)
    ),
    "TensorArrayScatterV3": in_an_array(
        lambda array, x: array.scatter([2, 0], tf.stack([x, x * x])), lambda array: array.read(0)
    ),
    "TensorArrayGatherV3": in_an_array(
        lambda array, x: array.unstack(tf.stack([x, x * x, x])),
        lambda array: array.gather([2, 1, 1]),
        lambda array: array.stack(),
    ),
    "TensorArraySplitV3": in_an_array(
        lambda array, x: array.split(tf.reshape(x, [-1, 1]), [1, 0, tf.size(x) - 1]),
        lambda array: array.read(2),
    ),
    "TensorArrayConcatV3": in_an_array(
        lambda array, x: array.unstack(tf.stack([x, x * x, x])), lambda array: array.concat()
    ),
}

_LOOPS = "Second-order gradient for while loops not supported"
_ARRAYS = "Wrong input container"
NO_SECOND_ORDER = {
    **dict.fromkeys(["Enter", "Exit", "NextIteration"], _LOOPS),
    **dict.fromkeys([op_type for op_type in CASES if op_type.startswith("TensorArray")], _ARRAYS),
}
