"""`tf.TensorArray`: reading, writing, gradients, and what is wrong with it."""

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case


def ordered(tf, first, then):
    """`then()`, after `first` has run."""
    with tf.control_dependencies([first]):
        return then()


@case("TensorArrayV3", "TensorArrayWriteV3", "TensorArrayReadV3")
def write_and_read(tf):
    array = tf.TensorArray(tf.float32, 3).write(0, [1.0, 2.0]).write(2, tf.constant([3.0, 4.0]))
    return [array.read(2), array.read(0), array.size()]


@case("TensorArrayScatterV3", "TensorArrayGatherV3")
def unstack_and_stack(tf):
    x = tf.constant([[1, 2], [3, 4], [5, 6]])
    array = tf.TensorArray(tf.int32, 3, clear_after_read=False).unstack(x)
    return [array.stack(), array.gather([2, 0]), array.read(1)]


@case("TensorArrayScatterV3")
def scatter(tf):
    array = tf.TensorArray(tf.float64, 4, element_shape=[]).scatter([3, 1], [1.0, 2.0])
    return array.stack()


@case("TensorArraySplitV3", "TensorArrayConcatV3")
def split_and_concat(tf):
    x = tf.constant([[1.0], [2.0], [3.0]])
    even = tf.TensorArray(tf.float32, 3, clear_after_read=False).split(x, [1, 1, 1])
    uneven = tf.TensorArray(tf.float32, 2, infer_shape=False, clear_after_read=False)
    uneven = uneven.split(x, [1, 2])
    return [even.concat(), even.read(1), uneven.concat(), uneven.read(1)]


@case("TensorArraySizeV3")
def an_array_that_grows(tf):
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True, clear_after_read=False)
    array = array.write(2, 1.0).write(0, 2.0)
    return [array.size(), array.read(2), array.stack(), array.unstack([]).size()]


@case("TensorArrayScatterV3")
def unstacking_makes_it_grow(tf):
    x = tf.placeholder(tf.float32, [None], name="x")
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True).unstack(x)
    return Program([array.size(), array.stack()], feed=[{x: [1.0, 2.0]}, {x: [5.0]}])


@case("TensorArrayWriteV3", each=["string", "bool", "int64", "complex64", "float16"])
def elements(tf, dtype):
    value = {"string": "a", "bool": True}.get(dtype, 3)
    array = tf.TensorArray(dtype, 2, clear_after_read=False)
    array = array.write(0, tf.constant([value], dtype)).write(1, tf.constant([value], dtype))
    return [array.read(0), array.stack(), array.concat()]


@case("TensorArrayGatherV3")
def strings_one_by_one(tf):
    array = tf.TensorArray(tf.string, 2, clear_after_read=False).unstack(["a", "b"])
    return [array.stack(), array.read(1)]


@case("TensorArrayReadV3")
def what_nobody_wrote_is_zero(tf):
    array = tf.TensorArray(tf.float32, 3, element_shape=[2], clear_after_read=False)
    return [array.read(0), array.write(1, [1.0, 2.0]).stack()]


@case("TensorArrayGatherV3", "TensorArrayConcatV3")
def arrays_of_nothing(tf):
    array = tf.TensorArray(tf.float32, 0, element_shape=[2, 3])
    return [array.stack(), array.concat(), array.size()]


@case("TensorArrayV3", "Identity")
def names_and_devices(tf):
    with tf.device("/cpu:0"):
        array = tf.TensorArray(
            tf.float32,
            2,
            tensor_array_name="kept",
            name="mine",
            colocate_with_first_write_call=False,
        )
    array = array.write(0, 1.0, name="one").write(1, 2.0).identity()
    return [array.stack(name="all"), array.size(name="count")]


@case("TensorArrayWriteV3")
def an_array_goes_through_a_conditional(tf):
    pred = tf.placeholder(tf.bool, [], name="pred")
    array = tf.TensorArray(tf.float32, 2)
    array = tf.cond(pred, lambda: array.write(0, 1.0), lambda: array.write(1, 2.0))
    return Program(array.stack(), feed=[{pred: True}, {pred: False}])


@case("TensorArrayWriteV3", "LoopCond")
def an_array_goes_through_a_loop(tf):
    array = tf.TensorArray(tf.int32, 0, dynamic_size=True, clear_after_read=False)
    count, array = tf.while_loop(
        lambda i, _: i < 4, lambda i, array: (i + 1, array.write(i, i * i)), (0, array)
    )
    alone = tf.while_loop(
        lambda array: array.size() < 3,
        lambda array: array.write(array.size(), 7),
        [tf.TensorArray(tf.int32, 0, dynamic_size=True)],
    )
    return [count, array.stack(), array.read(3), alone.stack()]


