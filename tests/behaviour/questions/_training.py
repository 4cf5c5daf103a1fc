"""What the questions about hooks share: a loop, a clock that is put, what is logged and written."""

import contextlib
import logging
import os
import re
import sys
import tempfile
from types import SimpleNamespace

from tests.behaviour.asking import says

#: What a session or a saver says besides, and what is old.
OF_OTHERS = re.compile(
    "Graph was|Running local|Done running|Restoring|The session was|From |.*Manually adding"
)


def counting(tf, by=1):
    """The global step and what counts it, after hooks have read it: without that it is a race."""
    step = tf.train.get_or_create_global_step()
    tf.train.StopAtStepHook(1).begin()
    with tf.control_dependencies(tf.get_collection("global_step_read_op_cache")):
        return step, tf.assign_add(step, by)


def train(tf, hooks, train_op, runs=100, **settings):
    """Run until a hook stops it, or so many times; how often it ran, and the last value."""
    done, value = 0, None
    with tf.train.SingularMonitoredSession(hooks=hooks, **settings) as sess:
        while done < runs and not sess.should_stop():
            value = sess.run(train_op)
            done += 1
    return done, None if value is None else int(value)


class Clock:
    """Seconds for the hooks' timers, which stand still but for `pass_by`."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now

    def pass_by(self, seconds):
        self.now += seconds


@contextlib.contextmanager
def clock_of(tf):
    """The hooks' timers go by this clock, in either library."""
    clock = Clock()
    module = sys.modules[tf.train.SecondOrStepTimer.__module__]
    name = "clock" if hasattr(module, "clock") else "time"
    before = getattr(module, name)
    setattr(module, name, clock if name == "clock" else SimpleNamespace(time=clock))
    try:
        yield clock
    finally:
        setattr(module, name, before)


@contextlib.contextmanager
def log_of(tf):
    """A list that fills with what hooks log; paths without their folders."""
    lines = []
    logger = tf.get_logger()
    level, propagate = logger.level, logger.propagate

    class Keep(logging.Handler):
        def emit(self, record):
            text = record.getMessage()
            if not OF_OTHERS.match(text):
                lines.append(f"{record.levelname} {re.sub(r'/tmp/[^ ]*/', '', text)}")

    handler = Keep()
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield lines
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
        logger.propagate = propagate


def folder():
    return tempfile.mkdtemp()


def files(path):
    """The names in a folder, without those of event files."""
    return sorted(name for name in os.listdir(path) if not name.startswith("events"))


def events(tf, path):
    """(kind, step, what it says) of the events in a folder; of graphs, how many."""
    tf.summary.FileWriterCache.clear()
    found = []
    for name in sorted(os.listdir(path)):
        if name.startswith("events"):
            found += tf.train.summary_iterator(os.path.join(path, name))
    return [_told(tf, event) for event in found]


def _told(tf, event):
    kind, said = event.WhichOneof("what"), None
    if kind == "summary":
        said = [(value.tag, round(value.simple_value, 3)) for value in event.summary.value]
    elif kind == "session_log":
        log = event.session_log
        said = tf.SessionLog.SessionStatus.Name(log.status), os.path.basename(log.checkpoint_path)
    elif kind == "tagged_run_metadata":
        said = event.tagged_run_metadata.tag
    return kind, event.step, said


def added(tf, hook):
    """The operations, and keys of collections, that a hook's `begin` adds."""
    graph = tf.get_default_graph()
    before, keys = graph.get_operations(), set(graph.get_all_collection_keys())
    hook.begin()
    new = [op for op in graph.get_operations() if op not in before]
    nodes = [(op.type, op.name, [each.name for each in op.inputs]) for op in new]
    return nodes, sorted(set(graph.get_all_collection_keys()) - keys)


def without_step(tf, hook):
    """What a session says of a hook in a graph without a global step."""
    with tf.Graph().as_default():
        tf.no_op()
        return says("Global step should be created to use", hook.begin)
