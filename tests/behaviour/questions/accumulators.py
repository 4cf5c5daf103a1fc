"""Accumulators, critical sections, barriers and staging areas over several steps."""

import importlib
import threading

import numpy as np

from tests.behaviour.asking import question, says


def data_flow(tf):
    """The classes that have no public name."""
    return importlib.import_module(f"{tf.__name__.split('.')[0]}.python.ops.data_flow_ops")


def waits(tf, sess, fetch):
    """That a run cannot go on."""
    options = tf.RunOptions(timeout_in_ms=60)
    return says("Timed out waiting for notification", sess.run, fetch, options=options)


# Dense accumulators -------------------------------------------------------------------------------


@question
def gradients_over_steps(tf):
    x, step = tf.placeholder(tf.float32), tf.placeholder(tf.int64)
    total = tf.ConditionalAccumulator(tf.float32, shape=[2], name="total")
    add, count = total.apply_grad(x, local_step=step), total.num_accumulated()
    take, forward = total.take_grad(2), total.set_global_step(10)
    with tf.Session() as sess:

        def adds(value, at):
            sess.run(add, {x: value, step: at})
            return sess.run(count)

        return {
            "its handle": total.accumulator_ref,
            "its name": total.name,
            "its type": total.dtype,
            "no gradients": sess.run(count),
            "taking none": waits(tf, sess, take),
            "one gradient": adds([1.0, 2.0], 0),
            "taking too few": waits(tf, sess, take),
            "it is still there": sess.run(count),
            "of a later step": adds([5.0, 6.0], 3),
            "more than needed": adds([9.0, 1.0], 0),
            "the mean is of all": sess.run(take),
            "nothing is left": sess.run(count),
            "its step is one more": adds([1.0, 1.0], 0),
            "of that step": adds([1.0, 1.0], 1),
            "a wrong shape": says(
                "Shape mismatch: expected [2], got [3]", adds, [1.0, 2.0, 3.0], 1
            ),
            "a wrong shape is not counted": sess.run(count),
            "a wrong shape of a stale one": adds([1.0, 2.0, 3.0], 0),
            "set a later step": sess.run(forward),
            "before that": adds([1.0, 1.0], 9),
            "at that": adds([3.0, 1.0], 10),
            "gradients before it stay": sess.run(take),
            "set it back": sess.run(total.set_global_step(2)),
            "that counts": adds([1.0, 1.0], 2),
        }


@question
def sums_and_shapes(tf):
    x = tf.placeholder(tf.float64)
    total = tf.ConditionalAccumulator(tf.float64, reduction_type="SUM")
    add, take = total.apply_grad(x, local_step=100), total.take_grad(1)
    partial = tf.ConditionalAccumulator(tf.float32, shape=[None, 2])
    rows = tf.placeholder(tf.float32)
    add_rows = partial.apply_grad(rows)
    with tf.Session() as sess:

        def taken(*values):
            for value in values:
                sess.run(add, {x: value})
            return sess.run(take)

        sess.run(add_rows, {rows: [[1.0, 2.0]]})
        return {
            "one": taken([1.0, 2.0]),
            "two": taken([1.0, 2.0], [3.0, 4.0]),
            "three": taken([1.0], [2.0], [3.0]),
            "scalars": taken(1.0, 2.5),
            "another shape in between": says(
                "Shape mismatch: expected [1], got [2]", taken, [1.0], [1.0, 2.0]
            ),
            "the one before it is there": taken(),
            "static shape": take,
            "static shape of rows": partial.take_grad(1),
            "rows after one": says(
                "Shape mismatch: expected [1,2], got [2,2]",
                sess.run,
                add_rows,
                {rows: [[1.0, 2.0], [3.0, 4.0]]},
            ),
            "the rows": sess.run(partial.take_grad(1)),
        }


