"""Mistakes as learners make them, and the phrase they will search for."""

import operator

import numpy as np

from tests.behaviour.asking import question, says


def running(tf, fetch, feed_dict=None):
    """The value in a session of its own."""
    with tf.Session() as sess:
        return sess.run(fetch, feed_dict)


def inside(scope, function):
    """What a function gives inside a scope."""
    with scope:
        return function()


@question
def feeding(tf):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    n, s = tf.placeholder(tf.int32, [], name="n"), tf.placeholder(tf.float32, [], name="s")
    y = x * 2
    with tf.Graph().as_default():
        foreign = tf.placeholder(tf.float32, name="foreign")
    key, shape = "Cannot interpret feed_dict key as Tensor: ", "Cannot feed value of shape "
    return {
        "forgotten": says(
            "You must feed a value for placeholder tensor 'x' with dtype float", running, tf, y
        ),
        "wrong width": says(
            f"{shape}(1, 2) for Tensor x:0, which has shape (?, 3)",
            running,
            tf,
            y,
            {x: [[1.0, 2.0]]},
        ),
        "wrong rank": says(f"{shape}(3,) for Tensor x:0", running, tf, y, {x: [1.0, 2.0, 3.0]}),
        "number for a vector": says(f"{shape}() for Tensor x:0", running, tf, y, {x: 1.0}),
        "ragged": says(
            "setting an array element with a sequence",
            running,
            tf,
            y,
            {x: [[1.0, 2.0, 3.0], [1.0]]},
        ),
        "text": says("could not convert string to float", running, tf, s, {s: "abc"}),
        "a tensor": says(
            "The value of a feed cannot be a tf.Tensor object.",
            running,
            tf,
            y,
            {x: tf.zeros([1, 3])},
        ),
        "unknown name": says(
            f"{key}The name 'xx:0' refers to a Tensor which does not exist.",
            running,
            tf,
            y,
            {"xx:0": 1.0},
        ),
        "name of the operation": says(
            f"{key}The name 'x' refers to an Operation, not a Tensor.", running, tf, y, {"x": 1.0}
        ),
        "a name taken by data": says(
            f"{key}Can not convert a float into a Tensor.", running, tf, y, {1.5: 1.5}
        ),
        "foreign": says("is not an element of this graph.", running, tf, y, {foreign: 1.0}),
        "an operation": says(
            f"{key}Can not convert a Operation into a Tensor.", running, tf, y, {tf.no_op(): 1}
        ),
        "too large": says("is not compatible with Tensor type", running, tf, n, {n: 2**40}),
        "cut off": running(tf, n + 0, {n: 2.7}),
    }


@question
def fetching(tf):
    a = tf.constant(1.0, name="a")
    with tf.Graph().as_default():
        foreign = tf.constant(1, name="foreign")
    closed = tf.Session()
    closed.close()
    none = tf.gradients(a * 2, tf.constant(1.0))
    return {
        "nothing": says("None has invalid type", running, tf, None),
        "gradient that is not there": says("None has invalid type", running, tf, none),
        "a number": says("Can not convert a int into a Tensor or Operation.", running, tf, 3),
        "a result": says(
            "Can not convert a ndarray into a Tensor or Operation.", running, tf, np.array([1.0])
        ),
        "unknown tensor": says(
            "refers to a Tensor which does not exist. The operation, 'nope', "
            "does not exist in the graph.",
            running,
            tf,
            "nope:0",
        ),
        "unknown operation": says(
            "The name 'nope' refers to an Operation not in the graph.", running, tf, "nope"
        ),
        "unknown output": says(
            "The operation, 'a', exists but only has 1 outputs.", running, tf, "a:1"
        ),
        "foreign": says("is not an element of this graph.", running, tf, foreign),
        "closed": says("Attempted to use a closed Session.", closed.run, a),
        "without a session": says(
            "No default session is registered. Use `with sess.as_default()` "
            "or pass an explicit session to `eval(session=sess)`",
            a.eval,
        ),
        "operation without one": says(
            "No default session is registered. Use `with "
            "sess.as_default():` or pass an explicit session to "
            "`run(session=sess)`",
            a.op.run,
        ),
        "in another's session": inside(
            tf.Session(),
            lambda: says("the tensor's graph is different from the session's graph.", foreign.eval),
        ),
        "in an empty graph": inside(
            tf.Graph().as_default(),
            lambda: says("The Session graph is empty. Add operations", running, tf, []),
        ),
    }


