"""Names and the scopes of a graph."""

from tests.behaviour.asking import question, says


def node(tf, name=None, **kwargs):
    return tf.placeholder(tf.float32, name=name, **kwargs).op


def enter(scope):
    with scope as entered:
        return entered


@question
def unique_names(tf):
    graph = tf.get_default_graph()
    wanted = ["a", "a", "a_1", "a", "A", "b/c", "b/c", "a_1", "A_1", "a", "b", "b/c_1", "x_9", "x"]
    answers = {f"{i} {name}": graph.unique_name(name) for i, name in enumerate(wanted)}
    answers["only looked"] = [graph.unique_name("q", mark_as_used=False) for _ in range(2)]
    answers["used"] = [graph.unique_name("q"), graph.unique_name("q", mark_as_used=False)]
    with tf.name_scope("s"):
        answers["inside"] = [graph.unique_name("a"), graph.unique_name("a")]
        answers["inside, looked"] = graph.unique_name("a", mark_as_used=False)
    answers["the prefix of a name"] = graph.unique_name("s")
    answers["a name that is a scope"] = graph.unique_name("s/a")
    return answers


@question
def node_names(tf):
    names = []
    for name in [
        "x",
        "x",
        "x/",
        "y/",
        "X",
        "x_1",
        "x_2",
        "d/e",
        "d/e",
        "d",
        ".dot",
        "9",
        "a-b",
        "a>b",
        "a\\b",
        None,
        None,
    ]:
        try:
            names.append(node(tf, name).name)
        except ValueError as error:
            names.append(f"ValueError {'uplicate' in str(error)}")
    return {"names": names}


@question
def names_that_are_none(tf):
    wrong = ["_x", "a b", "a:0", "a*", "ü", "/a", "-a", "a\nb", "a$"]
    answers = {name: says("is not a valid root scope name", node, tf, name) for name in wrong}
    for name in wrong:
        answers[f"scope {name}"] = says(
            "is not a valid", lambda n=name: enter(tf.get_default_graph().name_scope(n))
        )
    with tf.name_scope("s"):
        answers["inside a scope"] = [node(tf, name).name for name in ("_x", "-y", "\\z")]
        answers["scope inside"] = enter(tf.get_default_graph().name_scope("_x"))
        answers["scope inside, wrong"] = says(
            "is not a valid scope name", lambda: enter(tf.get_default_graph().name_scope("a b"))
        )
    return answers


@question
def name_scopes(tf):
    graph = tf.get_default_graph()
    answers = {"outside": graph.get_name_scope()}
    with tf.name_scope("a") as a:
        answers["a"] = [a, node(tf, "x").name, graph.get_name_scope()]
        with tf.name_scope("b") as b:
            answers["b"] = [b, node(tf, "x").name]
        with tf.name_scope("b") as b2:
            answers["b again"] = [b2, node(tf, "x").name]
        with tf.name_scope(b) as back:
            answers["b entered again"] = [back, node(tf, "x").name, node(tf, "y").name]
        with tf.name_scope(None) as root:
            answers["none"] = [root, node(tf, "x").name, graph.get_name_scope()]
        with tf.name_scope("") as root:
            answers["empty"] = [root, node(tf, "x").name]
        with tf.name_scope("c/d") as nested:
            answers["two at once"] = [nested, node(tf, "x").name]
        with tf.name_scope("other/") as absolute:
            answers["absolute"] = [absolute, node(tf, "x").name]
            with tf.name_scope("in") as inner:
                answers["in absolute"] = [inner, node(tf, "x").name]
        answers["a goes on"] = node(tf, "z").name
    with tf.name_scope("a") as again:
        answers["a again"] = [again, node(tf, "x").name]
    with tf.name_scope("A") as upper:
        answers["A"] = [upper, node(tf, "x").name]
    with tf.name_scope("slashes//") as slashes:
        answers["slashes"] = [slashes, node(tf, "x").name]
    answers["a node takes the scope's name"] = node(tf, "a").name
    node(tf, "n")
    with tf.name_scope("n") as taken:
        answers["a scope takes a node's name"] = [taken, node(tf, "x").name]
    with tf.name_scope("deep/er/") as deep:
        answers["deep"] = deep
    with tf.name_scope("deep") as part:
        answers["part of deep"] = part
    try:
        with tf.name_scope("left"):
            raise RuntimeError
    except RuntimeError:
        answers["after an error"] = graph.get_name_scope()
    return answers


