"""Variables of both kinds: what they build, and what their state is from run to run."""

import numpy as np

from tests.conformance.registry import Program, case

KINDS = [False, True]


def variable(tf, use_resource, value=(1.0, 2.0), **settings):
    return tf.Variable(np.array(value, np.float32), use_resource=use_resource, **settings)


@case("VariableV2", "Assign", "Identity")
def a_reference_variable(tf):
    v = tf.Variable([1.0, 2.0], name="v", use_resource=False)
    return Program([v.value(), v.read_value()], setup=[v.initializer])


@case("VarHandleOp", "VarIsInitializedOp", "AssignVariableOp", "ReadVariableOp")
def a_resource_variable(tf):
    v = tf.Variable([1.0, 2.0], name="v", use_resource=True)
    fetches = [v.value(), v.read_value(), v.is_initialized()]
    return Program(fetches, setup=[v.initializer])


@case(each=KINDS)
def initial_value_from_a_function(tf, use_resource):
    with tf.device("/cpu:0"):
        v = tf.Variable(lambda: tf.ones([2, 2]), name="v", use_resource=use_resource)
    return Program(v.read_value(), setup=[tf.global_variables_initializer()])


@case(each=["int32", "int64", "float16", "float64", "bool", "complex64", "string"])
def variables_of_many_types(tf, dtype):
    value = ["a", "b"] if dtype == "string" else np.array([1, 0], dtype)
    plain = tf.Variable(value, dtype=dtype, use_resource=False)
    handle = tf.Variable(value, dtype=dtype, use_resource=True)
    setup = [tf.global_variables_initializer()]
    return Program([plain.read_value(), handle.read_value()], setup=setup)


@case("AssignAdd", "AssignSub")
def a_reference_variable_counts(tf):
    v = tf.Variable([1.0, 2.0], name="v", use_resource=False)
    up = v.assign_add([1.0, 1.0])
    with tf.control_dependencies([up]):
        down = tf.assign_sub(v, [0.5, 0.25], use_locking=True, name="down")
    return Program(down, setup=[v.initializer], runs=3)


@case("AssignAddVariableOp", "AssignSubVariableOp")
def a_resource_variable_counts(tf):
    v = tf.Variable([1.0, 2.0], name="v", use_resource=True)
    up = v.assign_add([1.0, 1.0])
    down = up.assign_sub([0.5, 0.25], name="down")
    return Program([down.value(), down.read_value()], setup=[v.initializer], runs=3)


