"""What the live widgets show: queues and pipelines of a session, as text and as plain values."""

import gc
import json
import shutil
import subprocess
import threading

import numpy as np
import pytest

import tinytf as tf
import tinytf.jupyter
from tinytf.framework.cancellation import CancellationManager
from tinytf.jupyter import live, pipeline_view, queue_view
from tinytf.jupyter.trace import script


@pytest.fixture
def sess():
    with tf.Session() as session:
        yield session


def state_of(sess, queue):
    handle = queue.queue_ref
    return queue_view.state_of(handle.op, queue_view.queue_of(sess, handle))


def test_a_queue_says_what_it_holds_and_in_which_order(sess):
    queue = tf.FIFOQueue(30, [tf.int32, tf.string], shapes=[[], []], name="q")
    assert queue_view.as_text(state_of(sess, queue)) == (
        "queue 'q' (FIFOQueue): no step has used it yet"
    )
    sess.run(queue.enqueue_many([[1, 2], ["a", "b" * 40]]))
    text = queue_view.as_text(state_of(sess, queue))
    assert text.splitlines() == [
        "queue 'q' (FIFOQueue): 2 of 30 elements, open",
        f"  next out: (1, 'a'), (2, '{'b' * 23}…')",
        "  put in: 2, taken out: 0",
    ]
    assert "test_live_views.py" in state_of(sess, queue)["line"]


def test_large_elements_are_shown_by_their_shape_and_many_by_their_number(sess):
    queue = tf.RandomShuffleQueue(100, 3, tf.float32, shapes=[[28, 28]], name="images")
    sess.run(queue.enqueue_many([tf.zeros([30, 28, 28])]))
    state = state_of(sess, queue)
    assert state["elements"] == ["[28, 28] float32"] * queue_view.MOST_ELEMENTS
    assert (state["count"], state["stay"], state["ordered"]) == (30, 3, False)
    assert "in no order: [28, 28] float32" in queue_view.as_text(state)
    assert f"and {30 - queue_view.MOST_ELEMENTS} more" in queue_view.as_text(state)


def test_who_waits_is_named_on_both_sides(sess):
    queue = tf.FIFOQueue(1, tf.float32, shapes=[[]], name="q")
    sess.run(queue.size())  # now it exists
    resource = queue_view.queue_of(sess, queue.queue_ref)
    step = CancellationManager()
    resource.enqueue_many([np.array([1, 2, 3], np.float32)], step)  # of which one has room
    assert queue_view.waiting_texts(state_of(sess, queue)) == ["an enqueue, to put in 2 elements"]
    resource.dequeue_many(4, step)
    assert queue_view.waiting_texts(state_of(sess, queue)) == [
        "a dequeue, for 1 element (it has taken 3)"
    ]
    sess.run(queue.enqueue(4.0))
    assert queue_view.waiting_texts(state_of(sess, queue)) == []


def test_a_closed_queue_says_why(sess):
    queue = tf.FIFOQueue(1, tf.float32, name="q")
    sess.run(queue.close())
    resource = queue_view.queue_of(sess, queue.queue_ref)
    assert "closed" in queue_view.as_text(state_of(sess, queue)).splitlines()[0]
    resource.closed_because = tf.errors.NotFoundError(None, None, "no.csv; No such file\nmore")
    assert "  closed: NotFoundError: no.csv; No such file" in queue_view.as_text(
        state_of(sess, queue)
    )
    resource.closed_because = tf.errors.OutOfRangeError(None, None, "Reached limit of 2")
    assert "  closed: what fills it has come to its end" in queue_view.as_text(
        state_of(sess, queue)
    )


def test_shared_queues_are_found_by_their_names():
    queue = tf.FIFOQueue(5, tf.int32, shapes=[[]], shared_name="ours", name="a")
    with tf.Session() as sess:
        sess.run(queue.enqueue(7))
        assert state_of(sess, queue)["elements"] == ["7"]


def files(folder):
    paths = [str(folder / f"{number}.csv") for number in range(2)]
    for path in paths:
        with open(path, "w", encoding="utf-8") as file:
            file.write("1,2\n3,4\n")
    return paths


