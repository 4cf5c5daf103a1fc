"""Record the step that the README's picture plays: `python scripts/figures/cockpit_recording.py`.

The picture shows what happened: on two threads of one process, node by node, and on a cluster of
three. Both are recorded once and kept in cockpit.json, so that drawing gives the same bytes
everywhere; times in it are of the machine that recorded.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import tinytf as tf
from tinytf.jupyter.recording import record

KEPT = Path(__file__).with_name("cockpit.json")
PLACES = {
    "parameters": "/job:ps/task:0",
    "one": "/job:worker/task:0",
    "other": "/job:worker/task:1",
}
SIZE = 600


def program(is_spread: bool) -> tuple[tf.Tensor, tf.Tensor]:
    """A gated layer, its halves on two workers if it `is_spread`: what is fed, what is fetched."""

    def on(place: str) -> Any:
        return tf.device(PLACES[place] if is_spread else None)

    x = tf.placeholder(tf.float32, [SIZE, SIZE], name="x")
    weights = np.random.RandomState(0).normal(0, 0.05, (2, SIZE, SIZE)).astype(np.float32)
    with on("parameters"):
        w, v = tf.Variable(weights[0], name="w"), tf.Variable(weights[1], name="v")
    with on("one"):
        value = tf.tanh(tf.matmul(x, w))
    with on("other"):
        gate = tf.sigmoid(tf.matmul(x, v))
    with on("one"):
        return x, tf.nn.l2_loss(value * gate)


def feed() -> np.ndarray[Any, Any]:
    """A value for x."""
    return np.random.RandomState(1).normal(size=(SIZE, SIZE)).astype(np.float32)


def local() -> dict[str, Any]:
    """The step on two threads: the graph, and event for event."""
    with tf.Graph().as_default(), tf.Session() as session:
        x, loss = program(is_spread=False)
        session.run(tf.global_variables_initializer())
        session.run(loss, {x: feed()})
        recording = record(loss, {x: feed()}, session, threads=2)
    keys = [node.key.removeprefix("feed of ").partition(":")[0] for node in recording.picture.nodes]
    edges = [[keys[edge.source], keys[edge.target]] for edge in recording.picture.edges]
    name = recording.names.__getitem__
    return {
        "counters": dict(zip(recording.names, recording.counters, strict=True)),
        "edges": edges,
        "threads": recording.threads,
        "events": [
            {
                "kind": event.kind,
                "node": name(event.node) if event.node >= 0 else "",
                "thread": recording.runs[event.run].thread if event.run >= 0 else -1,
                "microseconds": event.time // 1000,
                "counters": {name(change.node): change.count for change in event.changes},
                "ready": [name(node) for node, _ in event.ready],
            }
            for event in recording.events
        ],
    }


def spread() -> dict[str, Any]:
    """The step on three tasks: which operation ran where, and which tensors went across."""
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    metadata = tf.RunMetadata()
    with tf.Graph().as_default(), tf.LocalCluster(ps=1, worker=2) as cluster:
        x, loss = program(is_spread=True)
        with tf.Session(cluster.target("worker:0")) as session:
            session.run(tf.global_variables_initializer())
            session.run(loss, {x: feed()}, options=options, run_metadata=metadata)
    tasks: dict[str, list[str]] = {}
    crossings = []
    for device in metadata.step_stats.dev_stats:
        task = short(device.device)
        for node in device.node_stats:
            if "/_recv/" in node.node_name:
                source = node.timeline_label.partition(" from ")[2].partition(" to ")[0]
                size = int(node.timeline_label[1:].partition("B]")[0])
                crossings.append(
                    [node.node_name.partition("/_recv/")[0], short(source), task, size]
                )
            elif "/_send/" not in node.node_name:
                tasks.setdefault(task, []).append(node.node_name)
    return {"tasks": dict(sorted(tasks.items())), "crossings": sorted(crossings)}


def short(device: str) -> str:
    """The job and the task in a device's name: "worker:1"."""
    job, task = (part.partition(":")[2] for part in device.split("/") if part[:3] in ("job", "tas"))
    return f"{job}:{task}"


if __name__ == "__main__":
    recorded = {**local(), **spread()}
    used = {event["thread"] for event in recorded["events"]} - {-1}
    if len(used) < 2:
        sys.exit("One thread did everything this time: record again.")
    KEPT.write_text(json.dumps(recorded, indent=1) + "\n")
