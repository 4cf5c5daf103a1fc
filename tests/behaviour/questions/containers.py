"""Containers of state, what a session's configuration says of clusters, and cluster specs."""

import numpy as np

from tests.behaviour.asking import question, says
from tests.behaviour.questions._placed import under


def containers(tf):
    """The container of every node that has one."""
    return {
        op.name: op.get_attr("container")
        for op in tf.get_default_graph().get_operations()
        if "container" in op.node_def.attr
    }


def inside(tf, build, name="box"):
    """The containers of what is built inside one."""
    with tf.Graph().as_default():
        with tf.container(name):
            build(tf)
        return containers(tf)


def outcome(function, *args, **kwargs):
    """What a call gives, or the name of the class that it raises."""
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return type(error).__name__


@question
def containers_of_variables(tf):
    def build(tf):
        tf.Variable(1.0, name="reference", use_resource=False)
        tf.Variable(1.0, name="resource", use_resource=True)
        tf.get_variable("got", [2])
        tf.get_variable("got_resource", [2], use_resource=True)
        tf.get_variable("parts", [4], partitioner=tf.fixed_size_partitioner(2))
        tf.get_local_variable("local", [2])
        tf.train.get_or_create_global_step()

    return inside(tf, build)


@question
def containers_of_slots(tf):
    def build(tf):
        v = tf.get_variable("v", [2])
        w = tf.get_variable("w", [2], use_resource=True)
        with tf.container("other"):
            tf.train.AdamOptimizer().minimize(tf.reduce_sum(v) + tf.reduce_sum(w))
        tf.train.ExponentialMovingAverage(0.9).apply([w])

    return inside(tf, build)


@question
def containers_of_queues(tf):
    def build(tf):
        tf.FIFOQueue(3, tf.float32, name="fifo")
        tf.RandomShuffleQueue(3, 1, tf.float32, name="shuffle")
        tf.PaddingFIFOQueue(3, tf.float32, [[None]], name="padding")
        tf.PriorityQueue(3, tf.float32, [[]], name="priority")
        tf.ConditionalAccumulator(tf.float32, [2], name="accumulator")
        tf.SparseConditionalAccumulator(tf.float32, [2], name="sparse_accumulator")

    return inside(tf, build)


@question
def containers_of_readers(tf):
    def build(tf):
        tf.TextLineReader(name="lines")
        tf.WholeFileReader(name="files")
        tf.TFRecordReader(name="records")
        tf.IdentityReader(name="same")
        tf.FixedLengthRecordReader(4, name="fixed")
        tf.train.string_input_producer(["a"], num_epochs=2, name="producer")
        tf.train.batch([tf.constant(1)], 2, name="batch")
        tf.train.shuffle_batch([tf.constant(1)], 2, 10, 3, name="shuffled")

    return inside(tf, build)


@question
def containers_of_other_state(tf):
    def build(tf):
        tf.placeholder(tf.float32, name="none")
        tf.TensorArray(tf.float32, 3)
        data = tf.data.Dataset.range(3)
        tf.data.make_initializable_iterator(data)
        tf.data.make_one_shot_iterator(data)
        tf.serialize_sparse(tf.SparseTensor([[0]], [1], [2]))

    return inside(tf, build)


@question
def containers_nest(tf):
    with tf.container("outer") as outer:
        tf.Variable(1.0, name="a")
        with tf.container("inner"):
            tf.Variable(1.0, name="b")
        with tf.container(""):
            tf.Variable(1.0, name="c")
        with tf.Graph().as_default():
            elsewhere = tf.Variable(1.0, name="d").op.get_attr("container")
        tf.Variable(1.0, name="e")
    tf.Variable(1.0, name="f")
    return {"all": containers(tf), "in another graph": elsewhere, "yields": outer}


@question
def containers_as_they_are_named(tf):
    def named(name):
        return list(inside(tf, lambda tf: tf.Variable(1.0), name).values())

    return {
        "odd letters": named("my problem/1 ö"),
        "bytes": named(b"box"),
        "none": named(None),
        "a number": says("Expected binary or unicode string, got 3", named, 3),
    }


@question
def containers_of_imported_nodes(tf):
    with tf.Graph().as_default() as graph:
        tf.Variable(1.0, name="a")
        with tf.container("own"):
            tf.Variable(1.0, name="b")
    return {"imported": inside(tf, lambda tf: tf.import_graph_def(graph.as_graph_def(), name=""))}


