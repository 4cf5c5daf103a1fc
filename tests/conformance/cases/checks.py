"""Assertions about values, ranks, shapes and types; check_numerics."""

import numpy as np

from tests.conformance.registry import Program, case
from tests.conformance.values import fed

#: function -> values it accepts for x, with [1.0, 2.0] for y
RELATIONS = {
    "assert_equal": [1.0, 2.0],
    "assert_none_equal": [2.0, 1.0],
    "assert_less": [0.0, 1.0],
    "assert_less_equal": [1.0, 1.0],
    "assert_greater": [2.0, 3.0],
    "assert_greater_equal": [1.0, 3.0],
    "assert_near": [1.0, 2.0],
}
WRONG = {
    "assert_none_equal": [2.0, 2.0],
    "assert_less": [0.0, 2.0],
    "assert_less_equal": [1.0, 3.0],
}
SIGNS = {
    "assert_positive": [1.0, 2.0],
    "assert_negative": [-1.0, -2.0],
    "assert_non_negative": [0.0, 2.0],
    "assert_non_positive": [0.0, -2.0],
}


def checked(tf, check, x):
    with tf.control_dependencies([check]):
        return tf.identity(x)


# Values -------------------------------------------------------------------------------------------


@case("Assert", each=list(RELATIONS))
def what_holds(tf, name):
    x, feed = fed(tf, RELATIONS[name], shape=[None])
    function = getattr(tf, name)
    return Program(
        [
            checked(tf, function(x, [1.0, 2.0]), x),
            function(x, tf.constant([1.0, 2.0]), name="named"),
            getattr(tf.debugging, name)(x, [1.0, 2.0], message="a message", summarize=2),
        ],
        feed=feed,
    )


@case("Assert", each=list(RELATIONS), error="did not hold element-wise:] [x (Placeholder:0) = ")
def what_does_not_hold(tf, name):
    if name == "assert_near":
        x, feed = fed(tf, [1.0, 2.5], shape=[None])
        data = ["did not hold element-wise:", "x (Placeholder:0) = ", x]
        return Program(tf.assert_near(x, [1.0, 2.0], data=data), feed=feed)
    x, feed = fed(tf, WRONG.get(name, [1.0, 1.0]), shape=[None])
    return Program(getattr(tf, name)(x, [1.0, 2.0]), feed=feed)


@case("Assert", error="assertion failed: [look here.  ] [x and y not equal to tolerance rtol = ")
def what_is_not_near(tf):
    x, feed = fed(tf, [1.0, 2.0001])
    return Program(tf.assert_near(x, [1.0, 2.0], message="look here"), feed=feed)


@case("Assert", error="assertion failed: [look here] [Condition x == y did not hold")
def the_message_comes_first(tf):
    x, feed = fed(tf, [1.0, 2.0])
    return Program(tf.assert_equal(x, [1.0, 3.0], message="look here"), feed=feed)


@case("Assert", error="assertion failed: [sizes] [2]")
def data_of_ones_own(tf):
    x, feed = fed(tf, [1.0, 2.0])
    return Program(tf.assert_equal(x, 3.0, data=["sizes", tf.size(x)]), feed=feed)


@case("Assert", each=["float16", "float64", "complex64"])
def near_of_other_types(tf, dtype):
    x = tf.constant([1, 2], dtype)
    return [tf.assert_near(x, x), tf.assert_near(x, x + 1, rtol=2.0, atol=0.5)]


@case("Assert")
def integers_and_strings(tf):
    return [
        tf.assert_equal([1, 2], [1, 2]),
        tf.assert_less(1, [2, 3], name="named"),
        tf.assert_none_equal(["a"], "b"),
        tf.assert_equal([], []),
    ]


@case("NoOp")
def a_tensor_is_equal_to_itself(tf):
    x, feed = fed(tf, [1.0, 2.0])
    return Program([tf.assert_equal(x, x), tf.assert_equal(x, x, name="named")], feed=feed)


@case("Equal", error="x (assert_equal_1/x:0) = \n[1 2]\ny (assert_equal_1/y:0) = \n[1 3]")
def what_is_known_not_to_hold(tf):
    return tf.assert_equal([1, 2], [1, 3], message="hm")


@case("Less", error="look\n[3]")
def what_is_known_not_to_hold_with_data(tf):
    return tf.assert_less(3, 2, data=["look", tf.constant([3])])


@case("Assert", each=list(SIGNS))
def signs_that_hold(tf, name):
    x, feed = fed(tf, SIGNS[name])
    function = getattr(tf, name)
    return Program(
        [
            checked(tf, function(x), x),
            function(tf.constant(SIGNS[name], tf.float64), name="named"),
            getattr(tf.debugging, name)(x, message="a message", summarize=1),
        ],
        feed=feed,
    )