@question
def tf_name_scope(tf):
    answers = {}
    with tf.name_scope(None, "fallback") as scope:
        answers["default name"] = scope
    with tf.name_scope("given", "fallback") as scope:
        answers["given name"] = scope
    with tf.name_scope("v", values=[tf.constant(1)]) as scope:
        answers["values"] = scope
    other = tf.Graph()
    with other.as_default():
        c = tf.constant(1)
    with tf.name_scope("w", "d", [c]) as scope:
        answers["graph of the values"] = [scope, tf.get_default_graph() is other]
    answers["another graph"] = says(
        "must be from the same graph", enter, tf.name_scope("z", "d", [c, tf.constant(1)])
    )
    return answers


@question
def device_scopes(tf):
    answers = {}

    def on(label, *scopes):
        def inner(rest):
            if not rest:
                return node(tf).device
            with tf.device(rest[0]):
                return inner(rest[1:])

        answers[label] = inner(scopes)

    on("none", None)
    on("cpu", "/cpu:0")
    on("CPU", "/CPU:0")
    on("gpu", "/gpu:1")
    on("device form", "/device:GPU:1")
    on("without a slash", "gpu:1")
    on("job", "/job:ps/task:1")
    on("any gpu", "/device:GPU:*")
    on("full", "/job:worker/replica:0/task:1/device:CPU:0")
    on("inner wins", "/cpu:0", "/gpu:0")
    on("parts are merged", "/job:ps", "/gpu:0")
    on("inner task", "/job:ps/task:0/gpu:0", "/task:1")
    on("inner job keeps the device", "/job:ps/task:1/cpu:0", "/job:worker")
    on("none forgets", "/job:ps/gpu:0", None)
    on("none forgets in between", "/job:ps/gpu:0", None, "/task:3")
    on("empty", "/job:ps", "")
    on("spec", tf.DeviceSpec(job="ps", device_type="gpu", device_index=2))
    on("function", lambda op: "/job:f")
    on("function in a scope", "/task:1", lambda op: "/job:f/gpu:0")
    on("scope in a function", lambda op: "/job:f/gpu:0", "/cpu:0")
    on("function gives empty", "/task:1", lambda op: "")
    on("function sees the device", lambda op: "/task:2" if op.device else "/task:1", "/job:a")
    on("function sees the type", lambda op: f"/job:{op.type.lower()}")
    on("odd type", "/device:XLA_CPU:0")
    on("lower job", "/job:Ps_x")
    for wrong in ("/jobs:ps", "tomato", "/device:GPU", "/gpu:x", "/cpu:0/gpu:0", "/job", "/task:a"):
        answers[f"wrong {wrong}"] = says("", on, "wrong", wrong).partition(":")[0]
    return answers


@question
def device_specs(tf):
    spec = tf.DeviceSpec
    merged = spec.from_string("/job:ps/cpu:0")
    merged.merge_from(spec.from_string("/job:worker/task:1"))
    return {
        "empty": spec().to_string(),
        "all": spec("w", 1, 2, "GPU", 3).to_string(),
        "lower": spec(device_type="gpu", device_index=0).to_string(),
        "no index": spec(device_type="GPU").to_string(),
        "parsed": spec.from_string("/job:a/replica:1/task:2/gpu:3").to_string(),
        "parts": [
            getattr(spec.from_string("/job:a/task:2/gpu:3"), part)
            for part in ("job", "replica", "task", "device_type", "device_index")
        ],
        "merged": merged.to_string(),
        "merged, new": spec.from_string("/job:a")
        .make_merged_spec(spec.from_string("/gpu:1"))
        .to_string(),
        "equal": spec.from_string("/gpu:0") == spec(device_type="GPU", device_index=0),
        "unequal": spec.from_string("/gpu:0") == spec(device_type="GPU", device_index=1),
        "equal to text": spec.from_string("/gpu:0") == "/device:GPU:0",
        "twice": says("", spec.from_string, "/cpu:0/gpu:1").partition(":")[0],
        "unknown": says("Unknown attribute", spec.from_string, "/tomato:1"),
    }


