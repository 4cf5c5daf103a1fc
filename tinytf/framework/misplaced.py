"""What stands in the wrong place of a call: what it is, and which place was meant."""

from __future__ import annotations

from typing import Any

#: an attribute by which a thing is known -> what to say of it in the place of a `feed_dict`
FEED_DICT = {
    "make_callable": "Name the session: session=...",
    "inter_op_thread_pool": "Name it: options=...",
    "step_stats": "Name it: run_metadata=...",
    "graph": "Several fetches are one list: sess.run([a, b]).",
}
#: ... of a session's `target` or `config`
SESSION = {
    "as_graph_def": "Name it: tf.Session(graph=...)",
    "allow_soft_placement": "Name it: tf.Session(config=...)",
    "allow_growth": "It is a part of one: tf.ConfigProto(gpu_options=...)",
    "restart": "A session is of one task: tf.Session(cluster.target('worker:0'))",
    "target": "It has a target: tf.Session(server.target)",
    "__call__": "Call it: tf.Session(cluster.target('worker:0'))",
    "graph": "A session is opened without it, and then runs it: sess.run(...)",
}
#: ... of fetches
FETCHES = {
    "step_stats": "This is the trace of a step: tinytf.jupyter.timeline(...) shows it.",
    "dev_stats": "This is the trace of a step: tinytf.jupyter.timeline(...) shows it.",
    "make_one_shot_iterator": "This is a dataset: run the tensors of its elements, next_element = "
    "dataset.make_one_shot_iterator().get_next().",
    "get_next": "This is an iterator: run the tensors of its elements, iterator.get_next().",
    "dequeue": "This is a queue: run what is done with it, queue.dequeue() or queue.size().",
    "as_tensor": "It is in parts: run tf.convert_to_tensor(variable).",
}


def advice(thing: Any, places: dict[str, str], before: str = ". ") -> str:
    """What to say of a thing, by the first attribute it has; "" if it is not known.

    Example:
      >>> advice(tf.constant(1), FEED_DICT)
      '. Several fetches are one list: sess.run([a, b]).'
    """
    return next((before + text for known, text in places.items() if hasattr(thing, known)), "")
