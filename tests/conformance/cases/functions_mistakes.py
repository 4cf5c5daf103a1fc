"""Functions that cannot be called, or fail."""

from tests.conformance.nodes import function_module
from tests.conformance.registry import case


@case(error="Expected 1 arguments, got 2.")
def too_many_arguments(tf):
    @function_module(tf).Defun(tf.float32, func_name="One")
    def function(x):
        return x

    return function(1.0, 2.0)


@case(error="Input 'x' passed int32 expected float while building NodeDef 'One'")
def argument_of_another_type(tf):
    @function_module(tf).Defun(tf.float32, func_name="One")
    def function(x):
        return x + 1.0

    return function(tf.constant(1))


@case(error="minimum 2 and maximum 2 arguments")
def fewer_types_than_arguments(tf):
    @function_module(tf).Defun(tf.float32)
    def function(x, y):
        return x

    return function(1.0)


@case(error="defaults or keywords arguments are not supported")
def default_arguments(tf):
    @function_module(tf).Defun(tf.float32)
    def function(x, y=1.0):
        return x

    return function(1.0)


@case(error="Function function can not return None.")
def none_among_the_results(tf):
    @function_module(tf).Defun(tf.float32)
    def function(x):
        return x, None

    return function(1.0)


@case(error="")
def recursion(tf):
    @function_module(tf).Defun(tf.float32)
    def function(x):
        return function(x)

    return function(1.0)


@case(error="because an op with the same name already exists")
def name_of_an_op(tf):
    @function_module(tf).Defun(tf.float32, func_name="MatMul")
    def function(x):
        return x

    return function(1.0)


@case(error="because a different function with the same name already exists")
def two_functions_of_one_name(tf):
    defun = function_module(tf).Defun

    @defun(tf.float32, func_name="Same")
    def one(x):
        return x + 1.0

    @defun(tf.float32, func_name="Same")
    def other(x):
        return x + 2.0

    return one(1.0), other(1.0)


@case(error="produced 2 shapes, which does not match 1 outputs.")
def shape_function_with_too_many_shapes(tf):
    @function_module(tf).Defun(tf.float32, func_name="Shaped", shape_func=lambda op: [[], []])
    def function(x):
        return x + 1.0

    return function(1.0)


@case(error="Cannot capture a placeholder")
def placeholder_by_value(tf):
    x = tf.placeholder(tf.float32, [], name="x")

    @function_module(tf).Defun(func_name="Copies", capture_by_value=True)
    def function():
        return x + 1.0

    return function()


@case(error="Unknown keyword arguments")
def unknown_settings(tf):
    @function_module(tf).Defun(tf.float32, func_name="F", colour="red")
    def function(x):
        return x

    return function(1.0)


@case(error="Integer division by zero")
def division_by_zero_inside(tf):
    @function_module(tf).Defun(tf.int32, tf.int32, func_name="Quotient")
    def function(x, y):
        return x // y

    return function(tf.placeholder_with_default(1, []), tf.placeholder_with_default(0, []))


@case(error="input types ([tf.float32, tf.float32])")
def reference_in_a_function(tf):
    v = tf.get_variable("v", initializer=1.0, use_resource=False)

    @function_module(tf).Defun(func_name="Count")
    def count():
        return tf.assign_add(v, 1.0)

    return count()
