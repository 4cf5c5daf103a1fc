"""Lookup tables: static ones, of both kinds of handle, and what fills them."""

import numpy as np

from tests.conformance.cases._lookup import change, find, int64, lookup_ops, op, shape, table
from tests.conformance.cases.readers import FILES
from tests.conformance.registry import Program, case

#: Names of tables are made of random numbers there; the nodes are compared without them.
NAMED_BY_CHANCE = "types"


# Static tables ------------------------------------------------------------------------------------


@case(
    "HashTableV2",
    "LookupTableFindV2",
    "LookupTableSizeV2",
    "InitializeTableV2",
    "LookupTableImportV2",
)
def static(tf):
    handle = table(tf)
    keys, values = tf.constant(["a", "b"]), int64(tf, [1, 2])
    fill = op(tf, "InitializeTableV2", [handle, keys, values], Tkey=tf.string, Tval=tf.int64)
    again = change(tf, "LookupTableImportV2", handle, keys, values)
    found = [
        find(tf, handle, tf.constant([["a", "z"], ["b", "a"]]), int64(tf, -1)),
        find(tf, handle, tf.constant("b"), int64(tf, -1)),
        find(tf, handle, tf.constant([], tf.string), int64(tf, -1)),
        op(tf, "LookupTableSizeV2", [handle]),
    ]
    return Program(found, setup=[fill, again])


@case(
    "HashTable",
    "LookupTableFind",
    "LookupTableSize",
    "InitializeTable",
    "LookupTableImport",
    "LookupTableExport",
    "MutableHashTable",
    "LookupTableInsert",
)
def by_reference(tf):
    handle, mutable = table(tf, "HashTable"), table(tf, "MutableHashTable")
    keys, values = tf.constant(["a"]), int64(tf, [1])
    fill = op(tf, "InitializeTable", [handle, keys, values], Tkey=tf.string, Tval=tf.int64)
    again = change(tf, "LookupTableImport", handle, keys, values)
    put = change(tf, "LookupTableInsert", mutable, keys, values)
    found = [
        find(tf, handle, tf.constant(["a", "b"]), int64(tf, -1), ""),
        find(tf, mutable, tf.constant(["a", "b"]), int64(tf, -2), ""),
        op(tf, "LookupTableSize", [handle]),
        op(tf, "LookupTableExport", [handle], Tkeys=tf.string, Tvalues=tf.int64),
    ]
    return Program(found, setup=[fill, again, put])


@case("MutableHashTableOfTensors")
def rows_by_reference(tf):
    handle = table(tf, "MutableHashTableOfTensors", value_shape=shape(tf, [2]))
    put = change(tf, "LookupTableInsert", handle, tf.constant(["a"]), int64(tf, [[1, 2]]))
    found = find(tf, handle, tf.constant(["a", "b"]), int64(tf, [0, -1]), "")
    return Program(found, setup=[put])


@case("MutableDenseHashTable", error="Unknown input name: deleted_key", travels=False)
def buckets_by_reference(tf):
    return table(tf, "MutableDenseHashTable", [tf.constant("")])


@case(
    "HashTableV2",
    each=[
        ("string", "string"),
        ("string", "int64"),
        ("string", "int32"),
        ("string", "float32"),
        ("string", "float64"),
        ("int64", "string"),
        ("int64", "int64"),
        ("int64", "float32"),
        ("int32", "int32"),
        ("int32", "float64"),
        ("int32", "string"),
    ],
)
def static_of_types(tf, key, value):
    types = {"key_dtype": tf.as_dtype(key), "value_dtype": tf.as_dtype(value)}
    handle = table(tf, **types)
    numbers = {"string": ["1", "2"]}
    keys = tf.constant(numbers.get(key, [1, 2]), key)
    values = tf.constant(numbers.get(value, [1, 2]), value)
    default = tf.constant("-1" if value == "string" else -1, value)
    tin, tout = types.values()
    fill = change(tf, "LookupTableImportV2", handle, keys, values, tin, tout)
    return Program(find(tf, handle, keys[:1], default, tin=tin, tout=tout), setup=[fill])


