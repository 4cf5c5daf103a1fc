"""Examples as older graphs parse them: op types that nothing builds any more."""

from tests.conformance.cases.parsing import STEPS, TWO
from tests.conformance.nodes import Shapes, node
from tests.conformance.registry import case


@case("ParseExample", each=[False, True])
def examples_by_the_older_operation(tf, named):
    names = tf.constant(["A", "B"]) if named else tf.constant([], tf.string)
    keys = [tf.constant(key) for key in ("s", "n", "i", "none")]
    defaults = [tf.constant([], tf.int64), tf.constant([1.5])]
    return node(
        tf,
        "ParseExample",
        [tf.constant(TWO), names, *keys, *defaults],
        Nsparse=2,
        Ndense=2,
        sparse_types=("string", "int64"),
        Tdense=("int64", "float32"),
        dense_shapes=Shapes([2], [1]),
    )


@case("ParseExample", error="Shape must be rank 1 but is rank 0")
def the_older_operation_of_one_example(tf):
    inputs = [tf.constant(TWO[0]), tf.constant([], tf.string), tf.constant("n")]
    return node(
        tf,
        "ParseExample",
        inputs,
        Nsparse=1,
        Ndense=0,
        sparse_types=("int64",),
        Tdense=(),
        dense_shapes=Shapes(),
    )


@case("ParseSingleExample")
def one_example_by_its_own_operation(tf):
    inputs = [tf.constant(TWO[0]), tf.constant([], tf.int64), tf.constant([1.5])]
    return node(
        tf,
        "ParseSingleExample",
        inputs,
        num_sparse=2,
        sparse_keys=["s", "n"],
        dense_keys=["i", "none"],
        sparse_types=("string", "int64"),
        Tdense=("int64", "float32"),
        dense_shapes=Shapes([2], [1]),
    )


@case("ParseSingleExample", error="Feature: zz (data type: int64) is required but could not be")
def one_example_without_a_feature(tf):
    inputs = [tf.constant(TWO[0]), tf.constant([], tf.int64)]
    return node(
        tf,
        "ParseSingleExample",
        inputs,
        num_sparse=0,
        sparse_keys=[],
        dense_keys=["zz"],
        sparse_types=(),
        Tdense=("int64",),
        dense_shapes=Shapes([]),
    )


@case("ParseSequenceExample")
def sequence_examples_by_the_older_operation(tf):
    inputs = [tf.constant(STEPS), tf.constant(["A", "B"]), tf.constant([], tf.int64)]
    return node(
        tf,
        "ParseSequenceExample",
        inputs,
        feature_list_dense_missing_assumed_empty=["q"],
        context_sparse_keys=["m"],
        context_dense_keys=["n"],
        feature_list_sparse_keys=["t"],
        feature_list_dense_keys=["w", "q"],
        Ncontext_sparse=1,
        Ncontext_dense=1,
        Nfeature_list_sparse=1,
        Nfeature_list_dense=2,
        context_sparse_types=("string",),
        Tcontext_dense=("int64",),
        feature_list_dense_types=("float32", "int64"),
        context_dense_shapes=Shapes([]),
        feature_list_sparse_types=("string",),
        feature_list_dense_shapes=Shapes([2], []),
    )


@case("ParseSingleSequenceExample")
def one_sequence_example_by_the_older_operation(tf):
    keys = [tf.constant(key) for key in ("m", "n", "t", "w", "q")]
    inputs = [
        tf.constant(STEPS[0]),
        tf.constant(["q"]),
        *keys,
        tf.constant([], tf.int64),
        tf.constant("A"),
    ]
    return node(
        tf,
        "ParseSingleSequenceExample",
        inputs,
        Ncontext_sparse=1,
        Ncontext_dense=1,
        Nfeature_list_sparse=1,
        Nfeature_list_dense=2,
        context_sparse_types=("string",),
        Tcontext_dense=("int64",),
        feature_list_dense_types=("float32", "int64"),
        context_dense_shapes=Shapes([]),
        feature_list_sparse_types=("string",),
        feature_list_dense_shapes=Shapes([2], []),
    )


@case("ParseSingleSequenceExample", error="Feature list: w")
def one_sequence_example_of_another_kind(tf):
    inputs = [tf.constant(STEPS[0]), tf.constant([], tf.string), tf.constant("w"), tf.constant("A")]
    return node(
        tf,
        "ParseSingleSequenceExample",
        inputs,
        Ncontext_sparse=0,
        Ncontext_dense=0,
        Nfeature_list_sparse=0,
        Nfeature_list_dense=1,
        context_sparse_types=(),
        Tcontext_dense=(),
        feature_list_dense_types=("int64",),
        context_dense_shapes=Shapes(),
        feature_list_sparse_types=(),
        feature_list_dense_shapes=Shapes([2]),
    )
