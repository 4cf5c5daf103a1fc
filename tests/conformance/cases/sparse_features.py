"""Features of examples as sparse tensors: merged, crossed, counted, looked up in tables."""

import numpy as np

from tests.conformance.cases.sparse_arithmetic import empty, fed
from tests.conformance.nodes import node
from tests.conformance.registry import Program, case

INDICES = [[0, 0], [1, 0], [1, 1]]


def ids(tf, values=(2, 3, 0), dtype="int64", shape=(3, 2)):
    return tf.SparseTensor(INDICES, tf.constant(list(values), dtype), list(shape))


def words(tf):
    return tf.SparseTensor(INDICES, ["a", "b", "c"], [2, 2])


# Merging ------------------------------------------------------------------------------------------


@case("SparseReorder", "ConcatV2")
def merges(tf):
    weights = ids(tf, (0.5, 1.0, 2.0), "float32")
    y, feed = fed(tf, (INDICES, [1, 2, 0], [3, 2]), "int32", rank=2)
    return Program(
        [
            tf.sparse_merge(ids(tf), weights, 4),
            tf.sparse.merge(ids(tf, dtype="int32"), weights, 4),
            tf.sparse.merge(ids(tf), weights, tf.constant(5), already_sorted=True, name="named"),
            tf.sparse.merge([ids(tf), ids(tf, (1, 0, 1))], weights, [4, 2]),
            tf.sparse.merge(y, y, 3),
        ],
        feed=feed,
    )


@case("SparseToDense", "Fill")
def indicators(tf):
    y, feed = fed(tf, (INDICES, [1, 2, 0], [3, 2]), "int32", rank=2)
    nothing = empty(tf, "int64")
    return Program(
        [
            tf.sparse_to_indicator(ids(tf), 4),
            tf.sparse.to_indicator(y, 3, name="named"),
            tf.sparse.to_indicator(nothing, 2),
        ],
        feed=feed,
    )


@case("SparseToDense", error="")
def indicator_outside(tf):
    return tf.sparse.to_indicator(ids(tf), 3)


@case(error="sp_ids and vocab_size have to have equal lengths.")
def merge_of_other_numbers(tf):
    return tf.sparse.merge([ids(tf), ids(tf)], ids(tf), [4])


@case(
    each=[
        (1, 4, "sp_ids has to be"),
        ("ids", "a", "vocab_size has to be"),
        ("list", 4, "vocab_size has to be"),
    ],
    error="has to be",
)
def merge_of_something_else(tf, which, size, message):
    which = {"ids": ids(tf), "list": [ids(tf)]}.get(which, which)
    return tf.sparse.merge(which, ids(tf), size)


# Crossing -----------------------------------------------------------------------------------------


@case("SparseCrossV2")
def crosses(tf):
    x = words(tf)
    numbers = ids(tf, (10, -3, 7), shape=(2, 2))
    dense, more = tf.constant([["p", "q"], ["r", "s"]]), tf.constant([[1], [2]])
    rows, feed = fed(tf, ([[1, 0]], ["z"], [2, 1]), "string", rank=2)
    return Program(
        [
            tf.sparse.cross([x, dense]),
            tf.sparse.cross([x, numbers, more], name="named"),
            tf.sparse.cross([dense, x], separator="-"),
            tf.sparse.cross([x]),
            tf.sparse.cross([more, tf.constant([[3.7], [4.2]])]),
            tf.sparse.cross([rows, dense]),
            tf.sparse.cross([x, empty(tf, "string", (2, 2))]),
        ],
        feed=feed,
    )


@case("SparseCross")
def hashed_crosses(tf):
    x = words(tf)
    numbers = ids(tf, (10, -3, 7), shape=(2, 2))
    long = tf.constant([["x" * 20, "x" * 40], ["x" * 70, "x" * 200]])
    more = tf.constant([[1, 2], [3, 4]], tf.int32)
    return [
        tf.sparse.cross_hashed([x, long]),
        tf.sparse.cross_hashed([x, numbers, more], 100),
        tf.sparse.cross_hashed([more, x], 1000, 5, name="named"),
        tf.sparse.cross_hashed([long]),
        tf.sparse.cross_hashed([numbers, more], hash_key=-7),
    ]


