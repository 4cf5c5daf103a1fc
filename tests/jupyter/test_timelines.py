"""Timelines: the text, the drawing, the file, the widget's Python side and its script's layout."""

import json
import re

import pytest

import tinytf as tf
import tinytf.jupyter
from tests.tracing import trace_format, traced_program
from tests.tracing.test_chrome_trace import CPU, stats_of
from tinytf.jupyter.timeline_picture import duration_text, meaning_of, picture_of, short_devices

POOL = CPU + "/intra_op"
GPU = "/job:localhost/replica:0/task:0/device:GPU:0"
MADE_UP = stats_of(
    (CPU, 1, "y", "y = MatMul(x, x)", 0, 90, 0),
    (CPU, 0, "two", "two = Const()", 0, 0),
    (POOL, 1, "y", "y = MatMul(x, x) shard 1 of 2", 2, 80),
    (POOL, 9, "y", "y = MatMul(x, x) shard 2 of 2", 9, 88),
    (CPU, 1, "y/_0", f"y/_0 = _Send(y, edge_0_y @{GPU})", 100, 110, 90),
    (GPU, 5, "y/_1", f"[8B] edge_0_y from {CPU} to {GPU}", 120, 130, 115),
    (GPU, 5, "z", "z = Add(y/_1, two) in iteration 0", 130, 150, 130),
    (GPU, 5, "z", "z = Add(y/_1, two) in iteration 1", 160, 170, 150),
)


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_a_step_is_run_once_with_a_full_trace(graph):
    ran = []
    x = tf.placeholder(tf.float32, [2], name="x")
    y = tf.py_func(lambda a: ran.append(1) or a, [x], tf.float32, name="y")
    with tf.Session():
        timeline = tinytf.jupyter.timeline(tf.square(y, name="z"), {x: [1.0, 2.0]})
        assert len(ran) == 1
        assert timeline.values.tolist() == [1.0, 4.0]
        assert len(tinytf.jupyter.timeline(y, {x: [1.0, 2.0]}, steps=3).steps) == 3
    assert len(ran) == 4
    assert repr(timeline).splitlines() == [
        "Timeline of 1 step: 2 operations ran on 1 device.",
        "CPU:0  type    ran  bytes",
        "  y    PyFunc  1    8 bytes",
        "  z    Square  1    8 bytes",
        "With times: .table()  As a file for Perfetto: .save('trace.json')",
    ]
    assert "as they were optimised" in timeline.as_html()
    assert re.fullmatch(
        r"\S*test_timelines\.py, line \d+: y = tf\.py_func\(.*", timeline.line_of("y")
    )


def test_without_a_session_one_is_made_for_the_step(graph):
    timeline = tinytf.jupyter.timeline([tf.add(tf.placeholder_with_default(3, []), 4)])
    assert timeline.values == [7]


def test_misuse(graph):
    with pytest.raises(ValueError, match="at least one step"):
        tinytf.jupyter.timeline(tf.constant(1), steps=0)
    one = tf.constant(1)
    with tf.Session(graph=tf.Graph()), pytest.raises(ValueError, match="Cannot use the default"):
        tinytf.jupyter.timeline(one)
    with tf.Session(), pytest.raises(tf.errors.InvalidArgumentError, match="must feed a value"):
        tinytf.jupyter.timeline(tf.square(tf.placeholder(tf.float32, name="x")))


def test_the_text_has_no_times_and_the_table_has_them(graph):
    timeline = tinytf.jupyter.timeline(MADE_UP)
    assert repr(timeline).splitlines() == [
        "Timeline of 1 step: 5 operations ran on 2 devices, 1 transfer, 1 constant took no time.",
        "CPU:0   type    ran  bytes",
        "  y     MatMul  1    8 bytes",
        "  y/_0  _Send   1    8 bytes",
        "GPU:0   type   ran  bytes",
        "  y/_1  _Recv  1    8 bytes",
        "  z     Add    2    8 bytes",
        "With times: .table()  As a file for Perfetto: .save('trace.json')",
    ]
    rows = [re.split(r"  +", line) for line in timeline.table().splitlines()[1:]]
    assert rows[0] == [
        "step",
        "device",
        "thread",
        "start",
        "waited",
        "took",
        "node",
        "type",
        "what",
    ]
    assert rows[1] == ["1", "CPU:0", "T1 (1)", "+0 ns", "0 ns", "90 ns", "y", "MatMul"]
    assert rows[3][1:] == [
        "CPU:0 intra-op pool",
        "T1 (1)",
        "+2 ns",
        "0 ns",
        "78 ns",
        "y",
        "MatMul",
        "shard 1 of 2",
    ]
    assert rows[-1][3:] == ["+160 ns", "10 ns", "10 ns", "z", "Add", "iteration 1"]


