"""Checks of ch01.ex1."""

import numpy as np

import tinytf as tf
from tinytf.grading import Wrong, point

VALUES = [1.0, 2.0, 3.0]


def built(answer):
    """The answer's graph, checked to be what was asked for."""
    result = answer()
    if not isinstance(result, tuple | list) or len(result) != 4:
        raise Wrong(
            "build_graph() must return four things: x, cheap, expensive, count",
            "a tuple of 4",
            f"{type(result).__name__} {result!r}",
        )
    return result


def started(count):
    """A session with initialised variables; its counter must start at zero."""
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    value = session.run(count)
    if value != 0:
        raise Wrong("count must start at 0", 0, value)
    return session


@point("x is a placeholder and count is an int32 variable", 1)
def parts(answer):
    x, _, _, count = built(answer)
    if getattr(getattr(x, "op", None), "type", "") != "Placeholder":
        raise Wrong("x must be a tf.placeholder", "a placeholder", repr(x))
    if x.dtype != tf.float32:
        raise Wrong("x must take float32 numbers", "float32", x.dtype.name)
    if isinstance(count, tf.Tensor):
        raise Wrong(
            "count must be the variable itself, not what reads or changes it",
            "a variable",
            str(count),
        )
    if not isinstance(count, tf.Variable):
        raise Wrong(
            "count must be a tf.Variable: a Python number lives in the notebook, not in the graph",
            "a variable",
            repr(count),
            hint="only a variable keeps a value from one run to the next",
        )
    if count.dtype.base_dtype != tf.int32:
        raise Wrong("count must hold whole numbers", "int32", count.dtype.base_dtype.name)


@point("cheap is 2 * x and expensive is x * x", 1)
def values(answer):
    x, cheap, expensive, count = built(answer)
    with started(count) as session:
        for name, tensor, wanted in (
            ("cheap", cheap, [2, 4, 6]),
            ("expensive", expensive, [1, 4, 9]),
        ):
            got = session.run(tensor, {x: VALUES})
            if not np.allclose(got, wanted):
                raise Wrong(f"{name} is wrong for x = {VALUES}", wanted, np.asarray(got).tolist())


@point("every run that computes expensive adds exactly 1 to count", 2)
def expensive_counts(answer):
    x, _, expensive, count = built(answer)
    with started(count) as session:
        for wanted in (1, 2, 3):
            session.run(expensive, {x: VALUES})
            got = session.run(count)
            if got == 0:
                raise Wrong(
                    "the addition never runs: expensive does not depend on it",
                    wanted,
                    got,
                    hint="what is built *inside* `with tf.control_dependencies([...])` waits for "
                    "what is in the brackets; what was built before does not, and an operation "
                    "that nothing waits for is pruned away",
                )
            if got != wanted:
                raise Wrong("count is off after runs of expensive", wanted, got)


@point("a run that fetches only cheap leaves count alone", 2)
def cheap_is_free(answer):
    x, cheap, _, count = built(answer)
    with started(count) as session:
        session.run(cheap, {x: VALUES})
        got = session.run(count)
        if got != 0:
            raise Wrong(
                "fetching cheap also counted: cheap depends on the addition",
                0,
                got,
                hint="a run does only what its fetches need; build cheap outside the scope",
            )
