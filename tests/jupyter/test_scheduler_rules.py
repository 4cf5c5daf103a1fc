"""The JavaScript of "guess the next node" and "play the scheduler", under node, on recordings."""

import json
import shutil
import subprocess

import pytest

import tinytf as tf
import tinytf.devices
from tests.jupyter.test_recorded_schedules import arithmetic, recorded  # noqa: F401
from tinytf.jupyter.counters import SCRIPTS
from tinytf.jupyter.recording import Recording, record
from tinytf.jupyter.trace import script, trace_of

pytestmark = [
    pytest.mark.skipif(shutil.which("node") is None, reason="no node"),
    pytest.mark.usefixtures("arithmetic"),
]


def run_script(folder, source: str, *recordings: Recording):
    """Run JavaScript on the traces of recordings; what it returns."""
    (folder / "counters.mjs").write_text(script(*SCRIPTS))
    (folder / "traces.json").write_text(json.dumps([trace_of(r) for r in recordings]))
    (folder / "test.mjs").write_text(
        'import { readFileSync } from "node:fs";\n'
        'import { Schedule, picksOf, stateAt, timeText, verdict } from "./counters.mjs";\n'
        'const traces = JSON.parse(readFileSync("traces.json"));\n'
        "const check = (holds, what) => { if (!holds) throw new Error(what); };\n"
        f"const answer = (() => {{\n{source}\n}})();\n"
        "console.log(JSON.stringify(answer));\n"
    )
    done = subprocess.run(
        ["node", "test.mjs"], cwd=folder, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def diamond():
    """a and v, then b of a, then total of b and v: with lengths of 10, 20, 30, 40 µs."""
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x = tf.placeholder(tf.float32, (), name="x")
        a, v = tf.constant(3.0, name="a"), tf.constant(2.0, name="v")
        total = tf.add(tf.multiply(a, x, name="b"), v, name="total")
        recording = record(total, {x: 5.0}, session)
    at = 0
    for run in recording.runs:
        run.taken, run.ended = (
            at,
            at + {"a": 10, "v": 20, "b": 30, "total": 40}[recording.names[run.node]] * 1000,
        )
        at = run.ended
    return recording


RANDOM_PLAY = """
let seed = 1;
const random = (n) => { seed = (seed * 48271) % 2147483647; return seed % n; };
return traces.map((trace) => [1, 2, 3].map((threads) => {
  const schedule = new Schedule(trace, threads, threads === 2);
  while (!schedule.isFinished) {
    const free = schedule.ready().filter((item) => schedule.freeLane(item) >= 0);
    if (free.length && !(random(4) === 0 && schedule.canAdvance())) {
      check(schedule.assign(free[random(free.length)]) === "", "what is ready can be chosen");
    } else schedule.advance();
  }
  for (const a of schedule.items) {
    for (const id of a.waits) check(schedule.byId.get(id).end <= a.start, "inputs come first");
    for (const b of schedule.items) {
      const both = a !== b && a.lane === b.lane && a.lane >= 0 && !a.blocked && !b.blocked;
      const apart = a.end <= b.start || b.end <= a.start || a.length * b.length === 0;
      check(!both || apart, "no overlap");
    }
  }
  const { bound, path, work } = schedule.limits();
  const near = 1 - 1e-9;
  check(schedule.makespan >= bound * near, `${schedule.makespan} beats the bound ${bound}`);
  check(schedule.likeRecorded() >= bound * near, "the recorded order beats the bound");
  // Where a GPU has a stream, that is a second one to do some of it.
  check(schedule.lanes.length > 1 || work >= path * near, "one thread does everything");
  return schedule.order();
}));
"""


@pytest.mark.parametrize("count", [8, pytest.param(40, marks=pytest.mark.slow)])
def test_schedules_of_random_graphs_are_possible_and_run_for_real(tmp_path, count):
    seeds = [seed for seed in range(count) if len(recorded(seed).events) < 400]
    assert len(seeds) > count // 2
    plays = run_script(tmp_path, RANDOM_PLAY, *[recorded(seed) for seed in seeds])
    for seed, orders in zip(seeds, plays, strict=True):
        for again in recorded(seed, order=orders):
            assert again.error is None, f"{seed}: {again.error}"


def test_the_scheduler_says_why_something_cannot_be_chosen(diamond, tmp_path):
    answer = run_script(
        tmp_path,
        """
const schedule = new Schedule(traces[0], 2, false);
const item = (name) => schedule.items.find((i) => traces[0].names[i.node] === name);
const said = [schedule.whyNot(item("total")), schedule.assign(item("b"))];
said.push(schedule.assign(item("a"), 1));
said.push(schedule.whyNot(item("a")), schedule.assign(item("v"), 1), schedule.assign(item("v")));
said.push(schedule.time, schedule.assign(item("b")), schedule.whyNot(item("a")));
said.push(schedule.time, schedule.assign(item("total")));
return [said, schedule.makespan, schedule.limits(), schedule.order(), schedule.likeRecorded(),
        schedule.lengthText(schedule.makespan)];
""",
        diamond,
    )
    said, makespan, limits, order, recorded_order, text = answer
    assert said == [
        "total still waits for 2 inputs (v, b).",
        "b still waits for 1 input (a).",
        "",
        "a is running on thread 2.",
        "thread 2 is busy with a.",
        "",
        10_000,
        "",
        "a has run already.",
        40_000,
        "",
    ]
    assert makespan == 80_000
    assert limits == {
        "path": 80_000,
        "pathNames": ["a", "b", "total"],
        "work": 50_000,
        "bound": 80_000,
    }
    assert order == ["a", "v", "b", "total"]
    assert (recorded_order, text) == (80_000, "80 µs")


def test_with_equal_lengths_time_counts_nodes(diamond, tmp_path):
    answer = run_script(
        tmp_path,
        """
const schedule = new Schedule(traces[0], 1, true);
while (!schedule.isFinished) schedule.assign(schedule.ready().at(-1));
return [schedule.order(), schedule.lengthText(schedule.makespan), schedule.limits().bound];
""",
        diamond,
    )
    assert answer == [["v", "a", "b", "total"], "4 units", 4]


def test_guesses_are_judged_and_explained(diamond, tmp_path):
    answer = run_script(
        tmp_path,
        """
const picks = picksOf(traces[0]);
const n = (name) => traces[0].names.indexOf(name);
const say = (pick, name) => {
  const { right, why } = verdict(traces[0], pick, n(name));
  return [right, why];
};
return [picks, say(1, "v"), say(1, "total"), say(2, "a"), say(1, "a")];
""",
        diamond,
    )
    picks, behind, waits, done, right = answer
    assert picks == [1, 2, 3, 4]
    assert behind == [False, "v is ready, but stands behind a in the queue."]
    assert waits == [False, "total still waits for 2 inputs (v, b)."]
    assert done == [False, "a has run already."]
    assert right[0]
    assert right[1].startswith("a (Const) ran: a:0 = float32 3.0.")


@pytest.mark.parametrize(
    ("threads", "order", "seed"), [(1, None, 3), (1, 5, 3), (4, None, 8), (4, 2, 12)]
)
def test_guessing_what_was_taken_is_always_right(threads, order, seed, tmp_path):
    recording = recorded(seed, threads, order)
    right = run_script(
        tmp_path,
        """
const [trace] = traces;
const judged = picksOf(trace).map((pick) => trace.names.map((_, n) => verdict(trace, pick, n)));
for (const { why } of judged.flat()) check(/\\S\\.$/.test(why) && !/undefined/.test(why), why);
return judged.map((each) => each.flatMap(({ right }, n) => (right ? [n] : [])));
""",
        recording,
    )
    taken = [run.node for run in recording.runs if run.kind != "skip"]
    assert right == [[node] for node in taken]


def test_times_have_three_digits(tmp_path):
    answer = run_script(tmp_path, "return [0, 999, 1234, 45678, 1.5e6, 2e9].map(timeText);")
    assert answer == ["0 ns", "999 ns", "1.23 µs", "45.7 µs", "1.5 ms", "2 s"]


def test_a_stream_takes_what_is_on_its_gpu_and_nothing_else(tmp_path):
    tinytf.devices.simulate_gpus(1)
    try:
        with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
            with tf.device("/gpu:0"):
                squares = [tf.square(tf.constant(float(n)), name=f"s{n}") for n in range(3)]
            with tf.device("/cpu:0"):
                total = tf.add_n([tf.identity(s, name=f"i{n}") for n, s in enumerate(squares)])
            recording = record(total, session=session, threads=2)
            [orders] = run_script(tmp_path, RANDOM_PLAY, recording)
            for order in orders:
                again = record(total, session=session, order=order)
                assert (again.values, again.error) == (5.0, None)
    finally:
        tinytf.devices.simulate_gpus(0)
    said = run_script(
        tmp_path,
        """
const schedule = new Schedule(traces[0], 2, true);
const item = (name) => schedule.items.find((i) => traces[0].names[i.node] === name);
const [constant] = schedule.ready();
const said = [schedule.lanes.map((lane) => lane.name), schedule.whyNot(constant, 0)];
schedule.assign(constant);
return [...said, schedule.lanes[constant.lane].name];
""",
        recording,
    )
    stream = "GPU:0 (simulated), in-order stream"
    assert said[0][:3] == ["thread 1", "thread 2", stream]
    assert said[1].endswith(f" is on {stream}: thread 1 cannot run it.")
    assert said[2] == stream
