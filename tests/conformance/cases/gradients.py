"""tf.gradients: what it builds around the gradients of single ops."""

import numpy as np

from tests.conformance.registry import Program, case

KINDS = [False, True]


def matrix(tf, name="x"):
    return tf.constant(np.arange(1.0, 7.0).reshape(2, 3), tf.float32, name=name)


@case("Fill", "MatMul", "AddN")
def gradients_of_a_sum_of_paths(tf):
    x, w = matrix(tf), tf.constant([[1.0], [2.0], [3.0]], name="w")
    y = tf.matmul(x, w) + tf.reduce_sum(w * w)
    return tf.gradients(y, [x, w])


@case()
def gradients_of_unknown_shapes(tf):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    w = tf.constant([[1.0], [2.0], [3.0]], name="w")
    y = tf.tanh(tf.matmul(x, w)) * tf.constant([2.0])
    return Program(tf.gradients(y, [x, w]), feed={x: np.full([2, 3], 0.1)})


@case()
def several_ys_and_given_gradients(tf):
    x = matrix(tf)
    ys = [x * 2.0, tf.square(x), tf.reduce_sum(x)]
    given = [tf.ones_like(x) * 3.0, None, 0.5]
    return [tf.gradients(ys, x, grad_ys=given), tf.gradients(ys, [x, ys[0]], name="again")]


@case("Identity")
def gradient_of_a_tensor_by_itself(tf):
    x = matrix(tf)
    return [tf.gradients(x, x), tf.gradients(x, x, grad_ys=x)]


@case()
def stopped_gradients(tf):
    x = tf.constant(2.0, name="x")
    y = x * x
    z = y * x
    stopped = tf.stop_gradient(y) * x
    return [
        tf.gradients(z, x),
        tf.gradients(z, [x, y], stop_gradients=[y]),
        tf.gradients(z, [x, y], stop_gradients=[x, y]),
        tf.gradients(stopped, x),
    ]


@case("ZerosLike")
def unconnected_gradients(tf):
    x, y = tf.constant([1.0, 2.0]), tf.placeholder_with_default([3.0], [None], name="y")
    assert tf.gradients(x * 2.0, y) == [None]
    zero = tf.UnconnectedGradients.ZERO
    return tf.gradients(x * 2.0, [x, y], unconnected_gradients=zero)


@case(each=[0, 1, 2])
def ways_to_add(tf, method):
    x = matrix(tf)
    y = x * 2.0 + tf.square(x) + x
    return tf.gradients(y, x, aggregation_method=method)


@case()
def gradients_are_colocated(tf):
    x = matrix(tf)
    y = tf.reduce_sum(tf.square(x) + x)
    return tf.gradients(y, x, colocate_gradients_with_ops=True)


@case()
def gradients_on_several_devices(tf):
    with tf.device("/cpu:0"):
        x = matrix(tf)
        y = x * 2.0
    with tf.device("/device:CPU:0"):
        z = tf.square(x) + x
    return tf.gradients([y, z], x, colocate_gradients_with_ops=True)


@case("NoOp", "Identity")
def gated_gradients(tf):
    x, y = matrix(tf), matrix(tf, "y")
    return tf.gradients(x * y, [x, y], gate_gradients=True)


@case()
def second_derivatives(tf):
    x = tf.constant([1.0, 2.0, 3.0], name="x")
    [first] = tf.gradients(x * x * x, x)
    return [first, *tf.gradients(first, x)]


@case(each=KINDS)
def gradients_of_variables(tf, use_resource):
    v = tf.Variable([1.0, 2.0], name="v", use_resource=use_resource)
    y = v * v + tf.square(v)
    return Program(tf.gradients(y, v), setup=[v.initializer])


@case(each=KINDS)
def unconnected_variables(tf, use_resource):
    v = tf.Variable([1.0, 2.0], name="v", use_resource=use_resource)
    w = tf.Variable([1.0, 2.0, 3.0], name="w", use_resource=use_resource)
    found = tf.gradients(v * 2.0, [v, w], unconnected_gradients="zero")
    return Program(found, setup=[v.initializer, w.initializer])


@case("GatherV2", "UnsortedSegmentSum")
def sparse_gradients(tf):
    x = matrix(tf)
    [sparse] = tf.gradients(tf.gather(x, [1, 1, 0]), x)
    [both] = tf.gradients([tf.gather(x, [1]), tf.gather(x, [0, 1])], x)
    [mixed] = tf.gradients([tf.gather(x, [1]), x * 2.0], x)
    return [sparse, both, mixed, tf.convert_to_tensor(sparse)]


@case()
def overridden_gradients(tf):
    name = f"TwiceForConformance{id(tf.get_default_graph())}"

    @tf.RegisterGradient(name)
    def twice(op, gradient):
        return gradient * 2.0

    x = matrix(tf)
    with tf.get_default_graph().gradient_override_map({"Identity": "TwiceForConformance"}):
        y = tf.identity(x)
    y.op._set_attr("_gradient_op_type", _text(tf, name))
    [gradient] = tf.gradients(y * 3.0, x)
    y.op._set_attr("_gradient_op_type", _text(tf, "TwiceForConformance"))
    return gradient


def _text(tf, text):
    return tf.AttrValue(s=text.encode()) if "tensorflow" in tf.__name__ else text.encode()


@case(error="No gradient defined for operation")
def an_op_without_a_registered_gradient(tf):
    x = matrix(tf)
    with tf.get_default_graph().gradient_override_map({"Identity": "NobodyRegisteredThis"}):
        y = tf.identity(x, name="y")
    return tf.gradients(y, x)


@case(error="Length mismatch. Passed 1 grad_ys for 2 ys")
def too_few_given_gradients(tf):
    x = matrix(tf)
    return tf.gradients([x, x * 2.0], x, grad_ys=[x])


@case(error="Incompatible shapes between op input and calculated input gradient.")
def given_gradient_of_another_shape(tf):
    x = matrix(tf)
    return tf.gradients(tf.identity(x), x, grad_ys=tf.ones([3]))


@case(error="Unknown value for unconnected_gradients: 'both'")
def another_way_for_unconnected_gradients(tf):
    x = matrix(tf)
    return tf.gradients(x, x, unconnected_gradients="both")


@case(error="Invalid `aggregation_method` specified 7.")
def another_way_to_add(tf):
    x = matrix(tf)
    return tf.gradients(x * 2.0, x, aggregation_method=7)


@case(error="Gradients of complex tensors (")
def complex_result_without_given_gradient(tf):
    x = tf.constant(1 + 2j)
    return tf.gradients(x * x, x)
