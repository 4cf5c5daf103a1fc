"""Variable scopes, custom getters, partitioned variables, templates, and variables as messages."""

from tests.behaviour.asking import question, says


def names(variables):
    return [v.name for v in variables]


@question
def settings_are_handed_down(tf):
    answers = {}

    def report(scope):
        partitions = scope.partitioner and scope.partitioner(
            shape=tf.TensorShape([6]), dtype=tf.int8
        )
        return [
            scope.name,
            scope.reuse,
            scope.dtype,
            scope.use_resource,
            scope.caching_device,
            scope.initializer,
            scope.regularizer is not None,
            scope.custom_getter is not None,
            scope.constraint is not None,
            partitions,
            scope.original_name_scope,
        ]

    def getter(getter, *args, **kwargs):
        return getter(*args, **kwargs)

    with tf.variable_scope(
        "a",
        initializer=1.5,
        regularizer=abs,
        caching_device="/cpu:0",
        dtype=tf.float64,
        partitioner=tf.fixed_size_partitioner(2),
        custom_getter=getter,
        use_resource=True,
        constraint=abs,
    ) as a:
        answers["a"] = report(a)
        with tf.variable_scope("b") as b:
            answers["b inside"] = report(b)
        with tf.variable_scope("c", reuse=True, dtype=tf.float16, use_resource=False) as c:
            answers["c inside"] = report(c)
            with tf.variable_scope("d", reuse=False) as d:
                answers["reuse=False does not undo"] = d.reuse
    answers["outside"] = report(tf.get_variable_scope())
    with tf.variable_scope("e"), tf.variable_scope(a) as again:
        answers["a again"] = report(again)
    with tf.variable_scope(a, reuse=tf.AUTO_REUSE, initializer=2.5) as again:
        answers["a again, with more"] = [again.reuse is tf.AUTO_REUSE, again.initializer]
    scope = tf.VariableScope(True, "made", partitioner=abs, caching_device="x")
    answers["made"] = [scope.name, scope.reuse, scope.partitioner is abs, scope.caching_device]
    scope.set_partitioner(None)
    scope.set_caching_device("y")
    scope.set_use_resource(True)
    scope.set_dtype(tf.int32)
    scope.set_initializer(1)
    answers["changed"] = [scope.partitioner, scope.caching_device, scope.use_resource, scope.dtype]
    return answers


@question
def default_names(tf):
    answers = {}

    def opened(*args, **kwargs):
        with tf.variable_scope(*args, **kwargs) as scope:
            variable = tf.get_variable("v", [])
            op = tf.constant(1, name="c")
            return [scope.name, scope.original_name_scope, variable.name, op.name]

    answers["default"] = [opened(None, "layer") for _ in range(3)]
    with tf.variable_scope("outer"):
        answers["inside"] = [opened(None, "layer") for _ in range(2)]
        answers["given"] = opened("layer_2")
        answers["after a given one"] = opened(None, "layer")
    with tf.variable_scope("outer", reuse=True):
        answers["entered again"] = opened(None, "layer")
    with tf.variable_scope("other") as other:
        opened(None, "layer")
    with tf.variable_scope(other, reuse=tf.AUTO_REUSE):
        answers["the object again"] = [opened(None, "layer") for _ in range(2)]
    answers["no name"] = says("If default_name is None", tf.variable_scope, None)
    answers["reuse without a name"] = says(
        "reuse=True cannot be used without a name_or_scope", opened, None, "x", reuse=True
    )
    answers["a wrong reuse"] = says("The reuse parameter must be", tf.variable_scope, "x", reuse=3)
    answers["a wrong auxiliary"] = says(
        "must be `True` or `False`", tf.variable_scope, "x", auxiliary_name_scope=None
    )
    answers["no scope"] = says("name_or_scope must be a string or", opened, 3)
    with tf.variable_op_scope([tf.constant(1)], None, "old") as scope:
        answers["variable_op_scope"] = scope.name
    return answers


