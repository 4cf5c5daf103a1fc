"""Checks of ch04.ex3."""

from collections import Counter

import tinytf as tf
from tinytf.distributed.cluster.ports import reserve
from tinytf.distributed.inspection import look
from tinytf.grading import Wrong, point

PATIENCE_MS = 15_000
STEPS = 2

#: Jobs -> their servers, task by task. Servers in one process talk through the network like others.
clusters = {}


def cluster(jobs):
    """The servers, started when an answer has got so far; they end with this process.

    Args:
      jobs: name and number of tasks of each: (("ps", 1), ("worker", 2)).
    """
    if jobs not in clusters:
        tasks = [(job, index) for job, count in jobs for index in range(count)]
        kept = {task: reserve() for task in tasks}
        addresses = {task: f"localhost:{kept[task].getsockname()[1]}" for task in tasks}
        spec = tf.train.ClusterSpec(
            {job: [addresses[job, index] for index in range(count)] for job, count in jobs}
        )
        clusters[jobs] = {f"{job}:{i}": tf.train.Server(spec, job, i) for job, i in tasks}
        for socket in kept.values():
            socket.close()
    return clusters[jobs]


def sent(servers):
    """(tensor, from, to) -> how often a task has sent it, in all."""
    addresses = [server.target.removeprefix("grpc://") for server in servers.values()]
    rows = [row for address in addresses for row in look(address, ["traffic"])["traffic"]]
    return Counter(
        {
            (row["tensor"], task_of(row["source"]), task_of(row["destination"])): row["times"]
            for row in rows
        }
    )


def task_of(name):
    """ "worker:1" of "/job:worker/replica:0/task:1"."""
    place = tf.DeviceSpec.from_string(name)
    return f"{place.job}:{place.task}"


def travels(fetches, master, servers):
    """What the tasks of a real cluster send each other in each of two steps, one after the other.

    Returns (tensor, from, to) -> how often.
    """
    config = tf.ConfigProto(operation_timeout_in_ms=PATIENCE_MS)
    with tf.Session(servers[master].target, config=config) as sess:
        sess.run(tf.global_variables_initializer())
        seen = []
        for _ in range(STEPS):
            before = sent(servers)
            sess.run(fetches)
            seen.append(sent(servers) - before)
    if seen[0] != seen[1]:
        raise RuntimeError(f"the second step sends something else: {seen}")
    return seen[0]


def in_words(travelling):
    """What travels: "weights/read from ps:0 to worker:0"."""
    told = []
    for (tensor, source, to), times in sorted(travelling.items()):
        name = tensor.split("_", 2)[2] if tensor.startswith("edge_") else f"{tensor} (fetched)"
        if name.startswith("^"):
            name = f"an empty tensor for the control edge of {name[1:]}"
        told.append(f"{name} from {source} to {to}{f' ({times} times)' if times > 1 else ''}")
    return "; ".join(told) or "nothing"


def pairs(counts):
    """Counts of pairs of tasks, in words."""
    told = [f"{n} from {source} to {to}" for (source, to), n in sorted(counts.items())]
    return ", ".join(told) or "none"


JOBS = (("ps", 1), ("worker", 2))


def ask(answer, build, master, hint, jobs=JOBS):
    """Compare what an answer says of a program with what the real cluster does."""
    with tf.Graph().as_default():
        fetches = build()
        said = answer(fetches, master)
        if not isinstance(said, dict) or not all(
            isinstance(pair, tuple) and len(pair) == 2 for pair in said
        ):
            raise Wrong(
                "count_tensors must return a dictionary",
                '{("ps:0", "worker:0"): 2}',
                repr(said)[:80],
            )
        travelling = travels(fetches, master, cluster(jobs))
    wanted = Counter()
    for (_, source, to), times in travelling.items():
        wanted[source, to] += times
    got = {pair: count for pair, count in said.items() if count}
    if got != wanted:
        raise Wrong(
            f"{build.__doc__} In each step on the real cluster, with master {master}, there "
            f"travels: {in_words(travelling)}",
            pairs(wanted),
            pairs(got),
            hint=hint,
        )


# Programs: what is fetched ------------------------------------------------------------------------

PS, WORKER_0, WORKER_1 = "/job:ps/task:0", "/job:worker/task:0", "/job:worker/task:1"


def variable(name, device=PS, size=100):
    with tf.device(device):
        return tf.Variable(tf.ones([size]), name=name)


def within():
    """All is on ps:0, and an operation is fetched."""
    w = variable("w")
    with tf.device(PS):
        return [tf.assign(w, tf.square(w, name="square")).op]


def one_way():
    """total, on worker:0, uses w, on ps:0."""
    w = variable("w")
    with tf.device(WORKER_0):
        return [tf.reduce_sum(w, name="total")]