@question
def opening_sessions(tf):
    return {
        "graph": says("Argument `graph` must be a tf.Graph, but got", tf.Session, graph="g"),
        "target": says("Argument `target` must be a string, but got", tf.Session, tf.Graph()),
        "config": says(
            "Argument `config` must be a tf.ConfigProto, but got", tf.Session, config={"a": 1}
        ),
        "scheme": says(
            "No session factory registered for the given session options", tf.Session, "foo://bar"
        ),
    }


@question
def variables(tf):
    v, w = tf.Variable(1.0, name="v"), tf.Variable([1.0, 2.0], name="w")
    resource = tf.Variable(1.0, name="r", use_resource=True)
    early = tf.global_variables_initializer()
    late = tf.Variable(1.0, name="late")
    p = tf.placeholder(tf.float32)
    uninitialised = "Attempting to use uninitialized value "

    def too_early():
        with tf.Session() as sess:
            sess.run(early)
            sess.run(late)

    def misshapen():
        with tf.Session() as sess:
            sess.run(early)
            sess.run(tf.assign(w, p), {p: [1.0]})

    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(v * v)

    def without_slots():
        with tf.Session() as sess:
            sess.run(early)
            sess.run(train)

    return {
        "read": says(f"{uninitialised}v", running, tf, v),
        "used": says(f"{uninitialised}v", running, tf, v + 1),
        "resource": says("Could not find variable r.", running, tf, resource + 1),
        "counted up": says(f"{uninitialised}v", running, tf, tf.assign_add(v, 1.0)),
        "initialiser made too early": says(f"{uninitialised}late", too_early),
        "slots": says(f"{uninitialised}v/Momentum", without_slots),
        "no value": says("initial_value must be specified.", tf.Variable),
        "unknown shape": says("initial_value must have a shape specified", tf.Variable, p),
        "wrong shape": says(
            "Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are [2] and [3].",
            tf.assign,
            w,
            [1.0, 2.0, 3.0],
        ),
        "wrong shape in a run": says(
            "Assign requires shapes of both tensors to match. lhs shape= [2] rhs shape= [1]",
            misshapen,
        ),
        "float for int": says(
            "Expected int32, but got 1.5 of type 'float'.", tf.assign, tf.Variable(1), 1.5
        ),
        "wrong type": says(
            "Input 'value' of 'Assign' Op has type int32 that does not match type "
            "float32 of argument 'ref'.",
            tf.assign,
            w,
            tf.constant([1, 2]),
        ),
        "item": says("object does not support item assignment", operator.setitem, w, 0, 1),
        "length": says("has no len()", len, w),
    }


