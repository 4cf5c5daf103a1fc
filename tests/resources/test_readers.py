"""Readers: served in line, nothing lost, waits that end."""

import threading
from collections import deque

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinytf.framework import dtypes, errors
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.pending import Pending
from tinytf.resources.queues.kinds import FIFOQueue
from tinytf.resources.reader_kinds import (
    IdentityReader,
    TextLineReader,
    TFRecordReader,
    WholeFileReader,
)
from tinytf.resources.record_writer import TFRecordWriter

NOBODY = CancellationManager()


def names_queue(*names, closed=False):
    queue = FIFOQueue("names", [dtypes.string])
    for name in names:
        queue.enqueue([str(name).encode()], NOBODY)
    if closed:
        queue.close()
    return queue


@pytest.fixture
def files(tmp_path):
    """A function that makes a file of so many lines."""

    def make(name, count):
        (tmp_path / name).write_text("".join(f"{name} {n}\n" for n in range(1, count + 1)))
        return tmp_path / name

    return make


# One reader, one thread ---------------------------------------------------------------------------


def test_it_goes_from_file_to_file_and_over_empty_ones(files):
    queue = names_queue(files("a", 2), files("none", 0), files("b", 1), closed=True)
    reader = TextLineReader("r")
    found = [reader.read(queue, NOBODY) for _ in range(3)]
    assert [value for _, value in found] == [b"a 1", b"a 2", b"b 1"]
    assert [key.item().rpartition(b"/")[2] for key, _ in found] == [b"a:1", b"a:2", b"b:1"]
    assert (reader.num_records_produced, reader.num_work_units_completed) == (3, 2)
    with pytest.raises(errors.OutOfRangeError, match="is closed and has insufficient elements"):
        reader.read(queue, NOBODY)
    assert (reader.num_records_produced, reader.num_work_units_completed) == (3, 3)


def test_empty_files_that_come_again_and_again_are_told_once(files, caplog):
    caplog.set_level("WARNING", "tinytf")
    first, second = files("none", 0), files("nothing", 0)
    reader = TextLineReader("r")
    queue = names_queue(*[first, second] * 3, closed=True)
    with pytest.raises(errors.OutOfRangeError):
        reader.read(queue, NOBODY)
    (told,) = caplog.messages
    assert told.startswith(f"TextLineReader 'r' reads '{first}' again and again")
    assert "no record in it nor in 1 other. Are they empty" in told


def test_an_empty_file_between_others_is_nothing_to_tell(files, caplog):
    caplog.set_level("WARNING", "tinytf")
    queue = names_queue(*[files("none", 0), files("a", 1)] * 3, closed=True)
    reader = TextLineReader("r")
    assert [reader.read(queue, NOBODY)[1] for _ in range(3)] == [b"a 1"] * 3
    assert caplog.messages == []


def test_a_percent_sign_in_a_name_is_part_of_the_key(files):
    path = files("100%d", 1)
    assert TextLineReader("r").read(names_queue(path), NOBODY)[0] == f"{path}:1".encode()


def test_a_wait_goes_over_empty_files_and_missing_ones_end_it(files, tmp_path):
    queue, reader = names_queue(), TextLineReader("r")
    first, second = reader.read(queue, NOBODY), reader.read(queue, NOBODY)
    assert type(first) is Pending
    assert (first.on, first.needs) == (queue, "elements")
    queue.enqueue([str(files("none", 0)).encode()], NOBODY)
    assert not first.done
    queue.enqueue([str(tmp_path / "missing").encode()], NOBODY)
    with pytest.raises(errors.NotFoundError, match=r"had this name from the FIFOQueue 'names'\."):
        first.get()
    assert not second.done
    queue.enqueue([str(files("a", 1)).encode()], NOBODY)
    assert second.get()[1] == b"a 1"


def test_a_relative_name_is_told_with_its_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(errors.NotFoundError, match=f"looked for it in {tmp_path}"):
        TextLineReader("r").read(names_queue("missing.csv"), NOBODY)


def test_a_file_that_cannot_be_read_stays_until_reset(files, tmp_path):
    reader, queue = TextLineReader("r"), names_queue(tmp_path, files("a", 1))
    for _ in range(2):
        with pytest.raises(
            errors.FailedPreconditionError,
            match=r"Is a directory\nTextLineReader 'r' stays with this file: after reader\.reset",
        ):
            reader.read(queue, NOBODY)
    reader.reset()
    assert reader.read(queue, NOBODY)[1] == b"a 1"


