"""Checks of ch02.ex5: a prediction, compared with a trace of the run."""

import re

import tinytf as tf
from tinytf.grading import Wrong, plain, point

#: The programs of the task.
VARIABLE = """\
with tf.device(home):
    v = tf.Variable(tf.zeros([numbers]), name="v")
"""
USES = """\
# negate
with tf.device(at):
    result = tf.negative(v)
# twice
with tf.device(at):
    result = tf.add(tf.negative(v), tf.square(v))
# rows
with tf.device(at):
    result = tf.gather(v, [0, 1])
# assign
with tf.device(at):
    result = tf.assign(v, tf.ones([numbers]))
# sum
with tf.colocate_with(v):
    total = tf.reduce_sum(v)
with tf.device(at):
    result = tf.negative(total)
# between
with tf.device(at):
    w = tf.Variable(tf.zeros([numbers]), name="w")
with tf.colocate_with(v), tf.colocate_with(w):
    result = tf.add(v, w)
"""
PROGRAMS = dict(re.findall(r"^# (\w+)\n((?:(?!#).*\n)+)", USES, flags=re.MULTILINE))
RECEIVED = re.compile(r"\[(\d+)B\] edge_\d+_(\S+) from (\S+) to (\S+)")


def really(use, home, at, numbers):
    """The bytes that go from device to device and the names of the tensors; or "refused"."""
    tf.devices.simulate_gpus(2, memory="64MiB")
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    metadata = tf.RunMetadata()
    program = {"tf": tf, "home": home, "at": at, "numbers": numbers}
    with tf.Graph().as_default():
        exec(VARIABLE + PROGRAMS[use], program)  # noqa: S102 - the text above
        with tf.Session() as session:
            try:
                session.run(tf.global_variables_initializer())
                session.run(program["result"].op, options=options, run_metadata=metadata)
            except tf.errors.InvalidArgumentError:
                return "refused", []
    crossed = [
        (name, int(size))
        for device in metadata.step_stats.dev_stats
        for node in device.node_stats
        for size, name, source, target in RECEIVED.findall(node.timeline_label)
        if source != target
    ]
    return sum(size for _, size in crossed), [name for name, _ in crossed]


def reason(use, home, at, got):
    """Why the run is as it is, for one who predicted something else."""
    if home == at:
        return "the variable and what uses it are on one device: nothing has to be copied"
    if use == "between":
        return (
            "the addition must be where v is, and where w is: no device is both, so the session "
            "refuses the graph"
        )
    if got == "refused":
        return (
            "it runs. A variable may be used from every device of the session: what is needed is "
            "copied" + (", and what changes it runs where it is" if use == "assign" else "")
        )
    return {
        "negate": "the variable stays where it is, and the whole of it is copied to its user, in "
        "every run",
        "twice": "two operations use it, but it is copied once for each tensor and destination",
        "rows": "tf.gather runs in the block, so the whole variable is copied there, and then two "
        "numbers are taken",
        "assign": "tf.assign works on v, so it runs where v is, whatever the block says; the new "
        "value is made in the block, and copied",
        "sum": "tf.reduce_sum runs where v is; only its result, one number, is copied",
    }[use]


def compare(answer, *cases):
    """Predictions against the trace."""
    for use, home, at, numbers in cases:
        got = plain(answer(use, home, at, numbers))
        if got is not None and not isinstance(got, str):
            try:
                got = int(got)
            except (TypeError, ValueError):
                got = repr(got)
        truth, names = really(use, home, at, numbers)
        if got == truth and got is not False:
            continue
        moved = f" (copied: {', '.join(names)})" if names else ""
        raise Wrong(
            f"{use}, with v of {numbers} numbers on {home}, used on {at}: "
            f"{reason(use, home, at, got)}{moved}",
            in_bytes(truth),
            in_bytes(got),
        )


def in_bytes(value):
    """A number with its unit, or the word."""
    return value if isinstance(value, str) else f"{value} bytes"


@point("on one device nothing is copied", 1)
def one_device(answer):
    compare(answer, *((use, "/gpu:0", "/gpu:0", 1000) for use in PROGRAMS))


@point("who reads on another device gets a copy", 2)
def reading(answer):
    compare(
        answer,
        ("negate", "/cpu:0", "/gpu:0", 1000),
        ("negate", "/gpu:0", "/gpu:1", 1000),
        ("twice", "/gpu:1", "/cpu:0", 1000),
        ("rows", "/gpu:0", "/gpu:1", 1000),
    )


@point("who writes runs where the variable is", 1)
def writing(answer):
    compare(answer, ("assign", "/gpu:0", "/gpu:1", 1000), ("assign", "/cpu:0", "/gpu:1", 1000))


@point("what is colocated with it runs where the variable is, or not at all", 2)
def colocated(answer):
    compare(answer, ("sum", "/gpu:0", "/gpu:1", 1000), ("between", "/gpu:0", "/gpu:1", 1000))
