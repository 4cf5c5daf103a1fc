"""Checks of ch09.ex1."""

import threading
from contextlib import ExitStack, contextmanager

import tinytf as tf
from tinytf.distributed.cluster.ports import reserve
from tinytf.grading import Wrong, point

#: How long a trial waits for those at the other servers; far more than it takes.
SECONDS = 5


@contextmanager
def a_cluster(workers):
    """The targets of some workers; all in this process."""
    with ExitStack() as stack:
        # Kept to the end: nobody else may get the port of a server that is just being started.
        kept = [stack.enter_context(reserve()) for _ in range(workers)]
        addresses = [f"localhost:{socket.getsockname()[1]}" for socket in kept]
        spec = tf.train.ClusterSpec({"worker": addresses})
        servers = [
            stack.enter_context(tf.train.Server(spec, "worker", index)) for index in range(workers)
        ]
        yield [server.target for server in servers]


def table(values, goal=None):
    """A `build` whose score is values[setting][fold] times the steps, or how near a goal."""

    def build(setting, fold):
        weight = tf.get_variable("weight", [], initializer=tf.zeros_initializer())
        step = tf.assign_add(weight, values[setting][fold])
        return step, 1.0 * weight if goal is None else -tf.abs(weight - goal)

    return build


def compare(what, wanted, got, hint=""):
    if not isinstance(got, list | tuple) or list(got) != wanted:
        raise Wrong(what, wanted, repr(got)[:80], hint=hint)


VALUES = {
    "a": [0.9, 0.1, 0.1],
    "b": [0.5, 0.6, 0.7],
    "c": [0.2, 0.9, 0.6],
    "d": [0.8, 0.3, 0.2],
    "e": [0.1, 0.2, 0.95],
}


@point("the best three by the mean of all folds, the best first", 2)
def by_the_mean(answer):
    with a_cluster(2) as targets:
        got = answer(targets, table(VALUES), list("abcde"), 3, 1)
    compare(
        "b has 0.6 in the mean, c 0.57, d 0.43, e 0.42, a 0.37",
        ["b", "c", "d"],
        got,
        "all folds count, and the highest mean comes first",
    )


@point("each trial runs its step as often as it should", 1)
def runs_its_steps(answer):
    values = {"a": [1.0, 1.0], "b": [2.0, 2.0], "c": [3.0, 3.0], "d": [9.0, 9.0]}
    with a_cluster(2) as targets:
        got = answer(targets, table(values, goal=12.0), list("dabc"), 2, 4)
    compare("after four steps c is at 12, b at 8, a at 4, d at 36", ["c", "b", "a"], got)


@point("trials do not find each other's variables", 2)
def apart(answer):
    def build(setting, fold):
        ones = tf.ones_initializer()
        weights = tf.get_variable("weights", [setting], initializer=ones)
        return tf.assign_add(weights, tf.fill([setting], 1.0 + fold)), tf.reduce_sum(weights)

    failed, before = [], threading.excepthook
    threading.excepthook = lambda thread: failed.append(thread.exc_value)
    try:
        with a_cluster(2) as targets:
            got = answer(targets, build, [2, 5, 3, 4], 2, 1)
    except tf.errors.OpError as error:
        failed.append(error)
    finally:
        threading.excepthook = before
    if failed:
        raise Wrong(
            "trials of several sizes",
            "variables of their own",
            f"{type(failed[0]).__name__}: {failed[0]}".splitlines()[0][:120],
            hint="what keeps equal names apart on one server?",
        )
    compare(
        "variables of 2 to 5 elements; the more, the better",
        [5, 4, 3],
        got,
        "what keeps equal names apart on one server?",
    )


def all_were_built(trials, wanted):
    if trials < wanted:
        raise Wrong("trials that were built", wanted, trials, hint="a trial begins with build()")


@point("all servers work at the same time", 2)
def together(answer):
    here, alone, changed = [], [], threading.Condition()

    def build(setting, fold):
        with changed:
            here.append(setting)
            changed.notify_all()
            if not changed.wait_for(lambda: len(here) > 1 or alone, SECONDS):
                alone.append(setting)
        return table(VALUES)(setting, fold)

    with a_cluster(2) as targets:
        answer(targets, build, list("abc"), 2, 1)
    all_were_built(len(here), 6)
    if alone:
        raise Wrong("two servers", "a trial at each, at the same time", "one trial after the other")


def nodes_of(trials):
    """Which servers have variables, asked by the names of all containers that a build has seen."""
    found = set()
    for target, container, name in trials:
        with tf.Graph().as_default(), tf.container(container):
            weight = tf.get_variable(name, [], initializer=tf.zeros_initializer())
            with tf.Session(target) as sess:
                if sess.run(tf.is_variable_initialized(weight)):
                    found.add((target, container or "the default one"))
    return found


@point("nothing of the trials is left", 2)
def nothing_left(answer):
    rooms = []

    def build(setting, fold):
        step, score = table(VALUES)(setting, fold)
        (variable,) = tf.global_variables()
        rooms.append(variable.op.get_attr("container").decode())
        return step, score

    with a_cluster(2) as targets:
        answer(targets, build, list("abc"), 2, 1)
        all_were_built(len(rooms), 6)
        left = nodes_of([(target, room, "weight") for target in targets for room in set(rooms)])
    if left:
        words = ", ".join(sorted({room for _, room in left}))
        raise Wrong(
            "after the end",
            "no variables of the trials on any server",
            f"there are some in the containers: {words}"[:120],
            hint="a closed session leaves its variables on a cluster",
        )


@point("what others keep on the servers is still there", 2)
def others_stay(answer):
    keeps, trials = [("", "theirs"), ("archive", "weight")], []

    def build(setting, fold):
        trials.append(setting)
        return table(VALUES)(setting, fold)

    with a_cluster(2) as targets:
        for target in targets:
            for container, name in keeps:
                with tf.Graph().as_default(), tf.container(container):
                    weight = tf.get_variable(name, [], initializer=tf.zeros_initializer())
                    with tf.Session(target) as sess:
                        sess.run(weight.initializer)
        answer(targets, build, list("abc"), 2, 1)
        all_were_built(len(trials), 6)
        there = nodes_of([(target, *keep) for target in targets for keep in keeps])
    if len(there) < 4:
        raise Wrong(
            "variables of somebody else, in the default container and in one called archive",
            "on both servers, as before",
            f"{4 - len(there)} of 4 are gone",
            hint="name the containers that are to be reset",
        )