def test_records_before_a_damaged_one_are_not_lost(tmp_path):
    path = tmp_path / "records"
    with TFRecordWriter(str(path)) as writer:
        for content in (b"one", b"two", b"three"):
            writer.write(content)
    whole = bytearray(path.read_bytes())
    whole[-1] ^= 1
    path.write_bytes(whole)
    reader, queue = TFRecordReader("r"), names_queue(path)
    keys, values = reader.read_up_to(queue, 10, NOBODY)
    assert values.tolist() == [b"one", b"two"]
    assert keys.tolist() == [f"{path}:{at}".encode() for at in (0, 19)]
    for _ in range(2):
        with pytest.raises(errors.DataLossError, match="corrupted record at 50"):
            reader.read_up_to(queue, 10, NOBODY)
    assert reader.num_records_produced == 2


def test_a_queue_of_other_things_loses_nothing():
    reader = IdentityReader("r")
    for kinds, words in (
        ([dtypes.int32], "single string component"),
        ([dtypes.string, dtypes.string], "single component queue"),
    ):
        queue = FIFOQueue("q", kinds)
        queue.enqueue([np.int32(1) if kind is dtypes.int32 else b"x" for kind in kinds], NOBODY)
        with pytest.raises(errors.InvalidArgumentError, match=f"Expected .*{words}.*FIFOQueue 'q'"):
            reader.read(queue, NOBODY)
        assert queue.size() == 1


def test_a_list_of_filenames_as_one_element_is_explained():
    queue = FIFOQueue("q", [dtypes.string])
    queue.enqueue([np.array([b"a", b"b"], object)], NOBODY)
    with pytest.raises(errors.InvalidArgumentError, match=r"one of 2\. queue\.enqueue_many"):
        IdentityReader("r").read(queue, NOBODY)


def test_the_state_of_a_reader_goes_to_another():
    one, other = IdentityReader("one"), IdentityReader("other")
    queue = names_queue("x", "y", "z")
    one.read(queue, NOBODY), one.read(queue, NOBODY)
    other.restore_state(one.serialize_state())
    assert (other.num_records_produced, other.num_work_units_completed) == (2, 2)
    assert other.read(queue, NOBODY) == (b"z", b"z")
    assert other.serialize_state() != one.serialize_state()


def test_a_closed_reader_has_no_file(files):
    queue, reader = names_queue(files("a", 2)), TextLineReader("r")
    reader.read(queue, NOBODY)
    reader.close()
    queue.close()
    with pytest.raises(errors.OutOfRangeError):
        reader.read(queue, NOBODY)


def test_whole_files_may_be_of_unknown_size():
    reader = WholeFileReader("r")
    key, content = reader.read(names_queue("/proc/self/status"), NOBODY)
    assert key == b"/proc/self/status"
    assert b"Threads:" in content.item()


# Waiting ------------------------------------------------------------------------------------------

actions = st.one_of(
    st.tuples(st.just("enqueue"), st.integers(0, 3)),
    st.tuples(st.just("read"), st.none()),
    st.tuples(st.just("cancel"), st.integers(0, 5)),
    st.tuples(st.just("close"), st.none()),
)


class Model:
    """What a reader does: lines in order to the reads in line; the rest of the reads fail."""

    def __init__(self):
        self.lines, self.line, self.files, self.closed = deque(), [], 0, False
        self.outcomes = {}

    def settle(self):
        while self.line and self.lines:
            self.outcomes[self.line.pop(0)] = self.lines.popleft()
        if self.closed:
            self.outcomes.update(dict.fromkeys(self.line, errors.OutOfRangeError))
            self.line.clear()


@settings(max_examples=60)
@given(st.lists(actions, max_size=25))
def test_any_order_of_events_is_that_of_a_simple_model(tmp_path_factory, script):
    folder = tmp_path_factory.mktemp("model")
    queue, reader, model = names_queue(), TextLineReader("r"), Model()
    reads, steps = [], []
    for action, number in script:
        if action == "enqueue" and not model.closed:
            model.files += 1
            path = folder / f"f{model.files}"
            path.write_text("".join(f"{model.files}.{n}\n" for n in range(number)))
            model.lines.extend(f"{model.files}.{n}".encode() for n in range(number))
            queue.enqueue([str(path).encode()], NOBODY)
        elif action == "read":
            model.line.append(len(reads))
            steps.append(CancellationManager())
            try:
                reads.append(reader.read(queue, steps[-1]))
            except errors.OutOfRangeError as error:
                reads.append(error)
        elif action == "close":
            model.closed = True
            queue.close()
        elif action == "cancel" and number < len(model.line):
            cancelled = model.line.pop(number)
            model.outcomes[cancelled] = errors.CancelledError
            steps[cancelled].start_cancel()
        model.settle()
        for place, read in enumerate(reads):
            assert outcome(read) == model.outcomes.get(place), (place, script)
    assert reader.num_records_produced == sum(
        isinstance(found, bytes) for found in model.outcomes.values()
    )


