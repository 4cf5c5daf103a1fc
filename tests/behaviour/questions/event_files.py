"""`tf.summary.FileWriter` and the files it writes."""

import os
import re
import tempfile
import warnings

from tests.behaviour.asking import question, says


def events(tf, folder):
    """The events of all files in a folder, without times."""
    found = []
    for name in sorted(os.listdir(folder)):
        for event in tf.train.summary_iterator(os.path.join(folder, name)):
            copy = tf.Event.FromString(event.SerializeToString())
            copy.ClearField("wall_time")
            found.append(copy)
    return found


@question
def what_is_written(tf):
    folder = tempfile.mkdtemp()
    writer = tf.summary.FileWriter(folder, filename_suffix=".end")
    loss = tf.summary.scalar("loss", 0.5)
    text = tf.summary.text("note", tf.constant("a"))
    with tf.Session() as session:
        for step in (1, 2):
            writer.add_summary(session.run(loss), step)
            writer.add_summary(session.run(text), global_step=step)
    value = tf.Summary.Value(tag="mine", simple_value=2.0)
    writer.add_summary(tf.Summary(value=[value]))
    writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), 3)
    writer.add_run_metadata(tf.RunMetadata(), "first", 4)
    writer.add_graph(tf.get_default_graph())
    writer.add_event(tf.Event(step=9, file_version="other"))
    writer.close()
    [name] = os.listdir(folder)
    written = events(tf, folder)
    kept = ("file_version", "graph_def")
    return {
        "name": bool(re.fullmatch(r"events\.out\.tfevents\.\d{10}\.[^/]+\.end", name)),
        "first": written[0],
        "events": [
            event.SerializeToString()
            for event in written[1:]
            if event.WhichOneof("what") not in kept
        ],
        "steps": [event.step for event in written],
        "kinds": [event.WhichOneof("what") for event in written],
        "nodes": [node.name for node in tf.GraphDef.FromString(written[-2].graph_def).node],
        "folder": writer.get_logdir() == folder,
    }


@question
def graphs(tf):
    tf.placeholder(tf.float32, [2], name="x")
    graph = tf.get_default_graph()
    made = {}
    for label, given in {
        "graph": {"graph": graph},
        "definition": {"graph_def": graph.as_graph_def()},
    }.items():
        folder = tempfile.mkdtemp()
        tf.summary.FileWriter(folder, **given).close()
        made[label] = [event.WhichOneof("what") for event in events(tf, folder)]
        graphs = [tf.GraphDef.FromString(e.graph_def) for e in events(tf, folder) if e.graph_def]
        made[f"{label}: shapes"] = ["_output_shapes" in g.node[0].attr for g in graphs]
    writer = tf.summary.FileWriter(tempfile.mkdtemp())
    made["a number"] = says("The passed graph must be an instance of `Graph`", writer.add_graph, 3)
    made["both"] = says(
        "Please pass only graph, or graph_def",
        writer.add_graph,
        graph,
        graph_def=graph.as_graph_def(),
    )
    made["no meta graph"] = says(
        "meta_graph_def must be type MetaGraphDef", writer.add_meta_graph, graph.as_graph_def()
    )
    return made


@question
def mistakes(tf):
    writer = tf.summary.FileWriter(tempfile.mkdtemp())
    writer.add_run_metadata(tf.RunMetadata(), "a")
    return {
        "tag twice": says(
            "The provided tag was already used", writer.add_run_metadata, tf.RunMetadata(), "a"
        ),
        "garbage": says("Error parsing message", writer.add_summary, b"garbage"),
        "no folder": says("; No such file or directory", tf.summary.FileWriter, "/proc/nothing"),
        "no description": says(
            "Can't get_summary_description on x",
            tf.summary.get_summary_description,
            tf.NodeDef(op="x"),
        ),
    }


@question
def closing(tf):
    folder = tempfile.mkdtemp()
    with tf.summary.FileWriter(folder) as writer:
        writer.add_summary(tf.Summary(), 1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        writer.add_summary(tf.Summary(), 2)
        writer.flush()
    writer.close()
    steps = [event.step for event in events(tf, folder)]
    return {
        "warnings": [[w.category.__name__, str(w.message)] for w in caught],
        "steps": steps,
        "open": says("", tf.summary.FileWriter(folder).reopen)[-4:],
    }


@question
def cached_writers(tf):
    folder, other = tempfile.mkdtemp(), tempfile.mkdtemp()
    cache = tf.summary.FileWriterCache
    first = cache.get(folder)
    answers = {"same": cache.get(folder) is first, "other": cache.get(other) is first}
    cache.clear()
    return {**answers, "cleared": cache.get(folder) is first, "end": cache.clear()}


@question
def reading(tf):
    folder = tempfile.mkdtemp()
    writer = tf.summary.FileWriter(folder)
    writer.add_summary(tf.Summary(), 7)
    writer.close()
    [name] = os.listdir(folder)
    with open(os.path.join(folder, name), "rb") as file:
        content = file.read()

    def read(changed):
        path = os.path.join(folder, "changed")
        with open(path, "wb") as file:
            file.write(changed)
        return [event.step for event in tf.train.summary_iterator(path)]

    def flipped(place):
        changed = bytearray(content)
        changed[place] ^= 1
        return bytes(changed)

    return {
        "as it is": read(content),
        "empty": read(b""),
        "a header begins": read(content + content[:11]),
        "no file": says(
            "; No such file or directory",
            lambda: list(tf.train.summary_iterator(folder + "/nothing")),
        ),
        "no event file": says(
            "corrupted record at 0 (Is this even a TFRecord file?)",
            read,
            b"garbage garbage garbage",
        ),
        "cut off": says("truncated record at ", read, content[:-1]),
        "cut in the first": says("truncated record at 0", read, content[:20]),
        "the first is damaged": says("corrupted record at 12", read, flipped(14)),
        "the last checksum": says("corrupted record at ", read, flipped(-1)),
        "its length": says(
            "corrupted record at 0 (Is this even a TFRecord file?)", read, flipped(0)
        ),
    }
