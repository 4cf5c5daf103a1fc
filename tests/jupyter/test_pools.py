"""Thread pools: recordings of several threads, of shards and of streams, and how they are drawn."""

import itertools
import json
import re
import shutil
import subprocess
import threading

import numpy as np
import pytest

import tinytf as tf
import tinytf.devices
import tinytf.jupyter
from tests.framework.temporary_ops import temporary_op
from tinytf.framework.pending import Pending
from tinytf.jupyter import pools
from tinytf.jupyter import recording as recording_module
from tinytf.jupyter.pools import SCRIPTS, as_html, as_text, pools_trace
from tinytf.jupyter.pools_picture import PoolsPicture, rows_of, spans_of
from tinytf.jupyter.recording import record
from tinytf.jupyter.trace import script
from tinytf.runtime.intra_op import IntraOpPool


@pytest.fixture
def session():
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        yield session


@pytest.fixture
def meeting():
    """An op whose two instances run at the same time, or never end."""
    both = threading.Barrier(2, timeout=20)

    def meet(x):
        both.wait()
        return x + np.float32(1)

    with temporary_op("TestMeets", "x: float -> y: float") as meets:
        meets.shape(lambda c: c.input(0))
        meets.kernel(meet)
        yield meets


@pytest.fixture
def splitting():
    """An op whose work is two shards, which run at the same time."""
    pool, both = IntraOpPool(2), threading.Barrier(2, timeout=20)

    def split(x):
        pool.run(2, lambda index: both.wait())
        return x

    with temporary_op("TestSplits", "x: float -> y: float") as splits:
        splits.shape(lambda c: c.input(0))
        splits.kernel(split)
        yield splits
    pool.close()


def two_at_once(meets):
    x = tf.constant(1.0, name="x")
    return tf.add(meets(x, name="left"), meets(x, name="right"), name="sum")


def test_two_threads_run_two_kernels_at_the_same_time(session, meeting):
    recorded = record(two_at_once(meeting), session=session, threads=2)
    assert recorded.values == 4.0
    assert recorded.threads == ["calling thread", "inter-op thread 1"]
    runs = {recorded.names[run.node]: run for run in recorded.runs}
    left, right = runs["left"], runs["right"]
    assert {left.thread, right.thread} == {0, 1}
    assert max(left.taken, right.taken) < min(left.ended, right.ended)
    assert left.ready == right.ready == runs["x"].ended
    kinds = [event.kind for event in recorded.events]
    assert kinds.count("take") == kinds.count("run") == 4
    assert [event.time for event in recorded.events] == sorted(e.time for e in recorded.events)


def test_the_lanes_are_drawn_with_what_ran_in_them(session, meeting):
    recorded = record(two_at_once(meeting), session=session, threads=2)
    rows = rows_of(recorded)
    assert [row.label for row in rows] == [
        "CPU:0",
        "calling thread",
        "inter-op thread 1",
        "intra-op threads",
    ]
    assert sorted(rows[1].runs + rows[2].runs) == [0, 1, 2, 3]
    assert rows[3].note == "no kernel of this step was split"
    picture = PoolsPicture(recorded)
    drawing = picture.draw("lanes")
    assert drawing.count('class="tinytf-run"') == 4
    assert len(picture.places) == len(recorded.events)
    widths = {round(b - a, 6) for a, b in itertools.pairwise(picture.places)}
    assert len(widths) == 1  # every event has a column, however long it took
    for text in ("calling thread", "ready queue", "intra-op threads"):
        assert text in drawing
    sent = pools_trace(recorded)["rows"]
    assert [row["label"] for row in sent] == [row.label for row in rows]
    for run, span in zip(recorded.runs, spans_of(recorded), strict=True):
        assert span.ready < span.taken < span.held == span.ended
        assert recorded.events[span.taken].time == run.taken
        assert recorded.events[span.ended].time == run.ended


def test_shards_are_recorded_with_their_threads(session, splitting):
    y = splitting(tf.constant(1.0, name="x"), name="y")
    recorded = record(y, session=session)
    run = recorded.runs[1]
    assert [shard.lane for shard in sorted(run.shards, key=lambda s: s.lane)] == [-1, 0]
    assert all(run.taken <= s.start <= s.end <= run.ended for s in run.shards)
    assert recorded.runs[0].shards == ()
    assert recorded.intra_op == ["intra-op thread 1"]
    assert [row.label for row in rows_of(recorded)] == [
        "CPU:0",
        "calling thread",
        "intra-op thread 1",
    ]
    drawing = PoolsPicture(recorded).draw("lanes")
    assert drawing.count('class="tinytf-shard"') == 2


