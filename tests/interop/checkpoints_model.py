"""The variables that both libraries save and restore, and programs on them; `tf` is either one."""

import numpy as np

#: dtypes that TensorFlow has variables of, on a CPU.
KINDS = """
    float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool string
    complex64 complex128 qint8 quint8 quint16 qint32
""".split()
#: Those that the old format does not know.
NEW = ("bfloat16", "uint32", "uint64", "quint16")
#: Those of which there are no variables, but tensors that can be saved.
RARE = "qint16 float8_e5m2 float8_e4m3fn int4 uint4".split()


def numbers(kind, factor):
    """Values of a type: eight of them."""
    whole = np.arange(8) * factor
    if kind == "string":
        return np.array([b"x" * n + b"\0\xff" for n in whole], object)
    return whole % 2 == 1 if kind == "bool" else whole


def build(tf, factor):
    """Variables of every type and kind, on two devices, and their saver's settings by name."""
    for number, kind in enumerate(KINDS):
        with tf.device(f"/cpu:{number % 2}"):
            start = tf.constant(numbers(kind, factor), plain(kind))
            if kind != plain(kind):
                start = tf.bitcast(start, getattr(tf, kind))
            tf.Variable(start, name=f"{kind}_ref", use_resource=False)
            if not kind.startswith("q"):
                tf.Variable(start, name=f"{kind}_resource", use_resource=True)
    tf.Variable(np.zeros([3, 0], np.float32), name="empty", use_resource=False)
    tf.Variable(float(factor), name="scalar", use_resource=False)
    for use_resource in (False, True):
        with tf.variable_scope(f"parts_{use_resource}", use_resource=use_resource):
            start = part_of(tf, np.arange(21.0).reshape(7, 3) * factor)
            rows = tf.fixed_size_partitioner(3)
            tf.get_variable("rows", [7, 3], tf.float64, start, partitioner=rows)
            columns = tf.fixed_size_partitioner(2, axis=1)
            tf.get_variable("columns", [7, 3], tf.float32, start, partitioner=columns)


def part_of(tf, whole):
    """An initializer that gives each part of a variable its own."""

    def start(shape, dtype=None, partition_info=None):
        places = zip(partition_info.var_offset, shape, strict=True)
        return tf.constant(whole[tuple(slice(a, a + n) for a, n in places)], dtype)

    return start


def plain(kind):
    """The type of the constants that quantized ones are made of."""
    return kind.replace("quint", "uint").replace("qint", "int")


SAVERS = {
    "plain": {},
    "sharded": {"sharded": True},
    "old": {"write_version": 1},
    "old_sharded": {"write_version": 1, "sharded": True},
}


def session(tf):
    """With the two devices."""
    return tf.Session(config=tf.ConfigProto(device_count={"CPU": 2}))


def saved_by(tf, saver):
    """The variables that a saver takes."""
    every = tf.global_variables()
    return [v for v in every if "old" not in saver or v.dtype.base_dtype.name not in NEW]


def values(tf, sess, saver):
    """The values of the variables of a saver as text, by name."""
    found = {}
    for v in saved_by(tf, saver):
        value = v.value()
        if v.dtype.base_dtype.name.startswith("q"):
            value = tf.bitcast(value, getattr(tf, plain(v.dtype.base_dtype.name)))
        found[v.op.name] = value
    got = sess.run(found)
    return {name: repr(np.asarray(value).tolist()) for name, value in got.items()}


def save(tf, folder, factor=3):
    """Save with each kind of saver; returns the values and the paths."""
    result = {}
    for name, settings in SAVERS.items():
        with tf.Graph().as_default(), session(tf) as sess:
            build(tf, factor)
            saver = tf.train.Saver(saved_by(tf, name), **settings)
            sess.run(tf.global_variables_initializer())
            path = saver.save(sess, f"{folder}/{name}", latest_filename=f"{name}.state")
            result[name] = [path, values(tf, sess, name)]
    return result


def restore(tf, folder):
    """Restore what `save` saved, with savers of this graph and of the file's."""
    result = {}
    for name, settings in SAVERS.items():
        path = tf.train.latest_checkpoint(folder, f"{name}.state")
        with tf.Graph().as_default(), session(tf) as sess:
            build(tf, 1)
            tf.train.Saver(saved_by(tf, name), **settings).restore(sess, path)
            result[name] = values(tf, sess, name)
        with tf.Graph().as_default(), session(tf) as sess:
            tf.train.import_meta_graph(f"{folder}/{name}.meta").restore(sess, path)
            result[f"{name} of the file's graph"] = values(tf, sess, name)
    return result


def save_rare(tf, folder):
    """Save tensors of the types that variables do not have."""
    for kind in RARE:
        with tf.Graph().as_default() as graph, tf.Session() as sess:
            dtype = getattr(tf, kind, None) or tf.as_dtype(kind)
            x = tf.placeholder(dtype)
            types = tf.AttrValue.ListValue(type=[dtype.as_datatype_enum])
            inputs = [f"{folder}/{kind}", ["a"], [""]]
            saving = graph.create_op(
                "SaveV2",
                [*map(tf.constant, inputs), x],
                [],
                attrs={"dtypes": tf.AttrValue(list=types)},
            )
            sess.run(saving, {x: (np.arange(7) % 2).astype(dtype.as_numpy_dtype)})


def look_at_rare(tf, folder):
    """Types and bytes of what `save_rare` saved."""
    result = {}
    for kind in RARE:
        reader = tf.train.NewCheckpointReader(f"{folder}/{kind}")
        value = reader.get_tensor("a")
        result[kind] = [reader.get_variable_to_dtype_map()["a"].name, value.tobytes().hex()]
    return result


def look(tf, folder):
    """What readers and `init_from_checkpoint` see."""
    path = f"{folder}/plain"
    reader = tf.train.NewCheckpointReader(path)
    kinds = reader.get_variable_to_dtype_map()
    with tf.Graph().as_default(), tf.Session() as sess:
        part = tf.fixed_size_partitioner(2)
        whole = tf.get_variable("whole", [7, 3], tf.float64, partitioner=part)
        one = tf.get_variable("one", [8], tf.float32)
        tf.train.init_from_checkpoint(path, {"parts_False/rows": list(whole), "float32_ref": "one"})
        sess.run(tf.global_variables_initializer())
        started = [np.asarray(v).tolist() for v in sess.run([whole.as_tensor(), one])]
    return {
        "variables": [[name, list(shape)] for name, shape in tf.train.list_variables(path)],
        "types": {name: kind.name for name, kind in sorted(kinds.items())},
        "value": tf.train.load_variable(path, "parts_True/columns").tolist(),
        "started": started,
    }
