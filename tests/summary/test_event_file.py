"""Event files: what the writing thread does, when it ends, and what if it cannot write."""

import gc
import os
import subprocess
import sys
import threading

import pytest

import tinytf as tf
from tinytf.summary.event_file import EventFile

FULL = "/dev/full"
needs_full = pytest.mark.skipif(not os.path.exists(FULL), reason=f"there is no {FULL}")


def events(folder):
    """The events of all files in a folder, in the order of the files."""
    paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    return [event for path in paths for event in tf.train.summary_iterator(path)]


def steps(folder):
    return [event.step for event in events(folder) if event.HasField("summary")]


def writing_threads():
    return [thread for thread in threading.enumerate() if thread.name == "tinytf-event-file"]


def test_the_first_event_is_there_at_once_and_the_rest_after_a_flush(tmp_path):
    writer = tf.summary.FileWriter(tmp_path, flush_secs=1000)
    writer.flush()
    assert [event.WhichOneof("what") for event in events(tmp_path)] == ["file_version"]
    for step in range(100):
        writer.add_summary(tf.Summary(), step)
    writer.flush()
    assert steps(tmp_path) == list(range(100))
    writer.close()
    writer.close()
    assert steps(tmp_path) == list(range(100))


def test_events_reach_the_file_by_themselves(tmp_path):
    writer = tf.summary.FileWriter(tmp_path, flush_secs=0)
    writer.add_summary(tf.Summary(), 1)
    state = writer._file._state
    with state._changed:
        assert state._changed.wait_for(lambda: state._written == 2, timeout=30)
    assert steps(tmp_path) == [1]
    writer.close()


def test_the_thread_ends_with_the_writer(tmp_path):
    others = writing_threads()  # of writers that tests before this one have left open
    writer = tf.summary.FileWriter(tmp_path)
    [thread] = [one for one in writing_threads() if one not in others]
    writer.close()
    assert not thread.is_alive()
    writer.reopen()
    [thread] = [one for one in writing_threads() if one not in others]
    writer.add_summary(tf.Summary(), 5)
    del writer
    gc.collect()
    assert not thread.is_alive()
    assert steps(tmp_path) == [5]


def test_what_was_added_is_written_at_the_end_of_the_program(tmp_path):
    program = (
        "import sys, tinytf as tf\n"
        "writer = tf.summary.FileWriter(sys.argv[1], flush_secs=1000)\n"
        "for step in range(50): writer.add_summary(tf.Summary(), step)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True, timeout=50)
    assert steps(tmp_path) == list(range(50))


def test_several_threads_add_to_one_file(tmp_path):
    writer = tf.summary.FileWriter(tmp_path, max_queue=3)
    threads = [
        threading.Thread(
            target=lambda first=n * 50: [
                writer.add_summary(tf.Summary(), step) for step in range(first, first + 50)
            ]
        )
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    assert sorted(steps(tmp_path)) == list(range(200))


def test_two_writers_within_a_second_have_two_files(tmp_path):
    first, second = (tf.summary.FileWriter(tmp_path) for _ in range(2))
    first.add_summary(tf.Summary(), 1)
    second.add_summary(tf.Summary(), 2)
    first.close()
    second.close()
    assert len(os.listdir(tmp_path)) == 2
    assert steps(tmp_path) == [1, 2]


def test_reopening_begins_a_new_file(tmp_path):
    writer = tf.summary.FileWriter(tmp_path)
    writer.reopen()  # it is open: nothing happens
    writer.add_summary(tf.Summary(), 1)
    writer.close()
    writer.reopen()
    writer.add_summary(tf.Summary(), 2)
    writer.close()
    assert len(os.listdir(tmp_path)) == 2
    assert steps(tmp_path) == [1, 2]


def test_writers_of_a_session_share_a_file(tmp_path):
    with tf.Session() as one, tf.Session() as other:
        first, second = (tf.summary.FileWriter(tmp_path, session=one) for _ in range(2))
        third = tf.summary.FileWriter(tmp_path, session=other)
        first.add_summary(tf.Summary(), 1)
        first.close()
        second.add_summary(tf.Summary(), 2)
        second.close()
        third.close()
    assert len(os.listdir(tmp_path)) == 2
    assert sorted(steps(tmp_path)) == [1, 2]


def test_a_message_of_another_kind_is_refused(tmp_path):
    with tf.summary.FileWriter(tmp_path) as writer:
        for add in (writer.add_summary, writer.add_session_log, writer.add_event):
            with pytest.raises(TypeError, match=r"Expected a \w+ message, got 3"):
                add(3)
        with pytest.raises(TypeError, match="Expected a RunMetadata message"):
            writer.add_run_metadata(tf.Summary(), "a")
        writer.add_run_metadata(tf.RunMetadata(), "a")  # the tag is still free
    assert steps(tmp_path) == []


def test_the_callers_summary_stays_as_it_is(tmp_path):
    summary = tf.Summary()
    value = summary.value.add(tag="t", metadata=tf.SummaryMetadata(display_name="d"))
    with tf.summary.FileWriter(tmp_path) as writer:
        writer.add_summary(summary, 1)
        writer.add_summary(summary, 2)
    assert value.metadata.display_name == "d"
    kept = [e.summary.value[0].metadata.display_name for e in events(tmp_path) if e.step]
    assert kept == ["d", ""]


@needs_full
def test_a_full_disk_is_an_error_where_something_is_added(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "tinytf.summary.event_file._new_file", lambda folder, suffix: (FULL, open(FULL, "wb"))
    )
    file = EventFile(str(tmp_path), max_queue=2, flush_secs=0)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="/dev/full; No space left"):
        file.flush()
    with pytest.raises(tf.errors.ResourceExhaustedError):
        file.add(tf.Event())
    with pytest.raises(tf.errors.ResourceExhaustedError):
        file.close()
    assert not file._thread.is_alive()


@needs_full
def test_a_full_disk_at_the_very_end_is_logged(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(
        "tinytf.summary.event_file._new_file", lambda folder, suffix: (FULL, open(FULL, "wb"))
    )
    file = EventFile(str(tmp_path), max_queue=10, flush_secs=1000)
    del file
    gc.collect()
    assert "The last events are lost: /dev/full; No space left" in caplog.text


def test_whatever_ends_the_thread_nobody_waits_for_it(tmp_path, monkeypatch):
    def fail(content):
        raise RuntimeError("no checksums")

    monkeypatch.setattr("tinytf.summary.event_file.encode_record", fail)
    file = EventFile(str(tmp_path), max_queue=1, flush_secs=1000)
    with pytest.raises(tf.errors.UnknownError, match="no checksums"):
        file.flush()
    with pytest.raises(tf.errors.UnknownError):
        file.close()


def test_a_folder_that_is_a_file(tmp_path):
    path = tmp_path / "taken"
    path.write_text("")
    with pytest.raises(tf.errors.OpError, match=r"taken; File exists"):
        tf.summary.FileWriter(path)


def test_records_that_are_no_events(tmp_path):
    from tinytf.resources.records import encode_record

    path = tmp_path / "file"
    path.write_bytes(encode_record(tf.Event(step=1).SerializeToString()) + encode_record(b"\xff"))
    found = tf.train.summary_iterator(path)
    assert next(found).step == 1
    with pytest.raises(tf.errors.DataLossError, match=r"record 1 of .*file is not an Event"):
        next(found)


def test_descriptions_of_old_summaries():
    node = tf.NodeDef(name="n", op="TensorSummary")
    with pytest.raises(ValueError, match="Node 'n' has no description"):
        tf.summary.get_summary_description(node)
