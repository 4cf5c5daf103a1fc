"""The graphs that variable scopes build: names, devices, getters, templates."""

import numpy as np

from tests.conformance.registry import Program, case

KINDS = [False, True]
ONES = [1.0, 1.0]


def run(tf, fetches):
    return Program(fetches, setup=[tf.global_variables_initializer()])


@case("Identity", each=KINDS)
def scopes_inside_scopes(tf, resource):
    with tf.variable_scope("a", use_resource=resource, initializer=tf.ones_initializer()):
        first = tf.get_variable("v", [2])
        with tf.variable_scope("b", initializer=tf.constant_initializer(3.0), dtype=tf.float64):
            second = tf.get_variable("v", [2])
        with tf.variable_scope(None, "layer"):
            third = tf.get_variable("v", [2], tf.int32)
        with tf.variable_scope(None, "layer"):
            fourth = tf.get_variable("v", initializer=[4.0]) * 2.0
    with tf.variable_scope("a", reuse=True):
        again = tf.get_variable("v", [2]) + 1.0
    variables = [first, second, third]
    return run(tf, [v.read_value() for v in variables] + [fourth, again])


@case("Identity", each=KINDS)
def caching_devices(tf, resource):
    with tf.variable_scope("a", caching_device="/cpu:0", use_resource=resource):
        cached = tf.get_variable("v", initializer=ONES)
        with tf.device("/cpu:0"):
            other = tf.get_variable("w", initializer=ONES, caching_device="/device:CPU:0")
    return run(tf, [cached + other, cached.read_value(), tf.multiply(cached, 2.0)])


@case("Mul")
def getters_that_change_the_variable(tf):
    def halved(getter, *args, **kwargs):
        return 0.5 * getter(*args, **kwargs)

    def shifted(getter, name, *args, **kwargs):
        return getter("inner_" + name, *args, **kwargs) + 1.0

    with tf.variable_scope("a", custom_getter=halved):
        with tf.variable_scope("b", custom_getter=shifted):
            both = tf.get_variable("v", initializer=ONES)
        one = tf.get_variable("v", initializer=ONES)
    return run(tf, [both, one])


@case("MatMul", "AddV2")
def a_template_called_twice(tf):
    def dense(x, units):
        w = tf.get_variable("w", [2, units], initializer=tf.ones_initializer())
        b = tf.get_variable("b", [units], initializer=tf.zeros_initializer())
        return tf.add(tf.matmul(x, w), b, name="out")

    layer = tf.make_template("dense", dense, units=3)
    now = tf.make_template("now", dense, create_scope_now_=True, units=1)
    x = tf.constant([[1.0, 2.0]])
    with tf.name_scope("tower"):
        inside = layer(x)
    return run(tf, [inside, layer(x), layer(2.0 * x), now(x)])


@case("AddV2")
def names_without_a_name_scope(tf):
    with tf.variable_scope("a") as a:
        first = tf.get_variable("v", initializer=ONES) + 1.0
    with tf.variable_scope(a, auxiliary_name_scope=False, reuse=True):
        second = tf.get_variable("v", [2]) + 2.0
        with tf.name_scope("n"):
            third = tf.get_variable("v", [2]) + 3.0
    return run(tf, [first, second, third])


@case("Rank", "Pack", "IsVariableInitialized", "VarIsInitializedOp")
def checks_of_variables(tf):
    variables = [tf.Variable(1.0, name="a"), tf.Variable(ONES, name="b", use_resource=True)]
    ranks = tf.assert_variables_initialized(variables)
    missing = tf.report_uninitialized_variables(variables)
    return run(tf, [ranks, missing, [tf.is_variable_initialized(v) for v in variables]])


@case("Rank", error="ninitialized value v")
def a_check_of_a_variable_without_a_value(tf):
    return tf.assert_variables_initialized([tf.Variable(np.float32(1.0), name="v")])


@case("VariableV2", "VarHandleOp")
def creators(tf):
    def add_one(next_creator, **arguments):
        arguments["initial_value"] = tf.constant(arguments["initial_value"]) + 1.0
        return next_creator(**arguments)

    def resource(next_creator, **arguments):
        return next_creator(**{**arguments, "use_resource": True})

    with tf.variable_creator_scope(add_one):
        first = tf.Variable(1.0, name="first")
        with tf.variable_creator_scope(resource):
            second = tf.Variable(2.0, name="second")
    return run(tf, [first.read_value(), second.read_value()])
