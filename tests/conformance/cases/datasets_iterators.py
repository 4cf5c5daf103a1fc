"""Iterators: initialised, again, by name, by a handle."""

from tests.conformance.cases.datasets import one_shot
from tests.conformance.nodes import Shapes, node
from tests.conformance.registry import Program, case


@case("IteratorV2", "MakeIterator", "IteratorGetNext")
def reinitialised(tf):
    numbers, squares = tf.data.Dataset.range(5), tf.data.Dataset.range(5).map(lambda x: x * x)
    iterator = tf.data.Iterator.from_structure(numbers.output_types, numbers.output_shapes)
    first = iterator.make_initializer(numbers)
    second = iterator.make_initializer(squares.skip(2), name="second")
    return Program(iterator.get_next(), setup=[first, second], runs=2)


@case("IteratorV2", error="the iterator has not been initialized")
def not_initialised(tf):
    return tf.data.Dataset.range(5).make_initializable_iterator().get_next()


@case("IteratorV2")
def named_iterator(tf):
    with tf.name_scope("input"):
        iterator = tf.data.Dataset.range(5).make_initializable_iterator(shared_name="shared")
        element = iterator.get_next(name="element")
    return Program(element, setup=[iterator.initializer])


@case("OneShotIterator", error="Cannot capture a stateful node (name:Variable, type:VarHandleOp)")
def one_shot_with_a_variable(tf):
    v = tf.Variable(5, dtype=tf.int64, use_resource=True)
    return one_shot(tf.data.Dataset.range(4).map(lambda x: x + v))


@case("OneShotIterator", error="Cannot capture a placeholder (name:Placeholder")
def one_shot_with_a_placeholder(tf):
    return one_shot(tf.data.Dataset.range(tf.placeholder(tf.int64, [])))


@case("IteratorFromStringHandleV2", "IteratorToStringHandle")
def fed_by_a_handle(tf):
    iterator = tf.data.Dataset.range(5).make_one_shot_iterator()
    copy = tf.data.Iterator.from_string_handle(iterator.string_handle(name="named"), tf.int64, [])
    return Program(copy.get_next(), runs=3)


@case("IteratorFromStringHandleV2", error="Could not parse string_handle")
def fed_by_nonsense(tf):
    return tf.data.Iterator.from_string_handle("nonsense", tf.int64, []).get_next()


@case("IteratorFromStringHandleV2", error="Data type mismatch at component 0")
def fed_by_another_type(tf):
    handle = tf.data.Dataset.range(5).make_one_shot_iterator().string_handle()
    return tf.data.Iterator.from_string_handle(handle, tf.float32, []).get_next()


@case("IteratorFromStringHandle", "Iterator", "IteratorGetNextSync")
def older_iterators(tf):
    numbers = tf.data.Dataset.range(5)
    kinds = {"output_types": ("int64",), "output_shapes": Shapes([])}
    (handle,) = node(tf, "Iterator", [], shared_name="mine", container="", **kinds)
    make = tf.get_default_graph().create_op("MakeIterator", [numbers._variant_tensor, handle])
    (text,) = node(tf, "IteratorToStringHandle", [handle])
    (again,) = node(tf, "IteratorFromStringHandle", [text], **kinds)
    (element,) = node(tf, "IteratorGetNextSync", [again], **kinds)
    return Program(element, setup=[make], runs=3)
