"""Which variable goes where: `tf.train.replica_device_setter`, and who stays with whom.

Most answers are the device of every node of a program, as the graph asks for it.
"""

from tests.behaviour.asking import question, says
from tests.behaviour.questions._placed import both, devices, program, under

CLUSTER = {"ps": ["a:1", "b:1", "c:1"], "worker": ["d:1", "e:1"], "chief": ["f:1"]}


def homes(tf, count=5, scopes=(), **setter):
    """The devices of some variables, and of what is computed with them."""
    with tf.Graph().as_default():
        with tf.device(tf.train.replica_device_setter(**setter)):
            found = [under(tf, *scopes, build=lambda: tf.Variable(1.0).op) for _ in range(count)]
            return [*found, under(tf, *scopes)]


@question
def in_turn(tf):
    return {f"{n} tasks": homes(tf, ps_tasks=n) for n in (1, 2, 3, 7, -1, -2)}


@question
def no_servers(tf):
    setter = tf.train.replica_device_setter
    return {
        "nothing given": setter(),
        "zero": setter(ps_tasks=0),
        "zero, with a strategy": setter(0, ps_strategy=lambda op: 0),
        "zero, and a strategy that is none": setter(0, ps_strategy=3),
        "a cluster without the job": setter(cluster={"worker": ["a:1"]}),
        "an empty job": setter(cluster={"ps": []}),
        "no job in the device": setter(cluster=CLUSTER, ps_device="/cpu:0"),
        "an empty device": setter(cluster=CLUSTER, ps_device=""),
        "a cluster overrides": setter(ps_tasks=3, cluster={"worker": ["a:1"]}),
        "in a scope": under(tf, "/gpu:0", setter()),
        "around a scope": under(tf, setter(), "/gpu:0"),
    }


@question
def clusters(tf):
    spec = tf.train.ClusterSpec(CLUSTER)
    return {
        "a dict": homes(tf, cluster=CLUSTER),
        "a spec": homes(tf, cluster=spec),
        "a proto": homes(tf, cluster=spec.as_cluster_def()),
        "tasks left out": homes(tf, cluster={"ps": {1: "a:1", 4: "b:1"}}),
        "another number": homes(tf, ps_tasks=7, cluster=CLUSTER),
        "another job": homes(tf, cluster=CLUSTER, ps_device="/job:worker"),
        "a job and a device": homes(tf, cluster=CLUSTER, ps_device="/job:chief/cpu:0"),
        "a job and a task": homes(tf, cluster=CLUSTER, ps_device="/job:ps/task:9"),
        "a number": says(
            "`cluster` must be a dictionary mapping one or more job names to lists "
            "of network addresses, or a `ClusterDef` protocol buffer",
            tf.train.replica_device_setter,
            cluster=3,
        ),
        "a list": says(
            "`cluster` must be a dictionary", tf.train.replica_device_setter, cluster=["a:1"]
        ),
        "tasks that are a number": says(
            "The tasks for job 'ps' must be a list or a dictionary from integers to strings",
            tf.train.replica_device_setter,
            cluster={"ps": 2},
        ),
        "an address that is a number": says(
            "Task address 3 must be bytes or unicode",
            tf.train.replica_device_setter,
            cluster={"ps": [3]},
        ),
        "a device that is none": says(
            "Unknown attribute 'tomato'",
            tf.train.replica_device_setter,
            cluster=CLUSTER,
            ps_device="tomato",
        ),
    }


@question
def names_of_jobs_and_devices(tf):
    return {
        "other names": homes(tf, ps_tasks=2, ps_device="/job:store", worker_device="/job:w/task:3"),
        "on processors": homes(
            tf, ps_tasks=2, ps_device="/job:ps/cpu:0", worker_device="/job:worker/task:1/gpu:0"
        ),
        "no worker": homes(tf, ps_tasks=2, worker_device=""),
        "worker None": homes(tf, ps_tasks=2, worker_device=None),
        "no servers' device": homes(tf, ps_tasks=2, ps_device=""),
        "no servers' device, None": homes(tf, ps_tasks=2, ps_device=None),
        "no job": homes(tf, ps_tasks=2, ps_device="/cpu:0"),
        "a task of its own": homes(tf, ps_tasks=2, ps_device="/job:ps/task:5"),
        "a replica": homes(tf, ps_tasks=2, ps_device="/job:ps/replica:1"),
        "one process": homes(
            tf, ps_tasks=2, ps_device="/job:localhost", worker_device="/job:localhost/task:0"
        ),
        "no job, task": homes(tf, ps_tasks=2, ps_device="/task:4"),
        "by position": under(tf, tf.train.replica_device_setter(1, "/job:p", "/job:w", False)),
    }