@case("SparseCross")
def crosses_as_older_graphs_have_them(tf):
    x, dense = words(tf), tf.constant([["p", "q"], ["r", "s"]])
    return node(
        tf,
        "SparseCross",
        [x.indices, x.values, x.dense_shape, dense],
        N=1,
        hashed_output=False,
        num_buckets=0,
        hash_key=1,
        sparse_types=("string",),
        dense_types=("string",),
        out_type=tf.string,
        internal_type=tf.string,
    )


@case("SparseCrossHashed", each=[(b, s) for b in (0, 1000) for s in (False, True)])
def hashed_crosses_of_nodes(tf, buckets, strong):
    x, numbers = words(tf), ids(tf, (10, -3, 7), shape=(2, 2))
    dense, more = tf.constant([["p", "q"], ["r", "s"]]), tf.constant([[1], [2]], tf.int64)
    results = [
        node(
            tf,
            "SparseCrossHashed",
            [s.indices for s in sparse]
            + [s.values for s in sparse]
            + [s.dense_shape for s in sparse]
            + dense_ones
            + [tf.constant(buckets, tf.int64), tf.constant(strong), tf.constant([3, 4], tf.int64)],
            N=len(sparse),
            sparse_types=kinds,
            dense_types=dense_kinds,
        )
        for sparse, kinds, dense_ones, dense_kinds in (
            ([x], ("string",), [dense], ("string",)),
            ([x, numbers], ("string", "int64"), [dense], ("string",)),
            ([x], ("string",), [], ()),
        )
    ]
    if not strong:
        parts = [
            x.indices,
            x.values,
            x.dense_shape,
            more,
            tf.constant(buckets, tf.int64),
            tf.constant(False),
            tf.constant([3, 4], tf.int64),
        ]
        results.append(
            node(
                tf,
                "SparseCrossHashed",
                parts,
                N=1,
                sparse_types=("string",),
                dense_types=("int64",),
            )
        )
    return results


@case(error="All inputs must be")
def crosses_of_something_else(tf):
    return tf.sparse.cross([words(tf), [["a"], ["b"]]])


@case("SparseCrossV2", error="Expected batch size 2 got 3 at dense tensor 0")
def crosses_of_other_sizes(tf):
    return tf.sparse.cross([words(tf), tf.constant([["a"], ["b"], ["c"]])])


@case("SparseCrossV2", error="Dense inputs should be a matrix but received shape [2] at position 0")
def crosses_of_a_vector(tf):
    return tf.sparse.cross([words(tf), tf.constant(["a", "b"])])


# Counting -----------------------------------------------------------------------------------------


@case("DenseCountSparseOutput", each=["int32", "int64"])
def counts(tf, dtype):
    x = tf.constant([[1, 1, 3], [0, 3, 5]], dtype)
    weights = tf.constant([[0.5, 1.0, 2.0], [4.0, 8.0, 16.0]])
    return [
        tf.sparse.bincount(x),
        tf.sparse.bincount(x, axis=-1, name="named"),
        tf.sparse.bincount(x, weights),
        tf.sparse.bincount(x, weights, axis=-1),
        tf.sparse.bincount(x, minlength=9),
        tf.sparse.bincount(x, maxlength=4, axis=-1),
        tf.sparse.bincount(x, binary_output=True),
        tf.sparse.bincount(x[:, :0]),
        tf.sparse.bincount(x, tf.ones([2, 3], tf.int64), minlength=2, maxlength=4),
    ]


@case("SparseCountSparseOutput")
def counts_of_sparse_ones(tf):
    x = ids(tf, (2, 1, 2))
    weights = x.with_values(tf.constant([0.5, 1.0, 2.0]))
    elsewhere = tf.SparseTensor([[0, 1], [1, 0], [1, 1]], [1.0, 2.0, 3.0], [3, 2])
    y, feed = fed(tf, (INDICES, [2, 2, 1], [2, 2]), "int32", rank=2)
    return Program(
        [
            tf.sparse.bincount(x),
            tf.sparse.bincount(x, axis=-1),
            tf.sparse.bincount(x, weights),
            tf.sparse.bincount(x, weights, axis=-1),
            tf.sparse.bincount(y, axis=-1, minlength=4),
            tf.sparse.bincount(x, axis=-1, binary_output=True, maxlength=2),
            tf.sparse.bincount(tf.SparseTensor([[0], [3]], [7, 7], [4]), axis=-1),
            elsewhere.values,
        ],
        feed=feed,
    )


