"""Timelines: what the StepStats of tinytf and of TensorFlow become in the Trace Event Format."""

import json
from collections import Counter, defaultdict

import pytest

import tinytf as tf
from tests.tracing import trace_format, traced_program
from tinytf.protos import step_stats_pb2
from tinytf.tracing import chrome_trace
from tinytf.tracing.counts import find_buffers, queue_depth
from tinytf.tracing.reading import read_steps

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"
OTHER = "/job:localhost/replica:0/task:0/device:CPU:1"
BASE = 1_760_000_000_000_000_000


def stats_of(*nodes, names=None):
    """StepStats of (device, thread, name, label, start, end[, scheduled]), times in ns."""
    stats = step_stats_pb2.StepStats()
    devices = {}
    for device, thread, name, label, start, end, *scheduled in nodes:
        if device not in devices:
            devices[device] = stats.dev_stats.add(device=device)
        node = devices[device].node_stats.add(
            node_name=name,
            timeline_label=label,
            thread_id=thread,
            all_start_nanos=BASE + start,
            all_end_rel_nanos=end - start,
            scheduled_nanos=BASE + (scheduled or [start])[0],
        )
        node.all_start_micros = node.all_start_nanos // 1000
        description = node.output.add().tensor_description
        description.allocation_description.requested_bytes = 8
        description.allocation_description.allocator_name = "cpu"
        if thread:
            devices[device].thread_names[thread] = (names or {}).get(thread, f"T{thread}")
    return stats


def events_of(stats, **how):
    return trace_format.read(chrome_trace.Timeline(stats).generate_chrome_trace_format(**how))


def boxes(events):
    return {event["args"]["name"]: event for event in events if event["ph"] == "X"}


@pytest.fixture(scope="module")
def ours():
    return traced_program.trace(tf)


# ------------------------------------------------------------------------------ beside TensorFlow


def test_tensorflows_stats_give_what_its_own_timeline_gives():
    stats, theirs = traced_program.read()
    events = events_of(stats, show_memory=True)

    def processes(events):
        return sorted(e["args"]["name"] for e in events if e["name"] == "process_name")

    def boxes_by_start(events):
        found = [e for e in events if e["ph"] == "X"]
        first = min(e["ts"] for e in found)
        return sorted(
            (e["args"]["name"], round(e["ts"] - first), e["name"], e["cat"], e["pid"])
            for e in found
        )

    def arguments(events):
        wanted = [e["args"] for e in events if e["ph"] == "X"]
        return Counter(
            tuple((k, v) for k, v in sorted(a.items()) if k.startswith(("name", "op", "input")))
            for a in wanted
        )

    assert processes(events) == processes(theirs)
    assert arguments(events) == arguments(theirs)
    for mine, its in zip(boxes_by_start(events), boxes_by_start(theirs), strict=True):
        assert mine[0] == its[0]
        assert mine[2:] == its[2:]
        assert abs(mine[1] - its[1]) <= 1  # theirs are whole microseconds
    objects = [Counter(e["ph"] for e in found)["O"] for found in (events, theirs)]
    assert objects[0] == objects[1]
    # Its clock of `scheduled` is another one: nothing is made up from it.
    assert not [e for e in events if e["ph"] == "C" and e["cat"] == "Queue"]
    assert {e["name"] for e in events if e["ph"] == "C"} == {
        e["name"] for e in theirs if e["ph"] == "C"
    }


def test_arrows_of_tensorflows_loops_lead_to_the_iteration_that_they_come_from():
    stats, _ = traced_program.read()
    activities = read_steps([stats]).activities
    seen = Counter()
    for activity in activities:
        for name, source in activity.sources:
            assert source.end <= activity.start + 999, (name, activity.name)
            if activity.name == "loop/NextIteration":
                seen[id(source)] += 1
    runs = [activity.run for activity in activities if activity.name == "loop/Less"]
    assert runs == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert len(seen) == 3
    assert set(seen.values()) == {1}


