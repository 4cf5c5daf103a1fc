"""The file of a simulated machine: damaged, stale, locked, in a folder of its own."""

import fcntl
import json
import os
import stat
import threading
import time

import pytest

import tinytf as tf
from tinytf.devices import machine, processes
from tinytf.devices.asking import SimulatedGpus
from tinytf.devices.machine import Machine
from tinytf.framework.errors import PermissionDeniedError, UnavailableError

WISH = SimulatedGpus(1, 1 << 20, "lesson")


def state_file(folder, name="lesson"):
    return folder / f"{name}.{processes.computer()}.json"


@pytest.fixture
def joined():
    """A function that joins a machine; it is left again."""
    used = []

    def join(wish=WISH):
        used.append(Machine(wish))
        return used[-1]

    yield join
    for one in used:
        one.leave()


def test_the_folder_is_the_user_s_alone(joined, machines_folder):
    joined()
    assert stat.S_IMODE(machines_folder.stat().st_mode) == 0o700
    names = {path.name for path in machines_folder.iterdir()}
    assert names == {"lock", state_file(machines_folder).name}


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"TINYTF_MACHINES": "/a/b"}, "/a/b"),
        ({"XDG_STATE_HOME": "/state"}, "/state/tinytf/machines"),
        ({"XDG_STATE_HOME": "relative"}, "/users/ann/.local/state/tinytf/machines"),
        ({}, "/users/ann/.local/state/tinytf/machines"),
    ],
)
def test_where_the_folder_is(variables, expected, monkeypatch):
    for name in ("TINYTF_MACHINES", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, variables.get(name, ""))
    monkeypatch.setenv("HOME", "/users/ann")
    assert str(machine.folder()) == expected


def test_taking_and_leaving(joined, machines_folder):
    here = joined()
    taken = here.take(0, [2 << 20, 1 << 19])
    assert (taken.size, taken.failed, taken.free, taken.others) == (
        1 << 19,
        (2 << 20,),
        1 << 19,
        (),
    )
    (process,) = machine.look("lesson").processes
    assert (process.pid, process.held) == (os.getpid(), {0: 1 << 19})
    assert here.take(0, [1 << 20]).size == 0
    here.leave()
    assert not state_file(machines_folder).exists()
    # Sessions of before have a GPU to themselves, and no longer show up.
    assert here.take(0, [1 << 18]).size == 1 << 18
    assert machine.look("lesson").processes == []


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"format": 99}',
        b'{"format": 1}',
        b"[" * 100_000,
        b'{"format": 1, "count": "1", "memory": 1, "processes": []}',
        b'{"format": 1, "count": 1, "memory": -1, "processes": []}',
        b'{"format": 1, "count": 1, "memory": 1, "processes": [{"pid": 1}]}',
        b'{"format": 1, "count": 1, "memory": 1, "processes": [3]}',
        b'{"format": 1, "count": 1, "memory": 1, "processes": '
        b'[{"pid": 1, "started": "1", "name": "x", "held": {"a": 1}}]}',
    ],
)
def test_a_damaged_file_is_said_and_written_anew(content, joined, machines_folder, capsys):
    here = joined()
    here.take(0, [1 << 18])
    state_file(machines_folder).write_bytes(content)
    assert machine.look("lesson").damaged
    assert here.take(0, [1 << 18]).size == 1 << 18
    assert "'lesson' could not be read" in capsys.readouterr().out
    state = machine.look("lesson")
    assert state.damaged == ""
    assert state.processes[0].held == {0: 1 << 19}  # what this process has it knows itself


def test_a_file_cut_short_anywhere_is_noticed(joined, machines_folder):
    joined().take(0, [1 << 18])
    whole = state_file(machines_folder).read_bytes()
    for length in range(len(whole) - 1):
        state_file(machines_folder).write_bytes(whole[:length])
        assert machine.look("lesson").damaged
    state_file(machines_folder).write_bytes(whole)
    assert machine.look("lesson").damaged == ""


def write_state(folder, name, pid, started, held):
    process = {"pid": pid, "started": started, "name": "other.py", "held": held}
    state = {"format": 1, "name": name, "count": 1, "memory": 1 << 20, "processes": [process]}
    folder.mkdir(exist_ok=True)
    state_file(folder, name).write_text(json.dumps(state))


def test_another_process_with_the_number_of_a_dead_one_is_not_it(joined, machines_folder):
    write_state(machines_folder, "lesson", os.getppid(), "long ago", {"0": 1 << 20})
    assert machine.look("lesson").processes == []
    assert joined().take(0, [1 << 20]).size == 1 << 20


def test_a_process_that_is_alive_counts(joined, machines_folder):
    parent = os.getppid()
    write_state(machines_folder, "lesson", parent, processes.started(parent), {"0": 1 << 19})
    taken = joined().take(0, [1 << 20, 1 << 19])
    assert (taken.size, taken.free) == (1 << 19, 0)
    assert [(one.holder, one.what) for one in taken.others] == [("other.py", f"pid {parent}")]


def test_files_of_the_dead_are_swept_away(joined, machines_folder):
    write_state(machines_folder, "own-1-2", 1, "never", {})
    write_state(machines_folder, "another", 1, "never", {})
    old = machines_folder / "lesson.12345678.json"
    recent = machines_folder / "other.12345678.json"
    for path in (old, recent):
        path.write_text("{}")
    os.utime(old, (0, time.time() - 8 * 24 * 3600))
    joined()
    found = {path.name for path in machines_folder.iterdir()}
    assert found == {"lock", recent.name, state_file(machines_folder).name}


def test_a_lock_that_is_not_given_up_is_an_error(joined, machines_folder, monkeypatch):
    here = joined()
    monkeypatch.setattr(machine, "_LOCK_SECONDS", 0.05)
    with open(machines_folder / "lock") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(UnavailableError, match=r"has kept .*lock locked"):
            here.take(0, [256])
    assert here.take(0, [256]).size == 256


def test_threads_take_turns(joined):
    here = joined(SimulatedGpus(1, 100 * 256, "lesson"))
    sizes = []

    def work():
        for _ in range(10):
            sizes.append(here.take(0, [256]).size)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(sizes) == 40 * 256 == machine.look("lesson").processes[0].held[0]


def test_a_folder_that_cannot_be_made_is_an_error_that_says_what_to_do(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("TINYTF_MACHINES", str(tmp_path / "file" / "machines"))
    with pytest.raises(PermissionDeniedError, match="set TINYTF_MACHINES to a folder"):
        tf.devices.simulate_gpus(1)
    monkeypatch.undo()


def test_a_machine_that_nobody_uses():
    state = machine.look("nobody")
    assert (state.count, state.processes, state.damaged) == (0, [], "")
    assert machine.machines() == []
