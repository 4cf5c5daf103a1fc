"""The versions of a GraphDef: who wrote it, and who may read it.

`producer` is the version of the library that wrote the graph, `min_consumer` the oldest that can
read it, `bad_consumers` are those that must not. A graph that was imported keeps them.
"""

from __future__ import annotations

from tinytf.protos import graph_pb2

#: As TensorFlow 2.15.1 writes them.
PRODUCER = 1645
MIN_CONSUMER = 0
#: The oldest graphs that TensorFlow 2.15.1 reads.
MIN_PRODUCER = 0


def current() -> graph_pb2.VersionDef:
    """The versions of a graph that is built here."""
    return graph_pb2.VersionDef(producer=PRODUCER, min_consumer=MIN_CONSUMER)


def check(versions: graph_pb2.VersionDef) -> None:
    """ValueError if a graph of these versions cannot be read."""
    if versions.producer < MIN_PRODUCER:
        raise ValueError(
            f"GraphDef producer version {versions.producer} below min producer {MIN_PRODUCER} "
            f"supported by TensorFlow 2.15.1.  Please regenerate your graph."
        )
    if versions.min_consumer > PRODUCER:
        raise ValueError(
            f"GraphDef min consumer version {versions.min_consumer} above current version "
            f"{PRODUCER}: the graph comes from a newer TensorFlow than tinytf follows (2.15.1)."
        )
    if PRODUCER in versions.bad_consumers:
        raise ValueError(
            f"GraphDef disallows consumer version {PRODUCER}, the one that tinytf follows."
        )


def merge(into: graph_pb2.VersionDef, other: graph_pb2.VersionDef) -> None:
    """The versions of a graph that nodes of another are added to: the stricter of both."""
    into.producer = min(into.producer, other.producer)
    into.min_consumer = max(into.min_consumer, other.min_consumer)
    into.bad_consumers[:] = sorted({*into.bad_consumers, *other.bad_consumers})