@question
def sharing(tf):
    get, scope = tf.get_variable, tf.variable_scope
    get("w", [1, 2])
    unknown = tf.placeholder(tf.float32, [3, None]).shape
    again = scope("", reuse=True)
    return {
        "again": says(
            "Variable w already exists, disallowed. Did you mean to set reuse=True or "
            "reuse=tf.AUTO_REUSE in VarScope?",
            get,
            "w",
            [1, 2],
        ),
        "before": inside(
            scope("s", reuse=True),
            lambda: says(
                "Variable s/w does not exist, or was not created with tf.get_variable().",
                get,
                "w",
                [1],
            ),
        ),
        "shape": inside(
            again,
            lambda: says(
                "Trying to share variable w, but specified shape (2, 1) and found shape (1, 2).",
                get,
                "w",
                [2, 1],
            ),
        ),
        "type": inside(
            scope("", reuse=True),
            lambda: says(
                "Trying to share variable w, but specified dtype int32 "
                "and found dtype float32_ref.",
                get,
                "w",
                [1, 2],
                dtype=tf.int32,
            ),
        ),
        "no shape": says(
            "did not get an initializer, so its `shape` argument must be specified.", get, "u"
        ),
        "both": says(
            "If initializer is a constant, do not specify shape.",
            get,
            "u",
            [2],
            initializer=tf.constant([1.0, 2.0]),
        ),
        "unknown size": says("`shape` should be fully defined.", get, "u", unknown),
        "shape first": says("", get, [2]),
        "no scope": says(
            "If default_name is None then name_or_scope is required",
            lambda: scope(None).__enter__(),
        ),
    }


@question
def types(tf):
    i, f, s = tf.constant(1), tf.constant(1.5), tf.constant("a")
    return {
        "int and float": says(
            "Input 'y' of 'AddV2' Op has type float32 that does not match type "
            "int32 of argument 'x'.",
            lambda: i + f,
        ),
        "int and 1.5": says("Expected int32, but got 1.5 of type 'float'.", lambda: i * 1.5),
        "float32 and float64": says(
            "has type float64 that does not match type float32",
            lambda: f * tf.constant(np.array([1.0])),
        ),
        "function": says("has type float32 that does not match type int32", tf.add, 1, 2.5),
        "text and text": (s + s).dtype,
        "text and int": says("has type int32 that does not match type string", lambda: s + i),
        "bool mean": says(
            "Value passed to parameter 'input' has DataType bool not in list of allowed values",
            tf.reduce_mean,
            tf.constant([True]),
        ),
        "root of an int": says(
            "Value passed to parameter 'x' has DataType int32 not in list of allowed values",
            tf.sqrt,
            4,
        ),
        "matrices": says(
            "Input 'b' of 'MatMul' Op has type float32 that does not match type int32 "
            "of argument 'a'.",
            tf.matmul,
            tf.constant([[1]]),
            tf.constant([[1.0]]),
        ),
        "float indices": says(
            "Value passed to parameter 'indices' has DataType float32 not in "
            "list of allowed values: uint8, int8, int32, int64",
            tf.one_hot,
            [1.0],
            3,
        ),
        "list of both": says("don't all match.", tf.add_n, [i, f]),
        "float labels": says(
            "Value passed to parameter 'labels' has DataType float32",
            tf.nn.sparse_softmax_cross_entropy_with_logits,
            labels=tf.ones([2]),
            logits=tf.ones([2, 3]),
        ),
        "text as number": says(
            "Cast string to float is not supported", running, tf, tf.cast(s, tf.float32)
        ),
    }


@question
def optimizing(tf):
    v, other = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="other")
    count = tf.Variable(1, name="count")
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    none = "No gradients provided for any variable"
    with tf.Graph().as_default():
        without = says("No variables to optimize.", optimizer.minimize, tf.constant(1.0))
    return {
        "no variables": without,
        "not connected": says(none, optimizer.minimize, v * 3, var_list=[other]),
        "not differentiable": says(
            none, optimizer.minimize, tf.cast(tf.argmax([v, v]), tf.float32), var_list=[v]
        ),
        "an int": says("Invalid type tf.int32 for", optimizer.minimize, count * count),
        "a number": says("has no attribute", optimizer.minimize, 3.0),
        "some connected": optimizer.apply_gradients(optimizer.compute_gradients(v * v, [v, other])),
        "gradients of ints": tf.gradients(count * count, count),
        "global step twice": says(
            '"global_step" already exists.',
            lambda: [tf.train.create_global_step(), tf.train.create_global_step()],
        ),
    }