@case("Assert", each=list(SIGNS), error="0 did not hold element-wise:")
def signs_that_do_not_hold(tf, name):
    x, feed = fed(tf, [0.0, 1.0, -1.0])
    return Program(getattr(tf, name)(x, message="signs"), feed=feed)


@case(
    "Less", error="hm.  \nCondition x > 0 did not hold element-wise:\nx (assert_positive/x:0) = \n"
)
def a_sign_that_is_known_not_to_hold(tf):
    return tf.assert_positive([1, -2], message="hm")


@case("Less", "All", each=["float32", "int32", "uint8"])
def order(tf, dtype):
    x, feed = fed(tf, np.array([[1, 1], [2, 3]]), dtype)
    return Program(
        [
            f(v)
            for f in (tf.is_non_decreasing, tf.is_strictly_increasing)
            for v in (x, tf.constant([1, 2, 4], dtype), tf.constant([2, 1], dtype), x[0, :1])
        ],
        feed=feed,
    )


@case(error="Expected x to be numeric, instead found: Tensor(")
def order_of_strings(tf):
    return tf.is_non_decreasing(["a", "b"], name="named")


# Ranks --------------------------------------------------------------------------------------------


@case("NoOp")
def ranks_that_are_known(tf):
    x = tf.zeros([2, 3])
    return [
        tf.assert_rank(x, 2),
        tf.assert_rank_at_least(x, 1, name="named"),
        tf.assert_rank_in(x, (1, 2)),
        tf.assert_scalar(3),
        tf.assert_scalar(x[0, 0]),
    ]


@case("Assert")
def ranks_that_a_run_knows(tf):
    x, feed = fed(tf, np.ones([2, 3]))
    rank, more = fed(tf, 2, "int32")
    checks = [
        tf.assert_rank(x, 2),
        tf.assert_rank(x, rank),
        tf.assert_rank_at_least(x, rank),
        tf.assert_rank_in(x, (1, rank)),
        tf.assert_rank_in(x, [2], message="a message"),
        tf.assert_rank(tf.zeros([2, 3]), rank),
    ]
    return Program([*checks, checked(tf, checks[0], x)], feed={**feed, **more})


@case(
    "Assert", error="assertion failed: [m.  ] [Tensor Placeholder:0 must have rank] [1] [Received"
)
def a_rank_that_is_wrong_in_a_run(tf):
    x, feed = fed(tf, np.ones([2, 3]))
    return Program(tf.assert_rank(x, 1, message="m"), feed=feed)


@case("Assert", error="must have rank at least] [3] [Received shape: ] [2 3]")
def a_rank_that_is_too_low_in_a_run(tf):
    x, feed = fed(tf, np.ones([2, 3]))
    return Program(tf.assert_rank_at_least(x, 3), feed=feed)


@case("Assert", error="must have rank in] [0] [1] [Received shape: ] [2 3]")
def a_rank_that_is_not_in_in_a_run(tf):
    x, feed = fed(tf, np.ones([2, 3]))
    return Program(tf.assert_rank_in(x, [0, 1]), feed=feed)


@case("Assert", error="Rank must be a scalar. Received rank: ")
def a_rank_that_is_a_vector_in_a_run(tf):
    x, feed = fed(tf, np.ones([2, 3]))
    rank, more = fed(tf, [2, 2], "int32")
    return Program(tf.assert_rank(x, rank), feed={**feed, **more})


@case(error="q.  Tensor zeros:0 must have rank 1.  Received rank 2, shape (2, 3)")
def a_wrong_rank(tf):
    return tf.assert_rank(tf.zeros([2, 3]), 1, message="q")


@case(error="Tensor zeros:0 must have rank at least 3.  Received rank 2, shape (2, 3)")
def too_low_a_rank(tf):
    return tf.assert_rank_at_least(tf.zeros([2, 3]), 3)


@case(error="Received rank 2, shape (2, 3)")
def a_rank_that_is_not_in(tf):
    return tf.assert_rank_in(tf.zeros([2, 3]), [0, 1])


@case(error="Rank must be a scalar.")
def a_rank_that_is_a_vector(tf):
    return tf.assert_rank(tf.zeros([2, 3]), [2])


@case(error="assert_rank/rank:0 must be of type tf.int32; got tf.float32")
def a_rank_that_is_a_float(tf):
    return tf.assert_rank(tf.zeros([2, 3]), 2.0)


