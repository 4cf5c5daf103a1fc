"""depends_on, does_not_depend_on, placed_on, overlaps: right graphs pass, wrong ones are told."""

import random
from itertools import pairwise

import pytest

import tinytf as tf
from tinytf.distributed.cluster.ports import reserve
from tinytf.grading import Wrong
from tinytf.grading.assertions import depends_on, does_not_depend_on, overlaps, placed_on
from tinytf.grading.assertions.graph import operation, path, path_text


@pytest.fixture(autouse=True)
def own_graph():
    with tf.Graph().as_default():
        yield


def told(*expected, by=Wrong):
    """The next call must be told off in these words."""
    return pytest.raises(by, match="(?s)" + "".join(f"(?=.*(?:{word}))" for word in expected))


def diamond():
    """left and right are computed from x, total from both; save runs before late."""
    x = tf.constant(2.0, name="x")
    left, right = tf.square(x, name="left"), tf.sqrt(x, name="right")
    total = tf.add(left, right, name="total")
    save = tf.no_op(name="save")
    with tf.control_dependencies([save]):
        late = tf.identity(total, name="late")
    return x, left, right, total, save, late


# depends_on --------------------------------------------------------------------------------------


def test_who_waits_for_whom():
    x, left, right, total, save, late = diamond()
    for op, other, by in (
        (total, x, "any"),
        (total, x, "data"),
        (late, save, "control"),
        (late, x, "data"),
        ("late", "x", "any"),
        (late.op, save, "any"),
    ):
        depends_on(op, other, by)
        with told("waits for|computed from", " ← "):
            does_not_depend_on(op, other, by)
    for op, other, by in (
        (left, right, "any"),
        (x, total, "any"),
        (late, save, "data"),
        (total, x, "control"),
    ):
        does_not_depend_on(op, other, by)
        with told("does not"):
            depends_on(op, other, by)


def test_the_message_shows_the_path():
    x, *_, late = diamond()
    with told(r"late \(Identity\) waits for x \(Const\)", "late ← total ← (left|right) ← x"):
        does_not_depend_on(late, x)
    with told(r"late ← \^save", "control_dependencies"):
        does_not_depend_on("late", "save")


def test_long_paths_are_shortened():
    first = last = tf.constant(1.0, name="first")
    for _ in range(300):
        last = tf.identity(last)
    with told(r"Identity_299 ← .*\.\.\. 294 more \.\.\. ← .* ← first"):
        does_not_depend_on(last, first)


def test_what_comes_nearest():
    x, left, right, total, save, late = diamond()
    with told("other way round: total ← left ← x"):
        depends_on(x, total)
    with told(r"by a control dependency \(\^\) only: late ← \^save"):
        depends_on(late, save, "data")
    with told("by values only: total ← left ← x"):
        depends_on(total, x, "control")
    with told("waits for its inputs", "got it waits for x"):
        depends_on(left, right)
    with told("my own hint"):
        depends_on(left, right, hint="my own hint")


def test_control_may_come_anywhere_on_the_way():
    *_, save, late = diamond()
    after = tf.negative(tf.negative(late))
    depends_on(after, save, "control")
    with tf.control_dependencies([after]):
        last = tf.no_op()
    depends_on(last, "x", "control")
    does_not_depend_on(last, "x", "data")


@pytest.mark.parametrize("newer", [False, True])
def test_variables(newer):
    count = tf.get_variable("count", initializer=0.0, use_resource=newer)
    add = tf.assign_add(count, 1.0)
    plain = tf.multiply(tf.identity(count), 2.0, name="plain")
    with tf.control_dependencies([add]):
        late = tf.multiply(count.read_value(), 2.0, name="late")
    depends_on(plain, count)
    depends_on(add, count)
    depends_on(late, add)
    does_not_depend_on(count, add)
    with told("both use count, but that gives them no order"):
        depends_on(plain, add)
    depends_on(add, "count")


def test_one_operation_for_both():
    x = tf.constant(1.0, name="x")
    for assertion in (depends_on, does_not_depend_on, overlaps):
        with told(r"x \(Const\) stands for both"):
            assertion(x, x.op)


def test_loops_end():
    start = tf.constant(0, name="start")
    inside = []

    def body(i):
        inside.append(tf.add(i, 1, name="next"))
        return inside[0]

    end = tf.while_loop(lambda i: i < 3, body, [start])
    depends_on(end, start)
    depends_on(end, inside[0])
    does_not_depend_on(start, end)
    assert path(inside[0].op, inside[0].op)  # of the iteration before
    with told("does not wait"):
        depends_on(start, inside[0])


def test_other_graphs_and_other_things():
    x = tf.constant(1.0)
    with tf.Graph().as_default():
        y = tf.constant(2.0)
    with told("in two graphs", "reset_default_graph"):
        depends_on(x, y)
    for thing, word in ((None, "None"), (3, "3"), ([x], "a Tensor"), (lambda: x, "a function")):
        with told("no part of a graph", word):
            depends_on(thing, x)
    with told("by must be", by=ValueError):
        depends_on(x, x, by="name")