@question
def name_scopes_of_variable_scopes(tf):
    answers = {}
    with tf.variable_scope("a") as a:
        answers["first"] = [tf.get_variable("v", []).name, tf.constant(1).name]
    with tf.variable_scope(a, auxiliary_name_scope=False):
        answers["without"] = [tf.get_variable("w", []).name, tf.constant(1).name]
    with tf.name_scope("n"), tf.variable_scope("b", auxiliary_name_scope=False) as b:
        answers["in a name scope"] = [
            tf.get_variable("v", []).name,
            tf.constant(1).name,
            b.original_name_scope,
        ]
    with tf.variable_scope("a"):
        answers["again"] = [tf.get_variable("x", []).name, tf.constant(1).name]
    with tf.variable_scope(a, auxiliary_name_scope=False) as again:
        with tf.name_scope(again.original_name_scope):
            answers["the first one's"] = tf.constant(1).name
    with tf.variable_scope(""):
        answers["empty"] = [tf.get_variable("y", []).name, tf.constant(1).name]
    with tf.variable_scope(tf.get_variable_scope()):
        answers["the root"] = [tf.get_variable("z", []).name, tf.constant(1).name]
    return answers


@question
def reuse(tf):
    answers = {"first": tf.get_variable("v", [2]).name}
    answers["twice"] = says("Variable v already exists, disallowed", tf.get_variable, "v", [2])
    with tf.variable_scope("", reuse=True):
        answers["missing"] = says("does not exist, or was not created with", tf.get_variable, "w")
        answers["shape"] = says("specified shape (3,) and found", tf.get_variable, "v", [3])
        answers["type"] = says(
            "specified dtype int32 and found dtype float32", tf.get_variable, "v", [2], tf.int32
        )
        answers["no shape"] = tf.get_variable("v").shape
    with tf.variable_scope("", reuse=tf.AUTO_REUSE):
        answers["either"] = [tf.get_variable("v").name, tf.get_variable("new", [1]).name]
    with tf.variable_scope("s") as scope:
        tf.get_variable("v", [1])
        scope.reuse_variables()
        answers["from now on"] = [scope.reuse, tf.get_variable("v").name]
    tf.get_variable_scope().reuse_variables()
    answers["the root too"] = [tf.get_variable_scope().reuse, tf.get_variable("v", [2]).name]
    return answers


@question
def what_get_variable_refuses(tf):
    get, answers = tf.get_variable, {}
    answers["no shape"] = says("did not get an initializer, so its `shape`", get, "a")
    answers["shape and value"] = says(
        "If initializer is a constant, do not specify shape", get, "b", [2], initializer=[1.0, 2.0]
    )
    answers["types"] = says("and explicit dtype", get, "c", initializer=1, dtype=tf.float32)
    answers["no getter"] = says("which is not callable", get, "d", [1], custom_getter=3)
    answers["unknown shape"] = says("The initializer passed is not valid", get, "e", [None, 2])
    answers["no default"] = says(
        "An initializer for variable f of", get, "f", [2], dtype=tf.complex64
    )
    answers["no partitioner"] = says("Partitioner must be callable", get, "g", [2], partitioner=3)
    mode = "Invalid variable synchronization mode"
    answers["synchronization"] = says(mode, get, "h", [2], synchronization="on_read")
    mode = "Invalid variable aggregation mode"
    answers["aggregation"] = says(mode, get, "i", [2], aggregation="sum")
    return answers


@question
def custom_getters(tf):
    calls = []

    def logged(label):
        def getter(getter, name, *args, **kwargs):
            calls.append([label, name, sorted(kwargs)])
            return getter(name, *args, **kwargs)

        return getter

    def renamed(getter, name, *args, **kwargs):
        return getter(name + "_renamed", *args, **kwargs)

    def doubled(getter, name, shape=None, *args, **kwargs):
        return 2.0 * getter(name, shape, *args, **kwargs)

    def without_constraint(
        getter,
        name,
        shape,
        dtype,
        initializer,
        regularizer,
        reuse,
        trainable,
        collections,
        caching_device,
        partitioner,
        validate_shape,
        use_resource,
        synchronization,
        aggregation,
    ):
        calls.append(["plain", name, shape, dtype, reuse, trainable, validate_shape, partitioner])
        return getter(name, shape, dtype, trainable=trainable)

    with tf.variable_scope("a", custom_getter=logged("outer")):
        with tf.variable_scope("b", custom_getter=logged("inner")):
            tf.get_variable("v", [])
            tf.get_variable("w", [], custom_getter=logged("own"))
        with tf.variable_scope("c", custom_getter=renamed):
            answers = {"renamed": tf.get_variable("v", []).name}
    with tf.variable_scope("d", custom_getter=doubled):
        answers["a tensor"] = tf.get_variable("v", []).name
        answers["the variable"] = names(tf.global_variables("d/"))
    tf.get_variable("x", [2], trainable=False, custom_getter=without_constraint)
    answers["calls"] = calls
    return answers