@case(error="q.  Expected scalar shape for zeros:0, saw shape: (2,).")
def no_scalar(tf):
    return tf.assert_scalar(tf.zeros([2]), message="q")


@case(error="Expected scalar shape for Placeholder:0, saw shape: <unknown>.")
def a_scalar_perhaps(tf):
    return tf.assert_scalar(tf.placeholder(tf.float32))


# Types --------------------------------------------------------------------------------------------


@case("NoOp")
def types(tf):
    return [
        tf.assert_type([1], tf.int32),
        tf.assert_type(tf.zeros([1]), "float32", name="named"),
        tf.assert_integer([1]),
        tf.debugging.assert_integer(tf.constant(1, tf.uint8)),
    ]


@case(error="m.  zeros:0 must be of type tf.int32; got tf.float32")
def another_type(tf):
    return tf.assert_type(tf.zeros([1]), tf.int32, message="m")


@case(error="Expected \"x\" to be integer type.  Found: zeros:0 of dtype <dtype: 'float32'>")
def no_integer(tf):
    return tf.assert_integer(tf.zeros([1]))


@case("Const")
def a_float_type(tf):
    x = tf.zeros([1], tf.float64)
    found = [
        tf.assert_same_float_dtype([x, None, x]),
        tf.assert_same_float_dtype(),
        tf.assert_same_float_dtype([x], tf.float64),
    ]
    return tf.constant([dtype.name for dtype in found])


@case(error="of the same type (<dtype: 'float32'>) as zeros:0.")
def two_float_types(tf):
    return tf.assert_same_float_dtype([tf.zeros([1]), tf.ones([1], tf.float64)])


@case(error="zeros:0, type=<dtype: 'float32'>, must be of the same type (<dtype: 'float64'>).")
def another_float_type(tf):
    return tf.assert_same_float_dtype([tf.zeros([1])], tf.float64)


@case(error="Expected floating point type, got <dtype: 'int32'>.")
def no_float_type(tf):
    return tf.assert_same_float_dtype([tf.constant(1)])


@case(error='Expected argument "values" to be a "proper" iterable.  Found: ')
def a_text_is_no_proper_iterable(tf):
    tf.assert_proper_iterable([1])
    tf.assert_proper_iterable("ab")


@case(error='Expected argument "values" to be iterable.  Found: ')
def a_number_is_not_iterable(tf):
    tf.assert_proper_iterable(3)


# Shapes -------------------------------------------------------------------------------------------


@case("Assert", "NoOp")
def shapes(tf):
    x, y, z = (tf.placeholder(tf.float32, s) for s in ([None, 2], [3], None))
    check = tf.debugging.assert_shapes(
        [(x, ("N", 2)), (y, ("N",)), (z, (..., 2)), (tf.constant(1.0), ()), (y, None)]
    )
    feed = {x: np.ones([3, 2]), y: np.ones([3]), z: np.ones([4, 5, 2])}
    return Program([check, checked(tf, check, x)], feed=feed)


@case("Assert", "NoOp")
def shapes_in_other_forms(tf):
    x, y = tf.placeholder(tf.float32, [None, 2]), tf.zeros([4, 3, 2])
    checks = [
        tf.debugging.assert_shapes([(y, ("*", "D")), (x, [None, "D"])], name="named"),
        tf.debugging.assert_shapes([(y, (".", "N", "D")), (x, ("N", "D"))], message="m"),
        tf.debugging.assert_shapes([(x, "N2")]),
        tf.debugging.assert_shapes([]),
    ]
    return Program(checks, feed={x: np.ones([3, 2])})


@case(
    "Assert", error="assertion failed: [] [Specified by tensor Placeholder:0 dimension 0] [Tensor "
)
def sizes_that_do_not_agree_in_a_run(tf):
    x, y = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [None])
    check = tf.debugging.assert_shapes([(x, ("N", 2)), (y, ("N",))])
    return Program(check, feed={x: np.ones([3, 2]), y: np.ones([2])})


@case(error="Specified explicitly.  Tensor zeros:0 dimension 1 must have size 3.  Received size 2")
def a_wrong_size(tf):
    return tf.debugging.assert_shapes([(tf.zeros([4, 2]), ("N", 3))])


@case(
    error="m.  Specified by tensor zeros:0 dimension 0.  Tensor ones:0 dimension 0 must have size 4"
)
def sizes_that_do_not_agree(tf):
    pairs = [(tf.zeros([4, 2]), ("N", 2)), (tf.ones([3]), ("N",))]
    return tf.debugging.assert_shapes(pairs, message="m")


@case(error="is only allowed as the first entry")
def an_ellipsis_in_between(tf):
    return tf.debugging.assert_shapes([(tf.zeros([4, 2]), ("N", "*", 2))])