@case("TensorArrayGradV3")
def gradients_of_reading_and_writing(tf):
    x = tf.constant([1.0, 2.0])
    array = tf.TensorArray(tf.float32, 3, clear_after_read=False).write(0, x).write(1, x * x)
    y = array.read(1) * array.read(0) + array.read(0)
    return [y, *tf.gradients(y, x)]


@case("TensorArrayGradV3")
def gradients_of_stacking_and_unstacking(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    array = tf.TensorArray(tf.float32, 2, clear_after_read=False).unstack(x)
    y = array.stack()
    return [*tf.gradients([y * y, array.gather([1, 1])], x), array.read(0)]


@case("TensorArrayGradV3", "TensorArraySplitV3")
def gradients_of_splitting_and_joining(tf):
    x = tf.constant([[1.0], [2.0], [3.0]])
    y = tf.TensorArray(tf.float32, 2, infer_shape=False).split(x, [1, 2]).concat()
    return tf.gradients(y * y * y, x)


@case("TensorArrayGradV3", "StackPopV2")
def gradients_through_a_loop(tf):
    x = tf.constant(3.0)
    array = tf.TensorArray(tf.float32, 4)
    _, array = tf.while_loop(
        lambda i, _: i < 4,
        lambda i, array: (i + 1, array.write(i, tf.cast(i, tf.float32) * x)),
        (0, array),
    )
    y = array.stack()
    return [y, *tf.gradients(y * y, x)]


@case("TensorArrayGradV3")
def two_calls_of_gradients_do_not_mix(tf):
    x = tf.constant([2.0])
    y = tf.TensorArray(tf.float32, 1).write(0, x * x).read(0)
    return [*tf.gradients(y, x), *tf.gradients(y * y, x)]


@case("TensorArrayGradV3")
def a_gradient_adds_up_what_is_written(tf):
    array = tf.TensorArray(tf.float32, 1).write(0, [1.0])
    gradient = array.grad("mine").write(0, [2.0]).write(0, [3.0])
    return gradient.read(0)


@case("TensorArrayGradWithShape")
def a_gradient_with_more_axes(tf):
    from_array = tf.TensorArray(tf.float32, 2, element_shape=[3])
    inputs = [from_array.handle, from_array.flow, tf.constant([4])]
    handle, flow = node(tf, "TensorArrayGradWithShape", inputs, source="mine")
    value = node(tf, "TensorArrayReadV3", [handle, tf.constant(0), flow], dtype=tf.float32)
    return [value, node(tf, "TensorArraySizeV3", [handle, flow])]


@case("TensorArrayCloseV3")
def close(tf):
    array = tf.TensorArray(tf.float32, 3)
    return ordered(tf, array.write(0, 1.0).flow, array.close)


# What is wrong -------------------------------------------------------------------------------


@case("TensorArrayReadV3", each=[5, -1], error="but array size is: 3")
def read_outside(tf, index):
    return tf.TensorArray(tf.float32, 3).read(index)


@case("TensorArrayReadV3", error="Could not read from TensorArray index 0.  Furthermore, the")
def read_what_nobody_wrote(tf):
    return tf.TensorArray(tf.float32, 3, element_shape=[None, 2]).read(0)


@case("TensorArrayReadV3", error="Could not read index 0 twice because it was cleared after")
def read_twice(tf):
    array = tf.TensorArray(tf.float32, 3).write(0, 1.0)
    return ordered(tf, array.read(0), lambda: array.read(0))


@case("TensorArrayReadV3", error="TensorArray dtype is float but Op requested dtype int32.")
def read_another_dtype(tf):
    array = tf.TensorArray(tf.float32, 3)
    inputs = [array.handle, tf.constant(0), array.flow]
    return node(tf, "TensorArrayReadV3", inputs, dtype=tf.int32)


@case("TensorArrayReadV3", error="Shape must be rank 0 but is rank 1")
def read_at_a_vector(tf):
    return tf.TensorArray(tf.float32, 3).read([1])


@case("TensorArrayWriteV3", each=[3, -1], error="but array is not resizeable and size is: 3")
def write_outside(tf, index):
    return tf.TensorArray(tf.float32, 3).write(index, 1.0).flow


@case("TensorArrayWriteV3", error="not resizeable and size is: 3")
def write_before_the_first_of_an_array_that_grows(tf):
    return tf.TensorArray(tf.float32, 3, dynamic_size=True).write(-1, 1.0).flow


@case("TensorArrayWriteV3", error="index 0 because it has already been written to.")
def write_twice(tf):
    return tf.TensorArray(tf.float32, 3).write(0, 1.0).write(0, 2.0).flow


@case("TensorArrayWriteV3", each=[True, False], error="0 because it has already been read.")
def write_after_reading(tf, clear):
    array = tf.TensorArray(tf.float32, 3, clear_after_read=clear).write(0, 1.0)
    return ordered(tf, array.read(0), lambda: array.write(0, 2.0).flow)


@case("TensorArrayWriteV3", error="dtype is float but Op is trying to write dtype int32.")
def write_another_dtype(tf):
    return tf.TensorArray(tf.float32, 3).write(0, tf.constant(1)).flow


@case("TensorArrayWriteV3", error="Inconsistent shapes: saw (3,) but expected (2,)")
def write_another_shape(tf):
    return tf.TensorArray(tf.float32, 3).write(0, [1.0, 2.0]).write(1, [1.0, 2.0, 3.0]).flow


@case("TensorArrayWriteV3", error="incompatible with the TensorArray's inferred element shape: [2]")
def write_a_shape_that_turns_out_wrong(tf):
    x = tf.placeholder(tf.float32, name="x")
    array = tf.TensorArray(tf.float32, 3, element_shape=[2])
    return Program(array.write(0, x).flow, feed={x: [1.0, 2.0, 3.0]})


@case("TensorArrayWriteV3", error="index 1 because the value shape is [3] which is incompatible")
def write_unlike_the_first(tf):
    x = tf.placeholder(tf.float32, name="x")
    array = tf.TensorArray(tf.float32, 3).write(0, x[:2]).write(1, x)
    return Program(array.flow, feed={x: [1.0, 2.0, 3.0]})


@case("TensorArrayWriteV3", error="not resizeable and size is: 0")
def grow_after_the_gradient_is_made(tf):
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    return ordered(tf, array.grad("mine").flow, lambda: array.write(0, 1.0).flow)


@case("TensorArrayGatherV3", error="Index 0 has shape: [2] but index 1 has shape: [3]")
def stack_unlike_shapes(tf):
    array = tf.TensorArray(tf.float32, 2, infer_shape=False).write(0, [1.0, 2.0])
    return array.write(1, [1.0, 2.0, 3.0]).stack()


@case("TensorArrayGatherV3", error="TensorArray has size zero, but element shape <unknown> is not")
def stack_nothing_of_no_known_shape(tf):
    return tf.TensorArray(tf.float32, 0).stack()


@case("TensorArrayConcatV3", error="but element_shape_except0 <unknown> is not fully defined")
def join_nothing_of_no_known_shape(tf):
    return tf.TensorArray(tf.float32, 0).concat()


@case("TensorArrayConcatV3", error="(excepting dimension 0) shape: [1] but index 1 has")
def join_unlike_shapes(tf):
    array = tf.TensorArray(tf.float32, 2, infer_shape=False).write(0, [[1.0]])
    return array.write(1, [[2.0, 3.0]]).concat()


@case("TensorArrayConcatV3", error="Concat saw a scalar shape at index 0 but requires at least")
def join_single_numbers(tf):
    array = tf.TensorArray(tf.float32, 2, infer_shape=False).write(0, 1.0).write(1, 2.0)
    return array.concat()


@case("TensorArrayGatherV3", each=[(0, 5), (-1, 0)], error="but array size is: 2")
def gather_outside(tf, first, second):
    array = tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0])
    return array.gather([first, second])


