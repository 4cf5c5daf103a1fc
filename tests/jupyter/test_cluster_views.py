"""What is shown of a cluster's step: its parts, and one timeline of all tasks."""

import re

import pytest

import tinytf as tf
import tinytf.jupyter
from tests.tracing.test_chrome_trace import events_of, stats_of
from tinytf.jupyter.step_parts import AFTER, BEFORE, SHORT, Parts
from tinytf.jupyter.timeline_picture import picture_of
from tinytf.protos.config_pb2 import RunMetadata

PS, ONE, TWO = (
    f"/job:{job}/replica:0/task:{task}/device:CPU:0"
    for job, task in (("ps", 0), ("worker", 0), ("worker", 1))
)
MOVED = f"[800B] edge_1_v/read from {PS} to {ONE}"


def add_node(graph, name, op, device, *inputs, **attrs):
    node = graph.node.add(name=name, op=op, device=device, input=inputs)
    for key, value in attrs.items():
        if isinstance(value, bool):
            node.attr[key].b = value
        elif isinstance(value, str):
            node.attr[key].s = value.encode()
        else:
            node.attr[key].type = value
    return node


def route(edge, source, target, **kind):
    return {"tensor_name": edge, "send_device": source, "recv_device": target, **kind}


@pytest.fixture
def metadata():
    """A step of two tasks: a parameter server sends a value and a signal, and gets one back."""
    made = RunMetadata()
    ps, worker = made.partition_graphs.add(), made.partition_graphs.add()
    value, signal = route("edge_1_v/read", PS, ONE), route("edge_2_^go", PS, ONE)
    back = route("edge_3_count", ONE, PS)
    add_node(worker, "v/read/_3", "_Recv", ONE, **value, tensor_type=1)
    add_node(worker, "go/_5", "_Recv", ONE, **signal, tensor_type=1)
    add_node(
        worker,
        "x_feed",
        "_Recv",
        ONE,
        tensor_type=1,
        client_terminated=True,
        **route("x:0", ONE, ONE),
    )
    add_node(worker, "sum", "AddV2", ONE, "v/read/_3", "x_feed", "^go/_5")
    add_node(worker, "count", "Size", ONE, "sum")
    add_node(worker, "count/_6", "_Send", ONE, "count", **back, T=3)
    add_node(
        worker, "out", "_Send", ONE, "sum:0", client_terminated=True, **route("sum:0", ONE, ONE)
    )
    add_node(ps, "v", "VariableV2", PS)
    add_node(ps, "v/read", "Identity", PS, "v")
    add_node(ps, "v/read/_2", "_Send", PS, "v/read", **value, T=1)
    add_node(ps, "go", "NoOp", PS)
    add_node(ps, "go/_cst", "Const", PS, "^go")
    add_node(ps, "go/_4", "_Send", PS, "go/_cst", **signal, T=1)
    add_node(ps, "count/_7", "_Recv", PS, **back, tensor_type=3)
    add_node(ps, "keep", "Identity", PS, "count/_7")
    device = made.step_stats.dev_stats.add(device=ONE)
    device.node_stats.add(node_name="v/read/_3", timeline_label=MOVED)
    return made


def test_the_parts_of_a_step_in_words(metadata):
    assert repr(Parts(metadata)).splitlines() == [
        "A step in 2 parts: 15 nodes, 2 tensors between tasks and 1 signal: 800 bytes + ?.",
        "ps:0: 8 nodes",
        "  v (VariableV2)",
        "  v/read (Identity)",
        "  Send v/read to worker:0",
        "  go (NoOp)",
        "  Const that says go ran",
        "  Send signal of go to worker:0",
        "  Recv count from worker:0",
        "  keep (Identity)",
        "worker:0: 7 nodes",
        "  Recv v/read from ps:0",
        "  Recv signal of go from ps:0",
        "  Feed x",
        "  sum (AddV2)",
        "  count (Size)",
        "  Send count to ps:0",
        "  Fetch sum",
        "What travels:",
        "  go has run: ps:0 -> worker:0, signal",
        "  v/read: ps:0 -> worker:0, float32, 800 bytes; as 16 bits 400 bytes",
        "  count: worker:0 -> ps:0, int32, ?",
    ]


