"""Our worker and a real TensorFlow's train together, on our parameter server.

    python sync_replicas_program.py PYTHON_OF_TENSORFLOW

For test_sync_replicas.py, which runs it in a network of its own. Prints a line of JSON: of each
training the values after each step, and who gave to the last steps.
"""

import json
import subprocess
import sys
from pathlib import Path

import tinytf as tf
from tests.ports import free_ports
from tinytf.distributed.inspection import look

STEPS = 5
PROGRAM = Path(__file__).with_name("sync_replicas_worker.py")
PS, OURS, THEIRS = (f"localhost:{port}" for port in free_ports(3))
CLUSTER = {"ps": [PS], "worker": [OURS, THEIRS]}


class Worker:
    """A process."""

    def __init__(self, python, library, cluster, index):
        command = [python, str(PROGRAM), library, json.dumps(cluster), str(index)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)

    def ask(self, line):
        print(json.dumps(line), file=self.process.stdin, flush=True)

    def answer(self):
        return json.loads(self.process.stdout.readline())

    def tell(self, line):
        self.ask(line)
        return self.answer()


def together(workers, line):
    for worker in workers:
        worker.ask(line)
    return [worker.answer() for worker in workers]


def train(workers, name, is_sync, chief, use_resource=False):
    """The values after each step, as each worker in turn reads them."""
    how = {"name": name, "is_sync": is_sync, "chief": chief, "use_resource": use_resource}
    workers[chief].tell(how)
    for number, worker in enumerate(workers):
        if number != chief:
            worker.tell(how)
    values = []
    for step in range(STEPS):
        if is_sync:
            together(workers, "step")
        else:
            workers[step % len(workers)].tell("step")
        values.append(workers[step % len(workers)].tell("values"))
    rows = [row for row in look(PS, ["accumulators"])["accumulators"] if row["container"] == name]
    for number in sorted(range(len(workers)), key=lambda n: n == chief):
        workers[number].tell("end")
    givers = [[given[0] for given in step["given"]] for row in rows for step in row["steps"]]
    return {"values": values, "givers": givers}


def main():
    with tf.train.Server(CLUSTER, "ps", 0):
        theirs = Worker(sys.argv[1], "tensorflow", CLUSTER, 1)
        ours = Worker(sys.executable, "tinytf", CLUSTER, 0)
        both = [ours, theirs]
        for worker in both:
            worker.answer()
        seen = {
            "our chief": train(both, "ours", True, 0),
            "their chief": train(both, "theirs", True, 1),
            "our chief, resources": train(both, "resources", True, 0, True),
            "asynchronous": train(both, "asynchronous", False, 1),
        }
        for worker in both:
            worker.process.kill()
            worker.process.communicate()
    print(json.dumps(seen))


main()