def test_ours_beside_theirs_field_by_field(ours):
    """What both list is described alike: type, shape, bytes, label, slots."""
    stats, _ = traced_program.read()

    def described(stats):
        found = defaultdict(list)
        for device in stats.dev_stats:
            for node in device.node_stats:
                outputs = [
                    (
                        output.slot,
                        output.tensor_description.dtype,
                        [d.size for d in output.tensor_description.shape.dim],
                        output.tensor_description.allocation_description.allocator_name,
                        output.tensor_description.allocation_description.requested_bytes,
                    )
                    for output in node.output
                ]
                found[node.node_name].append(
                    (
                        device.device,
                        node.timeline_label.partition(" in iteration")[0],
                        node.memory_stats.persistent_memory_size,
                        outputs,
                    )
                )
        return found

    mine, theirs = described(ours.step_stats), described(stats)
    both = set(mine) & set(theirs)
    assert {"x", "w", "y", "z", "parts", "same", "u", "square", "pyf"} - both == {"x"}
    assert {"loop/Less", "loop/sum", "loop/Less/y"} <= both
    for name in both - {"t"}:
        # A constant in a loop is made there once, here never again; x is "_arg_x_0_0" there.
        label = theirs[name][0][1].replace("_arg_x_0_0", "x").replace(" = Add(", " = AddV2(")
        assert mine[name][0] == (theirs[name][0][0], label, *theirs[name][0][2:]), name
        if not name.endswith("/y"):
            assert len(mine[name]) == len(theirs[name]), name
    # Strings: there the size of their handles, here of their texts.
    assert mine["t"][0][:2] == theirs["t"][0][:2]
    assert mine["t"][0][3][0][:3] == theirs["t"][0][3][0][:3]
    only_there = {name for name in theirs if name not in mine}
    parts = ("Enter", "Merge", "Switch", "NextIteration", "Exit", "LoopCond")
    assert {
        name
        for name in only_there
        if not name.startswith(("_arg_", "_retval_", "_SOURCE"))
        and not name.rpartition("/")[2].rstrip("_1").endswith(parts)
    } == set()


def test_ours_have_times_threads_and_what_was_ready_when(ours):
    for device in ours.step_stats.dev_stats:
        for node in device.node_stats:
            assert node.all_start_nanos // 1000 == node.all_start_micros
            assert node.scheduled_nanos // 1000 == node.scheduled_micros
            assert node.scheduled_nanos <= node.all_start_nanos
            assert 0 <= node.op_end_rel_nanos <= node.all_end_rel_nanos
            assert node.HasField("memory_stats")
            constant = " = Const(" in node.timeline_label
            assert constant == (node.thread_id == 0), node.node_name
            assert constant or device.thread_names[node.thread_id]


def test_ours_as_a_trace(ours):
    events = events_of(ours, show_memory=True)
    found = boxes(events)
    assert found["y"]["args"] | {"waited_us": 0} == {
        "name": "y",
        "op": "MatMul",
        "input0": "x",
        "input1": "w/read",
        "bytes": 24,
        "waited_us": 0,
    }
    iterations = [e["args"]["iteration"] for e in events if e["name"] == "Less"]
    assert iterations == ["0", "1", "2", "3"]
    arrows = [e for e in events if e.get("cat") == "Transfer"]
    assert Counter(e["ph"] for e in arrows) == {"s": 4, "f": 4}  # z and its part, u and t
    queue = [e for e in events if e["name"] == "Ready nodes"]
    assert queue
    assert queue[-1]["args"] == {"waiting": 0}
    assert {e["name"] for e in events if e["ph"] == "C" and e["cat"] == "Memory"} == {"cpu"}


# --------------------------------------------------------------------------------- made up traces


def test_rows_follow_threads_and_never_overlap():
    stats = stats_of(
        (CPU, 7, "call", "call = Call(x)", 0, 100),
        (CPU, 7, "call/a", "call/a = Neg(x)", 10, 40),
        (CPU, 7, "call/b", "call/b = Neg(call/a)", 40, 90),
        (CPU, 7, "wait", "wait = QueueDequeueV2(q)", 95, 150),
        (CPU, 8, "c", "c = Neg(call)", 100, 200),
        names={7: "MainThread"},
    )
    steps = read_steps([stats])
    assert steps.rows == {CPU: ["MainThread (7)", "MainThread (7), besides 1", "T8 (8)"]}
    assert {a.name: a.row for a in steps.activities} == {
        "call": 0,
        "call/a": 0,
        "call/b": 0,
        "wait": 1,
        "c": 2,
    }
    events = events_of(stats)
    flows = [(e["ph"], e["name"], e["tid"]) for e in events if e["ph"] in "sf"]
    assert flows == [("s", "call", 0), ("f", "call", 2)]


def test_without_threads_rows_are_what_does_not_overlap():
    stats = stats_of(
        (CPU, 0, "a", "a = Neg(x)", 0, 100),
        (CPU, 0, "b", "b = Neg(x)", 10, 20),
        (CPU, 0, "c", "c = Neg(x)", 20, 30),
        (CPU, 0, "d", "d = Neg(x)", 100, 120),
    )
    steps = read_steps([stats])
    assert steps.rows == {CPU: ["row 0", "row 1"]}
    assert [a.row for a in steps.activities] == [0, 1, 1, 0]
    events_of(stats)