def test_before_it_was_cut_there_were_edges_in_the_place_of_sends_and_recvs(metadata):
    kept, edges = Parts(metadata).model.before()
    assert [node.name for node in kept] == [
        "v",
        "v/read",
        "go",
        "keep",
        "x_feed",
        "sum",
        "count",
        "out",
    ]
    assert set(edges) == {
        ("v", "v/read", False),
        ("v/read", "sum", False),
        ("go", "sum", True),
        ("x_feed", "sum", False),
        ("sum", "count", False),
        ("sum", "out", False),
        ("count", "keep", False),
    }


def test_bytes_that_no_trace_tells_are_told_by_static_shapes(metadata):
    with tf.Graph().as_default() as graph:
        tf.zeros([3], tf.int32, name="count")
        tf.placeholder(tf.float32, [None], name="v/read")
    del metadata.step_stats.dev_stats[:]
    sizes = {one.name: one.size for one in Parts(metadata, graph).transfers}
    assert sizes == {"go": 0, "v/read": None, "count": 12}


def test_of_float32_the_16_bit_transfer_sends_half(metadata):
    shown = Parts(metadata)
    by_name = {one.name: one for one in shown.transfers}
    assert (by_name["v/read"].size, by_name["v/read"].short_size) == (800, 400)
    by_name["count"].size = 12
    assert by_name["count"].short_size == 12
    labels = {
        view: re.findall(r'tinytf-bytes"[^>]*>([^<]*)', drawing)
        for view, (_, drawing) in shown.views.items()
    }
    assert labels[BEFORE] == []
    assert sorted(labels[AFTER]) == ["12 bytes", "800 bytes", "signal"]
    assert sorted(labels[SHORT]) == ["12 bytes", "400 bytes (16-bit)", "signal"]
    assert "412 bytes travel instead of 812 bytes" in shown.views[SHORT][0]


def test_a_room_for_each_task(metadata):
    shown = Parts(metadata)
    before, after = shown.svg(False), shown.svg()
    assert re.findall(r'data-room="([^"]*)"', after) == ["ps:0", "worker:0"]
    assert "Send v/read to worker:0" in after
    assert "Send v/read to worker:0" not in before
    assert before.count('data-crosses="true"') == 3
    assert after.count('data-crosses="true"') == 3


def test_many_operations_are_gathered_by_scope_and_transfers_by_origin():
    made = RunMetadata()
    ps, worker = made.partition_graphs.add(), made.partition_graphs.add()
    for number in range(30):
        name, edge = f"layer/w{number}", route(f"edge_{number}_layer/w{number}", PS, ONE)
        add_node(ps, name, "Identity", PS)
        add_node(ps, f"{name}/_1", "_Send", PS, name, **edge, T=1)
        add_node(worker, f"{name}/_2", "_Recv", ONE, **edge, tensor_type=1)
        add_node(worker, f"net/a{number}", "Neg", ONE, f"{name}/_2")
    shown = Parts(made)
    assert [len(nodes) for nodes in shown.picture.members.values()] == [30, 30, 30, 30]
    drawing = shown.svg()
    assert ">Send 30 tensors<" in drawing
    assert ">to worker:0<" in drawing
    assert drawing.count('data-crosses="true"') == 1
    assert "name scope" in shown.views[AFTER][0]


def test_the_widget_has_the_three_views_and_explains_every_node(metadata):
    shown = tinytf.jupyter.parts(metadata)
    data, _ = shown._repr_mimebundle_()
    assert data["text/plain"] == repr(shown) == repr(shown.widget)
    assert data["text/html"].count("<svg") == 2
    (content,) = shown.widget.content["placers"]
    assert list(content["views"]) == [BEFORE, AFTER, SHORT]
    for view in content["views"].values():
        drawn = set(re.findall(r'data-node="([^"]*)"', view["svg"]))
        assert drawn <= set(content["why"])
    title, facts = content["why"]["go/_4"]
    assert title == "Send signal of go to worker:0 (_Send)"
    assert ["travels", "why"] == [name for name, _ in facts if name in ("travels", "why")]