def chain():
    """w is on ps:0; its square is computed on worker:0, the sine of that on worker:1."""
    w = variable("w")
    with tf.device(WORKER_0):
        square = tf.square(w, name="square")
    with tf.device(WORKER_1):
        return [tf.sin(square, name="sine")]


def shared():
    """Two operations on worker:0 and one on worker:1 use w, on ps:0."""
    w = variable("w")
    with tf.device(WORKER_0):
        total, most = tf.reduce_sum(w, name="total"), tf.reduce_max(w, name="most")
        both = tf.add(total, most, name="both")
    with tf.device(WORKER_1):
        return [both, tf.reduce_min(w, name="least").op]


def halves():
    """worker:0 adds two of four parts of w that ps:0 made by tf.split."""
    w = variable("w")
    with tf.device(PS):
        parts = tf.split(w, 4, name="parts")
    with tf.device(WORKER_0):
        return [tf.add(parts[1], parts[3], name="sum")]


def unused():
    """worker:0 and worker:1 have an operation each that uses w; that of worker:0 is fetched."""
    w = variable("w")
    with tf.device(WORKER_1):
        tf.negative(w, name="nobody_wants_it")
    with tf.device(WORKER_0):
        return [tf.negative(w, name="wanted")]


def promise():
    """Two operations on worker:0 have a control dependency on an assignment on ps:0."""
    w, u = variable("w"), variable("u", WORKER_0)
    with tf.device(PS):
        assigned = tf.assign(w, tf.zeros([100]), name="assigned")
    with tf.device(WORKER_0), tf.control_dependencies([assigned]):
        return [tf.square(u, name="square"), tf.negative(u, name="minus")]


def constants():
    """worker:0 uses two constants of ps:0, one with 3 numbers and one with 300."""
    row = variable("row", WORKER_0, 300)
    with tf.device(PS):
        small = tf.constant([1.0, 2.0, 3.0], name="small")
        large = tf.constant([float(n) for n in range(300)], name="large")
    with tf.device(WORKER_0):
        return [tf.add(row, large, name="sum"), tf.multiply(small, row[:3], name="product")]


def training():
    """w is on ps:0; worker:0 computes a gradient with it, and it is subtracted from w."""
    w = variable("w")
    with tf.device(WORKER_0):
        gradient = tf.multiply(w, w, name="gradient")
        return [tf.assign_sub(w, gradient).op]


def fetched():
    """total, on ps:0, is fetched, and an operation on worker:0."""
    w, u = variable("w"), variable("u", WORKER_0)
    with tf.device(PS):
        total = tf.reduce_sum(w, name="total")
    with tf.device(WORKER_0):
        return [total, tf.assign(u, tf.square(u, name="square")).op]


def fetched_and_used():
    """total, on ps:0, is fetched, and an operation on worker:0, the master, uses it, too."""
    w = variable("w")
    with tf.device(PS):
        total = tf.reduce_sum(w, name="total")
    with tf.device(WORKER_0):
        return [total, tf.multiply(total, 0.5, name="half")]


@point("an edge from task to task is one tensor, one way; an edge within a task is none", 2)
def edges(answer):
    ask(answer, within, "ps:0", "what stays on its task does not travel")
    ask(answer, one_way, "worker:0", "worker:0 asks, and ps:0 sends; no tensor goes back for it")
    ask(
        answer,
        chain,
        "worker:1",
        "tensors go straight from the task that has them to the one that needs them",
    )


@point("a tensor travels once to each task that needs it", 2)
def once(answer):
    ask(answer, shared, "worker:0", "there is one Recv for each tensor and task, and all share it")
    ask(answer, halves, "worker:0", "an operation may have several outputs: each is a tensor")


@point("nothing travels that the fetches do not need", 1)
def pruned(answer):
    ask(
        answer,
        unused,
        "worker:0",
        "what is not needed for the fetches is pruned away, and its edges with it",
    )


@point("a control edge travels, too; a small constant does not", 2)
def special(answer):
    ask(
        answer,
        promise,
        "worker:0",
        "worker:0 has to learn when the assignment is done: an empty "
        "tensor tells it, once for all that wait for it there",
    )
    ask(
        answer,
        constants,
        "worker:0",
        "up to 16 numbers every task gets its own constant; more are sent",
    )


@point("in every step a variable is read anew, and written where it is", 2)
def variables(answer):
    ask(
        answer,
        training,
        "worker:0",
        "a variable is not copied once for all: others change it, "
        "so every step reads it; it is changed where it is: the gradient goes there",
    )


@point("what is fetched travels to the master", 1)
def to_the_master(answer):
    ask(
        answer,
        fetched,
        "worker:1",
        "the master gathers what is fetched for the client, from "
        "whatever task has it; an operation gives no value",
    )
    ask(
        answer,
        fetched_and_used,
        "worker:0",
        "what is fetched travels for the client; what an "
        "operation of the master needs is sent to it besides, even if it is the same tensor",
    )