@case("TensorArrayGatherV3", error="Shape must be rank 1 but is rank 2")
def gather_at_a_matrix(tf):
    return tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0]).gather([[0]])


@case("TensorArrayGatherV3", error="Expected indices to be a vector, but received shape: [1,1]")
def gather_at_what_turns_out_a_matrix(tf):
    indices = tf.placeholder(tf.int32, name="indices")
    array = tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0])
    return Program(array.gather(indices), feed={indices: [[0]]})


@case("TensorArrayScatterV3", error="Max scatter index must be < array size (5 vs. 2)")
def scatter_outside(tf):
    return tf.TensorArray(tf.float32, 2).scatter([0, 5], [1.0, 2.0]).flow


@case("TensorArrayScatterV3", error="Dimensions must be equal, but are 1 and 2")
def scatter_too_few(tf):
    return tf.TensorArray(tf.float32, 2).scatter([0, 1], [1.0]).flow


@case("TensorArrayScatterV3", error="Expected len(indices) == values.shape[0], but saw: 2 vs. 1")
def scatter_what_turn_out_too_few(tf):
    x = tf.placeholder(tf.float32, name="x")
    return Program(tf.TensorArray(tf.float32, 2).scatter([0, 1], x).flow, feed={x: [1.0]})


@case("TensorArrayScatterV3", error="Shape must be at least rank 1 but is rank 0")
def scatter_a_single_number(tf):
    return tf.TensorArray(tf.float32, 2).scatter([0, 1], 1.0).flow