def outcome(read):
    if isinstance(read, Pending):
        if not read.done:
            return None
        read = read.error or read.result
    return type(read) if isinstance(read, Exception) else read[1].item()


def test_a_cancelled_step_does_not_read():
    step, queue = CancellationManager(), names_queue()
    step.start_cancel()
    reader = IdentityReader("r")
    with pytest.raises(errors.CancelledError):
        reader.read(queue, step)
    waits = reader.read(queue, NOBODY)
    with pytest.raises(errors.CancelledError):
        reader.read(queue, step).get()
    queue.enqueue([b"x"], NOBODY)
    assert waits.get() == (b"x", b"x")


def test_readers_that_wait_for_each_others_queues_do_not_lock_each_other():
    """Who brings a filename serves a reader, which takes from another queue, and so on."""
    first, second = names_queue(), names_queue()
    readers = [IdentityReader("a"), IdentityReader("b")]
    waits = [reader.read(queue, NOBODY) for reader in readers for queue in (first, second)]
    threads = [
        threading.Thread(target=queue.enqueue, args=[[b"x"], NOBODY])
        for queue in (first, second, first, second)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert [wait.get() for wait in waits] == [(b"x", b"x")] * 4


def test_ctrl_c_in_the_thread_that_brings_a_filename_is_its_own(monkeypatch):
    queue, reader = names_queue(), IdentityReader("r")
    first, second = reader.read(queue, NOBODY), reader.read(queue, NOBODY)

    def interrupted(self):
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(IdentityReader, "_next", interrupted)
    with pytest.raises(KeyboardInterrupt):
        queue.enqueue([b"x"], NOBODY)
    with pytest.raises(errors.CancelledError):
        first.get()
    assert second.get() == (b"x", b"x")  # the work was begun, and its record was not given out


@pytest.mark.parametrize("shared", [True, False])
def test_threads_get_every_record_once(files, shared):
    names = [files(f"f{number}", number % 4) for number in range(40)]
    queue = names_queue()
    readers = [TextLineReader(f"r{number}") for number in range(1 if shared else 4)]
    found, lock = [], threading.Lock()

    def work(reader):
        while True:
            arrived = threading.Event()
            try:
                record = reader.read(queue, NOBODY)
                if isinstance(record, Pending):
                    record.when_done(lambda _, arrived=arrived: arrived.set())
                    assert arrived.wait(30)
                    record = record.get()
            except errors.OutOfRangeError:
                return
            with lock:
                found.append(record[1].item().decode())

    threads = [threading.Thread(target=work, args=[readers[n % len(readers)]]) for n in range(4)]
    for thread in threads:
        thread.start()
    for name in names:
        queue.enqueue([str(name).encode()], NOBODY)
    queue.close()
    for thread in threads:
        thread.join(30)
    assert sorted(found) == sorted(
        line for name in names for line in name.read_text().split("\n")[:-1]
    )
    assert sum(reader.num_records_produced for reader in readers) == len(found)
    assert sum(reader.num_work_units_completed for reader in readers) == len(names)


def test_a_file_that_another_read_has_begun_meanwhile_is_not_left_out(files, monkeypatch):
    queue, reader = names_queue(files("a", 3), files("b", 1), closed=True), TextLineReader("r")
    ask, values = reader._ask, []

    def overtaken(read):
        """The read has found nothing to read; before it asks for a file, another one does."""
        monkeypatch.setattr(reader, "_ask", ask)
        values.append(reader.read(queue, NOBODY)[1])
        return ask(read)

    monkeypatch.setattr(reader, "_ask", overtaken)
    values.append(reader.read(queue, NOBODY)[1])
    values += [reader.read(queue, NOBODY)[1] for _ in range(2)]
    assert values == [b"a 1", b"a 2", b"a 3", b"b 1"]
