"""The classes of lookup tables: what they are made of, and what they refuse."""

import importlib
import tempfile

from tests.behaviour.asking import question, says


def lookup_ops(tf):
    return importlib.import_module(f"{tf.__name__.split('.')[0]}.python.ops.lookup_ops")


def pairs(tf, keys=("a", "b"), values=(1, 2), value_dtype=None):
    values = tf.constant(list(values), value_dtype or tf.int64)
    return tf.lookup.KeyValueTensorInitializer(list(keys), values)


@question
def static_tables(tf):
    make = tf.lookup.StaticHashTable
    words = make(pairs(tf), -1, name="words")
    second = make(pairs(tf, ["c"], [3]), -7)
    keys = tf.constant(["b", "z"])
    found = words.lookup(keys)
    with tf.Session() as sess:
        answers = {
            "facts": [words.name, words.key_dtype, words.value_dtype, second.name],
            "static": [found, words.size(), words.export()[1], words.lookup(keys, name="found")],
            "its default": words.default_value,
            "collection": [op.name for op in tf.get_collection(tf.GraphKeys.TABLE_INITIALIZERS)],
            "before": says("Table not initialized.", sess.run, found),
            "size before": sess.run(words.size()),
            "filled": sess.run(words.initializer),
            "again": sess.run(words.initializer),
            "found": sess.run(found),
            "the other": says("Table not initialized.", sess.run, second.lookup(keys)),
            "both": sess.run(tf.tables_initializer()),
            "the other, then": sess.run(second.lookup(keys)),
        }
    with tf.Session() as sess:
        answers["another session"] = says("Table not initialized.", sess.run, found)
    return {
        **answers,
        "initializer": tf.tables_initializer(),
        "named": tf.tables_initializer(name="fill").name,
        "older name": tf.initialize_all_tables().type,
        "keys of another type": says("received: <dtype: 'int32'>", words.lookup, tf.constant([1])),
        "a default of another rank": says(
            "Shapes (2,) and () are not compatible", make, pairs(tf), [1, 2]
        ),
        "a default of another type": says("", make, pairs(tf), "none"),
        "an unknown shape": words.lookup(tf.placeholder(tf.string)).shape,
    }


@question
def sources(tf):
    make, index = tf.lookup.TextFileInitializer, tf.lookup.TextFileIndex
    module = lookup_ops(tf)
    whole, number = index.WHOLE_LINE, index.LINE_NUMBER

    def shared_name(*args, **kwargs):
        table = tf.lookup.StaticHashTable(make(*args, **kwargs), -1)
        return table.resource_handle.op.get_attr("shared_name")

    usual = ("words.txt", tf.string, whole, tf.int64, number)
    with tf.Session() as sess:
        missing = tf.lookup.StaticHashTable(make("none.txt", *usual[1:]), -1)
        return {
            "places": [whole, number],
            "shared": shared_name(*usual),
            "shared, with a size": shared_name(*usual, vocab_size=3),
            "shared, with an offset": shared_name(*usual, value_index_offset=2),
            "shared, with both": shared_name(*usual, vocab_size=3, value_index_offset=2),
            "files": [t.op.type for t in tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)],
            "no name": says("`filename` argument required", make, "", *usual[1:]),
            "no such key": says(
                "`key_index` should be >= -2, received: -3",
                make,
                "f",
                tf.string,
                -3,
                tf.int64,
                number,
            ),
            "a line number as text": says(
                "`key_dtype` must be int64 if `key_index` is -1, received: <dtype: 'string'>",
                make,
                "f",
                tf.string,
                number,
                tf.int64,
                number,
            ),
            "a float as a line": says(
                "`value_dtype` should be either integer or string for `value_index` -2",
                make,
                "f",
                tf.string,
                whole,
                tf.float32,
                whole,
            ),
            "no lines": says("`vocab_size` should be > 0, received: 0", make, *usual, vocab_size=0),
            "no file": says("No such file or directory", sess.run, missing.initializer),
            "lists of two lengths": says(
                "Dimensions must be equal, but are 2 and 1",
                tf.lookup.StaticHashTable,
                tf.lookup.KeyValueTensorInitializer(["a", "b"], [1]),
                -1,
            ),
            "names of older ones": [
                type(module.TextFileIdTableInitializer("f")).__name__,
                module.TextFileStringTableInitializer("f").key_dtype,
            ],
        }


