"""Lookup tables that can be changed at any time."""

import numpy as np

from tests.conformance.cases._lookup import change, find, int64, op, shape, table
from tests.conformance.registry import Program, case


def in_order(values):
    """Exports, in an order of their own."""
    for keys, found in values:
        order = np.argsort(keys)
        assert keys[order].tolist() == [b"a", b"b", b"c"]
        assert found[order].tolist() == [1, 5, 6]


# Tables that can be changed -----------------------------------------------------------------------


@case(
    "MutableHashTableV2",
    "LookupTableInsertV2",
    "LookupTableRemoveV2",
    "LookupTableExportV2",
    check=in_order,
    random=True,
)
def mutable(tf):
    handle = table(tf, "MutableHashTableV2", use_node_name_sharing=True)
    keys = tf.constant(["a", "b", "x"])
    setup = [
        change(tf, "LookupTableInsertV2", handle, keys, int64(tf, [1, 2, 3])),
        change(tf, "LookupTableInsertV2", handle, tf.constant([["b", "c"]]), int64(tf, [[5, 6]])),
        op(tf, "LookupTableRemoveV2", [handle, tf.constant(["x", "none"])], Tin=tf.string),
    ]
    out = op(tf, "LookupTableExportV2", [handle], Tkeys=tf.string, Tvalues=tf.int64)
    return Program(list(out), setup=setup)


@case("MutableHashTableV2", "LookupTableImportV2")
def mutable_found(tf):
    handle = table(tf, "MutableHashTableV2")
    setup = [
        change(tf, "LookupTableInsertV2", handle, tf.constant(["x"]), int64(tf, [9])),
        change(tf, "LookupTableImportV2", handle, tf.constant(["a", "b"]), int64(tf, [1, 2])),
    ]
    keys = tf.constant(["a", "x", "b"])
    return Program(
        [
            find(tf, handle, keys, int64(tf, -1)),
            find(tf, handle, keys, int64(tf, [-1, -2, -3])),
            find(tf, handle, tf.constant("x"), int64(tf, -1)),
            find(tf, handle, tf.placeholder_with_default(keys, [None]), int64(tf, -1)),
            op(tf, "LookupTableSizeV2", [handle]),
        ],
        setup=setup,
    )


@case("MutableHashTableOfTensorsV2")
def mutable_of_rows(tf):
    handle = table(tf, "MutableHashTableOfTensorsV2", value_shape=shape(tf, [2]))
    put = change(
        tf, "LookupTableInsertV2", handle, tf.constant([["a", "b"]]), int64(tf, [[[1, 2], [3, 4]]])
    )
    keys = tf.constant(["b", "z"])
    return Program(
        [
            find(tf, handle, keys, int64(tf, [0, -1])),
            find(tf, handle, keys, int64(tf, [[0, -1], [7, 8]])),
            find(tf, handle, tf.constant("a"), int64(tf, [0, -1])),
            find(tf, handle, tf.constant([], tf.string), int64(tf, [0, -1])),
        ],
        setup=[put],
    )


@case("MutableHashTableOfTensorsV2", error="", each=[[], [None], [1, 2]])
def rows_of_another_rank(tf, sizes):
    return op(
        tf,
        "LookupTableSizeV2",
        [table(tf, "MutableHashTableOfTensorsV2", value_shape=shape(tf, sizes))],
    )


@case("LookupTableInsertV2", error="Expected shape [1,2] for value, got [1,3]")
def rows_of_another_length(tf):
    handle = table(tf, "MutableHashTableOfTensorsV2", value_shape=shape(tf, [2]))
    return change(tf, "LookupTableInsertV2", handle, tf.constant(["a"]), int64(tf, [[1, 2, 3]]))


@case("InitializeTableV2", error="is not initializable")
def fill_a_mutable_one(tf):
    inputs = [table(tf, "MutableHashTableV2"), tf.constant(["a"]), int64(tf, [1])]
    return op(tf, "InitializeTableV2", inputs, Tkey=tf.string, Tval=tf.int64)


@case("LookupTableFindV2", error="Trying to read value with wrong dtype. Expected string got int32")
def find_of_another_type_in_a_mutable_one(tf):
    handle = table(tf, "MutableHashTableV2")
    return find(tf, handle, tf.constant([1]), int64(tf, -1), tin=tf.int32)


def dense(tf, empty=0, deleted=-1, key=None, **attrs):
    key = key or tf.int64
    marks = [tf.constant(empty, key), tf.constant(deleted, key)]
    return table(tf, "MutableDenseHashTableV2", marks, key_dtype=key, **attrs)


@case("MutableDenseHashTableV2")
def buckets(tf):
    handle = dense(tf, initial_num_buckets=4)
    put = [(100, 0), (3, 1), (77, 2), (12, 3), (5, 4)]
    keys, values = (int64(tf, list(part)) for part in zip(*put, strict=True))
    setup = [
        change(tf, "LookupTableInsertV2", handle, keys, values, tin=tf.int64),
        op(tf, "LookupTableRemoveV2", [handle, int64(tf, [77, 1])], Tin=tf.int64),
        change(tf, "LookupTableInsertV2", handle, int64(tf, [78]), int64(tf, [9]), tf.int64),
    ]
    return Program(
        [
            op(tf, "LookupTableExportV2", [handle], Tkeys=tf.int64, Tvalues=tf.int64),
            find(tf, handle, int64(tf, [77, 78, 12]), int64(tf, -1), tin=tf.int64),
            op(tf, "LookupTableSizeV2", [handle]),
        ],
        setup=setup,
    )