@question
def containers_in_branches_and_loops(tf):
    def build(tf):
        tf.cond(
            tf.constant(True),
            lambda: tf.get_variable("v", [], initializer=tf.zeros_initializer) + 1.0,
            lambda: tf.constant(2.0),
        )
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])

    return inside(tf, build)


@question
def one_name_in_two_containers(tf):
    with tf.Session() as sess:
        with tf.container("a"):
            one = tf.Variable(1.0, use_resource=True)
            queue = tf.FIFOQueue(5, tf.int32, shared_name="s")
        with tf.container("b"):
            other = tf.FIFOQueue(5, tf.int32, shared_name="s")
        sess.run([one.initializer, queue.enqueue(7)])
        return {"queues": sess.run([queue.size(), other.size()]), "variable": sess.run(one)}


@question
def one_variable_for_two_sessions(tf):
    v = tf.Variable(1.0)
    with tf.Session() as first, tf.Session() as second:
        first.run(v.initializer)
        return {
            "its own": first.run(v.assign_add(1.0)),
            "not another's": says("ttempting to use uninitialized value Variable", second.run, v),
        }


@question
def resets(tf):
    reset, config = tf.Session.reset, tf.ConfigProto
    v = tf.Variable(1.0)

    def after(*args, **kwargs):
        sess = tf.Session()
        sess.run(v.initializer)
        reset(*args, **kwargs)
        return says("Session has been closed", sess.run, v)

    return {
        "all": after(""),
        "bytes": after(b""),
        "none": after(None),
        "one container": after("", ["box"]),
        "bytes of a name": after("", [b"box"]),
        "a text": after("", "box"),
        "no containers": after("", []),
        "a tuple, by name": after(target="", containers=("a", "b"), config=None),
        "a configuration": after("", config=config(device_filters=["/job:ps"])),
        "returns": reset(""),
        "a target that is a number": says("Expected binary or unicode string, got 3", reset, 3),
        "a container that is a number": says(
            "Expected binary or unicode string, got 4", reset, "", ["a", 4]
        ),
        "containers that are a number": outcome(reset, "", 4),
        "an unknown target": says(
            "No session factory registered for the given session options", reset, "nope://a:1"
        ),
        "a bad address": says('Could not interpret "a" as a host-port pair.', reset, "grpc://a"),
    }


# Configurations ---------------------------------------------------------------------------------


FILTERS = [
    "cpu:0",
    "GPU:1",
    "foo:3",
    "foo:x",
    "foo",
    "device:CPU:0",
    "/device:CPU",
    "/cpu",
    "/cpu:0",
    "/tomato:0",
    "/job:a-b",
    "/job:",
    "/task:x",
    "/task:*",
    "/",
    "//",
    " /job:a",
    "*",
    "1:2",
    ":0",
    "/job:ps/",
    "/device:*:*",
    "/job:*",
    "worker",
    "/job:ps,/job:w",
    "/gpu:*",
    "/task:007",
]


def settings(tf):
    config = tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:0"])
    config.isolate_session_state = True
    config.operation_timeout_in_ms = 3000
    config.cluster_def.CopyFrom(
        tf.train.ClusterSpec({"ps": ["a:1"], "worker": {2: "b:1"}}).as_cluster_def()
    )
    config.rpc_options.use_rpc_for_inprocess_master = True
    config.share_cluster_devices_in_session = True
    return config


@question
def configurations(tf):
    config, empty = settings(tf), tf.ConfigProto()
    copy = tf.ConfigProto.FromString(config.SerializeToString())
    merged = tf.ConfigProto(device_filters=["/job:chief"])
    merged.MergeFrom(config)
    return {
        "printed": config,
        "bytes": config.SerializeToString(deterministic=True),
        "experimental": tf.ConfigProto(
            experimental=tf.ConfigProto.Experimental(
                share_session_state_in_clusterspec_propagation=True,
                share_cluster_devices_in_session=True,
            )
        ),
        "parsed": [copy == config, list(copy.device_filters), copy.isolate_session_state],
        "empty": [
            str(empty),
            empty.isolate_session_state,
            list(empty.device_filters),
            empty.HasField("cluster_def"),
            empty.share_cluster_devices_in_session,
        ],
        "with a cluster": tf.ConfigProto(
            cluster_def=tf.train.ClusterSpec({"w": ["a:1", "b:1"]}).as_cluster_def()
        ),
        "merged": merged,
        "filters that are a text": list(tf.ConfigProto(device_filters="/job:a").device_filters)[:3],
        "filters that are a number": outcome(tf.ConfigProto, device_filters=3),
        "unknown": outcome(tf.ConfigProto, device_filter=["/job:a"]),
        "isolate, as a text": outcome(tf.ConfigProto, isolate_session_state="yes"),
    }