def test_a_pipeline_leads_from_the_filenames_to_what_is_fetched(tmp_path, sess):
    names = tf.train.string_input_producer(files(tmp_path), num_epochs=1, shuffle=False)
    lines = [tf.TextLineReader(name=f"reader{n}").read(names)[1] for n in range(2)]
    tf.FIFOQueue(1, tf.float32, name="another")
    batch = tf.train.batch_join([tf.decode_csv(line, [[0], [0]]) for line in lines], 2)
    stations = pipeline_view.stations_for(sess, batch)
    assert [(s.name, sorted(s.sources)) for s in stations] == [
        ("input_producer", []),
        ("reader0", ["input_producer"]),
        ("reader1", ["input_producer"]),
        ("batch_join/fifo_queue", ["reader0", "reader1"]),
        (pipeline_view.END, ["batch_join/fifo_queue"]),
    ]
    everything = pipeline_view.stations_for(sess, None)
    assert {s.name for s in everything} == {s.name for s in stations} - {"sess.run"} | {"another"}
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    for _ in range(2):
        assert sess.run(batch)[0].shape == (2,)
    with pytest.raises(tf.errors.OutOfRangeError):
        sess.run(batch)  # all of it was read
    coord.request_stop()
    coord.join(threads)
    rows = {row["key"]: row for row in pipeline_view.rows_of(sess, stations)}
    assert rows["input_producer"]["made"] == 2
    assert rows["reader0"]["made"] + rows["reader1"]["made"] == 4
    assert rows["batch_join/fifo_queue"]["held"] == 0
    assert rows["batch_join/fifo_queue"]["closed"]
    columns = [rows[s.name]["column"] for s in stations]
    assert columns == [0, 1, 1, 2, 3]
    text = pipeline_view.as_text(list(rows.values()))
    assert "batch_join/fifo_queue (FIFOQueue) <- reader0, reader1: holds 0 of 32, closed" in text


def test_the_stages_of_a_dataset_are_stations(sess):
    numbers = tf.data.Dataset.range(10).map(lambda x: x * 2).batch(5)
    following = numbers.make_one_shot_iterator().get_next()
    stations = pipeline_view.stations_for(sess, following)
    (row,) = [r for r in pipeline_view.rows_of(sess, stations) if r["key"] != "sess.run"]
    assert row["made"] == 0  # it has not begun
    sess.run(following)
    rows = pipeline_view.rows_of(sess, stations)
    assert [(r["kind"], r["made"], r["column"]) for r in rows] == [
        ("RangeDataset", 5, 0),
        ("MapDataset", 5, 1),
        ("BatchDataset", 1, 2),
        ("your program", None, 3),
    ]


def test_a_stage_inside_of_a_function_is_no_other_stage_of_that_name(sess):
    def twice(number):
        return tf.data.Dataset.range(2).map(lambda x: x + number)

    numbers = tf.data.Dataset.range(3).map(lambda x: x * 10).flat_map(twice)
    following = numbers.make_one_shot_iterator().get_next()
    sess.run(following)
    rows = pipeline_view.rows_of(sess, pipeline_view.stations_for(sess, following))
    assert len({row["key"] for row in rows}) == len(rows)
    takes = {row["key"].removeprefix("OneShotIterator: "): row["from"] for row in rows}
    names = [key for key in takes if key.startswith("MapDataset")]
    assert len(names) == 2
    assert [len(takes[name]) for name in names] == [1, 1]


def test_what_has_no_pipeline_is_refused(sess):
    with pytest.raises(ValueError, match="no queue, no reader and no iterator"):
        tinytf.jupyter.pipeline(tf.constant(1.0), sess)
    with pytest.raises(TypeError, match="This shows a queue"):
        tinytf.jupyter.queue(tf.constant(1.0), sess)


def test_without_a_session_there_is_nothing_to_look_at():
    with pytest.raises(ValueError, match="Pass the session"):
        tinytf.jupyter.queue(tf.FIFOQueue(1, tf.int32))


class Owner:
    """Of a sampler."""


def test_a_sampler_tells_changes_only_and_ends_with_its_owner(monkeypatch):
    monkeypatch.setattr(live, "INTERVAL", 0.001)
    values, told, looked = [1], [], threading.Semaphore(0)
    was_told = {1: threading.Event(), 2: threading.Event()}

    def look():
        looked.release()
        return values[-1]

    def tell(_, value):
        told.append(value)
        was_told[value].set()

    owner = Owner()
    sampler = live.Sampler(owner, look, tell)
    sampler.start()
    for value in (1, 2):
        values.append(value)
        assert was_told[value].wait(20)
        for _ in range(3):  # it looks again, and has nothing to tell
            looked.acquire()
    assert told == [1, 2]
    del owner
    gc.collect()
    sampler._thread.join(20)
    assert not sampler._thread.is_alive()