@case(error="Specified shape must be an iterable.")
def sizes_that_are_no_list(tf):
    return tf.debugging.assert_shapes([(tf.zeros([4, 2]), 3)])


# check_numerics -----------------------------------------------------------------------------------


@case("CheckNumerics", each=["float16", "bfloat16", "float32", "float64"])
def finite_numbers(tf, dtype):
    x = tf.constant([1, 2], dtype)
    return [
        tf.check_numerics(x, "x"),
        tf.debugging.check_numerics(x[0], "x", name="named"),
        tf.verify_tensor_all_finite(x, "x"),
        tf.verify_tensor_all_finite([], "none"),
        tf.debugging.assert_all_finite(x=x, message="x", name="finite"),
    ]


@case("CheckNumerics", error="bad x : Tensor had NaN values", each=["float32", "float16"])
def not_a_number(tf, dtype):
    return tf.check_numerics(tf.constant([1, np.nan], dtype), "bad x")


@case("CheckNumerics", error="bad x : Tensor had Inf values", each=["inf", "-inf"])
def infinite(tf, value):
    return tf.check_numerics([1.0, float(value)], "bad x")


@case("CheckNumerics", error="bad x : Tensor had Inf and NaN values")
def infinite_and_not_a_number(tf):
    return tf.verify_tensor_all_finite([1.0, -np.inf, np.nan], "bad x")


@case("CheckNumerics", error="has DataType int32 not in list of allowed values")
def check_of_integers(tf):
    return tf.check_numerics([1, 2], "x")


@case(error="Expected string for argument 'message' not None.")
def check_without_a_message(tf):
    return tf.verify_tensor_all_finite([1.0])


@case(error="Cannot specify both 't' and 'x'.")
def check_of_two(tf):
    return tf.verify_tensor_all_finite(t=1.0, x=2.0, msg="m")


# TensorFlow's message has the repr of bytes in it, "b'x'", in the graph as in the error.
@case("CheckNumerics", graph="types")
def gradients_of_checks(tf):
    x = tf.constant([1.0, 2.0])
    return tf.gradients(tf.square(tf.check_numerics(x, "x")), x)


@case(
    "CheckNumerics",
    error="Not a number (NaN) or infinity (Inf) values detected in gradient. ",
    graph="types",
)
def gradients_that_are_infinite(tf):
    x = tf.constant([0.0, 2.0])
    return tf.gradients(tf.sqrt(tf.check_numerics(x, "x")), x)


@case("CheckNumerics", "NoOp")
def checks_of_a_whole_graph(tf):
    x, feed = fed(tf, [1.0, 2.0])
    v = tf.Variable([1.0, 2.0], use_resource=False)
    y = tf.cast(tf.exp(x), tf.int32)
    tf.split(v + x, 2)
    return Program([tf.add_check_numerics_ops(), y], feed=feed, setup=[v.initializer])


@case("CheckNumerics", error="Log:0 : Tensor had Inf values")
def the_first_of_a_whole_graph(tf):
    x, feed = fed(tf, [0.0])
    y = tf.log(x)
    y = y - y
    return Program(tf.add_check_numerics_ops(), feed=feed)


@case(error="is not compatible with TensorFlow control flow operations such as `tf.cond()`")
def checks_of_a_graph_with_conditions(tf):
    x, _ = fed(tf, 1.0)
    tf.cond(x > 0, lambda: x + 1, lambda: x)
    return tf.add_check_numerics_ops()


# Shapes that are looked at when the step runs -----------------------------------------------------


@case("EnsureShape", each=["? 2", "1 ?", "1 2"])
def ensure_shape(tf, shape):
    x, feed = fed(tf, np.array([[1.0, 2.0]]))
    y = tf.ensure_shape(x, [None if size == "?" else int(size) for size in shape.split()])
    return Program([y, *tf.gradients(y * y, x)], feed=feed)


@case("EnsureShape", error="is not compatible with expected shape [?,3].", each=["1 2", "3"])
def ensure_shape_of_another(tf, shape):
    x, feed = fed(tf, np.ones([int(size) for size in shape.split()]))
    return Program(tf.ensure_shape(x, [None, 3]), feed=feed)


@case("EnsureShape", error="Shape must be rank 1 but is rank 2")
def ensure_another_rank(tf):
    return tf.ensure_shape(tf.ones([2, 2]), [2])


@case("EnsureShape", error="Shapes are [2,3] and [2,2].")
def ensure_another_size(tf):
    return tf.ensure_shape(tf.ones([2, 2]), [2, 3])