@case("MutableDenseHashTableV2")
def buckets_of_texts(tf):
    handle = dense(tf, "", "$", tf.string, initial_num_buckets=16)
    keys = tf.constant(list("hello wrd"))
    put = change(tf, "LookupTableInsertV2", handle, keys, int64(tf, list(range(9))))
    out = op(tf, "LookupTableExportV2", [handle], Tkeys=tf.string, Tvalues=tf.int64)
    return Program(out, setup=[put])


@case("MutableDenseHashTableV2", each=["int64", "string"])
def buckets_of_pairs(tf, dtype):
    text = dtype == "string"
    key = tf.as_dtype(dtype)
    pairs = [["a", "b"], ["c", "d"], ["b", "a"]] if text else [[1, 2], [3, 4], [2, 1]]
    handle = dense(
        tf,
        ["", ""] if text else [0, 0],
        ["$", ""] if text else [-1, 0],
        key,
        value_shape=shape(tf, [2]),
        initial_num_buckets=8,
    )
    keys = tf.constant(pairs, key)
    put = change(tf, "LookupTableInsertV2", handle, keys, int64(tf, [[1, 1], [2, 2], [3, 3]]), key)
    return Program(
        [
            op(tf, "LookupTableExportV2", [handle], Tkeys=key, Tvalues=tf.int64),
            find(tf, handle, keys[1:], int64(tf, [0, -1]), tin=key),
        ],
        setup=[put],
    )


@case("LookupTableImportV2")
def buckets_again(tf):
    handle = dense(tf)
    # TensorFlow's shape function refuses what its own export gives
    keys, values = (
        tf.placeholder_with_default(int64(tf, part), None)
        for part in ([[4], [0], [-1], [7]], [[40], [0], [3], [70]])
    )
    put = change(tf, "LookupTableImportV2", handle, keys, values, tf.int64)
    return Program(
        [
            op(tf, "LookupTableExportV2", [handle], Tkeys=tf.int64, Tvalues=tf.int64),
            op(tf, "LookupTableSizeV2", [handle]),
        ],
        setup=[put],
    )


@case(
    "MutableDenseHashTableV2",
    error="",
    each=[
        (0, 0, {}),
        (0, -1, {"initial_num_buckets": 3}),
        (0, -1, {"initial_num_buckets": 0}),
        (0, [-1], {}),
    ],
)
def buckets_that_cannot_be(tf, empty, deleted, attrs):
    return op(tf, "LookupTableSizeV2", [dense(tf, empty, deleted, **attrs)])


@case(
    "LookupTableInsertV2",
    "LookupTableFindV2",
    each=[
        ("Using the empty_key as a table key is not allowed", 0),
        ("Using the deleted_key as a table key is not allowed", -1),
    ],
    error="_key as a table key is not allowed",
)
def marks_as_keys(tf, words, key):
    handle = dense(tf)
    put = change(tf, "LookupTableInsertV2", handle, int64(tf, [5]), int64(tf, [5]), tf.int64)
    return Program(find(tf, handle, int64(tf, [key]), int64(tf, 0), tin=tf.int64), setup=[put])


@case("LookupTableFindV2", error="Expected key shape [1] got [1,2]")
def buckets_of_another_key(tf):
    return find(tf, dense(tf), int64(tf, [[1, 2]]), int64(tf, 0), tin=tf.int64)


@case(
    "AnonymousMutableHashTable",
    "AnonymousMutableHashTableOfTensors",
    "AnonymousMutableDenseHashTable",
)
def mutable_for_a_step(tf):
    tables = [
        table(tf, "AnonymousMutableHashTable", key_dtype=tf.int64),
        table(
            tf, "AnonymousMutableHashTableOfTensors", key_dtype=tf.int64, value_shape=shape(tf, [2])
        ),
        table(
            tf, "AnonymousMutableDenseHashTable", [int64(tf, 0), int64(tf, -1)], key_dtype=tf.int64
        ),
    ]
    found = []
    for handle, value, default in zip(tables, [[5], [[5, 6]], [7]], [0, [0, 0], 0], strict=True):
        keys = int64(tf, [1])
        put = change(tf, "LookupTableInsertV2", handle, keys, int64(tf, value), tf.int64)
        with tf.control_dependencies([put]):
            found.append(find(tf, handle, int64(tf, [1, 2]), int64(tf, default), tin=tf.int64))
    return Program(found, runs=2)


@case("MutableHashTableV2", "LookupTableExportV2")
def a_mutable_table(tf):
    words = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1, name="words")
    setup = [
        words.insert(["a", "b"], [1, 2]),
        words.insert(tf.constant(["c"]), int64(tf, [3])),
        words.remove(tf.constant(["a"])),
    ]
    found = [words.lookup(["a", "b"]), words.lookup(["a"], int64(tf, [-7])), words.size()]
    return Program(found, setup=setup)


@case("MutableHashTableOfTensorsV2")
def a_mutable_table_of_rows(tf):
    words = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, [0.0, -1.0])
    return Program(words.lookup(["a", "b"]), setup=[words.insert(["a"], [[1.0, 2.0]])])


@case("MutableDenseHashTableV2")
def a_dense_table(tf):
    words = tf.lookup.experimental.DenseHashTable(
        tf.int64, tf.int64, -1, empty_key=0, deleted_key=-1, initial_num_buckets=4
    )
    setup = [
        words.insert(int64(tf, [1, 2]), int64(tf, [10, 20])),
        words.insert_or_assign(int64(tf, [1]), int64(tf, [11])),
        words.erase(int64(tf, [2])),
    ]
    return Program([words.lookup(int64(tf, [1, 2])), words.size(), *words.export()], setup=setup)
