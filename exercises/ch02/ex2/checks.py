"""Checks of ch02.ex2."""

import re

import tinytf as tf
from tinytf.grading import Wrong, point
from tinytf.placement import explain

ROWS = [3, 5, 5, 8, 13, 21, 34, 55, 89, 9999]
ONE_ROW = 64 * 4
RECEIVED = re.compile(r"\[(\d+)B\] edge_\d+_(\S+) from \S+ to \S+GPU:\d+")


def built(answer):
    """The answer's graph, checked to be what was asked for, and a session with two GPUs."""
    result = answer()
    if not isinstance(result, tuple | list) or len(result) != 3:
        raise Wrong(
            "build_graph() must return three things: rows, table, score",
            "a tuple of 3",
            f"{type(result).__name__} {result!r}",
            hint="end with: return rows, table, score",
        )
    rows, table, score = result
    for name, thing, kind in (
        ("rows", rows, tf.Tensor),
        ("table", table, tf.Variable),
        ("score", score, tf.Tensor),
    ):
        if not isinstance(thing, kind):
            raise Wrong(
                f"{name} is something else",
                f"a {kind.__name__}",
                repr(thing),
                hint="the order is rows, table, score",
            )
    tf.devices.simulate_gpus(2, memory="64MiB")
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return rows, table, score, session


def device(op, session):
    """Where an operation runs: "GPU:0"."""
    return explain(op, session).device.rpartition("device:")[2]


def arrived_in(session, fetch, feeds):
    """The bytes that came to a GPU in one traced step, by the name of the tensor."""
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    metadata = tf.RunMetadata()
    session.run(fetch, feeds, options, metadata)
    arrived = {}
    for part in metadata.step_stats.dev_stats:
        for node in part.node_stats:
            for size, name in RECEIVED.findall(node.timeline_label):
                arrived[name] = arrived.get(name, 0) + int(size)
    return arrived


@point("the table is a variable of 10000 x 64 ones on the CPU", 1)
def the_table(answer):
    _, table, _, session = built(answer)
    with session:
        if table.shape.as_list() != [10000, 64]:
            raise Wrong("the table has another shape", [10000, 64], table.shape.as_list())
        found = device(table.op, session)
        if found != "CPU:0":
            raise Wrong("the table is elsewhere", "CPU:0", found)
        values = session.run(table)
        if not (values == 1).all():
            other = values[values != 1][0]
            raise Wrong("the table begins with other numbers", "ones", f"{other}, for example")


@point("the score is the sum of the squares of the chosen rows", 1)
def the_score(answer):
    rows, table, score, session = built(answer)
    with session:
        session.run(tf.assign(table, 3 * tf.ones([10000, 64])))
        for chosen in ([0], ROWS):
            got = session.run(score, {rows: chosen})
            if got != 9 * 64 * len(chosen):
                raise Wrong(
                    f"score is wrong for rows {chosen} of threes", 9 * 64 * len(chosen), got
                )


@point("squares and sum are computed on GPU 0", 1)
def on_the_gpu(answer):
    rows, _, score, session = built(answer)
    with session:
        # Everything of the step that calculates; "Mul" and "Pow" are squares as well.
        kinds = ("Square", "Mul", "Pow", "Sum", "L2Loss")
        working = [op for op in tf.get_default_graph().get_operations() if op.type in kinds]
        elsewhere = [op for op in working if device(op, session) != "GPU:0"]
        for op in [score.op, *elsewhere]:
            found = device(op, session)
            if found != "GPU:0":
                raise Wrong(f"{op.name} ({op.type}) is computed elsewhere", "GPU:0", found)
        session.run(score, {rows: ROWS})


@point("only the chosen rows are carried to the GPU", 3)
def the_bytes(answer):
    rows, table, score, session = built(answer)
    with session:
        for name, op, wanted in (("table", table.op, "CPU:0"), ("score", score.op, "GPU:0")):
            found = device(op, session)
            if found != wanted:
                raise Wrong(f"no rows are carried: {name} is elsewhere", wanted, found)
        arrived = arrived_in(session, score, {rows: ROWS})
    most = len(ROWS) * ONE_ROW
    carried = sum(arrived.values())
    if carried > most + 1024:
        largest = max(arrived, key=arrived.__getitem__)
        raise Wrong(
            f"a step with {len(ROWS)} rows carries too much, most of it {largest}",
            f"{most} bytes",
            f"{carried} bytes",
            hint="choose the rows where the table is, and send what was chosen. An operation that "
            "asks for no device goes to GPU 0, wherever its inputs are",
        )