def test_a_kernel_that_waits_holds_no_thread(session):
    waiting = []

    def wait(step, x):
        waiting.append((Pending("the test"), x))
        return waiting[0][0]

    def release(x):
        waiting[0][0].set_result(waiting[0][1])
        return x

    with temporary_op("TestWaits", "x: float -> y: float") as waits:
        waits.shape(lambda c: c.input(0))
        waits.kernel(blocking=True)(wait)
        with temporary_op("TestReleases", "x: float -> y: float") as releases:
            releases.shape(lambda c: c.input(0))
            releases.kernel(release)
            x = tf.constant(1.0, name="x")
            both = [waits(x, name="waits"), releases(tf.negative(x), name="releases")]
            recorded = record(both, session=session)
    runs = {recorded.names[run.node]: run for run in recorded.runs}
    assert runs["waits"].blocked
    assert recorded.names[recorded.runs[runs["waits"].released].node] == "releases"
    spans = spans_of(recorded)
    number = recorded.runs.index(runs["waits"])
    assert spans[number].held < spans[number].ended
    assert "waiting kernels" in PoolsPicture(recorded).draw("lanes")


@pytest.fixture
def two_gpus():
    tinytf.devices.simulate_gpus(2)
    yield
    tinytf.devices.simulate_gpus(0)


def test_a_gpu_is_one_stream_and_says_that_it_is_simulated(two_gpus):
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        with tf.device("/gpu:1"):
            products = [tf.square(tf.constant(float(n))) for n in range(3)]
        with tf.device("/cpu:0"):
            total = tf.add_n([tf.identity(p) for p in products])
        recorded = record(total, session=session, threads=2)
    assert recorded.values == 5.0
    titles = [lane.title for lane in recorded.lanes]
    assert titles[:2] == ["CPU:0", "GPU:1 (simulated), in-order stream"]
    assert all("GPU:1 (simulated), copies to the" in title for title in titles[2:])
    stream = 1
    own = sorted((r for r in recorded.runs if r.lane == stream), key=lambda r: r.taken)
    assert len(own) > 3
    assert all(a.ended <= b.taken for a, b in itertools.pairwise(own))  # in order
    labels = [row.label for row in rows_of(recorded)]
    assert labels.count("stream") == len(titles) - 1
    assert "A GPU has no threads here" in as_html(recorded)


def test_the_text_is_the_same_each_time(session, meeting):
    texts = set()
    for _ in range(2):
        widget = tinytf.jupyter.threads(two_at_once(meeting), session=session)
        bundle, _ = widget._repr_mimebundle_()
        texts.add(bundle["text/plain"])
    assert texts == {
        "Thread pools: 4 operations, 2 inter-op threads, on CPU:0.\n"
        "The step is over: 4 operations ran."
    }
    assert repr(widget) == "Thread pools: 4 operations, 2 inter-op threads, on CPU:0."
    assert 'class="tinytf-view tinytf-lanes"' in bundle["text/html"]
    assert json.loads(json.dumps(widget.get_state()["trace"])) == pools_trace(widget.recording)


def test_a_watched_step_is_not_run_again_and_both_show_the_same_event(session):
    v = tf.Variable(1.0, name="v")
    session.run(v.initializer)
    watched = tinytf.jupyter.watch(tf.assign_add(v, 10.0), threads=2)
    watched.frame = 3
    shown = tinytf.jupyter.threads(watched)
    assert session.run(v) == 11.0
    assert shown.recording is watched.recording
    assert shown.frame == 3
    [link] = shown._links
    assert link.source == (watched, "frame")
    assert link.target == (shown, "frame")
    with pytest.raises(ValueError, match="not run again"):
        tinytf.jupyter.threads(watched, {v: 1.0})
    assert tinytf.jupyter.threads(shown).recording is watched.recording
    assert tinytf.jupyter.threads(watched.recording).recording is watched.recording