@case(
    "HashTableV2",
    error="No OpKernel was registered to support Op 'HashTableV2'",
    each=[("float32", "int64"), ("string", "complex64"), ("int32", "int64")],
)
def static_of_other_types(tf, key, value):
    handle = table(tf, key_dtype=tf.as_dtype(key), value_dtype=tf.as_dtype(value))
    return op(tf, "LookupTableSizeV2", [handle])


@case("LookupTableFindV2", error="Table not initialized.")
def not_filled(tf):
    return find(tf, table(tf), tf.constant(["a"]), int64(tf, -1))


@case("LookupTableExportV2", error="HashTable is not initialized.")
def not_filled_for_export(tf):
    return op(tf, "LookupTableExportV2", [table(tf)], Tkeys=tf.string, Tvalues=tf.int64)


@case(
    "LookupTableImportV2",
    error="HashTable has different value for same key. Key a has 1 and trying to add value 2",
)
def a_key_of_two_values(tf):
    keys, values = tf.constant(["a", "a"]), int64(tf, [1, 2])
    return change(tf, "LookupTableImportV2", table(tf), keys, values)


@case("LookupTableImportV2", error="Table was already initialized with different data.")
def filled_with_other_data(tf):
    handle = table(tf)
    fill = change(tf, "LookupTableImportV2", handle, tf.constant(["a"]), int64(tf, [1]))
    again = change(tf, "LookupTableImportV2", handle, tf.constant(["a", "b"]), int64(tf, [1, 2]))
    return Program(again, setup=[fill])


@case("LookupTableInsertV2", error="Insert not supported by InitializableLookupTable")
def insert_into_static(tf):
    return change(tf, "LookupTableInsertV2", table(tf), tf.constant(["a"]), int64(tf, [1]))


@case("LookupTableRemoveV2", error="Remove not supported by InitializableLookupTable")
def remove_from_static(tf):
    return op(tf, "LookupTableRemoveV2", [table(tf), tf.constant(["a"])], Tin=tf.string)


@case(
    "LookupTableFindV2",
    error="Signature mismatch, have: resource, string, int32->int32 "
    "expected: resource, string, int64->int64",
)
def find_of_another_type(tf):
    return find(tf, table(tf), tf.constant(["a"]), tf.constant(-1), tout=tf.int32)


@case(
    "InitializeTableV2",
    error="Signature mismatch, have: resource, string, float-> expected: resource, string, int64->",
)
def fill_with_another_type(tf):
    inputs = [table(tf), tf.constant(["a"]), tf.constant([1.0])]
    return op(tf, "InitializeTableV2", inputs, Tkey=tf.string, Tval=tf.float32)


@case("LookupTableFindV2", error="for default value, got [2]")
def default_of_another_shape(tf):
    handle, keys = table(tf), tf.constant(["a"])
    default = tf.placeholder(tf.int64)
    fill = change(tf, "LookupTableImportV2", handle, keys, int64(tf, [1]))
    return Program(find(tf, handle, keys, default), {default: [1, 2]}, setup=[fill])


@case("InitializeTableV2", each=[([2], [3]), ([1, 2], [1, 2]), ([], []), ([2], [2, 3])], error="")
def vectors_that_do_not_fit(tf, keys, values):
    inputs = [table(tf), tf.placeholder(tf.string, keys), tf.placeholder(tf.int64, values)]
    return op(tf, "InitializeTableV2", inputs, Tkey=tf.string, Tval=tf.int64)


@case("LookupTableImportV2", each=[([2], [3]), ([1, 2], [1, 2]), ([], [])], error="")
def imports_that_do_not_fit(tf, keys, values):
    inputs = tf.placeholder(tf.string, keys), tf.placeholder(tf.int64, values)
    return change(tf, "LookupTableImportV2", table(tf), *inputs)


@case(
    "InitializeTableV2",
    each=[
        ("Keys and values must have the same size 1 vs 2", ["a"], [1, 2]),
        ("Keys must be a vector, but received shape[1,1]", [["a"]], [[1]]),
        ("keys and values cannot be empty tensors.", [], []),
    ],
    error="",
)
def vectors_that_do_not_fit_in_a_run(tf, words, keys, values):
    given = tf.placeholder(tf.string), tf.placeholder(tf.int64)
    fill = op(tf, "InitializeTableV2", [table(tf), *given], Tkey=tf.string, Tval=tf.int64)
    return Program(fill, {given[0]: np.array(keys, object), given[1]: values})