def test_the_words_of_a_real_tensorflow_s_servers_are_understood():
    made = RunMetadata()
    ps, worker = made.partition_graphs.add(), made.partition_graphs.add()
    value, signal = route("edge_5_v/read", PS, ONE), route("edge_4_v", PS, ONE)
    add_node(ps, "v", "VariableV2", PS)
    add_node(ps, "v/read", "Identity", PS, "v")
    add_node(ps, "v/read_S4", "_Send", PS, "v/read", **value, T=1)
    add_node(ps, "v/ctrl_S0", "Const", PS, "^v")
    add_node(ps, "v_S1", "_Send", PS, "v/ctrl_S0", **signal, T=1)
    add_node(worker, "v_S2", "_Recv", ONE, **signal, tensor_type=1)
    add_node(worker, "v/read_S5", "_Recv", ONE, **value, tensor_type=1)
    made.step_stats.CopyFrom(
        stats_of(
            (PS, 0, "v/read", "v/read = Identity(v)", 0, 10),
            (ONE, 0, "RecvTensor", f"[0B] [0.000000Mb/s] edge_4_v from {PS} to {ONE}", 5, 50),
            (
                ONE,
                0,
                "RecvTensor",
                f"[80B] [406.612640Mb/s] edge_5_v/read from {PS} to {ONE}",
                5,
                60,
            ),
        )
    )
    sizes = [(one.name, one.is_signal, one.size) for one in Parts(made).transfers]
    assert sizes == [("v", True, 0), ("v/read", False, 80)]
    assert "  Recv signal of v from ps:0" in repr(Parts(made)).splitlines()
    picture = picture_of([made.step_stats])  # it traces no Sends: arrows come from who made it
    ((source, target),) = picture.arrows
    assert picture.boxes[source].activity.name == "v/read"
    assert picture.boxes[target].end == 60


def test_a_step_without_parts_says_how_to_get_them():
    with pytest.raises(ValueError, match="output_partition_graphs=True"):
        tinytf.jupyter.parts(RunMetadata())
    with pytest.raises(ValueError, match="in a session of a cluster"):
        tinytf.jupyter.parts(tf.constant(1.0))


# ------------------------------------------------------------------------ one timeline of all tasks

SECOND = 10**9


def three_tasks(late=(0, 0, 0)):
    """A step over three tasks, there and back, with what is added to each task's clock, in ns."""
    ps, one, two = late
    nodes = [
        (PS, ps, "v/_1", f"v/_1 = _Send(v, edge_1_v @{ONE})", 100, 110),
        (PS, ps, "v/_2", f"v/_2 = _Send(v, edge_2_v @{TWO})", 112, 120),
        (ONE, one, "v/_3", f"[8B] edge_1_v from {PS} to {ONE}", 50, 300),
        (ONE, one, "y", "y = Neg(v/_3)", 300, 400),
        (ONE, one, "y/_4", f"y/_4 = _Send(y, edge_3_y @{PS})", 400, 410),
        (TWO, two, "v/_5", f"[8B] edge_2_v from {PS} to {TWO}", 60, 250),
        (PS, ps, "y/_6", f"[8B] edge_3_y from {ONE} to {PS}", 20, 600),
        (PS, ps, "done", "done = Neg(y/_6)", 600, 650),
    ]
    return stats_of(
        *(
            (device, 1, name, label, start + shift, end + shift)
            for device, shift, name, label, start, end in nodes
        )
    )


def is_in_order(picture):
    boxes = picture.boxes
    return all(boxes[a].end <= boxes[b].end for a, b in picture.arrows)


def test_rows_are_grouped_by_task_and_arrows_lead_from_each_send_to_its_recv():
    timeline = tinytf.jupyter.timeline(three_tasks())
    assert [group.title for group in timeline.picture.groups] == [
        "ps:0 CPU:0",
        "worker:0 CPU:0",
        "worker:1 CPU:0",
    ]
    boxes = timeline.picture.boxes
    names = {(boxes[a].activity.name, boxes[b].activity.name) for a, b in timeline.picture.arrows}
    assert names == {("v/_1", "v/_3"), ("v/_2", "v/_5"), ("y/_4", "y/_6")}
    assert timeline.headline == (
        "Timeline of 1 step: 8 operations ran on 3 devices of 3 tasks, 3 transfers."
    )
    assert timeline.clocks == ""
    assert timeline.svg().count('data-opens="true"') == 3