@question
def lines_of_files(tf):
    def table(content, *args, **kwargs):
        with tempfile.NamedTemporaryFile("w", delete=False) as file:
            file.write(content)
        settings = args or (tf.string, -2, tf.int64, -1)
        made = tf.lookup.TextFileInitializer(file.name, *settings, **kwargs)
        default = "?" if settings[2] == tf.string else -1
        table = tf.lookup.StaticHashTable(made, default)
        with tf.Session() as sess:
            sess.run(table.initializer)
            keys, values = sess.run(table.export())
            return sorted(zip(keys.tolist(), values.tolist(), strict=True))

    columns = (tf.string, 0, tf.int64, 1)
    return {
        "lines": table("a\nb\n"),
        "no line end": table("a\nb"),
        "carriage returns": table("a\r\nb\r\n"),
        "an empty line": says("empty line found at position 3.", table, "a\n\nb\n"),
        "an empty file": says("Read less bytes than requested", table, ""),
        "a line twice": says("Key a has 0 and trying to add value 2", table, "a\nb\na\n"),
        "columns": table("a\t1\nb\t 2 \n", *columns),
        "a pair twice": table("a\t1\na\t1\n", *columns),
        "no number": says(
            "Field x in line 1 is not a valid int64.", table, "a\t1\nb\tx\n", *columns
        ),
        "a large number": says(
            "Field 99999999999999999999 in line 0 is not a valid int64.",
            table,
            "a\t99999999999999999999\n",
            *columns,
        ),
        "floats": table("a\t1e3\nb\t0x10\n", tf.string, 0, tf.float64, 1),
        "too few columns": says("expected at least 2 got 1", table, "a\n", *columns),
        "a part": table("a\nb\nc\n", vocab_size=2),
        "too few lines": says("expected 4 but got 1", table, "a\n", vocab_size=4),
        "words by number": table("a\nb\n", tf.int64, -1, tf.string, -2, value_index_offset=5),
        "two delimiters": says(
            "delimiter should be only 1 char", table, "a\t1\n", *columns, delimiter="ab"
        ),
    }


@question
def buckets(tf):
    module = lookup_ops(tf)
    make, words = module.IdTableWithHashBuckets, tf.lookup.StaticHashTable(pairs(tf), -1)
    whole = tf.lookup.StaticVocabularyTable
    floats = tf.lookup.StaticHashTable(pairs(tf, value_dtype=tf.float32), -1)
    some = make(words, 3)
    return {
        "facts": [some.name, some.key_dtype, some.value_dtype, make(None, 2).name],
        "static": [some.lookup(tf.placeholder(tf.string, [None])), some.size()],
        "its initializer": some.initializer.type,
        "of buckets": make(None, 2).initializer.type,
        "neither": says("`oov_buckets` must be > 0 if no `table` is supplied.", make, None, 0),
        "no buckets": says(
            "`num_oov_buckets` must be > 0; use StaticHashTable.", whole, pairs(tf), 0
        ),
        "other values": says("Invalid `value_dtype`", make, floats, 1),
        "other keys": says(
            "Invalid `key dtype`, expected integer but got <dtype: 'string'>.",
            make,
            words,
            1,
            key_dtype=tf.int64,
        ),
        "no hash function": says("must be of type HasherSpec", make, words, 1, hasher_spec="fast"),
        "an unknown one": says(
            "unknown hasher slow",
            make(words, 1, module.HasherSpec("slow", None)).lookup,
            tf.constant(["a"]),
        ),
        "a short key": says("`key` must have size 2, received 1", module.StrongHashSpec, [1]),
        "keys": says(
            "Dtype of argument `keys` must be <dtype: 'string'>", some.lookup, tf.constant([1])
        ),
        "of a file": says("must be specified and must not be empty", module.index_table_from_file),
        "negative": says("greater or equal than 0, got -1.", module.index_table_from_file, "f", -1),
        "no lines": says(
            "`vocab_size` must be greater than 0, got 0 for vocabulary_file: f.",
            module.index_table_from_file,
            "f",
            vocab_size=0,
        ),
        "of a tensor": says(
            "`vocabulary_list` must be specified.", module.index_table_from_tensor, None
        ),
        "of other words": says(
            "Expected integer, got <dtype: 'string'>",
            module.index_table_from_tensor,
            ["a"],
            dtype=tf.int64,
        ),
        "of floats": says(
            "must either be integer or string",
            module.index_table_from_tensor,
            [1.5],
            dtype=tf.float32,
        ),
        "back": says(
            "`vocabulary_list` argument must be specified.",
            module.index_to_string_table_from_tensor,
            None,
        ),
        "back from a file": says(
            "`vocab_size` must be greater than 0, got 0.",
            module.index_to_string_table_from_file,
            "f",
            vocab_size=0,
        ),
    }