@pytest.mark.parametrize("seed", range(25))
def test_random_graphs(seed):
    """Against the closure of the edges, computed in another way."""
    rng = random.Random(seed)
    ops, data, control = [], {}, {}
    for number in range(12):
        inputs = rng.sample(ops, min(len(ops), rng.randrange(3)))
        controls = rng.sample(ops, min(len(ops), rng.randrange(3)))
        with tf.control_dependencies([op.op for op in controls]):
            made = (
                tf.add_n(inputs, name=f"n{number}")
                if inputs
                else tf.placeholder(tf.float32, [], name=f"n{number}")
            )
        for one in ops:
            data[made, one], control[made, one] = one in inputs, one.op in made.op.control_inputs
        ops.append(made)
    values = reaches(ops, lambda a, b: data.get((a, b), False))
    both = reaches(ops, lambda a, b: data.get((a, b), False) or control.get((a, b), False))
    news = {  # somewhere on the way a control edge
        (a, b)
        for a in ops
        for b in ops
        for c in ops
        for d in ops
        if control.get((c, d)) and (a is c or (a, c) in both) and (d is b or (d, b) in both)
    }
    for by, known in (("data", values), ("any", both), ("control", news)):
        for a in ops:
            for b in ops:
                if a is not b:
                    assert passes(depends_on, a, b, by) is ((a, b) in known), (by, a.name, b.name)
                    assert passes(does_not_depend_on, a, b, by) is ((a, b) not in known)
                    assert_is_way(path(a.op, b.op, by), by)


def reaches(ops, edge):
    """All (a, b) so that b is behind a."""
    found = {(a, b) for a in ops for b in ops if edge(a, b)}
    for c in ops:
        found |= {(a, b) for a in ops for b in ops if (a, c) in found and (c, b) in found}
    return found


def passes(assertion, *args):
    try:
        assertion(*args)
    except Wrong:
        return False
    return True


def assert_is_way(hops, by):
    for before, hop in pairwise(hops):
        edges = before.op.control_inputs if hop.is_control else [t.op for t in before.op.inputs]
        assert hop.op in edges, path_text(hops)
    kinds = {hop.is_control for hop in hops[1:]}
    assert not (by == "data" and True in kinds)
    assert not hops or by != "control" or True in kinds


# placed_on ---------------------------------------------------------------------------------------


@pytest.fixture
def gpus():
    tf.devices.simulate_gpus(2, memory="64MiB")
    yield
    tf.devices.simulate_gpus(0)


def test_placed_where_the_placer_puts_it(gpus):
    with tf.device("/gpu:1"):
        pinned = tf.square(tf.constant([1.0, 2.0]), name="pinned")
        text = tf.strings.join(["a", "b"], name="text")  # there is no kernel for GPUs
    free = tf.negative(pinned, name="free")
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        placed_on(pinned, "/gpu:1")
        placed_on(pinned, "GPU:1", sess)
        placed_on(pinned, "/job:localhost/task:0/device:GPU:*", sess)
        placed_on(free, "gpu:0", sess)
        placed_on("text", "CPU:0", sess)
        with told(
            r"text \(StringJoin\) is on another device",
            "GPU:1, got CPU:0",
            "asked for",
            r"not possible on GPU:1.*no kernel for GPU",
        ):
            placed_on(text, "GPU:1", sess)
        with told("expected /gpu:0, got GPU:1", "asked for: /device:GPU:1"):
            placed_on(pinned, "/gpu:0", sess)
        with told("my own hint"):
            placed_on(pinned, "/gpu:0", sess, hint="my own hint")
        with told("mars", by=ValueError):
            placed_on(pinned, "/mars", sess)


def test_placed_with_its_variable(gpus):
    with tf.device("/cpu:0"):
        table = tf.get_variable("table", [4], initializer=tf.zeros_initializer())
    with tf.device("/gpu:0"):
        update = tf.assign(table, tf.ones([4]), name="update")
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        placed_on(table, "CPU:0", sess)
        with told("update", "CPU:0", "colocated with table"):
            placed_on(update, "GPU:0", sess)


def test_what_cannot_be_placed():
    with tf.device("/gpu:0"):
        nowhere = tf.strings.join(["a", "b"], name="nowhere")
    with told(r"nowhere \(StringJoin\) can be on no device", "GPU:0"):
        placed_on(nowhere, "CPU:0")


def test_placed_without_a_session():
    x = tf.constant(1.0)
    placed_on(x, "CPU:0")
    with told("GPU:0, got CPU:0", "this session has no such device"):
        placed_on(x, "GPU:0")