@case(each=["uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "complex64"])
def counting_in_many_types(tf, dtype):
    v = tf.Variable(
        tf.constant([200, 1], dtype) if dtype == "uint8" else tf.constant([3, 1], dtype)
    )
    return Program(v.assign_add(tf.constant([100, 2], dtype)), setup=[v.initializer], runs=2)


@case(each=KINDS)
def assign_returns_the_new_value(tf, use_resource):
    v = variable(tf, use_resource, name="v")
    new = v.assign([5.0, 6.0])
    again = v.assign([5.0, 6.0], read_value=False)
    return Program([new.value() if use_resource else new, again], setup=[v.initializer])


@case("Assign")
def assign_another_shape(tf):
    v = variable(tf, False, validate_shape=False, name="v")
    new = tf.assign(v, tf.ones([3, 1]), validate_shape=False)
    return Program([new, tf.shape(new)], setup=[v.initializer])


@case("IsVariableInitialized")
def whether_variables_have_values(tf):
    v, w = variable(tf, False, name="v"), variable(tf, False, name="w")
    return Program(
        [tf.is_variable_initialized(v), tf.is_variable_initialized(w)], setup=[v.initializer]
    )


@case("VarIsInitializedOp")
def whether_handles_have_values(tf):
    v, w = variable(tf, True, name="v"), variable(tf, True, name="w")
    return Program([v.is_initialized(), w.is_initialized()], setup=[v.initializer])


@case("DestroyResourceOp")
def a_destroyed_variable_is_gone(tf):
    v = variable(tf, True, name="v")
    handle = v.handle
    graph = tf.get_default_graph()
    destroy = graph.create_op("DestroyResourceOp", [handle], [], attrs={})
    with tf.control_dependencies([destroy]):
        left = v.is_initialized()
    return Program(left, setup=[v.initializer])


@case("VariableShape")
def the_shape_of_a_variable(tf):
    v = tf.Variable(tf.zeros([2, 3]), use_resource=True, shape=tf.TensorShape(None), name="v")
    graph = tf.get_default_graph()
    shape = graph.create_op("VariableShape", [v.handle], attrs={}).outputs[0]
    return Program(shape, setup=[v.initializer])


@case("Variable")
def a_variable_of_an_old_graph(tf):
    graph = tf.get_default_graph()
    attrs = {"dtype": tf.float32, "shape": tf.TensorShape([2])}
    if "tensorflow" in tf.__name__:  # its create_op takes messages only
        proto = tf.AttrValue
        attrs = {
            "dtype": proto(type=tf.float32.as_datatype_enum),
            "shape": proto(shape=tf.TensorShape([2]).as_proto()),
        }
    ref = graph.create_op("Variable", [], [tf.as_dtype("float32_ref")], name="v", attrs=attrs)
    start = tf.assign(ref.outputs[0], [1.0, 2.0], name="start")
    return Program(tf.assign_add(ref.outputs[0], [1.0, 1.0]), setup=[start.op], runs=2)


@case(each=KINDS)
def a_variable_that_starts_from_another(tf, use_resource):
    v = variable(tf, use_resource, name="v")
    w = tf.Variable(v.initialized_value() if not use_resource else v.initial_value, name="w")
    return Program([w.read_value()], setup=[w.initializer, v.initializer])


@case("RefSwitch", "Switch", "Merge")
def an_initializer_guards_what_it_depends_on(tf):
    v = tf.Variable([1.0, 2.0], name="v", use_resource=False)
    w = tf.Variable(tf.identity(v, name="copy"), name="w", use_resource=False)
    return Program(w.value(), setup=[w.initializer])


@case(each=KINDS)
def feeding_the_initial_value(tf, use_resource):
    v = variable(tf, use_resource, name="v")
    feeds = [{v.initializer.inputs[1]: value} for value in ([3.0, 4.0], [5.0, 6.0])]
    read = v.initializer.inputs[1]
    return Program([v.initializer, read], feed=feeds)


@case(each=KINDS)
def operators_of_variables(tf, use_resource):
    v = variable(tf, use_resource, name="v")
    results = [v + 1.0, 1.0 - v, v * v, v / 2.0, -v, v[0], v > 1.5, abs(v), v**2.0]
    return Program(results, setup=[v.initializer])


# get_variable and variable_scope ------------------------------------------------------------------


@case(each=KINDS)
def get_variable_with_defaults(tf, use_resource):
    with tf.variable_scope("scope", use_resource=use_resource):
        count = tf.get_variable("count", [2], tf.int32)
        bias = tf.get_variable("bias", [3], initializer=tf.zeros_initializer())
        given = tf.get_variable("given", initializer=[1.0, 2.0])
        constant = tf.get_variable("constant", [2], initializer=tf.constant_initializer([3, 4]))
        once = tf.get_variable("once", [2, 2], tf.float64, initializer=tf.ones_initializer())
    variables = [count, bias, given, constant, once]
    return Program([v.read_value() for v in variables], setup=[tf.global_variables_initializer()])


@case("RandomUniform", each=KINDS, random=True)
def get_variable_starts_with_glorot_uniform(tf, use_resource):
    with tf.variable_scope("layer"):
        w = tf.get_variable("w", [2, 3], use_resource=use_resource)
    return Program(w.read_value(), setup=[w.initializer])


@case()
def scopes_and_their_names(tf):
    names = []

    def note(scope):
        variable = tf.get_variable("v", [], use_resource=False)
        names.append(variable.op.name)
        names.append(tf.identity(variable, name="i").op.name)
        names.append(scope.name)
        names.append(scope.original_name_scope)

    with tf.variable_scope("a") as a:
        note(a)
        with tf.variable_scope("b") as b:
            note(b)
        with tf.variable_scope(None, default_name="c") as c:
            note(c)
        with tf.variable_scope(None, default_name="c") as c:
            note(c)
        with tf.name_scope("n"), tf.variable_scope("d") as d:
            note(d)
    with tf.variable_scope("a", reuse=True) as again:
        note(again)
        with tf.variable_scope("b") as inside:
            note(inside)
    with tf.variable_scope(a, reuse=tf.AUTO_REUSE) as again:
        note(again)
    with tf.variable_scope("e"), tf.variable_scope(b, reuse=True) as moved:
        note(moved)
    with tf.variable_scope(a, auxiliary_name_scope=False, reuse=True) as quiet:
        note(quiet)
    with tf.variable_scope("", reuse=tf.AUTO_REUSE) as root:
        note(root)
    return tf.constant(names, name="names")


@case(graph="any")  # TensorFlow 2 calls each regularizer twice, and throws one result away
def scopes_carry_defaults(tf):
    twice = []

    def getter(getter, name, *args, **kwargs):
        twice.append(name)
        return getter(name, *args, **kwargs)

    with tf.variable_scope(
        "a",
        initializer=tf.constant_initializer(3.0),
        dtype=tf.float64,
        custom_getter=getter,
        regularizer=lambda v: tf.reduce_sum(v, name="penalty"),
    ):
        v = tf.get_variable("v", [2])
        w = tf.get_variable("w", [1], tf.float32, regularizer=tf.no_regularizer)
    losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    names = tf.constant([*twice, *(loss.op.name for loss in losses)])
    setup = [tf.global_variables_initializer()]
    return Program([v.value(), w.value(), names, *losses], setup=setup)


@case()
def collections_of_variables(tf):
    tf.Variable(1.0, name="a")
    tf.Variable(1.0, name="b", trainable=False)
    tf.Variable(1.0, name="c", collections=[tf.GraphKeys.LOCAL_VARIABLES])
    tf.get_local_variable("d", [2], initializer=tf.zeros_initializer())
    with tf.variable_scope("s"):
        tf.get_variable("e", [])
    listed = {
        "global": tf.global_variables(),
        "trainable": tf.trainable_variables(),
        "local": tf.local_variables(),
        "scoped": tf.global_variables("s"),
    }
    names = {key: [v.name for v in variables] for key, variables in listed.items()}
    return {key: tf.constant(value, name=key) for key, value in names.items()}


@case("NoOp", each=KINDS)
def initializers_of_all_variables(tf, use_resource):
    v = variable(tf, use_resource, name="v")
    w = variable(tf, use_resource, name="w", collections=[tf.GraphKeys.LOCAL_VARIABLES])
    setup = [
        tf.global_variables_initializer(),
        tf.local_variables_initializer(),
        tf.variables_initializer([], name="nothing"),
    ]
    return Program([v.read_value(), w.read_value()], setup=setup)


@case(each=KINDS)
def names_of_uninitialized_variables(tf, use_resource):
    v = variable(tf, use_resource, name="v")
    variable(tf, use_resource, name="w")
    return Program(tf.report_uninitialized_variables(), setup=[v.initializer])


# Mistakes -------------------------------------------------------------------------------------


@case("ReadVariableOp", error="Could not find variable v. This could mean that the variable has")
def reading_an_uninitialized_handle(tf):
    return variable(tf, True, name="v").read_value()


@case("VariableV2", error="Attempting to use uninitialized value v")
def reading_an_uninitialized_reference(tf):
    return variable(tf, False, name="v").read_value()


@case("AssignAdd", error="Attempting to use uninitialized value v")
def adding_to_an_uninitialized_reference(tf):
    return variable(tf, False, name="v").assign_add([1.0, 1.0])


@case("AssignAddVariableOp", error="Could not find resource: ")
def adding_to_an_uninitialized_handle(tf):
    return variable(tf, True, name="v").assign_add([1.0, 1.0], read_value=False)


@case("Assign", error="Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are [2]")
def assigning_another_shape_to_a_reference(tf):
    return variable(tf, False, name="v").assign([1.0, 2.0, 3.0])


@case("AssignVariableOp", error="Shape mismatch.")
def assigning_another_shape_to_a_handle(tf):
    return variable(tf, True, name="v").assign([1.0, 2.0, 3.0])


@case(
    "AssignAdd", error="Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are [2]"
)
def adding_another_shape_to_a_reference(tf):
    return variable(tf, False, name="v").assign_add([1.0, 2.0, 3.0])


@case("AssignSubVariableOp", error="Dimension 0 in both shapes must be equal, but are 2 and 3.")
def subtracting_another_shape_from_a_handle(tf):
    return variable(tf, True, name="v").assign_sub([1.0, 2.0, 3.0])


def fed(tf, use_resource, method):
    v = variable(tf, use_resource, name="v")
    p = tf.placeholder(tf.float32, name="p")
    changed = getattr(v, method)(p, read_value=False)
    return Program(changed, feed={p: [1.0, 2.0, 3.0]}, setup=[v.initializer])


@case("Assign", error="Assign requires shapes of both tensors to match. lhs shape= [2] rhs shape")
def feeding_another_shape_to_a_reference(tf):
    return fed(tf, False, "assign")


@case("AssignVariableOp", error="Trying to assign to variable with tensor with wrong shape. Expect")
def feeding_another_shape_to_a_handle(tf):
    return fed(tf, True, "assign")


@case("AssignSub", error="Parameters and update must be the same size")
def feeding_an_update_of_another_shape_to_a_reference(tf):
    return fed(tf, False, "assign_sub")


@case(
    "AssignAddVariableOp", error="Cannot update variable with shape [2] using a Tensor with shape"
)
def feeding_an_update_of_another_shape_to_a_handle(tf):
    return fed(tf, True, "assign_add")


@case(each=KINDS, error="must be specified")
def no_initial_value(tf, use_resource):
    return tf.Variable(use_resource=use_resource)


@case(error="initial_value must have a shape specified: Tensor(")
def initial_value_of_unknown_shape(tf):
    return tf.Variable(tf.placeholder(tf.float32), use_resource=False)


@case(error="collections argument to Variable constructor must be a list, tuple, or set. Got 3 of")
def collections_of_a_wrong_type(tf):
    return tf.Variable(1.0, collections=3, use_resource=False)


@case(
    error="Variable v already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO"
)
def a_name_that_exists(tf):
    tf.get_variable("v", [2], use_resource=False)
    return tf.get_variable("v", [2], use_resource=False)


@case(error="Variable v does not exist, or was not created with tf.get_variable(). Did you mean to")
def a_name_that_does_not_exist(tf):
    with tf.variable_scope("", reuse=True):
        return tf.get_variable("v", [2])


@case(error="Trying to share variable v, but specified shape (3,) and found shape (2,).")
def sharing_with_another_shape(tf):
    tf.get_variable("v", [2])
    with tf.variable_scope("", reuse=True):
        return tf.get_variable("v", [3])


@case(error="Trying to share variable v, but specified dtype int32 and found dtype float32_ref.")
def sharing_with_another_type(tf):
    tf.get_variable("v", [2], use_resource=False)
    with tf.variable_scope("", reuse=True):
        return tf.get_variable("v", [2], tf.int32)


@case(error="Variable v did not get an initializer, so its `shape` argument must be specified.")
def neither_shape_nor_initializer(tf):
    return tf.get_variable("v")


@case(error="If initializer is a constant, do not specify shape.")
def shape_beside_a_constant_initializer(tf):
    return tf.get_variable("v", [2], initializer=tf.constant([1.0, 2.0]))


@case(
    error="The initializer passed is not valid. It should be a callable with no arguments and the"
)
def shape_that_is_not_fully_known(tf):
    return tf.get_variable("v", [None, 2])


@case(error="The reuse parameter must be True or False or None.")
def another_value_of_reuse(tf):
    with tf.variable_scope("a", reuse=3):
        return tf.get_variable("v", [2])


@case(error="If default_name is None then name_or_scope is required")
def a_scope_without_a_name(tf):
    with tf.variable_scope(None):
        return tf.get_variable("v", [2])