def test_a_long_trace_is_thinned_says_so_and_is_saved_whole(tmp_path):
    many = stats_of(*((CPU, 1, f"n{n}", f"n{n} = Neg(x)", n * 10, n * 10 + 5) for n in range(60)))
    timeline = tinytf.jupyter.timeline([many, many], most=30)
    boxes = timeline.picture.boxes
    assert sum(box.count for box in boxes) == 120
    assert len(boxes) <= 30
    assert sum(box.count == 1 for box in boxes) >= 10
    assert repr(timeline).startswith("Timeline of 2 steps: 120 operations ran on 1 device.")
    assert timeline.cut.startswith("120 events: shown thinned.")
    for said in (timeline.table(), repr(timeline), timeline.as_html()):
        assert timeline.cut in said
    assert "... and 20 more" in repr(timeline)
    path = tmp_path / "trace.json"
    path.write_text("old")
    timeline.save(path)
    events = trace_format.read(path.read_text())
    assert sum(event["ph"] == "X" for event in events) == 120
    assert [p.name for p in tmp_path.iterdir()] == ["trace.json"]
    with pytest.raises(tf.errors.NotFoundError):
        timeline.save(tmp_path / "nowhere" / "trace.json")


def test_of_a_long_trace_the_longest_run_is_a_box_wherever_it_is():
    long = {7, 1000, 2999}
    stats = stats_of(
        *(
            (CPU, n % 3, f"n{n}", f"n{n} = Neg(x)", n * 100, n * 100 + (250 if n in long else 90))
            for n in range(3000)
        )
    )
    boxes = picture_of([stats], most=300).boxes
    assert long <= {int(box.activity.name[1:]) for box in boxes if box.count == 1}
    assert sum(box.count for box in boxes) == 3000
    assert len(boxes) <= 300


def test_what_is_stored_of_a_hundred_thousand_events_is_small():
    stats = stats_of(
        *(
            (CPU, n % 8, f"layer/n{n}", f"layer/n{n} = Neg(x)", n * 100, n * 100 + 60 + n % 700)
            for n in range(100_000)
        )
    )
    timeline = tinytf.jupyter.timeline(stats)
    data, _ = timeline._repr_mimebundle_()
    assert timeline.cut.startswith("100,000 events: shown thinned.")
    assert sum(len(str(text)) for text in data.values()) < 70_000
    assert len(timeline.widget.content["boxes"]["start"]) <= 12_000
    assert len(json.dumps(timeline.widget.content)) < 2_500_000


def test_what_a_real_tensorflow_traced_can_be_shown():
    stats, _ = traced_program.read()
    timeline = tinytf.jupyter.timeline(stats)
    assert re.search(r"^  y +MatMul +1 +24 bytes$", repr(timeline), re.MULTILINE)
    assert timeline.svg().count('data-node="y"') == 1


def test_an_untraced_step_says_how_to_trace():
    timeline = tinytf.jupyter.timeline(tf.RunMetadata())
    assert "options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)" in repr(timeline)
    assert "<svg" not in timeline.as_html()
    data, _ = timeline._repr_mimebundle_()
    assert set(data) == {"text/plain", "text/html"}


def test_a_step_that_was_folded_away_says_so():
    shown = tinytf.jupyter.timeline(tf.reduce_sum(tf.square([1.0, 2.0])))
    assert shown.headline.endswith("all of them were folded into constants.")
    assert "Was the step traced?" not in str(shown)
    assert shown.values == 5.0


def test_the_drawing_has_all_lanes_boxes_arrows_and_a_key():
    drawing = tinytf.jupyter.timeline([MADE_UP, MADE_UP]).svg(800)
    assert 'width="800"' in drawing
    titles = re.findall(r'tinytf-device-name"[^>]*>([^<]*)', drawing)
    assert titles == ["CPU:0", "CPU:0 intra-op pool", "GPU:0"]
    assert drawing.count('data-kind="shard" data-what="compute"') == 4
    assert drawing.count('data-kind="transfer" data-what="transfer"') == 5  # and in the key
    assert drawing.count('class="tinytf-sent"') == 3
    assert ">step 1" in drawing
    assert ">ready queue, up to 1<" in drawing
    assert 'data-node="two"' not in drawing
    key = drawing[drawing.index("tinytf-key-mark") :]
    assert re.findall(r"<text[^>]*>([^<]*)", key) == [
        "computes",
        "sends or receives",
        "shard: a part of a kernel",
        "a tensor travels",
        "ready, waiting for a thread",
    ]