@question
def regularizers(tf):
    losses = tf.GraphKeys.REGULARIZATION_LOSSES

    def collected(scope=None):
        return [loss.name for loss in tf.get_collection(losses, scope)]

    with tf.variable_scope("a", regularizer=tf.nn.l2_loss):
        tf.get_variable("v", [2])
        tf.get_variable("n", [2], regularizer=tf.no_regularizer)
        with tf.variable_scope("b"):
            tf.get_variable("v", [2])
        tf.get_variable("p", [4], partitioner=tf.fixed_size_partitioner(2))
        with tf.variable_scope("b", reuse=True):
            tf.get_variable("v", [2])
    return {"all": len(collected()), "of b": len(collected("a/b/"))}


@question
def local_variables(tf):
    with tf.variable_scope("s"):
        local = tf.get_local_variable("v", [2])
        more = tf.get_local_variable("w", [], collections=["mine"])
    return {
        "names": [local.name, more.name],
        "local": names(tf.local_variables()),
        "global": names(tf.global_variables()),
        "trainable": names(tf.trainable_variables()),
        "mine": names(tf.get_collection("mine")),
        "trainable?": local.trainable,
        "of the scope": names(tf.local_variables("s/v")),
    }


@question
def synchronization_and_aggregation(tf):
    on_read = tf.VariableSynchronization.ON_READ
    plain = tf.Variable(1.0)
    answers = {"default": [plain.synchronization.value, plain.aggregation.value]}
    for resource in (False, True):
        v = tf.get_variable(
            f"v{resource}",
            [],
            synchronization=on_read,
            use_resource=resource,
            aggregation=tf.VariableAggregation.MEAN,
        )
        answers[f"given {resource}"] = [v.synchronization.name, v.aggregation.name, v.trainable]

    return answers


@question
def variable_creators(tf):
    calls = []

    def creator(label):
        def create(next_creator, **kwargs):
            given = [key for key in sorted(kwargs) if not key.startswith("experimental")]
            calls.append([label, kwargs["name"], given])
            kwargs["name"] += label
            return next_creator(**kwargs)

        return create

    with tf.variable_creator_scope(creator("A")), tf.variable_creator_scope(creator("B")):
        v = tf.Variable(1.0, name="v")
        w = tf.get_variable("w", [])
    outside = tf.Variable(1.0, name="o")
    return {"names": [v.name, w.name, outside.name], "calls": calls}


@question
def templates(tf):
    def layer(x, scale=1.0):
        w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
        tf.get_local_variable("seen", [])
        return tf.multiply(x * scale, w, name="out")

    def underlined(getter, name, *args, **kwargs):
        return getter(name + "_", *args, **kwargs)

    shared = tf.make_template("layer", layer, scale=2.0)
    answers = {"before": [shared.name, shared.variable_scope, shared.variables]}
    outputs = [shared(tf.constant([1.0, 2.0])).name for _ in range(3)]
    answers["calls"] = outputs
    answers["variables"] = [
        names(shared.variables),
        names(shared.trainable_variables),
        names(shared.local_variables),
        names(shared.global_variables),
        names(shared.non_trainable_variables),
    ]
    answers["scope"] = [shared.variable_scope.name, shared.variable_scope_name]
    other = tf.make_template("layer", layer)
    answers["another"] = [other(tf.constant([1.0, 2.0])).name, names(other.global_variables)]
    with tf.variable_scope("outer"):
        now = tf.make_template("layer", layer, create_scope_now_=True)
        unique = tf.make_template("layer", layer, unique_name_="only")
    answers["now"] = [now.variable_scope.name, now(tf.constant([1.0, 1.0])).name]
    answers["unique"] = [unique(tf.constant([1.0, 1.0])).name, names(unique.global_variables)]
    answers["none"] = says("name cannot be None", tf.make_template, None, layer)
    made = tf.make_template("bad", lambda: tf.Variable(1.0))
    made()
    answers["a variable more"] = says("Trainable variable created when calling a template", made)
    failing = tf.make_template("failing", lambda: tf.get_variable("v"))
    answers["an error"] = says("originally defined at", failing)
    getter = tf.make_template("g", layer, custom_getter_=underlined)
    getter(tf.constant([1.0, 2.0]))
    answers["getter"] = names(getter.variables)
    return answers


