"""Mistakes as learners make them, and the phrase they will search for."""

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
        "item": says("object does not support item assignment", w.__class__.__setitem__, w, 0, 1)
        if hasattr(w.__class__, "__setitem__")
        else "no __setitem__",
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
                "Trying to share variable w, but specified dtype int32 and found dtype float32_ref.",
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
def shapes(tf):
    x, u = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32)
    other = tf.placeholder(tf.float32)
    i = tf.constant([1, 2, 3])
    entropy = tf.nn.softmax_cross_entropy_with_logits_v2
    return {
        "product": says(
            "Dimensions must be equal, but are 3 and 2 for '{{node mm}} = MatMul",
            tf.matmul,
            tf.ones([2, 3]),
            tf.ones([2, 3]),
            name="mm",
        ),
        "rank": says(
            "Shape must be rank 2 but is rank 1 for '{{node MatMul}} = MatMul",
            tf.matmul,
            [1.0, 2.0],
            [[1.0], [2.0]],
        ),
        "product in a run": says(
            "Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3]",
            running,
            tf,
            tf.matmul(u, tf.ones([2, 3])),
            {u: np.ones((2, 3))},
        ),
        "sum": says("Dimensions must be equal, but are 2 and 3", lambda: tf.constant([1, 2]) + i),
        "sum in a run": says(
            "Incompatible shapes: [3] vs. [2]",
            running,
            tf,
            u + other,
            {u: [1.0, 2.0, 3.0], other: [1.0, 2.0]},
        ),
        "axis": says(
            "Invalid reduction dimension 2 for input with 2 dimensions. for '{{node Sum}} "
            "= Sum[T=DT_INT32, Tidx=DT_INT32, keep_dims=false](Sum/input, "
            "Sum/reduction_indices)' with input shapes: [1,2], [] and with computed input "
            "tensors: input[1] = <2>.",
            tf.reduce_sum,
            [[1, 2]],
            axis=2,
        ),
        "concat": says(
            "with input shapes: [1,2], [1,3], [] and with computed input tensors: input[2] = <0>.",
            tf.concat,
            [[[1, 2]], [[1, 2, 3]]],
            0,
        ),
        "concat, old order": says("Shape (2, 1) must have rank 0", tf.concat, 0, [[1], [2]]),
        "stack": says("From merging shape 0 with other shapes.", tf.stack, [[1, 2], [1, 2, 3]]),
        "split": says(
            "Number of ways to split should evenly divide the split dimension",
            tf.split,
            tf.range(5),
            2,
        ),
        "reshape": says(
            "Cannot reshape a tensor with 6 elements to shape [4,2] (8 elements)",
            tf.reshape,
            tf.range(6),
            [4, 2],
        ),
        "reshape, values": says(
            "with input shapes: [6], [2] and with input tensors computed as "
            "partial shapes: input[1] = [4,2].",
            tf.reshape,
            tf.range(6),
            [4, 2],
        ),
        "reshape in a run": says(
            "Input to reshape is a tensor with 1 values, but the requested shape has 8",
            running,
            tf,
            tf.reshape(u, [4, 2]),
            {u: [1.0]},
        ),
        "reshape with None": says(
            "Failed to convert elements of [None, 2, 2] to Tensor.", tf.reshape, x, [None, 2, 2]
        ),
        "zeros like a batch": says(
            "Cannot convert a partially known TensorShape (?, 4) to", tf.zeros, x.shape
        ),
        "squeeze": says(
            "Can not squeeze dim[1], expected a dimension of 1, got 2", tf.squeeze, [[1, 2]], [1]
        ),
        "index": says("slice index 5 of dimension 0 out of bounds.", lambda: i[5]),
        "index, values": says(
            "and with computed input tensors: input[1] = <5>, input[2] = <6>, input[3] = <1>.",
            lambda: i[5],
        ),
        "too many indices": says(
            "Index out of range using input dim 1; input has only 1 dims", lambda: i[0, 0]
        ),
        "index a float": says("are valid indices, got 1.5", lambda: i[1.5]),
        "gather": says("indices[0] = 5 is not in [0, 2)", running, tf, tf.gather([1, 2], [5])),
        "set_shape": says(
            "Dimension 0 in both shapes must be equal, but are 3 and 2. Shapes are [3] and [2].",
            i.set_shape,
            [2],
        ),
        "set_shape, rank": says("Shapes must be equal rank, but are 1 and 0", i.set_shape, []),
        "where": says(
            "Dimension 0 in both shapes must be equal, but are 2 and 1. Shapes are [2] and [1].",
            tf.where,
            [True, False],
            [1],
            [2],
        ),
        "cross entropy": says(
            "Dimensions must be equal, but are 4 and 3",
            entropy,
            labels=tf.ones([2, 3]),
            logits=tf.ones([2, 4]),
        ),
        "sigmoid": says(
            "`logits` and `labels` must have the same shape, received ((2, 1) vs (2,))",
            tf.nn.sigmoid_cross_entropy_with_logits,
            labels=tf.ones([2]),
            logits=tf.ones([2, 1]),
        ),
        "label": says(
            "Received a label value of 5 which is outside the valid range of [0, 3).",
            running,
            tf,
            tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=tf.constant([5]), logits=tf.ones([1, 3])
            ),
        ),
        "size of random": says("Shape must be rank 1 but is rank 0", tf.random_normal, 2),
    }


