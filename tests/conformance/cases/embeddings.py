"""Embeddings: rows of one table, or of several."""

import numpy as np

from tests.conformance.registry import Program, case
from tests.conformance.values import fed, numbers


@case("GatherV2", each=["int32", "int64"])
def embedding_lookup(tf, dtype):
    table, ids = numbers(tf, 4, 3), tf.constant([[3, 0], [1, 1]], dtype)
    return [tf.nn.embedding_lookup(table, ids), tf.nn.embedding_lookup([table], ids, name="named")]


@case(
    "GatherV2",
    "DynamicPartition",
    "ParallelDynamicStitch",
    each=[(s, sizes) for s in ("mod", "div") for sizes in ((2, 2), (2, 2, 1), (3, 2))],
)
def embedding_lookup_in_parts(tf, strategy, sizes):
    parts = [numbers(tf, size, 3) + 10.0 * i for i, size in enumerate(sizes)]
    ids = tf.constant([[3, 0], [1, 1]])
    return [
        tf.nn.embedding_lookup(parts, ids, strategy),
        tf.nn.embedding_lookup(parts, ids[0], strategy, name="named"),
    ]


@case("GatherV2", "DynamicPartition", each=["mod", "div"])
def embedding_lookup_of_unknown_shapes(tf, strategy):
    x, feed = fed(tf, np.arange(6.0).reshape(2, 3), shape=[None, 3])
    y, more = fed(tf, np.arange(6.0).reshape(2, 3), shape=[None, None])
    ids, most = fed(tf, [3, 0, 1], "int32")
    rows = tf.nn.embedding_lookup([x, y], ids, strategy)
    return Program(rows, feed={**feed, **more, **most})


@case("GatherV2", "Maximum", graph="types", each=[1, 2])
def embedding_lookup_with_a_largest_norm(tf, count):
    parts = [numbers(tf, 4, 3) + i for i in range(count)]
    return tf.nn.embedding_lookup(parts, [[3, 0], [1, 1]], max_norm=2.0)


@case("GatherV2", each=[(r, n) for r in (False, True) for n in (1, 2)])
def embedding_lookup_of_variables(tf, use_resource, count):
    variables = [
        tf.get_variable(
            f"v{i}", initializer=np.arange(6.0).reshape(2, 3), use_resource=use_resource
        )
        for i in range(count)
    ]
    rows = tf.nn.embedding_lookup(variables, [1, 0, 1])
    return Program(rows, setup=[v.initializer for v in variables])


@case("GatherV2", graph="types", each=[1, 2])
def gradients_of_embedding_lookup(tf, count):
    tables = [numbers(tf, 4, 3) + i for i in range(count)]
    rows = tf.nn.embedding_lookup(tables, [[3, 0], [1, 1]])
    slices = tf.gradients(rows * rows, tables)
    return [tf.convert_to_tensor(s) for s in slices]


@case("GatherV2", error="params must be specified")
def embedding_lookup_in_nothing(tf):
    return tf.nn.embedding_lookup(None, [0])


@case("GatherV2", error="Length of params is currently 0. Need at least one param.")
def embedding_lookup_in_no_parts(tf):
    return tf.nn.embedding_lookup([], [0])


@case(
    "GatherV2", error="Unrecognized partition strategy: both.Must be one of either `mod` or `div`."
)
def embedding_lookup_by_another_strategy(tf):
    return tf.nn.embedding_lookup([numbers(tf, 2, 3), numbers(tf, 2, 3)], [0], "both")


@case("GatherV2", error="indices[0] = 9 is not in [0, 2)")
def embedding_lookup_of_a_row_that_is_not_there(tf):
    return tf.nn.embedding_lookup(numbers(tf, 2, 3), [9])
