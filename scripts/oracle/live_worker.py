"""Runs graphs in TensorFlow for the tests: requests come in on stdin, answers go out on stdout.

Each is one frame (`tests.conformance.encoding.frame`): {"graph": bytes, "plan": ...} and
{"values": ...} or {"error": ...}; `tests.conformance.running` describes them. The end of stdin
ends the process. It serves only the test process that started it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.conformance.encoding import frame, read_frame
from tests.conformance.running import describe_error, run_graph


def answer(tf: Any, request: dict[str, Any]) -> dict[str, Any]:
    """Run the request's plan on its graph."""
    try:
        graph_def = tf.GraphDef.FromString(request["graph"])
        config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=2)
        return run_graph(tf, graph_def, request["plan"], config)
    except Exception as error:  # TensorFlow refused the graph: that is an answer, too
        return {"error": describe_error(error, "import")}


def main() -> None:
    """Serve until stdin ends."""
    # Answers keep the original stdout; whatever TensorFlow prints goes to stderr.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    import tensorflow.compat.v1 as tf

    tf.logging.set_verbosity(tf.logging.ERROR)
    tf.disable_v2_behavior()
    while (request := read_frame(sys.stdin.buffer.read)) is not None:
        replies.write(frame(answer(tf, request)))
        replies.flush()


if __name__ == "__main__":
    main()