@question
def variables_as_messages(tf):
    def lines(message):
        return sorted(str(message).splitlines())

    answers = {}
    with tf.name_scope("s"):
        for resource in (False, True):
            v = tf.Variable([1.0, 2.0], name="v", use_resource=resource, trainable=resource)
            w = tf.Variable(lambda: 3.0, name="w", use_resource=resource, caching_device="/cpu:0")
            for label, variable in (("v", v), ("w", w)):
                answers[f"{label} {resource}"] = lines(variable.to_proto())
                answers[f"{label} {resource}, scope"] = lines(variable.to_proto("s"))
                answers[f"{label} {resource}, other scope"] = variable.to_proto("t")
                if resource:  # TensorFlow 2 makes a reference variable of the handle
                    continue
                back = tf.Variable.from_proto(variable.to_proto())
                answers[f"{label} {resource}, back"] = [
                    back.name,
                    back.dtype,
                    back.shape.as_list(),
                    back.trainable,
                    back.op.name,
                    back.initializer.name,
                    back.value().dtype,
                    back.to_proto() == variable.to_proto(),
                ]
    whole = tf.get_variable("p", [3], partitioner=tf.fixed_size_partitioner(2))
    answers["part"] = lines(list(whole)[1].to_proto())
    back = tf.Variable.from_proto(list(whole)[1].to_proto())
    answers["part, back"] = back._get_save_slice_info().spec
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(v.graph.as_graph_def(), name="imported")
        back = tf.Variable.from_proto(v.to_proto(), import_scope="imported")
        answers["imported"] = [back.name, back.initializer.name]
    return answers


@question
def uninitialized_variables(tf):
    answers = {"none": tf.assert_variables_initialized()}
    with tf.Session() as session:
        answers["nothing to report"] = session.run(tf.report_uninitialized_variables())
        a = tf.Variable(1.0, name="a")
        b = tf.get_local_variable("b", [2], initializer=tf.zeros_initializer(), use_resource=True)
        c = tf.Variable(2, name="c", use_resource=True)
        report = tf.report_uninitialized_variables()
        check, one = tf.assert_variables_initialized(), tf.assert_variables_initialized([a])
        answers["nodes"] = [report.name, check.name, one.name]
        answers["all"] = session.run(report)
        answers["refused"] = says("ninitialized value a", session.run, one)
        session.run(a.initializer)
        answers["a done"] = [session.run(report), session.run(one)]
        session.run([b.initializer, c.initializer])
        answers["done"] = [session.run(report), session.run(check)]
        flags = [tf.is_variable_initialized(v) for v in (a, b, c)]
        answers["flags"] = [flag.name for flag in flags] + session.run(flags)
        answers["given"] = session.run(tf.report_uninitialized_variables([c], name="r"))
    return answers


@question
def seeds(tf):
    answers = {}
    answers["none"] = tf.get_seed(None)
    answers["op"] = [tf.get_seed(seed) for seed in (0, 5, -1, 2**31 - 1, 2**31, 2**40)]
    tf.set_random_seed(7)
    answers["graph"] = [tf.get_seed(None), tf.get_seed(None), tf.get_seed(3), tf.get_seed(None)]
    tf.set_random_seed(0)
    answers["zero"] = [tf.get_seed(None), tf.get_seed(0)]
    with tf.Graph().as_default():
        tf.set_random_seed(0)
        answers["zero, new graph"] = [tf.get_seed(None), tf.get_seed(None), tf.get_seed(0)]
    return answers