def test_a_send_and_its_receipt_are_joined():
    stats = stats_of(
        (CPU, 1, "x", "x = Neg(y)", 0, 10),
        (CPU, 1, "x/_0", f"x/_0 = _Send(x, edge_0_x @{OTHER})", 10, 12),
        (OTHER, 2, "x/_1", f"[8B] edge_0_x from {CPU} to {OTHER}", 15, 20),
        (OTHER, 2, "z", "z = Neg(x/_1)", 20, 25),
    )
    steps = read_steps([stats])
    by_name = {a.name: a for a in steps.activities}
    assert by_name["x/_1"].op == "_Recv"
    assert by_name["x/_1"].sent_by is by_name["x/_0"]
    arrows = [(e["ph"], e["name"]) for e in events_of(stats) if e.get("cat") == "Transfer"]
    assert arrows == [("s", "x/_0"), ("f", "x/_0")]


def test_what_a_grpc_worker_received_comes_from_where_it_was_made():
    there = "/job:ps/replica:0/task:0/device:CPU:0"
    here = "/job:worker/replica:0/task:0/device:CPU:0"
    stats = stats_of(
        (there, 0, "w", "w = VariableV2()", 0, 10),
        (here, 0, "RecvTensor", f"[8B] edge_7_w from {there} to {here}", 20, 30),
    )
    (received,) = [a for a in read_steps([stats]).activities if a.name == "RecvTensor"]
    assert received.op == "RecvTensor"
    assert received.sent_by is not None
    assert received.sent_by.name == "w"


def test_shards_have_rows_of_their_own():
    pool = CPU + "/intra_op"
    stats = stats_of(
        (CPU, 1, "y", "y = MatMul(a, b)", 0, 100),
        (pool, 1, "y", "y = MatMul(a, b) shard 1 of 2", 5, 90),
        (pool, 9, "y", "y = MatMul(a, b) shard 2 of 2", 20, 95),
    )
    steps = read_steps([stats])
    assert steps.rows[pool] == ["T1 (1)", "T9 (9)"]
    events = events_of(stats)
    names = [e["args"]["name"] for e in events if e["name"] == "process_name"]
    assert names == ["Allocators", f"{CPU} Compute", f"{CPU} Tensors", f"{pool} Compute"]
    shards = [e["args"]["shard"] for e in events if "shard" in e.get("args", {})]
    assert shards == ["1 of 2", "2 of 2"]
    assert not [e for e in events if e["ph"] == "s"]


def test_the_queue_is_what_is_ready_and_has_not_begun():
    stats = stats_of(
        (CPU, 1, "a", "a = Neg(x)", 10, 20, 0),
        (CPU, 1, "b", "b = Neg(x)", 20, 30, 0),
        (CPU, 1, "c", "c = Neg(a)", 30, 40, 20),
        (CPU, 1, "d", "d = Neg(c)", 40, 50, 40),
    )
    depth = queue_depth(read_steps([stats]).activities)
    assert [(time - BASE, n) for time, n in depth] == [(0, 2), (10, 1), (30, 0)]


