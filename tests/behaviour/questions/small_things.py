"""Types by their numbers, quantized numbers in numpy, gradients of nothing, names for variables."""

import numpy as np

from tests.behaviour.asking import question, says


@question
def types_by_number(tf):
    wrong = "does not correspond to a valid tensorflow::DataType"
    return {
        "all": [tf.DType(n).name for n in range(1, 24)],
        "references": [tf.DType(n).name for n in (101, 107, 120)],
        "equal": [
            tf.DType(1) == tf.float32,
            hash(tf.DType(1)) == hash(tf.float32),
            {tf.float32: 2}[tf.DType(1)],
        ],
        "another": tf.DType(tf.int32),
        "like a number": [tf.DType(True), tf.DType(3.7)],
        "for a tensor": tf.constant(1, tf.DType(9)),
        "its array": np.zeros(2, tf.DType(1).as_numpy_dtype),
        "none": says(wrong, tf.DType, 0),
        "too large": says(wrong, tf.DType, 999),
        "negative": says(wrong, tf.DType, -1),
        "a name": says("invalid literal for int()", tf.DType, "float32"),
        "nothing": says("int() argument must be a string", tf.DType, None),
    }


QUANTIZED = {
    "qint8": np.int8,
    "quint8": np.uint8,
    "qint16": np.int16,
    "quint16": np.uint16,
    "qint32": np.int32,
}


@question
def quantized_numbers(tf):
    answers = {}
    with tf.Session() as sess:
        for name, plain in QUANTIZED.items():
            kind = getattr(tf, name)
            form = np.dtype([(name, plain)])
            array = np.array([(1,), (2,)], form)
            fed = tf.placeholder(kind, [2])
            answers |= {
                f"{name} from numpy": [tf.as_dtype(form), kind == form],
                f"{name} as a constant": tf.constant(array),
                f"{name} as a constant of its type": tf.constant(array, kind),
                f"{name} converted": tf.convert_to_tensor(array),
                f"{name} fetched": sess.run(tf.constant(array)),
                f"{name} fed": sess.run(tf.identity(fed), {fed: array}),
                f"{name} fed plainly": sess.run(tf.identity(fed), {fed: [1, 2]}),
                f"{name} as a message": tf.make_tensor_proto(array).dtype,
                f"{name} and back": sess.run(tf.bitcast(tf.constant(array), tf.as_dtype(plain))),
            }
        answers["another field"] = says(
            "to a TensorFlow DType", tf.as_dtype, np.dtype([("x", np.int8)])
        )
    return answers


@question
def gradients_of_nothing(tf):
    def both(x_shape, y_shape, function):
        x = tf.ones(x_shape)
        y = function(x)
        found = tf.test.compute_gradient(x, x_shape, y, y_shape)
        return [*found, float(tf.test.compute_gradient_error(x, x_shape, y, y_shape))]

    with tf.Session():
        empty, two = tf.ones([0]), tf.ones([2])
        joined = tf.concat([empty, two * 2], 0)
        several = tf.test.compute_gradient([empty, two], [[0], [2]], joined, [2])
        return {
            "a vector": both([0], [0], lambda x: x * 2),
            "a matrix": both([2, 0], [2, 0], lambda x: x * 2),
            "a sum": both([0, 2], [], tf.reduce_sum),
            "an empty result": both([2], [0], lambda x: x[:0]),
            "one of several": [several[0], several[1][0]],
        }


@question
def variables_by_name(tf):
    v = tf.Variable(1.0, name="x", use_resource=False)
    square = v * v

    def minimize(var_list, loss=square):
        return tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=var_list)

    strings = "'str' object has no attribute 'op'"
    return {
        "names": says(strings, minimize, ["x"]),
        "a name": says(strings, minimize, "x"),
        "with a port": says(strings, minimize, ["x:0"]),
        "among variables": says(strings, minimize, [v, "x"]),
        "of a variable itself": says(strings, minimize, ["x"], v),
        "a number": says("'int' object has no attribute 'op'", minimize, [1]),
        "none": says("No variables to optimize.", minimize, []),
        "what is read": says("Trying to update a Tensor", minimize, [v.value()]),
        "variables": [minimize([v]).name, minimize((v,)).name, minimize(v).name],
    }