@case("SparseCountSparseOutput", error="must have the same indices.")
def counts_with_weights_elsewhere(tf):
    x = ids(tf)
    weights, feed = fed(tf, ([[0, 1], [1, 0], [1, 1]], [1.0, 2.0, 3.0], [3, 2]), rank=2)
    return Program(tf.sparse.bincount(x, weights, axis=-1), feed=feed)


@case(error="Unsupported value for argument axis=1.")
def counts_along_another_axis(tf):
    return tf.sparse.bincount([1], axis=1)


@case(error="are mutually exclusive")
def counts_with_both(tf):
    return tf.sparse.bincount([1], [2.0], binary_output=True)


@case(each=[True, False], error="Input values must all be non-negative")
def counts_of_negative_numbers(tf, dense):
    x = tf.constant([-1]) if dense else tf.SparseTensor([[0, 0]], [-1], [1, 1])
    return tf.sparse.bincount(x, axis=-1)


@case("DenseCountSparseOutput", error="Weights and data must have the same shape.")
def counts_with_other_fed_weights(tf):
    weights = tf.placeholder(tf.float32)
    counts = node(tf, "DenseCountSparseOutput", [tf.constant([1, 2]), weights], binary_output=False)
    return Program(counts, feed={weights: [1.0]})


@case(error="Dimension 0 in both shapes must be equal, but are 1 and 2.")
def counts_with_other_weights(tf):
    return node(
        tf, "DenseCountSparseOutput", [tf.constant([1, 2]), tf.constant([1.0])], binary_output=False
    )


@case("SparseBincount", each=[True, False])
def counts_of_nodes(tf, binary):
    x, vector = ids(tf, (2, 1, 2)), tf.SparseTensor([[0], [3]], tf.constant([1, 1], tf.int64), [4])
    size, none = tf.constant(3, tf.int64), tf.zeros([0])
    w = tf.constant([0.5, 1.0, 2.0])
    inputs = [(x, none), (vector, none)] + ([] if binary else [(x, w), (vector, w[:2])])
    return [
        node(
            tf,
            "SparseBincount",
            [s.indices, s.values, s.dense_shape, size, weights],
            binary_output=binary,
        )
        for s, weights in inputs
    ]


@case("SparseCountSparseOutput", error="is not in [0, 2)")
def counts_outside(tf):
    x = tf.SparseTensor([[2, 0]], [1], [2, 2])
    return tf.sparse.bincount(x, axis=-1)


# Tables -------------------------------------------------------------------------------------------

TABLE = np.arange(12.0, dtype=np.float32).reshape(4, 3)


@case("SparseSegmentMean", "SparseSegmentSum", "SparseSegmentSqrtN", each=["mean", "sum", "sqrtn"])
def looked_up(tf, combiner):
    x = ids(tf, (2, 3, 0), shape=(2, 2))
    table = tf.constant(TABLE)
    weights = x.with_values(tf.constant([0.5, 1.0, 2.0]))
    found = [
        tf.nn.embedding_lookup_sparse(table, x, None, combiner=combiner),
        tf.nn.embedding_lookup_sparse(table, x, weights, combiner=combiner, name="named"),
        tf.nn.embedding_lookup_sparse(table, x, None, combiner=combiner, max_norm=2.0),
        tf.nn.embedding_lookup_sparse([table, table + 1.0], x, weights, combiner=combiner),
        tf.nn.embedding_lookup_sparse([table, table], x, None, "div", combiner=combiner),
        tf.nn.embedding_lookup_sparse(table, x, weights, combiner=combiner, allow_fast_lookup=True),
    ]
    return [*found, _all_kinds(tf, x, table)]


def _all_kinds(tf, x, table):
    """Each kind of node, whichever is asked for."""
    return [
        tf.nn.embedding_lookup_sparse(table, x, None, combiner=kind)
        for kind in ("mean", "sum", "sqrtn", None)
    ]