def places_of(drawing):
    """Of each name that is written at a box: (text, left, right, baseline)."""
    at = r'<text (?:class="tinytf-many" )?(?:data-inside="" )?x="([\d.]+)" y="([\d.]+)">([^<]+)'
    return [
        (text, float(x), float(x) + 6.7 * len(text), float(y))
        for x, y, text in re.findall(at, drawing)
    ]


def test_names_are_whole_and_touch_no_other_one():
    names = [f"layer_{n}/x/_{n}" for n in range(12)]
    starts = [0, 60, 150, 300, 400, 2000, 2100, 2200, 5000, 9000, 9800, 9990]
    stats = stats_of(
        *(
            (CPU, 1, name, f"{name} = Neg(x)", start, start + (500 if start == 5000 else 5))
            for name, start in zip(names, starts, strict=True)
        )
    )
    drawing = tinytf.jupyter.timeline(stats).svg()
    places = places_of(drawing)
    assert {text for text, *_ in places} >= set(names[3:])
    width = float(re.search(r'width="(\d+)"', drawing)[1])
    assert all(right <= width for _, _, right, _ in places)
    for number, (_, left, right, y) in enumerate(places):
        for _, other_left, other_right, other_y in places[:number]:
            assert y != other_y or right <= other_left or other_right <= left


def test_no_line_to_a_name_crosses_another_one():
    names = [f"name_of_an_operation_{n}" for n in range(9)]
    stats = stats_of(
        (CPU, 1, "last", "last = Neg(x)", 9000, 9999),
        *(
            (CPU, 1, name, f"{name} = Neg(x)", n * 450, n * 450 + 60)
            for n, name in enumerate(names)
        ),
    )
    drawing = tinytf.jupyter.timeline(stats).svg()
    leaders = re.findall(r'tinytf-leader" d="M([\d.]+) ([\d.]+)V([\d.]+)', drawing)
    assert len(leaders) >= 3
    for x, top, bottom in (map(float, leader) for leader in leaders):
        for text, left, right, y in places_of(drawing):
            assert not (left < x < right and top < y - 4 < bottom), text


def test_lanes_have_the_names_of_the_course_and_colours_tell_what_is_done():
    task = "/job:localhost/replica:0/task:0/device:"
    main = {1: "MainThread", 7: "tinytf-inter-op", 8: "tinytf-inter-op"}
    stats = stats_of(
        (CPU, 1, "v", "v = VariableV2()", 0, 10),
        (CPU, 8, "m", "m = Merge(v)", 0, 10),
        (CPU, 7, "r", "r = RandomUniform(v)", 12, 20),
        (GPU, 8, "g", "g = Neg(v)", 20, 30),
        names=main,
    )
    for part, name in (("compute", "stream:compute"), ("h2d", "stream:h2d")):
        device = stats.dev_stats.add(device=f"{task}GPU:0/stream:{part}")
        device.thread_names[1] = name
        began = stats.dev_stats[0].node_stats[0].all_start_nanos
        device.node_stats.add(
            node_name="g",
            thread_id=1,
            timeline_label="Neg @@g:Neg#1",
            all_start_nanos=began + 20,
            all_end_rel_nanos=10,
        )
    picture = picture_of([stats])
    assert [(g.title, [lane.title for lane in g.lanes]) for g in picture.groups] == [
        ("CPU:0", ["calling thread", "inter-op thread 1", "inter-op thread 2"]),
        ("GPU:0", ["inter-op thread 2", "stream, computes", "stream, copies to the GPU"]),
    ]
    meanings = {box.activity.name: meaning_of(box.activity) for box in picture.boxes}
    assert meanings == {"v": "state", "m": "control-flow", "r": "effect", "g": "compute"}


def test_crowds_of_short_runs_are_drawn_as_one():
    many = stats_of(
        (CPU, 1, "long", "long = Neg(x)", 0, 1_000_000),
        *((CPU, 2, f"n{n}", f"n{n} = Neg(x)", n * 20, n * 20 + 15) for n in range(5000)),
    )
    drawing = tinytf.jupyter.timeline(many).svg()
    assert drawing.count("<rect") < 10
    assert 'data-kind="many"' in drawing
    assert ">5,000 runs<" in drawing