@question
def shared_accumulators(tf):
    def make(name, **settings):
        return tf.ConditionalAccumulator(
            tf.float32, shape=[], shared_name="s", name=name, **settings
        )

    one, other = make("one"), make("other", reduction_type="SUM")
    own = tf.ConditionalAccumulator(tf.float32, shape=[])
    rows = tf.SparseConditionalAccumulator(tf.float32, shared_name="s")
    with tf.Session() as sess:
        sess.run(one.apply_grad(3.0))  # so it is the first, and makes it
        sess.run(other.apply_grad(4.0))
        return {
            "both count": sess.run([one.num_accumulated(), other.num_accumulated()]),
            "not the one without the name": sess.run(own.num_accumulated()),
            "nor a sparse one": sess.run(rows.num_accumulated()),
            "the first says how": sess.run(other.take_grad(1)),
            "taken for both": sess.run(one.num_accumulated()),
            "the handle of a sparse one": sess.run(rows.accumulator_ref),
        }


@question
def bad_accumulators(tf):
    total = tf.ConditionalAccumulator(tf.float32, shape=[2])
    with tf.Session() as sess:
        return {
            "of strings": says(
                "not in list of allowed values", tf.ConditionalAccumulator, tf.string
            ),
            "the largest": says(
                'not in: "MEAN", "SUM"', tf.ConditionalAccumulator, tf.float32, reduction_type="MAX"
            ),
            "another shape": says(
                "Shapes (3,) and (2,) are incompatible", total.apply_grad, [1.0, 2.0, 3.0]
            ),
            "another dtype": says(
                "Tensor conversion requested dtype float32 for Tensor with dtype int32",
                total.apply_grad,
                tf.constant([1, 2]),
            ),
            "taking none": says(
                "Argument num_required must be positive, but was 0", sess.run, total.take_grad(0)
            ),
            "taking less": says(
                "Argument num_required must be positive, but was -2", sess.run, total.take_grad(-2)
            ),
            "taking a vector": says("Shape must be rank 0 but is rank 1", total.take_grad, [1, 2]),
        }


@question
def accumulators_of_integers(tf):
    total = tf.ConditionalAccumulator(tf.int64, [])
    with tf.Session() as sess:
        count = total.num_accumulated()
        return {"dense": says("No OpKernel was registered", sess.run, count)}


@question
def an_accumulator_between_threads(tf):
    total = tf.ConditionalAccumulator(tf.float32, shape=[])
    add, take = total.apply_grad(2.0, local_step=9), total.take_grad(3)
    results = []
    with tf.Session() as sess:
        taker = threading.Thread(target=lambda: results.append(sess.run(take)))
        taker.start()
        for _ in range(3):
            sess.run(add)
        taker.join()
        return {"what it got": results, "what is left": sess.run(total.num_accumulated())}


# Sparse accumulators ------------------------------------------------------------------------------


@question
def rows_over_steps(tf):
    indices, values = tf.placeholder(tf.int64), tf.placeholder(tf.float32)
    rows = tf.SparseConditionalAccumulator(tf.float32)
    add = rows.apply_grad(indices, values, local_step=99)
    count, take = rows.num_accumulated(), rows.take_grad(1)
    with tf.Session() as sess:

        def adds(where, what):
            sess.run(add, {indices: where, values: what})
            return sess.run(count)

        return {
            "its handle": rows.accumulator_ref,
            "nothing": waits(tf, sess, take),
            "two rows": adds([1, 4], [[1.0, 2.0], [3.0, 4.0]]),
            "more rows": adds([0, 1, 5], [[1.0, 1.0], [5.0, 6.0], [0.0, 2.0]]),
            "each by its own count": sess.run(take),
            "unsorted": adds([3, 1], [[1.0], [2.0]]),
            "as they were": sess.run(take),
            "no rows": [adds([], np.zeros([0, 2])), sess.run(take)],
            "negative": [adds([-1], [[1.0]]), sess.run(take)],
            "vectors": [adds([2, 3], [1.0, 2.0]), sess.run(take)],
            "a row": adds([1], [[1.0, 2.0]]),
            "another width": says(
                "Shape mismatch: expected values dim 1 to be 2, got 3", adds, [1], [[1.0, 2.0, 3.0]]
            ),
            "another rank": says("Shape mismatch: expected values rank 2, got 1", adds, [1], [1.0]),
            "a matrix of indices": says(
                "Input indices should be vector but received shape: [1,1]",
                adds,
                [[1]],
                [[1.0, 2.0]],
            ),
            "a scalar value": says("Values cannot be 0-dimensional.", adds, [1], 1.0),
            "too many values": says(
                "Expected 1 non-empty input values, got 2", adds, [1], [[1.0, 2.0], [3.0, 4.0]]
            ),
            "not counted": sess.run(count),
            "stale": [sess.run(rows.apply_grad([1], [[1.0, 2.0]], local_step=0)), sess.run(count)],
        }


