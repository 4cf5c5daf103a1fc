"""Two of the programs as they are, on clusters of a real TensorFlow.

It goes on in a network of its own, because TensorFlow's servers listen on all interfaces. It prints
what each task has said, and as its last line the accuracy that each program has reached.
"""

import json
import tempfile

from tests.oracle.environment import (
    continue_in_own_network,
    tensorflow_environment,
    tensorflow_python,
)
from tests.replication.running import chief, numbers, start

#: Steps of each: those of one thread each count alone, and two of a synchronous one go on together.
STEPS = {"in_graph_async": 600, "between_graph_sync": 200}


def reached(program):
    """The accuracy on a cluster of two workers; None if the launch was not done."""
    options = {
        "python": str(tensorflow_python()),
        "environment": {**tensorflow_environment(), "PYTHONPATH": ""},
        "restarts": 0,
    }
    with (
        tempfile.TemporaryDirectory() as folder,
        start(program, folder, f"--steps={STEPS[program]}", worker=2, **options) as run,
    ):
        code = run.wait(200)
        for task in run.tasks:
            print(task, run.output(task), sep="\n")
        return numbers(run, chief(run), "accuracy")[-1] if code == 0 else None


if __name__ == "__main__":
    continue_in_own_network()
    print(json.dumps({name: reached(name) for name in STEPS}))