@case("TensorArrayScatterV3", error="Max scatter index must be < array size (2 vs. 2)")
def unstack_too_many(tf):
    return tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0, 3.0]).flow


@case("TensorArraySplitV3", error="is not equal to the size of lengths (3 vs. 2), and the")
def split_into_too_few(tf):
    array = tf.TensorArray(tf.float32, 3, infer_shape=False)
    return array.split([1.0, 2.0, 3.0], [1, 2]).flow


@case("TensorArraySplitV3", error="but sum of lengths is 2 and value's shape is: [3]")
def split_too_short(tf):
    array = tf.TensorArray(tf.float32, 2, infer_shape=False)
    return array.split([1.0, 2.0, 3.0], [1, 1]).flow


@case("TensorArraySplitV3", error="Expected value to be at least a vector, but received shape: []")
def split_a_single_number(tf):
    return tf.TensorArray(tf.float32, 2, infer_shape=False).split(1.0, [1, 1]).flow


@case("TensorArraySplitV3", error="incompatible with the TensorArray's inferred element shape: [1]")
def split_into_unlike_pieces(tf):
    return tf.TensorArray(tf.float32, 2).split([1.0, 2.0, 3.0], [1, 2]).flow


@case("TensorArrayCloseV3", error="has already been closed.", each=["write", "read", "size"])
def use_after_closing(tf, how):
    array = tf.TensorArray(tf.float32, 3, dynamic_size=True)
    uses = {
        "write": lambda: array.write(0, 1.0).flow,
        "read": lambda: array.read(0),
        "size": array.size,
    }
    return ordered(tf, array.close(), uses[how])


@case("TensorArrayV3", error="Size should be >= 0.")
def negative_size(tf):
    return tf.TensorArray(tf.float32, -1).flow


@case("TensorArrayV3", error="Shape must be rank 0 but is rank 1")
def a_vector_of_sizes(tf):
    return tf.TensorArray(tf.float32, [1, 2]).flow


@case("TensorArrayV3", error="TensorArray size must be scalar, but had shape: [2]")
def what_turns_out_a_vector_of_sizes(tf):
    size = tf.placeholder(tf.int32, name="size")
    return Program(tf.TensorArray(tf.float32, size).flow, feed={size: [1, 2]})


@case("TensorArrayGradV3", error="Wrong input container.")
def second_derivatives(tf):
    x = tf.ones([2])
    y = tf.TensorArray(tf.float32, 1).write(0, x * x).read(0)
    return tf.gradients(tf.gradients(y * y, x), x)


@case("TensorArrayV3", error="Expected op/tensor name to start with gradients")
def gradients_of_another_name(tf):
    x = tf.ones([2])
    return tf.gradients(tf.TensorArray(tf.float32, 1).write(0, x).read(0), x, name="slopes")


@case("TensorArrayGatherV3", error="tensor_array::TensorSetZero type not supported: string")
def there_is_no_string_zero(tf):
    return tf.TensorArray(tf.string, 2, element_shape=[]).write(0, "a").stack()


@case(
    "TensorArrayV3",
    each=["size", "tensor_array_name", "dynamic_size", "clear_after_read", "element_shape"],
    error="at the same time.",
)
def a_handle_and(tf, argument):
    array = tf.TensorArray(tf.float32, 3)
    value = {"size": 2, "tensor_array_name": "x", "element_shape": [2]}.get(argument, True)
    return tf.TensorArray(tf.float32, handle=array.handle, **{argument: value}).flow


@case("TensorArrayV3", error="Argument `size` must be provided if handle is not provided.")
def neither_handle_nor_size(tf):
    return tf.TensorArray(tf.float32).flow


@case("TensorArrayV3", error="flow must not be None if handle is not None.")
def a_handle_without_a_flow(tf):
    return tf.TensorArray(tf.float32, handle=tf.TensorArray(tf.float32, 3).handle).flow


@case("TensorArrayV3", error="Expected `handle` to be a Tensor, but got `3` of type")
def a_handle_that_is_a_number(tf):
    return tf.TensorArray(tf.float32, handle=3).flow