@case(
    "HashTableV2", error="Conflicting key/value dtypes int64->int64 with string-int64 for table x"
)
def one_name_for_two_tables(tf):
    first = table(tf, shared_name="x").op
    second = table(tf, shared_name="x", key_dtype=tf.int64)
    return Program(op(tf, "LookupTableSizeV2", [second]), setup=[first])


@case("AnonymousHashTable")
def for_a_step(tf):
    handle = table(tf, "AnonymousHashTable")
    fill = change(tf, "LookupTableImportV2", handle, tf.constant(["a"]), int64(tf, [1]))
    with tf.control_dependencies([fill]):
        found = find(tf, handle, tf.constant(["a", "b"]), int64(tf, -1))
    return Program(found, runs=2)


# From files ---------------------------------------------------------------------------------------


def from_file(tf, handle, name, version="V2", **attrs):
    given = tf.placeholder(tf.string, [])
    settings = {"key_index": -2, "value_index": -1, **attrs}
    fill = op(tf, f"InitializeTableFromTextFile{version}", [handle, given], **settings)
    return fill, {given: str(FILES / name).encode()}


def looked_up(tf, handle, fill, feed, found):
    """A table filled from a file; what fills it runs first in the step that looks up."""
    with tf.control_dependencies([fill]):
        return Program([tf.identity(fetch) for fetch in found()], feed, runs=2)


@case(
    "InitializeTableFromTextFileV2",
    each=[("words", {}), ("words", {"vocab_size": 2}), ("words", {"offset": 10})],
)
def from_lines(tf, name, attrs):
    handle = table(tf)
    fill, feed = from_file(tf, handle, f"{name}.txt", **attrs)
    keys = tf.constant(["lake", "king", "palmer"])
    return looked_up(tf, handle, fill, feed, lambda: [find(tf, handle, keys, int64(tf, -1))])


@case("InitializeTableFromTextFile")
def from_lines_by_reference(tf):
    handle = table(tf, "HashTable")
    fill, feed = from_file(tf, handle, "words.txt", "")
    keys = tf.constant(["lake", "king"])
    return looked_up(tf, handle, fill, feed, lambda: [find(tf, handle, keys, int64(tf, -1), "")])


@case("InitializeTableFromTextFileV2", each=["int64", "float32", "string"])
def from_columns(tf, dtype):
    value = tf.as_dtype(dtype)
    handle = table(tf, value_dtype=value)
    column = {"int64": 1, "float32": 2, "string": 0}[dtype]
    fill, feed = from_file(
        tf, handle, "columns.txt", key_index=0, value_index=column, delimiter=","
    )
    default = tf.constant("?" if dtype == "string" else -1, value)
    keys = tf.constant(["k2", "k3"])
    return looked_up(tf, handle, fill, feed, lambda: [find(tf, handle, keys, default, tout=value)])


@case(
    "InitializeTableFromTextFileV2",
    error="",
    each=[
        ("words.txt", {"vocab_size": 4}),  # there are three
        ("words.txt", {"key_index": 0, "value_index": 1}),  # of one column
        ("columns.txt", {"key_index": 0, "value_index": 2, "delimiter": ","}),  # no integer
        ("words.txt", {"delimiter": "ab"}),
        ("words.txt", {"key_index": -1, "value_index": -2}),
        ("nothing.txt", {}),
    ],
)
def files_that_do_not_fit(tf, name, attrs):
    fill, feed = from_file(tf, table(tf), name, **attrs)
    return Program(fill, feed)


# The classes --------------------------------------------------------------------------------------


@case("HashTableV2", graph=NAMED_BY_CHANCE)
def a_static_table(tf):
    pairs = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    words = tf.lookup.StaticHashTable(pairs, -1, name="words")
    keys = tf.SparseTensor([[0, 1], [2, 0]], ["b", "z"], [3, 2])
    fetches = [
        words.lookup(tf.constant([["a", "z"]])),
        words.lookup(keys),
        words.size(),
        words[tf.constant("b")],
        words.lookup(tf.placeholder_with_default(["a"], [None])),
    ]
    return Program(fetches, setup=[tf.tables_initializer()])