@question
def inner_scopes(tf):
    scopes = [
        ("/cpu:0",),
        ("/gpu:1",),
        ("/task:1",),
        ("/job:ps",),
        ("/job:ps/task:1",),
        ("/job:worker",),
        ("/job:worker/task:1/gpu:0",),
        ("/job:else",),
        ("/replica:1",),
        ("",),
        (None,),
        ("/task:1", "/cpu:0"),
        ("/job:else", "/task:2"),
        (lambda op: "/job:mine",),
        (lambda op: "",),
        ("/job:else", None),
        ("/job:ps/gpu:0", "/job:worker"),
    ]
    return {
        f"{[s if not callable(s) else '()' for s in inner]} {merge}": homes(
            tf, 3, inner, ps_tasks=2, merge_devices=merge
        )
        for inner in scopes
        for merge in (True, False)
    }


@question
def outer_scopes(tf):
    setter = tf.train.replica_device_setter
    answers = {}
    for outer in ("/cpu:0", "/gpu:1", "/task:1", "/job:else/task:2", "/replica:1", None, ""):
        inside = [under(tf, outer, setter(2), build=b) for b in (lambda: tf.Variable(1.0), None)]
        answers[repr(outer)] = inside
    answers["a setter in a setter"] = [
        under(tf, setter(3, "/job:out"), setter(2, "/job:in", ""), build=build)
        for build in (lambda: tf.Variable(1.0), None)
    ]
    return answers


@question
def one_setter_in_two_scopes(tf):
    setter = tf.train.replica_device_setter(ps_tasks=3)
    first = under(tf, setter, build=lambda: tf.Variable(1.0))
    second = [under(tf, setter, build=lambda: tf.Variable(1.0)) for _ in range(3)]
    with tf.Graph().as_default():
        third = under(tf, setter, build=lambda: tf.Variable(1.0))
    return {"it goes on": [first, second], "in another graph": third}


@question
def called_by_hand(tf):
    setter = tf.train.replica_device_setter(ps_tasks=3)
    node = tf.NodeDef(name="v", op="VariableV2")
    placed = tf.NodeDef(name="v", op="VariableV2", device="/job:ps/task:7/cpu:0")
    other = tf.NodeDef(name="c", op="Const", device="/gpu:0")
    variable = tf.Variable(1.0)
    return {
        "a node": [setter(node), setter(node)],
        "a node with a device": setter(placed),
        "another node": setter(other),
        "an operation": setter(variable.op),
        "its initializer": setter(variable.initializer),
        "after it": setter(node),
    }


@question
def strategies(tf):
    seen = []

    def by_name(op):
        seen.append([op.name, op.type, [str(t.shape) for t in op.outputs], op.device])
        return len(op.name)

    def fixed(value):
        return lambda op: value

    def build():
        tf.Variable([1.0, 2.0], name="vector")
        tf.get_variable("handle", [2, 3], use_resource=True)
        with tf.device("/cpu:0"):
            tf.get_variable("on_processor", [])
        with tf.device("/task:1"):
            tf.get_variable("has_a_task", [])
        with tf.device("/job:else"):
            tf.get_variable("has_a_job", [])

    with tf.device(tf.train.replica_device_setter(2, ps_strategy=by_name)):
        build()
    return {
        "asked": seen,
        "out of range": homes(tf, 1, ps_tasks=2, ps_strategy=fixed(9)),
        "negative": homes(tf, 1, ps_tasks=2, ps_strategy=fixed(-1)),
        "text": homes(tf, 1, ps_tasks=2, ps_strategy=fixed("1")),
        "a fraction": homes(tf, 1, ps_tasks=2, ps_strategy=fixed(1.7)),
        "nothing": homes(tf, 1, ps_tasks=2, ps_strategy=fixed(None)),
        "words": says(
            "invalid literal for int() with base 10: 'x'",
            homes,
            tf,
            1,
            ps_tasks=2,
            ps_strategy=fixed("x"),
        ),
        "none": says("ps_strategy must be callable", homes, tf, ps_tasks=2, ps_strategy=3),
        "a class": homes(tf, 1, ps_tasks=2, ps_strategy=lambda op: op.type == "Variable"),
    }


@question
def least_loaded(tf):
    loads = [0, 0, 0]

    def greedy(op):
        task = loads.index(min(loads))
        shape = op.get_attr("shape").dim
        size = 1
        for dimension in shape:
            size *= dimension.size
        loads[task] += size
        return task

    with tf.device(tf.train.replica_device_setter(3, ps_strategy=greedy)):
        found = [tf.get_variable(f"v{i}", [n, 2]) for i, n in enumerate((50, 3, 3, 9, 20, 7, 1))]
    return {"homes": [v.device for v in found], "loads": loads}


