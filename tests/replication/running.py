"""Starting the four programs, and what they have printed."""

import re
from pathlib import Path

from tests.oracle.environment import ROOT
from tinytf.distributed.launcher import launch

PROGRAMS = ("in_graph_sync", "in_graph_async", "between_graph_async", "between_graph_sync")
FOLDER = ROOT / "notebooks" / "replication"
#: What one process reaches with the same network and numbers, and how far a program may be off.
ONE_PROCESS, NOISE = 0.92, 0.05
#: Who is killed: whoever leads, another worker, the parameter server.
VICTIMS = ("chief", "worker", "ps")


def start(name, folder, *arguments, worker=3, **options):
    """A program that runs in a folder, where it leaves its checkpoints."""
    client = name.startswith("in_graph")
    script = FOLDER / f"{name}.py"
    return launch(script, arguments, worker=worker, client=client, folder=folder, **options)


def chief(run):
    """The name of the task that leads."""
    return "client:0" if "client:0" in run.tasks else "worker:0"


def task_of(run, victim):
    """The task that is meant by one of `VICTIMS`."""
    return {"chief": chief(run), "worker": "worker:1", "ps": "ps:0"}[victim]


def numbers(run, task, words):
    """The numbers that a task has printed behind some words, in order."""
    return [float(found) for found in re.findall(rf"{words} ([\d.]+)", run.output(task))]


def saved(folder):
    """The step of the last checkpoint; None if there is none."""
    state = Path(folder, "checkpoints", "checkpoint")
    found = re.search(
        r'^model_checkpoint_path: ".*-(\d+)"', state.read_text() if state.exists() else ""
    )
    return int(found[1]) if found else None