def test_a_step_that_fails_is_shown_as_far_as_it_came(session, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    v = tf.Variable(1.0, name="v")
    with pytest.raises(tf.errors.FailedPreconditionError):
        tinytf.jupyter.threads(tf.add(v, 1.0, name="sum"), threads=3)
    assert as_text(shown[0].recording).splitlines() == [
        "Thread pools: 4 operations, 3 inter-op threads, on CPU:0.",
        "The step failed with FailedPreconditionError.",
    ]
    assert 'data-kind="fail"' in as_html(shown[0].recording)


def test_a_recording_that_was_cut_says_so(session, monkeypatch):
    monkeypatch.setattr(recording_module, "MOST_EVENTS", 20)
    h = tf.constant(1.0)
    for _ in range(30):
        h = tf.square(h)
    recorded = record(h, session=session, threads=2)
    assert recorded.cut
    assert "The recording ends here" in as_html(recorded)
    assert as_text(recorded).endswith("The recording was cut after 20 events.")


def test_what_cannot_be_drawn_says_what_to_do(session, monkeypatch):
    x = tf.placeholder(tf.float32, (), name="x")
    nothing = record(x, {x: 1.0}, session)
    assert "no operations: all that is fetched is fed" in as_html(nothing)
    assert "<svg" not in as_html(nothing)
    assert "no operations" in nothing.events[0].text
    monkeypatch.setattr(pools, "MOST_DRAWN", 2)
    many = record(tf.square(tf.square(tf.square(x))), {x: 1.0}, session)
    assert "too many to draw" in as_html(many)
    assert pools_trace(many)["rows"] == []


@pytest.mark.parametrize(
    ("threads", "error", "words"),
    [
        (0, ValueError, "1 to 16 threads, the calling one included; got threads=0"),
        (-2, ValueError, "got threads=-2"),
        (99, ValueError, "got threads=99"),
        (1.5, TypeError, "threads must be a whole number, got 1.5"),
        (True, TypeError, "threads must be a whole number, got True"),
    ],
)
def test_impossible_numbers_of_threads_are_refused(session, threads, error, words):
    with pytest.raises(error, match=re.escape(words)):
        tinytf.jupyter.threads(tf.constant(1.0), threads=threads)


needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="no node")


@needs_node
@pytest.mark.parametrize("threads", [1, 2])
def test_the_javascript_tells_what_the_recording_says(session, meeting, tmp_path, threads):
    op = meeting if threads > 1 else lambda x, name: tf.square(x, name=name)
    recorded = record(two_at_once(op), session=session, threads=threads)
    (tmp_path / "pools.mjs").write_text(script(*SCRIPTS))
    (tmp_path / "trace.json").write_text(json.dumps(pools_trace(recorded)))
    (tmp_path / "all.mjs").write_text(
        'import { readFileSync } from "node:fs";\n'
        'import { phaseAt, placesOn, poolsText, runText } from "./pools.mjs";\n'
        'const trace = JSON.parse(readFileSync("trace.json"));\n'
        "const frames = [...trace.events.keys()];\n"
        "const texts = trace.runs.map((run) => runText(trace, run));\n"
        "const phases = frames.map((f) => trace.spans.map((s) => phaseAt(s, f)));\n"
        "const said = frames.map((f) => poolsText(trace, f));\n"
        "const ends = Object.fromEntries(['events', 'time'].map((axis) =>"
        " [axis, trace.runs.map((_, id) => placesOn(trace, axis).ends(id))]));\n"
        "console.log(JSON.stringify({ texts, phases, said, ends }));\n"
    )
    done = subprocess.run(
        ["node", "all.mjs"], cwd=tmp_path, capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert re.match(
        r"x \(Const\) on .*thread.*, CPU:0: ready at 0 ns, waited .*, ran .*\. Built in .*"
        r"test_pools.py, line \d+\.",
        answer["texts"][0],
    )
    assert answer["said"][0] == "In the queue: x. Running: nothing."
    assert answer["said"][-1] == "In the queue: nothing. Running: nothing."
    expected = {"waiting": "future", "ready": "queued", "running": "running", "done": "over"}
    for number, phases in enumerate(answer["phases"]):
        states = recorded.states_after(number)
        for run, phase in zip(recorded.runs, phases, strict=True):
            assert phase == expected[states[recorded.names[run.node]]]
    last = len(recorded.events) - 1
    for axis, every in answer["ends"].items():
        for ready, taken, held, ended in every:
            assert 0 <= ready <= taken < held == ended <= 1
            if axis == "events":  # a column is never less than its share
                assert held - taken > 0.99 / last


@needs_node
def test_bars_that_wait_stand_below_each_other(tmp_path):
    (tmp_path / "pools.mjs").write_text(script(*SCRIPTS))
    (tmp_path / "all.mjs").write_text(
        'import { stacked } from "./pools.mjs";\n'
        "const many = Array.from({ length: 12 }, (_, n) => [0, n + 1, n]);\n"
        "const few = [[0, 2, 0], [1, 3, 1], [2, 4, 2]];\n"
        "console.log(JSON.stringify([few, many].map(stacked)));\n"
    )
    done = subprocess.run(
        ["node", "all.mjs"], cwd=tmp_path, capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 0, done.stderr
    few, many = json.loads(done.stdout)
    assert few == {"rows": [[[0, 2, 0], [2, 4, 2]], [[1, 3, 1]]], "worst": 0}
    assert (len(many["rows"]), many["worst"]) == (8, 4)