@question
def rows_of_a_known_shape(tf):
    rows = tf.SparseConditionalAccumulator(tf.float32, shape=[4, 2], reduction_type="SUM")
    wide = tf.SparseConditionalAccumulator(tf.float32, shape=[None, 2])
    one = [[1.0, 2.0]]
    with tf.Session() as sess:

        def adds(to, *grad):
            sess.run(to.apply_grad(*grad))
            return sess.run(to.num_accumulated())

        return {
            "its own shape": adds(rows, [1], one, [4, 2]),
            "no shape": adds(rows, [1, 3], one * 2),
            "another size": says(
                "Shape mismatch: expected shape dim 0 to be 4, got 5", adds, rows, [1], one, [5, 2]
            ),
            "another rank": says(
                "Shape mismatch: expected shape rank at least 2, got 1", adds, rows, [1], one, [4]
            ),
            "a row too many": says(
                "index of slice 1 exceeded limits of shape; index is 4 exceeded 4",
                adds,
                rows,
                [0, 4],
                one * 2,
            ),
            "the sum": sess.run(rows.take_grad(2)),
            "values of another width": says(
                "Shape mismatch: expected values dim 1 to be 2, got 3",
                adds,
                wide,
                [1],
                [[1.0, 2.0, 3.0]],
            ),
            "values of another rank": says(
                "Shape mismatch: expected values rank at least 2, got 1", adds, wide, [1], [1.0]
            ),
            "any index": adds(wide, [100], one),
            "its shape": sess.run(wide.take_grad(1).shape),
            "static": rows.take_grad(1),
        }


# Critical sections --------------------------------------------------------------------------------


@question
def critical_sections(tf):
    v = tf.get_variable("v", initializer=0.0, use_resource=True)
    section = tf.CriticalSection()

    def count():
        value = v.read_value()
        with tf.control_dependencies([value]), tf.control_dependencies([v.assign_add(1.0)]):
            return tf.identity(value)

    both = [section.execute(count), section.execute(count, name="again")]
    broken = section.execute(lambda: tf.check_numerics(tf.log(v - 1.0), "broken"))
    nested = section.execute(lambda: {"a": [v + 1.0], "b": (v * 2.0, tf.no_op(name="nothing"))})
    other = tf.CriticalSection(name="other", shared_name="theirs")
    results = []
    with tf.Session() as sess:
        sess.run(v.initializer)
        first = sorted(sess.run(both))
        sess.run(v.assign(0.0))
        failure = says("broken : Tensor had NaN values", sess.run, broken)
        after = sorted(sess.run(both))
        threads = [
            threading.Thread(target=lambda: results.extend(sess.run(both))) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return {
            "names": [section.name, other.name, *both],
            "what is returned": nested,
            "one after the other": first,
            "a failure inside": failure,
            "it keeps nobody out": after,
            "in threads": sorted(results),
            "the collections": [
                len(tf.get_collection("critical_sections")),
                len(tf.get_collection("critical_section_executions")),
            ],
            "in itself": says(
                "in which we are already running", section.execute, lambda: section.execute(count)
            ),
            "of the same name": says(
                "in which we are already running",
                lambda: tf.CriticalSection(shared_name="theirs", name="more").execute(
                    lambda: other.execute(lambda: tf.constant(1))
                ),
            ),
            "a variable of another": says(
                "requested exclusive resource access of this resource", other.execute, count
            ),
            "not exclusive": says(
                "keyword argument exclusive_resource_access=False?",
                other.execute,
                count,
                exclusive_resource_access=False,
            ),
            "nothing": says("None values not supported.", other.execute, lambda: None),
            "a definition": says(
                "Argument `critical_section_def` is not supported.",
                tf.CriticalSection,
                critical_section_def=b"x",
            ),
            "both": says(
                "are mutually exclusive. Please only specify one of them.",
                tf.CriticalSection,
                name="x",
                critical_section_def=b"x",
            ),
        }


# Barriers -----------------------------------------------------------------------------------------