@question
def tensors_are_not_arrays(tf):
    a, b = tf.constant([1, 2], name="a"), tf.constant(True)
    allowed = "`tf.Tensor` as a Python `bool` is not allowed"
    iterating = "Iterating over a symbolic `tf.Tensor` is not allowed"

    def lacks(name):
        return says(f"object has no attribute '{name}'", getattr, a, name)

    return {
        "if": says(allowed, bool, tf.constant(1) > 0),
        "and": says(allowed, lambda: b and b),
        "for": says(iterating, list, a),
        "for, unknown": says(iterating, list, tf.placeholder(tf.float32)),
        "len": says(
            "len is not well defined for a symbolic Tensor (a:0). Please call `x.shape` "
            "rather than `len(x)` for shape information.",
            len,
            a,
        ),
        "array": says("Cannot convert a symbolic", np.array, a),
        "sum": says("to a numpy array", np.sum, a),
        "float": says("must be a string or a real number, not", float, tf.constant(1.0)),
        "range": says("object cannot be interpreted as an integer", range, tf.constant(3)),
        "called": says("object is not callable", lambda: a()),
        "methods": [lacks("numpy"), lacks("reshape"), lacks("size"), lacks("tolist")],
        "hasattr": [hasattr(a, "numpy"), hasattr(a, "reshape"), "numpy" in dir(a)],
        "equality": [a == a, a == 1, {a: 2}[a]],
        "waiting for one": says(iterating, tf.control_dependencies, a),
    }


@question
def names(tf):
    a, graph = tf.constant(1, name="a"), tf.get_default_graph()
    return {
        "space": says("", tf.constant, 1, name="my const"),
        "scope": says(
            "is not a valid root scope name", lambda: tf.name_scope("my scope!").__enter__()
        ),
        "underscore": says("", tf.constant, 1, name="_x"),
        "number": says("", tf.constant, 1, name=5),
        "third operand": says("", tf.maximum, 1.0, 2.0, 3),
        "no index": says(
            "The name 'a' refers to an Operation, not a Tensor. Tensor names must be of the form",
            graph.get_tensor_by_name,
            "a",
        ),
        "no tensor": says(
            "The name 'b:0' refers to a Tensor which does not exist.",
            graph.get_tensor_by_name,
            "b:0",
        ),
        "index": says(
            "appears to refer to a Tensor, not a Operation.", graph.get_operation_by_name, "a:0"
        ),
        "no operation": says(
            "The name 'b' refers to an Operation not in the graph.",
            graph.get_operation_by_name,
            "b",
        ),
        "no type": says(
            "Cannot convert the argument `type_value`: 'float33' to a",
            tf.constant,
            1,
            dtype="float33",
        ),
        "dtype forgotten": says("missing 1 required positional argument: 'dtype'", tf.placeholder),
        "device": says(
            "Unknown attribute 'nope' is encountered while parsing the device spec",
            lambda: inside(tf.device("/nope:0"), lambda: tf.constant(1)),
        ),
        "missing": [hasattr(tf, "placeholders"), hasattr(tf, "reduce_summ"), hasattr(tf, "mul")],
        "mistyped": says("has no attribute 'placholder'", getattr, tf, "placholder"),
        "mistyped below": says(
            "has no attribute 'AdamOptimiser'", getattr, tf.train, "AdamOptimiser"
        ),
        "same": a.name,
    }


@question
def graphs(tf):
    graph, other, finished = tf.Graph(), tf.Graph(), tf.Graph()
    with graph.as_default():
        a, v = tf.constant(1, name="a"), tf.Variable(1, name="v")
    finished.finalize()

    def mixed(x):
        with other.as_default():
            return tf.constant(2, name="b") + x

    def reset():
        with tf.Graph().as_default():
            tf.reset_default_graph()

    return {
        "mixed": says("must be from the same graph as", mixed, a),
        "mixed with a variable": says("must be from the same graph as", mixed, v),
        "finalized": says(
            "Graph is finalized and cannot be modified.",
            lambda: inside(finished.as_default(), lambda: tf.constant(1)),
        ),
        "reset inside": says("Do not use tf.reset_default_graph() to clear nested graphs.", reset),
        "import": says("must be a GraphDef proto", tf.import_graph_def, "x"),
        "import map": says(
            "Attempted to map inputs that were not found in graph_def: [z:0]",
            tf.import_graph_def,
            graph.as_graph_def(),
            {"z:0": tf.constant(1.0)},
        ),
        "controller": says(
            "Can not convert a int into a Tensor or Operation.",
            lambda: inside(tf.control_dependencies([1]), tf.no_op),
        ),
        "group": says("'inputs' should be zero or more (nested) Tensors.", tf.group, 3),
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


_CLASS = "a TypeError there, too, but of a class of its own that tells of AutoGraph"
_BOOL = "TypeError: `tf.Tensor` as a Python `bool` is not allowed"
_ITERATING = "TypeError: Iterating over a symbolic `tf.Tensor` is not allowed"
DIFFERENCES = {
    ("tensors_are_not_arrays", "if"): (_BOOL, _CLASS),
    ("tensors_are_not_arrays", "and"): (_BOOL, _CLASS),
    ("tensors_are_not_arrays", "for"): (_ITERATING, _CLASS),
    ("tensors_are_not_arrays", "for, unknown"): (_ITERATING, _CLASS),
    ("tensors_are_not_arrays", "waiting for one"): (_ITERATING, _CLASS),
}