def test_a_sampler_ends_when_there_is_nothing_to_see(monkeypatch):
    monkeypatch.setattr(live, "INTERVAL", 0.001)
    owner = Owner()
    told = []
    sampler = live.Sampler(
        owner, lambda: None, lambda _, value: pytest.fail("nothing to tell"), ended=told.append
    )
    sampler.start()
    sampler._thread.join(20)
    assert not sampler._thread.is_alive()
    sampler.once(owner)
    assert told == [owner]


def test_the_view_of_a_closed_session_says_so_and_has_nobody_waiting():
    with tf.Session() as sess:
        queue = tf.FIFOQueue(1, tf.float32, shapes=[[]], name="q")
        sess.run(queue.enqueue(1.0))
        resource = queue_view.queue_of(sess, queue.queue_ref)
        resource.enqueue_many([np.array([2, 3], np.float32)], CancellationManager())
        widget = tinytf.jupyter.queue(queue, sess)
        assert len(widget.state["enqueues"]) == 1
    widget._sampler.once(widget)
    assert widget.state["ended"]
    assert widget.state["count"] == 1
    assert (widget.state["enqueues"], widget.state["dequeues"]) == ([], [])
    head = repr(widget).splitlines()[0]
    assert head == "queue 'q' (FIFOQueue): 1 of 1 elements, when its session was closed"
    assert "waits" not in repr(widget)
    widget.close()


needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="no node")


@needs_node
def test_the_browser_says_it_in_words(tmp_path):
    (tmp_path / "queue.mjs").write_text(script("page.js", "live.js", "queue.js"))
    state = {"made": True, "title": "q", "count": 2, "capacity": 2, "closed": False}
    state |= {"enqueues": [1], "dequeues": []}
    states = [
        state,
        state | {"count": 0, "enqueues": [], "dequeues": [[1, 0], [2, 1]]},
        state | {"closed": True, "enqueues": [], "count": 1},
        state | {"ended": True, "enqueues": []},
        state | {"made": False},
    ]
    (tmp_path / "all.mjs").write_text(
        'import { queueText } from "./queue.mjs";\n'
        f"console.log(JSON.stringify({json.dumps(states)}.map(queueText)));\n"
    )
    done = subprocess.run(
        ["node", "all.mjs"], cwd=tmp_path, capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 0, done.stderr
    full, empty, closed, ended, unused = json.loads(done.stdout)
    assert full == "q holds 2 of 2 elements. It is full. 1 enqueue waits for room."
    assert empty == "q holds 0 of 2 elements. It is empty. 2 dequeues wait for elements."
    assert "It is closed: nothing more is put in" in closed
    assert closed.endswith("Nobody waits.")
    assert "The session is closed" in ended
    assert unused == "No step has used the queue q yet."


def test_a_long_history_gets_coarser(monkeypatch):
    monkeypatch.setattr(live, "MOST_MOMENTS", 8)
    history = live.History()
    for number in range(100):
        history.add([number])
    assert len(history.moments) <= 8
    assert history.moments[-1][1] == 99


def test_the_widgets_follow_and_show_the_state_as_text(sess):
    queue = tf.FIFOQueue(3, tf.float32, shapes=[[]], name="q")
    widget = tinytf.jupyter.queue(queue, sess)
    assert repr(widget) == "queue 'q' (FIFOQueue): no step has used it yet"
    sess.run(queue.enqueue(1.0))
    data, _ = widget._repr_mimebundle_()
    assert "1 of 3 elements, open" in data["text/plain"]
    assert "next out: 1.0" in data["text/html"]
    assert widget.state["history"][-1][1] == 1
    widget.close()
    view = tinytf.jupyter.pipeline(session=sess)
    assert repr(view) == "q (FIFOQueue): holds 1 of 3; 1 elements so far"
    assert view.state["rows"][0]["history"][-1][1:] == [1, 1]
    view.close()