@pytest.mark.parametrize(
    "late", [(0, 7 * SECOND, -3 * SECOND), (-40 * SECOND, 0, 0), (0, 0, -SECOND), (0, 20, 40)]
)
def test_clocks_that_are_seconds_apart_are_brought_together(late):
    stats = three_tasks(late)
    timeline = tinytf.jupyter.timeline([stats, stats])
    picture = timeline.picture
    assert is_in_order(picture)
    assert len(picture.arrows) == 6
    if max(map(abs, late)) < SECOND:
        assert timeline.clocks == ""  # nothing proves a clock wrong
    else:
        assert max(picture.lengths) < 2000  # of seconds that were never there, nothing is left
        assert timeline.clocks.startswith("Clocks corrected: ")
        assert "Clocks corrected: " in timeline.svg()
        assert "Clocks corrected: " in repr(timeline)
        assert "Clocks corrected: " in timeline.as_html()


def test_a_clock_that_was_right_is_left_as_it_was():
    late = 5 * SECOND
    picture = picture_of([three_tasks((0, 0, -late))])
    assert set(picture.clocks.offsets) == {"/job:worker/replica:0/task:1"}
    (shift,) = picture.clocks.offsets.values()
    assert shift == late - 130  # one way only: as little as is needed


def test_between_tasks_that_sent_and_received_the_middle_is_taken():
    picture = picture_of([three_tasks((0, -5 * SECOND, 0))])
    (shift,) = picture.clocks.offsets.values()
    # It arrived 190 ns after it was sent, and the answer another 190 ns after that.
    assert shift == 5 * SECOND


def test_clocks_that_contradict_each_other_are_left_alone_and_said_to_be_so():
    stats = stats_of(
        (PS, 1, "a/_1", f"a/_1 = _Send(a, edge_1_a @{ONE})", 1000, 1100),
        (ONE, 1, "a/_2", f"[8B] edge_1_a from {PS} to {ONE}", 0, 500),
        (ONE, 1, "b/_3", f"b/_3 = _Send(b, edge_2_b @{PS})", 500, 510),
        (PS, 1, "b/_4", f"[8B] edge_2_b from {ONE} to {PS}", 0, 700),
    )
    timeline = tinytf.jupyter.timeline(stats)
    assert timeline.picture.clocks.offsets == {}
    assert "contradict each other" in timeline.clocks


def test_transfers_in_a_loop_are_paired_in_their_order():
    nodes = []
    for turn in range(3):
        nodes += [
            (
                PS,
                1,
                "i/_1",
                f"i/_1 = _Send(i, edge_1_i @{ONE}) in iteration {turn}",
                100 * turn,
                100 * turn + 10,
            ),
            (ONE, 1, "i/_2", f"[4B] edge_1_i from {PS} to {ONE}", 100 * turn + 5, 100 * turn + 40),
        ]
    picture = picture_of([stats_of(*nodes)])
    starts = [(picture.boxes[a].start, picture.boxes[b].start) for a, b in picture.arrows]
    assert starts == [(0, 5), (100, 105), (200, 205)]


def test_the_file_for_perfetto_has_the_corrected_times():
    events = events_of(three_tasks((0, 7 * SECOND, 0)))
    times = [event["ts"] for event in events if "ts" in event]
    assert max(times) - min(times) < 10  # in microseconds


def test_the_widget_of_a_timeline_is_told_about_tasks_and_clocks():
    from tinytf.jupyter.timeline_widget import content_of

    sent = content_of(tinytf.jupyter.timeline(three_tasks((0, 7 * SECOND, 0))))
    assert sent["clocks"].startswith("Clocks corrected: worker:0.")
    assert [group["opens"] for group in sent["groups"]] == [True, True, True]