def test_memory_is_counted_once_under_all_its_names():
    stats = stats_of(
        (CPU, 1, "a", "a = Neg(x)", 0, 10),
        (CPU, 1, "same", "same = Identity(a)", 10, 20),
        (CPU, 1, "b", "b = Neg(same)", 20, 30),
        (CPU, 1, "c", "c = Neg(b)", 40, 50),
    )
    addresses = {"a": 64, "same": 64, "b": 128, "c": 64}
    for node in stats.dev_stats[0].node_stats:
        memory = node.output[0].tensor_description.allocation_description
        memory.ptr = addresses[node.node_name]
    found = find_buffers(read_steps([stats]).activities)
    assert [(b.names, b.born - BASE, b.freed - BASE) for b in found] == [
        (["a", "same"], 0, 30),
        (["b"], 20, 50),
        (["c"], 40, 50),
    ]
    analysis = chrome_trace.Timeline(stats).analyze_step_stats()
    assert analysis.allocator_maximums == {
        "cpu": chrome_trace.AllocationMaximum((BASE + 20) // 1000, 16, {"a", "same", "b"})
    }


def test_kernels_of_a_gpu_and_the_operations_that_launched_them():
    gpu = "/job:localhost/replica:0/task:0/device:GPU:0"
    stats = stats_of(
        (gpu, 0, "y", "y = MatMul(a, b)", 0, 10),
        (f"{gpu}/stream:all", 0, "kernel", "sgemm (4x4) @@y:MatMul#id=1#", 30, 60),
    )
    assert boxes(events_of(stats))["y"]["name"] == "MatMul"
    durations = {}
    for op_time in ("schedule", "gpu", "all"):
        events = events_of(stats, op_time=op_time)
        names = [e["args"]["name"] for e in events if e["ph"] == "X"]
        assert names.count("y") == 2  # the kernel goes by the name of its operation
        durations[op_time] = max(e["dur"] for e in events if e["ph"] == "X")
    assert durations == {"schedule": 0.03, "gpu": 0.03, "all": 0.06}
    with pytest.raises(ValueError, match="one of schedule, gpu, all"):
        events_of(stats, op_time="later")


def test_several_steps_in_one_picture():
    first = stats_of((CPU, 1, "a", "a = Neg(x)", 0, 10), (CPU, 1, "b", "b = Neg(a)", 10, 20))
    second = stats_of((CPU, 1, "b", "b = Neg(a)", 50, 60), (CPU, 1, "a", "a = Neg(x)", 40, 50))
    events = events_of([first, second])
    assert [e["name"] for e in events if e["ph"] == "i"] == ["step 1", "step 2"]
    assert len([e for e in events if e["name"] == "process_name"]) == 3
    sources = {
        (a.step, s.step) for a in read_steps([first, second]).activities for _, s in a.sources
    }
    assert sources == {(0, 0), (1, 1)}


def test_old_stats_in_microseconds_alone():
    stats = stats_of((CPU, 0, "a", "a = Neg(x)", 2000, 5000))
    node = stats.dev_stats[0].node_stats[0]
    node.ClearField("all_start_nanos")
    node.ClearField("all_end_rel_nanos")
    node.all_end_rel_micros = 3
    assert boxes(events_of(stats))["a"]["dur"] == 3.0


def test_no_steps_and_wrong_ones():
    assert events_of(step_stats_pb2.StepStats())[0]["args"] == {"name": "Allocators"}
    with pytest.raises(TypeError, match=r"Got: str.*\n?.*Timeline\(run_metadata.step_stats\)"):
        chrome_trace.Timeline(["trace"])


def test_an_unknown_label_is_shown_all_the_same():
    stats = stats_of((CPU, 0, "odd", "", 0, 10), (CPU, 0, "worse", "[] from", 10, 20))
    assert {e["name"] for e in events_of(stats) if e["ph"] == "X"} == {"unknown"}


# ------------------------------------------------------------------------------- the checker itself


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda e: e["boxes"][0].pop("dur"), "dur.* missing"),
        (lambda e: e["boxes"][0].update(dur=-1.0), "no time"),
        (lambda e: e["boxes"][0].update(ts="now"), "wrong type"),
        (lambda e: e["boxes"][0].update(dur=0.0005), "finer than"),
        (lambda e: e["boxes"][0].update(dur=0.015), "overlaps"),
        (lambda e: e["boxes"][0].update(pid=99), "process without a name"),
        (lambda e: e["boxes"][0].update(tid=99), "row without a name"),
        (lambda e: e["boxes"][0].update(ph="Z"), "no known kind"),
        (lambda e: e["boxes"][0].update(colour="red"), "unknown"),
        (lambda e: e["arrows"][0].update(id=99), "without beginning or end"),
        (lambda e: e["arrows"][1].update(ts=0.0), "ends in no box"),
        (lambda e: e["names"][0].update(args={}), "without a name"),
    ],
)
def test_the_checker_finds_what_is_wrong(change, message):
    stats = stats_of(
        (CPU, 1, "a", "a = Neg(x)", 0, 10),
        (CPU, 1, "b", "b = Neg(x)", 12, 20),
        (CPU, 2, "c", "c = Neg(a)", 12, 20),
    )
    trace = json.loads(chrome_trace.Timeline(stats).generate_chrome_trace_format())
    events = trace["traceEvents"]
    trace_format.read(json.dumps(trace))
    change(
        {
            "boxes": [e for e in events if e["ph"] == "X"],
            "arrows": [e for e in events if e["ph"] in "sf"],
            "names": [e for e in events if e["ph"] == "M"],
        }
    )
    with pytest.raises(ValueError, match=message):
        trace_format.read(json.dumps(trace))


def test_a_program_that_merges_the_traces_of_its_steps():
    """As many programs for TensorFlow do it: all events of the first step, timed ones of others."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [])
        y = tf.tanh(x, name="y")
        merged = None
        for _ in range(3):
            metadata = tf.RunMetadata()
            options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
            session.run(y, {x: 1.0}, options=options, run_metadata=metadata)
            text = chrome_trace.Timeline(metadata.step_stats).generate_chrome_trace_format()
            trace = json.loads(text)
            if merged is None:
                merged = trace
            else:
                merged["traceEvents"] += [e for e in trace["traceEvents"] if "ts" in e]
    events = trace_format.read(json.dumps(merged))
    starts = [e["ts"] for e in events if e["ph"] == "X"]
    assert len(starts) == 3
    assert starts == sorted(set(starts))