@question
def sessions_take_configurations(tf):
    answers = {}
    v = tf.Variable(3.0)
    for name, config in {
        "isolated": tf.ConfigProto(isolate_session_state=True),
        "filtered": tf.ConfigProto(device_filters=["/job:localhost"]),
        "filters of elsewhere": tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:1"]),
        "shared devices": tf.ConfigProto(share_cluster_devices_in_session=True),
    }.items():
        with tf.Session(config=config) as sess:
            sess.run(v.initializer)
            answers[name] = [sess.run(v), len(sess.list_devices()) > 0]
    for text in FILTERS:
        config = tf.ConfigProto(device_filters=["/job:ps", text])
        answers[f"filter {text!r}"] = outcome(lambda c=config: tf.Session(config=c).close())
    answers["said of one that is none"] = says(
        "Invalid device filter: tomato",
        tf.Session,
        config=tf.ConfigProto(device_filters=["tomato"]),
    )
    answers["no configuration"] = outcome(tf.Session, config={"isolate_session_state": True})
    return answers


# Cluster specs ----------------------------------------------------------------------------------


@question
def cluster_specs(tf):
    make = tf.train.ClusterSpec
    dense = make({"worker": ["a:1", "b:1"], "ps": ["c:1"]})
    sparse = make({"worker": {3: "a:1", 1: "b:1"}, "ps": ("c:1",)})
    answers = {}
    for name, spec in {
        "dense": dense,
        "sparse": sparse,
        "empty job": make({"ps": []}),
        "no tasks": make({"ps": {}}),
        "nothing": make({}),
        "from one": make(sparse),
        "by text": make({"w": {"1": "a:1"}}),
        "from a proto": make(sparse.as_cluster_def()),
    }.items():
        answers[name] = [
            spec,
            spec.as_dict(),
            spec.jobs,
            bool(spec),
            spec.as_cluster_def(),
            [[spec.num_tasks(job), spec.task_indices(job)] for job in spec.jobs],
        ]
    return {
        **answers,
        "addresses": [sparse.task_address("worker", 3), sparse.job_tasks("worker")],
        "equal": [
            make({"a": ["b:1"]}) == make({"a": {0: "b:1"}}),
            dense == sparse,
            make(sparse) == sparse,
            dense != make(dense),
        ],
        "no job": says("No such job in cluster: 'x'", dense.num_tasks, "x"),
        "no job's tasks": says("No such job in cluster: 'x'", dense.job_tasks, "x"),
        "no job's indices": says("No such job in cluster: 'x'", dense.task_indices, "x"),
        "no task": says("No task with index 7 in job 'ps'", dense.task_address, "ps", 7),
        "an index that is none": outcome(make, {"a": {"x": "b:1"}}),
        "a name that is a number": says("Job name 3 must be bytes or unicode", make, {3: ["a:1"]}),
        "a number of tasks": says(
            "The tasks for job 'a' must be a list or a dictionary from", make, {"a": 3}
        ),
        "bytes": make({"a": [b"b:1"]}).as_cluster_def(),
    }


# Devices of tasks -------------------------------------------------------------------------------


@question
def devices_of_tasks(tf):
    names = [
        "/job:ps/task:0/cpu:0",
        "/job:ps/replica:0/task:3/device:GPU:1",
        "/task:2",
        "/gpu:1",
        "/job:worker",
    ]
    answers = {
        f"{outer} {inner}": [
            under(tf, outer, inner),
            tf.DeviceSpec.from_string(outer)
            .make_merged_spec(tf.DeviceSpec.from_string(inner))
            .to_string(),
        ]
        for outer in names
        for inner in names
    }
    answers["three"] = under(tf, "/job:ps", "/task:1", "/gpu:0")
    answers["a spec"] = under(tf, tf.DeviceSpec(job="ps", task=np.int64(1)), "/cpu:0")
    answers["a task of a function"] = [
        under(tf, lambda op, n=n: f"/job:ps/task:{n % 2}") for n in range(3)
    ]
    return answers