@question
def branches_and_loops(tf):
    yes, x = tf.constant(True), tf.constant(1.0)
    cond, loop = tf.cond, tf.while_loop
    structure = "The two structures don't have the same nested structure."
    return {
        "types": says(
            "Outputs of 'true_fn' and 'false_fn' must have the same type(s). Received "
            "int32 from 'true_fn' and float32 from 'false_fn'.",
            cond,
            yes,
            lambda: tf.constant(1),
            lambda: tf.constant(1.0),
        ),
        "structure": says(structure, cond, yes, lambda: [x], lambda: [x, x]),
        "no functions": says("'true_fn' must be callable.", cond, yes, x, x),
        "python bool": says("'pred' must not be a Python bool.", cond, True, lambda: x, lambda: x),
        "no value": says("'true_fn' must have a return value.", cond, yes, lambda: None, lambda: x),
        "vector": says(
            "Shape must be rank 0 but is rank 1",
            cond,
            tf.constant([True, False]),
            lambda: x,
            lambda: x,
        ),
        "int": says(
            "Input 'pred' of 'Switch' Op has type int32 that does not match expected type of bool.",
            cond,
            tf.constant(1),
            lambda: x,
            lambda: x,
        ),
        "shapes": cond(yes, lambda: tf.constant([1, 2]), lambda: tf.constant([1, 2, 3])),
        "growing": says(
            "To allow the shape to vary across iterations, use the `shape_invariants` "
            "argument of tf.while_loop to specify a less-specific shape.",
            loop,
            lambda i, v: i < 3,
            lambda i, v: (i + 1, tf.concat([v, [1]], 0)),
            [0, tf.constant([1])],
        ),
        "one too few": says(structure, loop, lambda i, j: i < 3, lambda i, j: [i + 1], [0, 1]),
        "int condition": says(
            "Input 'input' of 'LoopCond' Op has type int32 that does not match "
            "expected type of bool.",
            loop,
            lambda i: i,
            lambda i: i + 1,
            [0],
        ),
        "one argument": says(
            "takes 1 positional argument but 2 were given",
            loop,
            lambda i: i < 3,
            lambda i: i + 1,
            [0, 1],
        ),
        "no variables": says("'loop_vars' must be provided.", loop, lambda: True, lambda: [], []),
        "no function": says("'cond' must be callable.", loop, yes, lambda i: i, [0]),
        "float step": says(
            "has type float32 that does not match type int32",
            loop,
            lambda i: i < 3,
            lambda i: i + 1.5,
            [0],
        ),
    }


@question
def failing_steps(tf):
    def broken(x):
        raise ValueError("bad thing")

    with tf.control_dependencies([tf.Assert(tf.constant(-1) > 0, [-1], name="check")]):
        checked = tf.constant(1) + 1
    endless = tf.while_loop(lambda i: i >= 0, lambda i: (i + 1) % 5, [0])
    quick = tf.RunOptions(timeout_in_ms=100)
    func = tf.py_func
    return {
        "assertion": says("assertion failed: [-1]", running, tf, checked),
        "division": says("Integer division by zero", running, tf, tf.constant(1) // 0),
        "float division": running(tf, tf.constant(1.0) / 0.0),
        "in Python": says("bad thing", running, tf, func(broken, [1.0], tf.float32)),
        "wrong type": says("but expects int32", running, tf, func(np.sinh, [1.0], tf.int32)),
        "two for one": says(
            "returns 2 values, but expects to see 1 values.",
            running,
            tf,
            func(lambda x: (x, x), [1.0], tf.float32),
        ),
        "nothing for one": says(
            "returns 0 values, but expects to see 1 values.",
            running,
            tf,
            func(lambda x: None, [1.0], tf.float32),
        ),
        "no function": says(
            "Expected func to be callable. Received func=3", func, 3, [1.0], tf.float32
        ),
        "too long": says(
            "Timed out waiting for notification", tf.Session().run, endless, options=quick
        ),
    }