@question
def mutable_tables(tf):
    make, dense = tf.lookup.experimental.MutableHashTable, tf.lookup.experimental.DenseHashTable
    words = make(tf.string, tf.int64, -1, name="words")
    rows = make(tf.int64, tf.float32, [0.0, 0.0], checkpoint=False)
    table = dense(tf.int64, tf.int64, -1, empty_key=0, deleted_key=-1)
    with tf.Session() as sess:
        sess.run(words.insert(["a", "b"], [1, 2]))
        return {
            "facts": [words.name, words.key_dtype, words.value_dtype, rows.name, table.name],
            "static": [
                words.lookup(["a"]),
                rows.lookup(tf.constant([1, 2], tf.int64)),
                words.size(),
                words.insert(["a"], [1]).name,
            ],
            "shared": [
                words.resource_handle.op.get_attr("use_node_name_sharing"),
                rows.resource_handle.op.get_attr("use_node_name_sharing"),
            ],
            "found": sess.run(words.lookup(["b", "c"])),
            "item": sess.run(words[tf.constant(["b"])]),
            "other defaults": sess.run(words.lookup(["b", "c"], tf.constant([8, 9], tf.int64))),
            "removed": sess.run([words.remove(tf.constant(["a"]))]),
            "size": sess.run(words.size()),
            "keys of another type": says(
                "Dtype of argument `keys` must be", words.remove, tf.constant([1])
            ),
            "erased of another type": says(
                "Signature mismatch. Keys must be dtype", table.erase, tf.constant(["a"])
            ),
            "a scalar": says(
                "Shape must be at least rank 1 but is rank 0", words.remove, tf.constant("a")
            ),
            "values of another shape": says(
                "Expected shape [1] for value, got [2]", sess.run, words.insert(["a"], [1, 2])
            ),
            "no such table": says(
                "No OpKernel was registered", sess.run, make(tf.float32, tf.int64, -1).size()
            ),
        }


@question
def tables_in_datasets(tf):
    words = tf.lookup.StaticHashTable(pairs(tf), -1)
    data = tf.data.Dataset.from_tensor_slices(["b", "z"]).map(words.lookup)
    iterator = tf.data.make_initializable_iterator(data)
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        return {
            "before": says("Table not initialized.", sess.run, element),
            "filled": sess.run(words.initializer),
            "then": [sess.run(iterator.initializer), sess.run(element), sess.run(element)],
            "one shot": says("captures a stateful object", data.make_one_shot_iterator),
        }


@question
def shared_tables(tf):
    def table(name):
        kinds = {"key_dtype": tf.string, "value_dtype": tf.int64}
        attrs = {key: tf.AttrValue(type=kind.as_datatype_enum) for key, kind in kinds.items()}
        attrs["shared_name"] = tf.AttrValue(s=name.encode())
        graph = tf.get_default_graph()
        handle = graph.create_op("MutableHashTableV2", [], attrs=attrs).outputs[0]
        types = {"Tin": attrs["key_dtype"], "Tout": attrs["value_dtype"]}
        keys, values = tf.constant(["a"]), tf.constant([1], tf.int64)
        put = graph.create_op("LookupTableInsertV2", [handle, keys, values], attrs=types)
        size = graph.create_op("LookupTableSizeV2", [handle]).outputs[0]
        return put, size

    put, _ = table("one")
    _, same = table("one")
    _, other = table("two")
    with tf.container("box"):
        _, boxed = table("one")
    with tf.Session() as sess:
        sess.run(put)
        return {"sizes": sess.run([same, other, boxed]), "container": boxed.op.inputs[0].op.name}