@question
def colocation(tf):
    graph = tf.get_default_graph()
    answers = {}

    def facts(op):
        return [op.device, op.colocation_groups()]

    with tf.device("/job:a/gpu:0"):
        first = node(tf, "first")
    second = node(tf, "second")
    with graph.colocate_with(first):
        answers["with a node"] = facts(node(tf))
        with graph.colocate_with(second):
            third = node(tf, "third")
            answers["with two"] = facts(third)
        with graph.colocate_with(second, ignore_existing=True):
            answers["ignoring"] = facts(node(tf))
        with graph.colocate_with(None, ignore_existing=True):
            answers["none"] = facts(node(tf))
        with tf.device("/cpu:0"):
            answers["device inside"] = facts(node(tf))
        with tf.device("/task:3"):
            answers["task inside"] = facts(node(tf))
    with tf.device("/job:b"):
        with graph.colocate_with(second):
            answers["device outside"] = facts(node(tf))
        with graph.colocate_with(first):
            answers["device outside, device of the node"] = facts(node(tf))
        with graph.colocate_with(second, ignore_existing=True):
            answers["device outside, ignoring"] = facts(node(tf))
        with graph.colocate_with(None, ignore_existing=True):
            answers["device outside, none"] = facts(node(tf))
    with graph.colocate_with(third):
        answers["with a colocated one"] = facts(node(tf))
    with graph.colocate_with(first.outputs[0]):
        answers["with a tensor"] = facts(node(tf))
    answers["after"] = facts(node(tf))
    answers["alone"] = facts(second)
    answers["reset"] = says(
        "Trying to reset colocation (op is None) but ignore_existing is not",
        lambda: enter(graph.colocate_with(None)),
    )
    answers["attribute"] = third.get_attr("_class")
    with tf.colocate_with(first):
        answers["tf.colocate_with"] = facts(node(tf))
    return answers


@question
def control_dependencies(tf):
    graph = tf.get_default_graph()
    a, b, c = node(tf, "a"), node(tf, "b"), node(tf, "c")
    answers = {}

    def controls(**kwargs):
        return [op.name for op in node(tf, **kwargs).control_inputs]

    with tf.control_dependencies([a, b]):
        answers["two"] = controls()
        answers["on a consumer"] = [op.name for op in tf.identity(a.outputs[0]).op.control_inputs]
        inside = tf.identity(c.outputs[0], name="inside")
        answers["of a node inside"] = [op.name for op in tf.identity(inside).op.control_inputs]
        with tf.control_dependencies([c]):
            answers["nested"] = controls()
            answers["nested, on a node inside"] = [
                op.name for op in tf.identity(inside).op.control_inputs
            ]
            with tf.control_dependencies(None):
                answers["none"] = controls()
                with tf.control_dependencies([b]):
                    answers["in none"] = controls()
            answers["after none"] = controls()
        with tf.control_dependencies([a]):
            answers["the same again"] = controls()
        answers["after nesting"] = controls()
    answers["after"] = controls()
    with tf.control_dependencies([]):
        answers["empty"] = controls()
    with tf.control_dependencies([a.outputs[0], "b", "c:0"]):
        answers["tensors and names"] = controls()
    with graph.control_dependencies([a]), graph.control_dependencies([b]):
        answers["two scopes"] = controls()
    try:
        with tf.control_dependencies([a]):
            raise RuntimeError
    except RuntimeError:
        answers["after an error"] = controls()
    with tf.Graph().as_default():
        foreign = node(tf, "foreign")
    answers["another graph"] = says(
        "is not an element of this graph", lambda: enter(tf.control_dependencies([foreign]))
    )
    answers["a number"] = says("", lambda: enter(tf.control_dependencies([3]))).partition(":")[0]
    answers["no such name"] = says(
        "refers to an Operation not in the graph", lambda: enter(tf.control_dependencies(["zzz"]))
    )
    answers["marked"] = [
        op.name
        for op in graph.get_operations()
        if "_has_manual_control_dependencies" in op.node_def.attr
    ]
    return answers


@question
def containers_and_maps(tf):
    graph = tf.get_default_graph()
    answers = {}
    with graph.container("outer"):
        v = tf.Variable(1.0, trainable=False, name="v", use_resource=False)
        answers["variable"] = v.op.get_attr("container")
        with graph.container("inner"):
            answers["inner"] = tf.Variable(1.0, use_resource=False).op.get_attr("container")
        with tf.container("shorter"):
            answers["tf.container"] = tf.Variable(1.0, use_resource=False).op.get_attr("container")
        answers["a stateless op"] = sorted(node(tf).node_def.attr)
    answers["outside"] = tf.Variable(1.0, use_resource=False).op.get_attr("container")
    with graph.gradient_override_map({"Placeholder": "Mine"}):
        answers["override"] = node(tf).get_attr("_gradient_op_type")
    answers["no override"] = says(
        "has no attr named '_gradient_op_type'", node(tf).get_attr, "_gradient_op_type"
    )
    answers["no map"] = says(
        "must be a dictionary mapping strings to strings",
        lambda: enter(graph.gradient_override_map([1])),
    )
    return answers