@question
def other_ps_ops(tf):
    def build(tf):
        v = tf.Variable(1.0, name="v")
        r = tf.get_variable("r", [2], use_resource=True)
        tf.FIFOQueue(3, tf.float32, name="q")
        tf.add(v, r, name="sum")

    return {
        repr(types): program(tf, build, ps_tasks=2, ps_ops=types)
        for types in (
            [],
            ["FIFOQueueV2"],
            ("Add", "AddV2"),
            ["VarHandleOp"],
            ["VariableV2", "Const"],
            ["Assign", "VariableV2"],
        )
    }


@question
def the_books_sharding(tf):
    with tf.device(
        tf.train.replica_device_setter(ps_tasks=2, ps_device="/job:ps", worker_device="/job:worker")
    ):
        v1 = tf.Variable(1.0, name="v1")
        v2 = tf.Variable(2.0, name="v2")
        tf.Variable(3.0, name="v3")
        s = v1 + v2
        with tf.device("/task:1"):
            p1 = 2 * s
            with tf.device("/cpu:0"):
                p2 = 3 * s
    return {"all": devices(tf), "named": [s.device, p1.device, p2.device]}


@question
def the_books_pinning(tf):
    with tf.device("/job:ps"):
        a = tf.Variable(1.0, name="a")
    with tf.device("/job:worker"):
        b = a + 2
    with tf.device("/job:worker/task:1"):
        c = a + b
    with tf.device("/job:ps/task:1/cpu:0"):
        a + c
    return devices(tf)


@question
def pinning_to_cards(tf):
    with tf.device("/job:multigpu/task:0/cpu:0"):
        a = tf.Variable(1.0, name="a")
    with tf.device("/job:multigpu/task:0/gpu:0"):
        b = a + 2
    with tf.device("/job:multigpu/task:1/gpu:1"):
        a + b
    return devices(tf)


@question
def the_slides_layers(tf):
    with tf.device("/job:ps/task:0"):
        weights_1 = tf.Variable(tf.truncated_normal([4, 3]), name="weights_1")
        biases_1 = tf.Variable(tf.zeros([3]), name="biases_1")
    with tf.device("/job:ps/task:1"):
        weights_2 = tf.Variable(tf.truncated_normal([3, 2]), name="weights_2")
        biases_2 = tf.Variable(tf.zeros([2]), name="biases_2")
    with tf.device("/job:worker/task:7"):
        inputs = tf.placeholder(tf.float32, [None, 4])
        layer_1 = tf.nn.relu(tf.matmul(inputs, weights_1) + biases_1)
        logits = tf.nn.relu(tf.matmul(layer_1, weights_2) + biases_2)
        tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(logits))
    return devices(tf)


@question
def a_function_by_type(tf):
    def variables_on_cpu(op):
        return "/cpu:0" if op.type == "Variable" else "/gpu:0"

    with tf.device(variables_on_cpu):
        a = tf.Variable(3.0)
        b = tf.constant(4.0)
        a * b
    return devices(tf)


@question
def kinds_of_variables(tf):
    def build(tf):
        tf.Variable(1.0, name="plain")
        tf.Variable(1, trainable=False, name="counter")
        tf.Variable(lambda: tf.ones([2]), name="by_function")
        tf.get_variable("text", initializer=tf.constant("a"))
        tf.get_local_variable("local", [2])
        tf.get_variable("truth", [2], tf.bool)
        tf.train.get_or_create_global_step()

    return both(tf, build)


@question
def reading_and_writing(tf):
    def build(tf):
        v = tf.get_variable("v", [4])
        v.read_value()
        tf.identity(v, name="copy")
        v.assign(tf.ones([4]))
        v.assign_add(tf.ones([4]))
        tf.scatter_add(v, [0], [1.0])
        tf.gather(v, [0, 1])
        v[1:3].assign([1.0, 2.0])
        tf.is_variable_initialized(v)

    return both(tf, build)


@question
def on_a_worker_of_ones_own(tf):
    def build(tf):
        v = tf.get_variable("v", [2])
        tf.assign_add(v, v * 2.0)

    return {
        f"task {task}": both(tf, build, ps_tasks=2, worker_device=f"/job:worker/task:{task}")
        for task in (0, 1)
    }


@question
def caching(tf):
    def build(tf):
        with tf.variable_scope("s", caching_device=lambda op: op.device):
            v = tf.get_variable("v", [2])
            v + 1.0
        with tf.variable_scope("t", caching_device="/job:worker/task:1"):
            w = tf.get_variable("w", [2])
            w + 1.0

    return both(tf, build)


@question
def initialisers(tf):
    def build(tf):
        tf.get_variable("normal", [2, 2], initializer=tf.random_normal_initializer(seed=1))
        w = tf.get_variable("w", initializer=tf.constant([1.0]))
        tf.get_variable("from_w", initializer=w.initial_value * 2.0)
        tf.global_variables_initializer()
        tf.report_uninitialized_variables()

    return both(tf, build)