@pytest.fixture(scope="module")
def cluster():
    kept = [reserve() for _ in range(2)]
    addresses = [f"localhost:{socket.getsockname()[1]}" for socket in kept]
    spec = tf.train.ClusterSpec({"ps": addresses[:1], "worker": addresses[1:]})
    servers = [tf.train.Server(spec, job, 0) for job in ("ps", "worker")]
    for socket in kept:
        socket.close()
    yield servers[1].target
    for server in servers:
        server.stop()


def test_placed_on_a_cluster(cluster):
    with tf.device("/job:ps/task:0"):
        weights = tf.get_variable("weights", initializer=[1.0, 2.0])
        fed = tf.placeholder(tf.float32, [], name="fed")
    with tf.device("/job:worker"):
        total = tf.reduce_sum(weights, name="total")
    free = tf.add(total, fed, name="free")
    with tf.Session(cluster) as sess:
        sess.run(weights.initializer)
        placed_on(weights, "/job:ps/task:0", sess)
        placed_on(weights.op, "/job:ps/task:0", sess, fetches=total)
        placed_on(total, "/job:worker/task:0/cpu:0", sess)
        placed_on(free, "/job:worker", sess, feed_dict={fed: 1.0})
        with told("got ps:0 CPU:0", "asked for /job:ps/task:0"):
            placed_on(weights, "/job:worker", sess)
        with told("placed nowhere", by=ValueError):
            placed_on(fed, "/job:ps", sess, fetches=free, feed_dict={fed: 1.0})


# overlaps ----------------------------------------------------------------------------------------


def test_overlapping():
    _, left, right, total, *_ = diamond()
    for session in (None, tf.Session()):
        overlaps(left, right, sess=session)
        overlaps(left, right, total, session)
        with told(
            r"left \(Square\) and total \(AddV2\) never run", "total waits for left", "total ← left"
        ):
            overlaps(left, total, sess=session)
        with told(r"right \(Sqrt\) does not run in this step", "is not needed"):
            overlaps(left, right, left, session)


def test_what_is_fed_is_waited_for_by_nobody():
    _, left, *_ = diamond()
    middle = tf.negative(left, name="middle")
    with tf.Session() as sess:
        with told("middle waits for left"):
            overlaps(left, middle, sess=sess)
        given = tf.placeholder_with_default(left, [], name="given")
        user = tf.negative(given, name="user")
        with told("user waits for left"):
            overlaps(left, user, sess=sess)
        overlaps(left, user, sess=sess, feed_dict={given: 1.0})


def test_two_branches_never_overlap():
    flag, x = tf.placeholder(tf.bool, []), tf.placeholder(tf.float32, [])
    made = []

    def branch(function):
        made.append(function(x))
        return made[-1]

    result = tf.cond(flag, lambda: branch(tf.square), lambda: branch(tf.sqrt))
    overlaps(*made, result, feed_dict={flag: True, x: 4.0})  # by the graph alone
    for value, name in ((True, "Sqrt"), (False, "Square")):
        with tf.Session() as sess, told(name, "a branch that is not taken"):
            overlaps(*made, result, sess, {flag: value, x: 4.0})


def test_within_one_iteration():
    made = {}

    def body(i, total):
        made["left"], made["right"] = tf.square(total), tf.sqrt(total)
        made["sum"] = made["left"] + made["right"]
        return i + 1, made["sum"]

    _, end = tf.while_loop(lambda i, _: i < 3, body, [0, 1.0])
    depends_on(made["left"], made["right"])  # of the iteration before
    with tf.Session() as sess:
        overlaps(made["left"], made["right"], end, sess)
        with told("Square.* and .*add.* never run at the same time"):
            overlaps(made["left"], made["sum"], end, sess)


def test_a_gpu_does_one_thing_at_a_time(gpus):
    x = tf.placeholder(tf.float32, [2])
    with tf.device("/gpu:0"):
        first, second = tf.square(x, name="first"), tf.sqrt(x, name="second")
    with tf.device("/gpu:1"):
        third = tf.negative(x, name="third")
    with tf.Session() as sess:
        overlaps(first, third, sess=sess, feed_dict={x: [1.0, 2.0]})
        with told("are both on GPU:0", "one thing at a time", "different devices"):
            overlaps(first, second, sess=sess, feed_dict={x: [1.0, 2.0]})


def test_one_thread_does_one_thing_at_a_time():
    x = tf.placeholder(tf.float32, [2])
    first, second = tf.square(x), tf.sqrt(x)
    config = tf.ConfigProto(inter_op_parallelism_threads=1)
    with tf.Session(config=config) as sess, told("both on CPU:0", "one inter-op thread"):
        overlaps(first, second, sess=sess, feed_dict={x: [1.0, 2.0]})


def test_operations_by_name_and_variables():
    count = tf.get_variable("count", initializer=1.0, use_resource=True)
    assert operation("count").type == operation(count).type == "VarHandleOp"
    assert operation(count, is_start=True).type == "ReadVariableOp"
    with tf.Session() as sess:
        sess.run(count.initializer)
        overlaps(count, tf.constant(1.0) + 1.0, sess=sess)
