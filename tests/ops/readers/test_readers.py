"""Readers in sessions: steps that wait, threads, what ends a wait."""

import threading

import pytest

import tinytf as tf
from tests.waiting import past_deadline
from tinytf.framework import waiting


@pytest.fixture
def files(tmp_path):
    names = []
    for number in range(3):
        names.append(str(tmp_path / f"file{number}"))
        (tmp_path / f"file{number}").write_text(f"{number}a\n{number}b\n")
    return names


class Reading:
    """A thread that reads in steps until there is an error."""

    def __init__(self, session, fetch):
        self.session, self.fetch = session, fetch
        self.found, self.error = [], None
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self):
        try:
            while True:
                self.found.append(self.session.run(self.fetch).decode())
        except tf.OpError as error:
            self.error = error

    def wait_until_blocked(self):
        """Until its step waits for something."""
        blocked = threading.Event()
        while self.thread.ident not in {one.thread for one in waiting.blocked()}:
            assert self.thread.is_alive(), self.error
            blocked.wait(0.001)
        return self

    def end(self):
        self.thread.join(30)
        assert not self.thread.is_alive()
        return self


def test_steps_that_share_a_reader_get_each_record_once(files):
    queue = tf.FIFOQueue(10, tf.string, shapes=[[]])
    _, line = tf.TextLineReader().read(queue)
    with tf.Session() as session:
        threads = [Reading(session, line).wait_until_blocked() for _ in range(3)]
        session.run(queue.enqueue_many([files]))
        session.run(queue.close())
        found = [text for thread in threads for text in thread.end().found]
    assert sorted(found) == ["0a", "0b", "1a", "1b", "2a", "2b"]
    for thread in threads:
        assert "is closed and has insufficient elements" in thread.error.message
        assert thread.error.op.type == "ReaderReadV2"


def test_closing_the_session_ends_reads_that_wait(files):
    queue = tf.FIFOQueue(10, tf.string, shapes=[[]])
    reader = tf.TextLineReader()
    fetches = [reader.read(queue)[1] for _ in range(2)]
    session = tf.Session()
    threads = [Reading(session, fetch).wait_until_blocked() for fetch in fetches]
    session.close()
    for thread in threads:
        assert isinstance(thread.end().error, tf.errors.CancelledError)


def test_a_deadline_ends_a_read_and_nothing_is_lost(files):
    queue = tf.FIFOQueue(10, tf.string, shapes=[[]])
    reader = tf.TextLineReader()
    _, line = reader.read(queue)
    with tf.Session() as session:
        for _ in range(2):
            error = past_deadline(lambda options: session.run(line, options=options))
            assert "a filename in the queue" in str(error)
        session.run(queue.enqueue(files[0]))
        assert [session.run(line) for _ in range(2)] == [b"0a", b"0b"]
        past_deadline(lambda options: session.run(line, options=options))
        session.run(queue.enqueue(files[1]))
        assert session.run(line) == b"1a"


def test_counters_and_state_answer_while_a_read_waits():
    queue = tf.FIFOQueue(10, tf.string, shapes=[[]])
    reader = tf.IdentityReader()
    _, value = reader.read(queue)
    with tf.Session() as session:
        thread = Reading(session, value).wait_until_blocked()
        assert session.run(reader.num_records_produced()) == 0
        assert session.run(reader.serialize_state()) == b""
        session.run(reader.reset())
        session.run(queue.enqueue("x"))
        session.run(queue.close())
        assert thread.end().found == ["x"]


def test_readers_of_one_shared_name_are_one_reader(files):
    queue = tf.FIFOQueue(10, tf.string, shapes=[[]])
    readers = []
    for _ in range(2):
        readers.append(tf.TextLineReader())
        node = readers[-1].reader_ref.op
        node._set_attr("shared_name", b"common")
    with tf.Session() as session:
        session.run(queue.enqueue(files[0]))
        assert [session.run(reader.read(queue)[1]) for reader in readers] == [b"0a", b"0b"]


def test_what_is_no_queue_is_refused_with_what_to_do():
    for wrong in (["a.csv", "b.csv"], "a.csv", None):
        with pytest.raises(TypeError, match="string_input_producer"):
            tf.TextLineReader().read(wrong)


def test_a_handle_of_something_else_is_refused():
    queue, reader = tf.FIFOQueue(10, tf.string), tf.TextLineReader()
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="not that of a queue"):
            session.run(reader.read(reader.reader_ref))
        other = tf.ReaderBase(queue.queue_ref)
        with pytest.raises(tf.errors.InvalidArgumentError, match="not that of a reader"):
            session.run(other.read(queue))


def test_the_error_of_a_damaged_file_names_file_and_line(tmp_path):
    path = tmp_path / "text"
    path.write_text("no records, but some words")
    queue = tf.FIFOQueue(10, tf.string, shapes=[[]])
    _, record = tf.TFRecordReader(name="mine").read(queue)
    with tf.Session() as session:
        session.run(queue.enqueue(str(path)))
        with pytest.raises(tf.errors.DataLossError) as caught:
            session.run(record)
    message = caught.value.message
    assert "corrupted record at 0 (Is this even a TFRecord file?)" in message
    assert str(path) in message
    assert "TFRecordReader 'mine' stays with this file" in message
    assert "tests/ops/readers/test_readers.py" in message
