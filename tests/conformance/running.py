"""Building and running cases with either library, given as `tf`. Knows neither of them.

The outcome of a case is a plain dictionary, which is also what a recording holds:

    graph      the serialised GraphDef, as built
    op_types   the op types in it
    plan       names only: {"fetches": [...], "setup": [...], "feeds": [{name: array}, ...]}
    static     per fetch {"dtype": name, "shape": [...] or None}; {} for an operation
    values     [run][fetch], arrays; None for an operation
    error      {"phase": "build" or "run", "class": ..., "message": ..., "op": name or None}

An outcome with an error has the entries that came before it.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tests.conformance.registry import Case


def outcome_of(tf: Any, case: Case, config: Any = None) -> dict[str, Any]:
    """Build a case in a fresh graph and run it. Errors of the case become part of the outcome."""
    outcome: dict[str, Any] = {}
    graph = tf.Graph()
    try:
        with graph.as_default():
            program = case.program(tf)
            fetches = flatten(program.fetches)
    except Exception as error:  # the outcome may be any error; whether it should is for the caller
        outcome["error"] = describe_error(error, "build")
        return outcome
    graph_def = graph.as_graph_def()
    outcome["graph"] = graph_def.SerializeToString(deterministic=True)
    bodies = [node.op for function in graph_def.library.function for node in function.node_def]
    outcome["op_types"] = sorted({node.op for node in graph_def.node} | set(bodies))
    outcome["static"] = [static_facts(fetch) for fetch in fetches]
    outcome["plan"] = {
        "fetches": [fetch.name for fetch in fetches],
        "setup": [operation.name for operation in program.setup],
        "feeds": [
            {tensor.name: feed_array(tensor, value) for tensor, value in feed.items()}
            for feed in program.feeds()
        ],
    }
    outcome.update(run_plan(tf, graph, outcome["plan"], config))
    return outcome


def run_plan(tf: Any, graph: Any, plan: dict[str, Any], config: Any = None) -> dict[str, Any]:
    """Run a plan on a graph in a session of its own; gives {"values": ...} or {"error": ...}."""
    fetches = [graph.as_graph_element(name) for name in plan["fetches"]]
    try:
        with tf.Session(graph=graph, config=config) as session:
            for name in plan["setup"]:
                session.run(graph.get_operation_by_name(name))
            values = []
            for feed in plan["feeds"]:
                results = session.run(fetches, feed_dict=feed or None)
                values.append([fetched_array(result) for result in results])
            return {"values": values}
    except Exception as error:  # as above
        return {"error": describe_error(error, "run")}


def run_graph(tf: Any, graph_def: Any, plan: dict[str, Any], config: Any = None) -> dict[str, Any]:
    """Import a GraphDef message of the library's own type into a fresh graph and run a plan."""
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(graph_def, name="")
    return run_plan(tf, graph, plan, config)


def flatten(fetches: Any) -> list[Any]:
    """The tensors and operations in nested fetches, in the order of `Session.run`."""
    if isinstance(fetches, dict):
        return [leaf for item in fetches.values() for leaf in flatten(item)]
    if isinstance(fetches, (list, tuple)):
        return [leaf for item in fetches for leaf in flatten(item)]
    kind = type(fetches).__name__
    if kind == "IndexedSlices":
        parts = [fetches.values, fetches.indices, fetches.dense_shape]
        return [part for part in parts if part is not None]
    if kind == "SparseTensor":
        return [fetches.indices, fetches.values, fetches.dense_shape]
    if "Variable" in kind:
        raise TypeError(f"Fetch {fetches.name} by its read_value(): that says which op reads it.")
    return [fetches]


def static_facts(fetch: Any) -> dict[str, Any]:
    """What is known of a fetched tensor before it runs."""
    if not hasattr(fetch, "dtype"):
        return {}
    known = fetch.shape.ndims is not None
    return {"dtype": fetch.dtype.name, "shape": fetch.shape.as_list() if known else None}


def feed_array(tensor: Any, value: Any) -> np.ndarray:
    """A fed value as an array of the tensor's type, as a session would make it."""
    numpy_type = tensor.dtype.as_numpy_dtype
    return np.asarray(value, dtype=object if numpy_type is object else numpy_type)


def fetched_array(value: Any) -> np.ndarray | None:
    """A fetched value as an array; an operation's None stays None."""
    if isinstance(value, (bytes, str)):  # numpy's own strings drop zero bytes at the end
        return np.array(value, object)
    return None if value is None else np.asarray(value)


def describe_error(error: Exception, phase: str) -> dict[str, Any]:
    """An error without what belongs to one machine or one library: stack traces, file names."""
    message = str(getattr(error, "message", None) or error)
    operation = getattr(error, "op", None) or getattr(error, "node_def", None)
    return {
        "phase": phase,
        "class": type(error).__name__,
        "message": clean_message(message),
        "op": getattr(operation, "name", None),
    }


def clean_message(message: str) -> str:
    """TensorFlow's message without the stack traces around it."""
    message = message.split("\n\nOriginal stack trace for")[0]
    # "Graph execution error: Detected at node ... File ... Node: 'x'" comes before the message.
    message = re.split(r"\nNode: '[^']*'\n", message)[-1]
    return message.strip()
