"""Chapter 4: what a cluster does, what travels, and what is said of tasks that are not there."""

import re
from functools import partial

import pytest

from tests.notebooks import reading
from tests.notebooks.reading import error, printed, programs

pytestmark = pytest.mark.as_committed

NAME = "04_clusters.ipynb"
cell = partial(reading.cell, NAME)

#: Cell -> what it says.
SAID = {
    "spec": "['ps', 'worker'] workers: 2\nmachine-b.example.com:2222",
    "start": "ps:0 worker:0 worker:1",
    "first-session": "9.0",
    "local-server": "/job:localhost/replica:0/task:0/device:CPU:0 9.0",
    "late-code": "the session waited, and then: [9.0]",
    "pinned-others": "through worker:1 d is -4.0",
    "send-recv": "a/read: ps:0 -> worker:1, float32, 4 bytes; as 16 bits 2 bytes",
    "reduce-first": "{('ps:0', 'worker:0'): 4}",
    "task-not-here": "False",
    "cluster-vars": "global_step",
    "new-session": "0 elements",
    "heal": "0",
    "stop": "3 processes serve\n0 processes are left",
}

#: Cell -> why nbval does not compare what it shows.
UNCOMPARED = {
    "show": "addresses and processes",
    "late-code": "a wait of over two seconds is reported; above, that the session gets its value",
    "timeline-view": "when things happened; below, whose lanes there are",
    "digits-pace": "how fast this machine trains",
    "cluster-view": "how much has travelled by then; below, who is whose master",
    "book": "its ports may be taken",
}

#: Cell -> the error's class and words that a learner would search for.
MISTAKES = {
    "error-missing": ("DeadlineExceededError", "tinytf serve --job worker --task 1 --cluster ps="),
    "error-task": ("InvalidArgumentError", "Cannot assign a device for operation lost"),
    "error-local": ("InvalidArgumentError", "was explicitly assigned to /job:ps but available"),
    "error-cell": ("TaskError", "Failed in worker:0: ZeroDivisionError"),
    "error-since": ("FailedPreconditionError", "Attempting to use uninitialized value global_step"),
    "error-cut": ("DeadlineExceededError", "waits for global_step/read from /job:ps/"),
    "error-endless": ("TaskError", "Interrupted after 1 s (--timeout): worker:0"),
    "error-port": ("UnknownError", "Could not start gRPC server"),
}


def test_the_missing_task_is_named_with_how_it_fails_and_what_starts_it():
    message = error(cell("error-missing"))[1]
    for words in (
        "/job:worker/replica:0/task:1 at localhost:",
        "refused: nothing listens there",
        "%cluster restart worker:1",
        "device_filters=[",
    ):
        assert words in message


def test_the_views_show_all_tasks_and_who_is_master():
    assert "3 devices of 3 tasks, 4 transfers" in printed(cell("timeline-view"))
    assert "session 1: its master is ps:0" in printed(cell("cluster-view"))
    assert printed(cell("show")).count("serving") == 3


def test_two_workers_learn_the_digits():
    said = printed(cell("train-test"))
    assert int(re.search(r"worker:1 \| (\d+)% of the new digits", said)[1]) > 80


def test_a_late_task_makes_a_step_late():
    usual, late = map(float, re.findall(r"(\d\.\d+) s", printed(cell("delay"))))
    assert usual < 0.2 < late


def test_lost_variables_are_said_to_be_lost_since_the_restart():
    message = error(cell("error-since"))[1]
    assert (
        "Nothing on /job:ps/replica:0/task:0 has been initialised since the restart at" in message
    )


def test_each_edge_that_is_cut_has_one_send_and_one_recv_for_each_task_that_needs_it():
    said = printed(cell("send-recv"))
    sends = re.findall(r"  Send (\S+) to ", said)
    receives = re.findall(r"  Recv (\S+) from ", said)
    assert sorted(sends) == sorted(receives) == ["a/read", "a/read", "b", "c"]


def test_ports_are_fixed_in_one_cell_only_and_it_may_find_them_taken():
    fixed = [one["id"] for one in programs(NAME) if "127.0.0.1:222" in one["source"]]
    assert fixed == ["book"]
    assert "except tf.errors.UnknownError" in cell("book")["source"]


def test_the_last_cluster_is_stopped_in_the_notebook():
    assert "cluster.stop()" in cell("stop")["source"]