def test_a_closed_session_can_still_be_shown(graph):
    y = tf.square(tf.placeholder_with_default(3.0, []), name="y")
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    with tf.Session() as session:
        timeline = tinytf.jupyter.timeline(y)
        session.run(y, options=options, run_metadata=metadata)
        session.close()
        given = tinytf.jupyter.timeline(metadata, session=session)
    for shown in (timeline, given):
        data, _ = shown._repr_mimebundle_()
        assert 'data-node="y"' in data["text/html"]
        assert shown.table()


def test_names_are_escaped_everywhere():
    stats = stats_of((CPU, 1, '<b>&"x', '<b>&"x = <i>(y)', 0, 1000), names={1: "<u>"})
    html = tinytf.jupyter.timeline(stats).as_html()
    assert "<b>" not in html
    assert "<i>" not in html
    assert "<u>" not in html


def test_short_names_of_devices():
    assert short_devices([CPU, POOL, f"{GPU}/stream:all"]) == {
        CPU: "CPU:0",
        POOL: "CPU:0 intra-op pool",
        f"{GPU}/stream:all": "GPU:0 stream:all",
    }
    two = ["/job:ps/replica:0/task:0/device:CPU:0", "/job:w/replica:0/task:1/device:CPU:0"]
    assert list(short_devices([*two, "odd"]).values()) == ["ps:0 CPU:0", "w:1 CPU:0", "odd"]


def test_durations():
    texts = [duration_text(ns) for ns in (0, 350, 1250, 999_600, 13_100_000, 2 * 10**9, 10**13)]
    assert texts == ["0 ns", "350 ns", "1.25 µs", "1 ms", "13.1 ms", "2 s", "10,000 s"]


# -------------------------------------------------------------------------------------- the widget


def content():
    from tinytf.jupyter.timeline_widget import content_of

    return content_of(tinytf.jupyter.timeline([MADE_UP, MADE_UP]))


def test_the_widget_gets_everything_once():
    sent = content()
    boxes = sent["boxes"]
    assert {len(column) for column in boxes.values()} == {14}
    assert sent["lengths"] == [170, 170]
    assert [sent["nodes"][n]["name"] for n in boxes["node"][:7]] == [
        "y",
        "y",
        "y",
        "y/_0",
        "y/_1",
        "z",
        "z",
    ]
    assert [sent["notes"][n] for n in boxes["note"][:7]] == [
        "",
        "shard 1 of 2",
        "shard 2 of 2",
        "",
        "",
        "iteration 0",
        "iteration 1",
    ]
    assert boxes["waited"][:5] == [0, 0, 0, 10, 5]
    assert boxes["sources"][3] == [0]
    assert boxes["sources"][5] == [4]
    assert sent["arrows"] == [(3, 4), (10, 11)]
    assert [group["pool"] for group in sent["groups"]] == [False, True, False]
    assert sent["groups"][0]["queue"] == [[(90, 1), (100, 0)]] * 2
    json.dumps(sent)


def test_the_bundle_has_a_widget_a_drawing_and_the_text():
    timeline = tinytf.jupyter.timeline(MADE_UP)
    data, _ = timeline._repr_mimebundle_()
    assert data["text/plain"] == repr(timeline) == repr(timeline.widget)
    assert "<svg" in data["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in data
    assert timeline.widget.get_state()["selected"] == -1


def test_steps_are_laid_out_by_their_own_beginnings():
    picture = picture_of([MADE_UP, MADE_UP])
    assert [box.start for box in picture.boxes[:7]] == [box.start for box in picture.boxes[7:]]
    assert picture.boxes[0].start == 0
    assert picture.constants == ["two"]


def test_devices_that_are_simulated_are_said_to_be():
    tf.devices.simulate_gpus(2, memory="32MiB")
    try:
        with tf.Graph().as_default(), tf.device("/gpu:1"):
            made = tf.random_uniform([3])
            with tf.Session():
                run = tinytf.jupyter.timeline(made)
                given = tinytf.jupyter.timeline(run.steps)
        with tf.Graph().as_default(), tf.device("/cpu:0"):
            plain = tinytf.jupyter.timeline(tf.random_uniform([3]))
    finally:
        tf.devices.simulate_gpus(0)
    for shown in (run, given):
        assert "GPU:1 is simulated, by the processor" in repr(shown)
        assert "GPU:1 is simulated" in shown.as_html()
    assert "simulated" not in repr(plain)
