"""Two mixed clusters, and two clients on each. Prints what the clients saw as a line of JSON.

For test_mixed_clusters.py, which runs it in a network of its own. To look at one of them only:
`program.py PYTHON_OF_TENSORFLOW [CLIENTS [MASTERS]]`, each "tinytf", "tensorflow" or both.
"""

import contextlib
import json
import socket
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PYTHON = {"tinytf": sys.executable, "tensorflow": sys.argv[1]}
#: whose master -> task -> library
CLUSTERS = {
    "tensorflow": {"ps:0": "tinytf", "worker:0": "tensorflow"},
    "tinytf": {"ps:0": "tensorflow", "worker:0": "tinytf", "worker:1": "tensorflow"},
}
BOTH = "tensorflow,tinytf"
CLIENTS, MASTERS = (text.split(",") for text in [*sys.argv[2:], BOTH, BOTH][:2])


def start(library, program, *arguments):
    return subprocess.Popen(
        [PYTHON[library], str(HERE / program), library, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def free_address():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"localhost:{probe.getsockname()[1]}"


@contextlib.contextmanager
def running(tasks):
    """The processes of a cluster's tasks, by task, and the target of worker:0."""
    cluster = {}
    for task in tasks:
        cluster.setdefault(task.partition(":")[0], []).append(free_address())
    processes = {
        task: start(library, "mixed_task_program.py", json.dumps(cluster), *task.split(":"))
        for task, library in tasks.items()
    }
    try:
        targets = {task: process.stdout.readline().strip() for task, process in processes.items()}
        yield processes, targets["worker:0"]
    finally:
        for process in processes.values():
            process.kill()
            process.communicate()


def see(tasks):
    """What each client saw in a cluster."""
    clients = {}
    with running(tasks) as (processes, target):
        try:
            for library in CLIENTS:
                client = clients[library] = start(library, "mixed_client_program.py", target)
                assert client.stdout.readline() == "ready\n", library
            processes["ps:0"].kill()
            return {
                library: json.loads(client.communicate(timeout=60)[0].splitlines()[-1])
                for library, client in clients.items()
            }
        finally:
            for client in clients.values():
                client.kill()
                client.communicate()


print(json.dumps({master: see(CLUSTERS[master]) for master in MASTERS}))
