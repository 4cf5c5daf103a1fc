"""Partitioned variables: who cuts them, how, and what is refused."""

from tests.behaviour.asking import question, says
from tests.behaviour.questions.variable_scopes import names


@question
def partitioners(tf):
    shapes = [[10], [7, 3], [1, 4], [4, 5, 6]]
    makers = {
        "fixed 3": tf.fixed_size_partitioner(3),
        "bytes": tf.variable_axis_size_partitioner(40),
        "bytes, 2 at most": tf.variable_axis_size_partitioner(8, max_shards=2),
        "strings": tf.variable_axis_size_partitioner(64, bytes_per_string_element=8),
        "least": tf.min_max_variable_partitioner(4, min_slice_size=16),
        "default": tf.min_max_variable_partitioner(),
    }
    answers = {}
    for label, partitioner in makers.items():
        for dtype in (tf.float32, tf.int8, tf.string):
            answers[f"{label} {dtype.name}"] = [
                list(partitioner(shape=tf.TensorShape(shape), dtype=dtype)) for shape in shapes
            ]
    last = tf.fixed_size_partitioner(2, axis=1)
    answers["axis"] = list(last(shape=tf.TensorShape([3, 4]), dtype=tf.float32))
    positive = "must be positive"
    answers["no bytes"] = says(positive, tf.variable_axis_size_partitioner, 0)
    answers["no shards"] = says(positive, tf.variable_axis_size_partitioner, 8, max_shards=-1)
    least = tf.min_max_variable_partitioner(4, axis=1)
    answers["no axis"] = says("along axis 1", least, tf.TensorShape([3]), tf.float32)
    bytes_ = makers["bytes"]
    answers["not a shape"] = says("shape is not a TensorShape", bytes_, [3], tf.float32)
    unknown = tf.TensorShape([None])
    answers["unknown shape"] = says("shape is not fully defined", bytes_, unknown, tf.float32)
    answers["not a type"] = says("dtype is not a DType", bytes_, tf.TensorShape([3]), "float")
    return answers


@question
def partitioned_variables(tf):
    two, three = (tf.fixed_size_partitioner(n) for n in (2, 3))
    with tf.variable_scope("s"):
        whole = tf.get_variable("v", [7, 2], partitioner=three)
    answers = {
        "whole": [whole.name, whole.dtype, whole.shape.as_list(), len(whole)],
        "parts": [[part.name, part.shape.as_list()] for part in whole],
        "class": type(whole).__name__,
        "collected": names(tf.trainable_variables()),
        "slices": [part._get_save_slice_info().spec for part in whole],
        "offsets": [part._get_save_slice_info().var_offset for part in whole],
        "tensor": [whole.as_tensor().name, tf.convert_to_tensor(whole).name],
        "ops": [op.name for op in tf.get_default_graph().get_operations() if "Conc" in op.name],
    }
    with tf.variable_scope("s", reuse=True):
        answers["shared"] = tf.get_variable("v", [7, 2], partitioner=three) is whole
        answers["shared without"] = tf.get_variable("v", [7, 2]) is whole
        answers["other parts"] = says(
            "found partitions", tf.get_variable, "v", [7, 2], partitioner=two
        )
        answers["other shape"] = says(
            "found shape (7, 2)", tf.get_variable, "v", [8, 2], partitioner=three
        )
        answers["other type"] = says(
            "found dtype float32", tf.get_variable, "v", [7, 2], tf.int32, partitioner=three
        )
        answers["missing"] = says(
            "PartitionedVariable s/w does not exist",
            tf.get_variable,
            "w",
            [7, 2],
            partitioner=three,
        )
    with tf.variable_scope("s"):
        answers["twice"] = says(
            "Partitioned variable with name s/v already exists",
            tf.get_variable,
            "v",
            [7, 2],
            partitioner=three,
        )
        answers["without"] = says(
            "but a partitioned version of the variable was found", tf.get_variable, "v", [7, 2]
        )
        tf.get_variable("single", [2])
        answers["single"] = says(
            "but an unpartitioned version of the variable was found",
            tf.get_variable,
            "single",
            [2],
            partitioner=three,
        )
        answers["a part"] = tf.get_variable("x", [], partitioner=three).name
    answers["type"] = says(
        "Incompatible type conversion requested to type 'int32'",
        tf.convert_to_tensor,
        whole,
        tf.int32,
    )
    return answers


@question
def what_partitioners_may_not_say(tf):
    def asked(value, shape=(4, 4)):
        return lambda phrase, name: says(
            phrase, tf.get_variable, name, shape, partitioner=lambda **_: value
        )

    return {
        "nothing": asked(None)("Partitioner must return a sequence", "a"),
        "rank": asked([2])("does not match the Variable's rank", "b"),
        "zero": asked([0, 1])("zero partitions for some axes", "c"),
        "two axes": asked([2, 2])("Can only slice a variable along one dimension", "d"),
        "unknown": asked([2], [None])("must be fully defined", "e"),
        "too many": asked([3], [2])("Expected 0 <= offset < shape", "f"),
    }


@question
def created_partitioned_variables(tf):
    create = tf.create_partitioned_variables
    parts = create([5, 2], [2, 1], tf.zeros_initializer(), name="v")
    values = create([4], [2], tf.constant([1, 2, 3, 4]), tf.int32)
    second = create([4], [2], tf.ones_initializer(), trainable=False)
    answers = {
        "parts": [[v.name, v.shape.as_list()] for v in parts],
        "values": [[v.name, v.dtype.base_dtype] for v in values],
        "second": [v.name for v in second],
        "trainable": names(tf.trainable_variables()),
    }
    again = create([5, 2], [2, 1], tf.zeros_initializer(), name="v", reuse=True)
    answers["again"] = [a is b for a, b in zip(parts, again, strict=True)]
    zeros = tf.zeros_initializer()
    answers["lengths"] = says("must have the length", create, [5, 2], [2], zeros)
    answers["scalar"] = says("must have rank at least 1", create, [], [], zeros)
    with tf.variable_scope("g", custom_getter=lambda getter, *a, **k: getter(*a, **k)):
        answers["getter"] = says(
            "is not allowed when a custom getter is set", create, [4], [2], zeros
        )
    return answers