@question
def arrays_that_are_used(tf):
    array = tf.TensorArray(tf.float32, 2)
    return {"mark_used": [array.write(0, 1.0).mark_used(), array.unstack([1.0, 2.0]).mark_used()]}


@question
def iterators_from_structure(tf):
    made, sparse = tf.data.Iterator.from_structure, tf.SparseTensor
    dataset = tf.data.Dataset

    def first(iterator, data):
        with tf.Session() as sess:
            sess.run(iterator.make_initializer(data))
            return sess.run(iterator.get_next())

    def shapes(*args, **kwargs):
        iterator = made(*args, **kwargs)
        return [tf.data.get_output_types(iterator), tf.data.get_output_shapes(iterator)]

    def shared(name):
        made(tf.int64, shared_name=name)
        ops = tf.get_default_graph().get_operations()
        return [op.get_attr("shared_name") for op in ops if op.type == "IteratorV2"][-1]

    one_sparse = sparse([[0, 0]], tf.constant([1], tf.int64), [2, 3])
    pair = dataset.zip((dataset.range(2), dataset.from_tensors("a")))
    of_sparse = made(tf.int64, tf.TensorShape([2, 3]), output_classes=sparse)
    switching = made(tf.int64, [])
    return {
        "types": [shapes("int64"), shapes(np.int64), shapes((tf.int64, {"a": tf.string}))],
        "shapes": [
            shapes(tf.int64, [2]),
            shapes(tf.int64, ()),
            shapes(tf.int64, (2, 3)),
            shapes((tf.int64, tf.string), (None, [None])),
        ],
        "a list of types": says("", shapes, [tf.int64, tf.string]),
        "nothing": says("passed list of length 0 less than minimum 1", shapes, ()),
        "other forms": says("", shapes, (tf.int64, tf.string), tf.TensorShape([])),
        "other keys": says("", shapes, {"a": tf.int64}, {"b": tf.TensorShape([])}),
        "no type": says("", made, "x"),
        "no types": says("", made, None),
        "no class": says(
            "Could not build a structure for output class int", made, tf.int64, output_classes=int
        ),
        "classes": shapes((tf.int64, tf.float32), output_classes=(tf.Tensor, sparse)),
        "sparse": first(of_sparse, dataset.from_tensors(one_sparse)),
        "dense for sparse": says(
            "Expected output classes", of_sparse.make_initializer, dataset.range(3)
        ),
        "shared names": [shared("s"), shared(b"t"), shared(None)],
        "a number as name": says("Expected string for argument 'shared_name'", shared, 3),
        "no initializer": says(
            "The iterator does not have an initializer.", lambda: made(tf.int64).initializer
        ),
        "another type": says(
            "Expected output types", made(tf.int64).make_initializer, dataset.from_tensors(1.0)
        ),
        "another shape": says(
            "Expected output shapes compatible with",
            made(tf.int64, [2]).make_initializer,
            dataset.range(3),
        ),
        "another form": says(
            "The two structures don't have the same nested structure",
            made((tf.int64,)).make_initializer,
            dataset.range(3),
        ),
        "no dataset": says("", made(tf.int64).make_initializer, 3),
        "its name": made(tf.int64).make_initializer(dataset.range(3), name="begin").name,
        "of a dataset": first(
            made(
                tf.data.get_output_types(pair),
                tf.data.get_output_shapes(pair),
                output_classes=tf.data.get_output_classes(pair),
            ),
            pair,
        ),
        "one after the other": [
            first(switching, dataset.range(3)),
            first(switching, dataset.range(10, 20)),
        ],
        "shapes that fit": first(made(tf.int64, [None]), dataset.range(4).batch(2)),
        "a dictionary": first(
            made({"a": tf.int32}, {"a": []}), dataset.from_tensor_slices({"a": [1, 2]})
        ),
    }