@case("SparseSegmentMean")
def looked_up_in_variables(tf):
    x = ids(tf, (2, 3, 0), shape=(2, 2))
    v = tf.get_variable("v", initializer=TABLE, use_resource=False)
    parts = tf.get_variable(
        "parts",
        [4, 3],
        initializer=tf.ones_initializer(),
        partitioner=tf.fixed_size_partitioner(2),
        use_resource=False,
    )
    found = [
        tf.nn.embedding_lookup_sparse(v, x, None),
        tf.nn.embedding_lookup_sparse(parts, x, None, combiner="sum"),
    ]
    return Program(found, setup=[tf.global_variables_initializer()])


@case("SparseSegmentMean")
def looked_up_in_a_resource_variable(tf):
    x = ids(tf, (2, 3, 0), shape=(2, 2))
    v = tf.get_variable("v", initializer=TABLE, use_resource=True)
    found = [
        tf.nn.embedding_lookup_sparse(v, x, None),
        tf.nn.embedding_lookup_sparse(v, x, x.with_values(tf.ones([3]))),
    ]
    return Program(found, setup=[tf.global_variables_initializer()])


@case("SparseSegmentMeanGradV2")
def gradients_of_looked_up(tf):
    x = ids(tf, (2, 2, 0), shape=(2, 2))
    table, weights = tf.constant(TABLE), tf.constant([0.5, 1.0, 2.0])
    one = tf.nn.embedding_lookup_sparse(table, x, None)
    two = tf.nn.embedding_lookup_sparse(table, x, x.with_values(weights), combiner="sqrtn")
    return [
        [tf.convert_to_tensor(g) for g in tf.gradients(one * [1.0, 2.0, 3.0], table)],
        [tf.convert_to_tensor(g) for g in tf.gradients(two, [table, weights])],
    ]


# The product of the first sizes is known to tinytf while it builds the graph: a constant.
@case("SparseFillEmptyRows", each=["mean", "sum", "sqrtn"], graph="any")
def looked_up_safely(tf, combiner):
    x = tf.SparseTensor(
        [[0, 0], [0, 1], [2, 0], [3, 1]], tf.constant([1, 2, -1, 3], tf.int64), [5, 2]
    )
    weights = x.with_values(tf.constant([0.5, -1.0, 2.0, 0.0]))
    deep = tf.SparseTensor([[0, 1, 0], [1, 0, 1]], tf.constant([1, 2], tf.int64), [2, 2, 2])
    table = tf.constant(TABLE)
    return [
        tf.nn.safe_embedding_lookup_sparse(table, x, combiner=combiner),
        tf.nn.safe_embedding_lookup_sparse(table, x, weights, combiner, name="named"),
        tf.nn.safe_embedding_lookup_sparse(table, x, default_id=3, combiner=combiner),
        tf.nn.safe_embedding_lookup_sparse([table, table], deep, combiner=combiner),
    ]


@case("SparseFillEmptyRows")
def looked_up_safely_of_unknown_shapes(tf):
    x, feed = fed(tf, ([[0, 0], [2, 1]], [1, 2], [3, 2]), "int64", rank=2)
    found = tf.nn.safe_embedding_lookup_sparse(tf.constant(TABLE), x)
    return Program(found, feed=feed)


@case(error="combiner must be one of 'mean', 'sqrtn' or 'sum', got max")
def looked_up_by_another_combiner(tf):
    return tf.nn.embedding_lookup_sparse(tf.constant(TABLE), ids(tf), None, combiner="max")


@case(error="sp_ids must be SparseTensor, got ")
def looked_up_by_dense_ids(tf):
    return tf.nn.embedding_lookup_sparse(tf.constant(TABLE), tf.constant([1]), None)


@case(error="sp_weights must be either None or SparseTensor")
def looked_up_by_dense_weights(tf):
    return tf.nn.embedding_lookup_sparse(tf.constant(TABLE), ids(tf), tf.constant([1.0]))


@case(error="Missing embedding_weights")
def looked_up_safely_in_nothing(tf):
    return tf.nn.safe_embedding_lookup_sparse([], ids(tf))