@case("HashTableV2", graph=NAMED_BY_CHANCE)
def a_table_in_a_conditional(tf):
    def words():
        pairs = tf.lookup.KeyValueTensorInitializer(["a", "b"], int64(tf, [1, 2]))
        return tf.lookup.StaticHashTable(pairs, -1).lookup(tf.constant(["b"]))

    found = tf.cond(tf.constant(True), words, lambda: int64(tf, [5]))
    return Program(found, setup=[tf.tables_initializer()])


@case("InitializeTableFromTextFileV2", each=[0, 3])
def index_table_from_file(tf, bucket_count):
    name = tf.placeholder(tf.string, [])
    words = lookup_ops(tf).index_table_from_file(name, bucket_count, vocab_size=2)
    with tf.control_dependencies([tf.tables_initializer()]):
        found = words.lookup(tf.constant(["lake", "king"]))
    return Program(found, {name: str(FILES / "words.txt").encode()})


@case("InitializeTableFromTextFileV2")
def index_to_string_table_from_file(tf):
    name = tf.placeholder(tf.string, [])
    words = lookup_ops(tf).index_to_string_table_from_file(name)
    with tf.control_dependencies([tf.tables_initializer()]):
        found = words.lookup(int64(tf, [2, 9]))
    return Program(found, {name: str(FILES / "words.txt").encode()})


@case(
    "HashTableV2",
    graph=NAMED_BY_CHANCE,
    each=[
        ("string", 0, "fasthash"),
        ("string", 3, "fasthash"),
        ("string", 5, "stronghash"),
        ("string", 4, "legacy"),
        ("int32", 3, "fasthash"),
        ("int64", 0, "fasthash"),
    ],
)
def index_table_from_tensor(tf, dtype, bucket_count, hasher):
    module = lookup_ops(tf)
    spec = module.HasherSpec(hasher, None)
    if hasher == "stronghash":
        spec = module.StrongHashSpec([12, 34])
    texts = dtype == "string"
    vocabulary = tf.constant(["a", "b"] if texts else [10, 20], dtype)
    words = module.index_table_from_tensor(
        vocabulary, bucket_count, hasher_spec=spec, dtype=tf.as_dtype(dtype)
    )
    keys = tf.constant(["b", "king", "queen"] if texts else [20, 30, 40], dtype)
    sparse = tf.SparseTensor([[0], [1], [5]], keys, [7])
    fetches = [words.lookup(keys), words.lookup(sparse), words.size()]
    return Program(fetches, setup=[tf.tables_initializer()])


@case("HashTableV2", graph=NAMED_BY_CHANCE)
def index_to_string_table_from_tensor(tf):
    words = lookup_ops(tf).index_to_string_table_from_tensor(["a", "b"])
    found = words.lookup(int64(tf, [1, 5, 0]))
    return Program(found, setup=[tf.tables_initializer()])


@case("HashTableV2", graph=NAMED_BY_CHANCE, each=["string", "int32"])
def a_vocabulary(tf, dtype):
    texts = dtype == "string"
    keys = tf.constant(["a", "b"]) if texts else int64(tf, [10, 20])
    pairs = tf.lookup.KeyValueTensorInitializer(keys, int64(tf, [0, 1]))
    words = tf.lookup.StaticVocabularyTable(pairs, 3, lookup_key_dtype=tf.as_dtype(dtype))
    wanted = tf.constant(["b", "king"] if texts else [20, 30], dtype)
    return Program([words.lookup(wanted), words.size()], setup=[words.initializer])


@case("StringToHashBucketFast")
def a_vocabulary_of_buckets(tf):
    words = tf.lookup.StaticVocabularyTable(None, 3)
    found = [words.lookup(tf.constant(["b", "king"])), words.size()]
    return Program(found, setup=[words.initializer])


@case("MapDataset", "HashTableV2", graph=NAMED_BY_CHANCE)
def a_table_in_a_dataset(tf):
    words = lookup_ops(tf).index_table_from_tensor(["a", "b", "c"], 2)
    data = tf.data.Dataset.from_tensor_slices(["c", "king", "a"]).map(words.lookup)
    iterator = tf.data.make_initializable_iterator(data)
    setup = [tf.tables_initializer(), iterator.initializer]
    return Program(iterator.get_next(), setup=setup, runs=3)
