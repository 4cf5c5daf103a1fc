"""What runs steps: transfers, seeded schedules, measured times."""

import threading

import pytest

import tinytf as tf
from tinytf.distributed.cluster.ports import reserve
from tinytf.grading import Wrong
from tinytf.grading.assertions import (
    count_sends,
    in_every_schedule,
    moves_at_most,
    never_blocks,
    speed_up_at_least,
    transfers,
)
from tinytf.grading.assertions.schedules import order
from tinytf.testing.schedules.running import run_with_seed


@pytest.fixture(autouse=True)
def own_graph():
    with tf.Graph().as_default():
        yield


def told(*expected, by=Wrong):
    """The next call must be told off in these words."""
    return pytest.raises(by, match="(?s)" + "".join(f"(?=.*(?:{word}))" for word in expected))


# count_sends, moves_at_most ----------------------------------------------------------------------


@pytest.fixture
def two_gpus():
    """(a table on the CPU, rows of it, a sum on GPU 0 used on GPU 1, a session)"""
    tf.devices.simulate_gpus(2, memory="64MiB")
    with tf.device("/cpu:0"):
        table = tf.get_variable("table", [1000, 4], initializer=tf.ones_initializer())
        rows = tf.placeholder(tf.int32, [None], name="rows")
    with tf.device("/gpu:0"):
        sums = tf.reduce_sum(tf.gather(table, rows), 1, name="sums")
    with tf.device("/gpu:1"):
        first, second = tf.square(sums, name="first"), tf.sqrt(sums, name="second")
    with tf.Session() as sess:
        sess.run(table.initializer)
        yield rows, sums, first, second, sess
    tf.devices.simulate_gpus(0)


def test_sends_between_devices(two_gpus):
    rows, _, first, second, sess = two_gpus
    fed = {rows: [1, 2]}
    # the table, the rows, the sums, and the two results, which are fetched
    count_sends([first, second], 5, sess, fed)
    count_sends([first.op, second.op], 3, sess, fed)
    for between, count in (
        (("GPU:0", "GPU:1"), 1),
        (("/cpu:0", "/gpu:0"), 2),
        ((None, "CPU:0"), 2),
        (("GPU:1", None), 2),
        (("GPU:1", "GPU:0"), 0),
        ((None, None), 5),
    ):
        count_sends([first, second], count, sess, fed, between=between)
    with told(
        "another number of times; expected 1, got 3: ",
        r"table/read \(CPU:0 → GPU:0, 15.6 KiB\), ",
        r"sums \(GPU:0 → GPU:1, 8 bytes\)",
    ):
        count_sends(first.op, 1, sess, fed)
    with told("times from GPU:0 to any device; expected 0, got 1: sums", "hint: my own"):
        count_sends(first, 0, sess, fed, between=("GPU:0", None), hint="my own")
    with told("expected 1, got 0$"):
        count_sends(first, 1, sess, fed, between=("GPU:1", "GPU:0"))


def test_signals(two_gpus):
    rows, sums, *_, sess = two_gpus
    with tf.device("/gpu:1"), tf.control_dependencies([sums]):
        after = tf.no_op(name="after")
    fed = {rows: [1]}
    both = [after, sums]
    count_sends(both, 1, sess, fed, between=(None, "GPU:1"))
    count_sends(both, 0, sess, fed, between=(None, "GPU:1"), signals=False)
    with told(r"got 1: \^sums \(GPU:0 → GPU:1\)$"):
        count_sends(both, 0, sess, fed, between=(None, "GPU:1"))


def test_bytes(two_gpus):
    rows, _, first, second, sess = two_gpus
    fed = {rows: [1, 2]}
    moves_at_most(16000 + 8 + 8, first.op, sess, fed)
    moves_at_most(8, [first, second], sess, fed, between=("GPU:0", "GPU:1"))
    with told(
        "sends too much; expected at most 100 bytes, got 16016 bytes: table/read",
        "hint: can table/read be made smaller where it is",
    ):
        moves_at_most(100, first.op, sess, fed)
    with told("too much from GPU:0 to GPU:1; expected at most 7 bytes, got 8 bytes"):
        moves_at_most(7, first.op, sess, fed, between=("GPU:0", "GPU:1"))


def test_what_runs_is_counted(two_gpus):
    *_, sess = two_gpus
    flag = tf.placeholder(tf.bool, [])
    with tf.device("/cpu:0"):
        x = tf.random_uniform([10])

    def on(device):
        with tf.device(device):
            return tf.square(x)

    taken = tf.cond(flag, lambda: on("/gpu:0"), lambda: on("/gpu:1"))
    for value, device in ((True, "GPU:0"), (False, "GPU:1")):
        for gpu in ("GPU:0", "GPU:1"):
            wanted = 40 if gpu == device else 0
            moves_at_most(wanted, taken, sess, {flag: value}, between=("CPU:0", gpu))

    def step(i, total):
        with tf.device("/gpu:0"):
            half = tf.multiply(total, 0.5)
        with tf.device("/cpu:0"):
            return i + 1, half + 1.0

    with tf.device("/cpu:0"):
        _, total = tf.while_loop(lambda i, _: i < 3, step, [0, tf.random_uniform([])])
    found = transfers(total, sess, between=("GPU:0", "CPU:0"))
    assert [each.name for each in found] == ["while/Mul"] * 3


def test_without_devices_or_session():
    total = tf.reduce_sum(tf.random_uniform([3]))
    with tf.Session():
        count_sends(total, 0)
        moves_at_most(0, total)
    with told("no default session", by=ValueError):
        count_sends(total, 0)
    with tf.Session() as sess:
        with told("venus", by=ValueError):
            count_sends(total, 0, sess, between=("/venus", None))

    def inside():
        with tf.Session(graph=total.graph) as sess:
            count_sends(total, 0, sess)

    assert "outside of run_with_seed" in str(run_with_seed(inside, 0).error)


def test_on_a_cluster():
    kept = [reserve() for _ in range(2)]
    addresses = [f"localhost:{socket.getsockname()[1]}" for socket in kept]
    spec = tf.train.ClusterSpec({"ps": addresses[:1], "worker": addresses[1:]})
    servers = [tf.train.Server(spec, job, 0) for job in ("ps", "worker")]
    for socket in kept:
        socket.close()
    with tf.device("/job:ps"):
        weights = tf.get_variable("weights", initializer=[1.0] * 100)
    with tf.device("/job:worker"):
        total = tf.reduce_sum(weights, name="total")
        half = tf.multiply(weights, 0.5, name="half")
    with tf.Session(servers[1].target) as sess:
        sess.run(weights.initializer)
        count_sends([total, half], 1, sess)
        moves_at_most(400, [total, half], sess, between=("/job:ps", "/job:worker"))
        with told("got 400 bytes: weights/read .ps:0 CPU:0 → worker:0 CPU:0, 400 bytes"):
            moves_at_most(399, total, sess)
    for server in servers:
        server.stop()


# never_blocks, in_every_schedule -----------------------------------------------------------------


def jobs(*orders):
    """Each takes the tokens of queues in its order, and puts them back; and what lays them out."""
    queues = {n: tf.FIFOQueue(1, tf.int32, shapes=[[]], name=n) for n in ("saw", "hammer")}
    made = []
    for number, names in enumerate(orders):
        with tf.name_scope(f"job{number}"):
            before = []
            for name in names:
                with tf.control_dependencies(before):
                    before = [*before, queues[name].dequeue(name=f"take_{name}")]
            with tf.control_dependencies(before):
                made.append(tf.group(*(q.enqueue(1) for q in queues.values())))
    return made, [queue.enqueue(1) for queue in queues.values()]


def test_jobs_that_never_block():
    made, before = jobs(["saw", "hammer"], ["saw", "hammer"])
    never_blocks(made, before=before)


def test_a_deadlock_is_told():
    made, before = jobs(["saw", "hammer"], ["hammer", "saw"])
    with told(
        r"^schedule \d+: somebody waits for ever",
        "an end in every schedule",
        r"step 1 \(job0.*\) +waits for 1 element, in job0/take_hammer",
        r"step 2 \(job1.*\) +waits for 1 element, in job1/take_saw",
        "The order was:.*step 1.*job0/take_saw",
    ) as caught:
        never_blocks(made, before=before)
    seed = int(str(caught.value).split(":")[0].split()[1])
    with told(f"schedule {seed}: ", "hint: one order for all"):
        never_blocks(made, [seed], before=before, hint="one order for all")
    if seed:
        never_blocks(made, seed, before=before)


def test_the_graph_of_the_steps():
    made, before = jobs(["saw", "hammer"])
    graph = made[0].graph
    with tf.Graph().as_default():
        never_blocks(made, 5, before=before, graph=graph)
        with told("waits for ever"):
            never_blocks(made, 5, graph=graph)


def test_programs():
    def program():
        with tf.Graph().as_default(), tf.Session() as sess:
            queue = tf.FIFOQueue(1, tf.int32, shapes=[[]])
            for _ in range(puts):
                sess.run(queue.enqueue(1))

    puts = 1
    never_blocks(program, 3)
    puts = 2
    with told("schedule 0: somebody waits for ever", "MainThread  waits for room", "enqueue_1"):
        never_blocks(program, 3)


def test_a_program_without_an_end():
    def program():
        with tf.Graph().as_default(), tf.Session() as sess:
            x = tf.random_uniform([])
            thread = threading.Thread(target=sess.run, args=[x])
            thread.start()
            while True:
                sess.run(x)

    with told("schedule 0: the program does not end", "after 60 turns", "random_uniform"):
        never_blocks(program, max_turns=60)


def test_errors_come_out_with_their_schedule():
    def program(error):
        raise error

    with pytest.raises(NotImplementedError) as caught:
        never_blocks(lambda: program(NotImplementedError("write this")))
    assert caught.value.__notes__ == ["(in schedule 0)"]
    with pytest.raises(ZeroDivisionError):
        in_every_schedule(lambda: 1 / 0, 1)
    with told("^schedule 7: not that; expected 3, got 4; hint: think$"):
        in_every_schedule(lambda: program(Wrong("not that", 3, 4, "think")), None, [7])


def counting(add):
    """A program that counts to two in two threads."""

    def program():
        with tf.Graph().as_default(), tf.Session() as sess:
            total = tf.get_variable("total", initializer=0.0, use_resource=True)
            count = add(total)
            sess.run(total.initializer)
            threads = [threading.Thread(target=sess.run, args=[count]) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            return sess.run(total)

    return program


def test_a_race_is_told():
    wrong = counting(lambda total: total.assign(total + 1.0))
    right = counting(lambda total: tf.assign_add(total, 1.0))
    for holds, words in (
        (2.0, "the sum is wrong; expected 2.0, got 1.0"),
        (lambda value: value == 2.0, "the sum is wrong; expected another one, got 1.0"),
        (lambda value: "" if value == 2.0 else "one is lost", "one is lost"),
        (is_two, "a count is lost; expected 2, got 1.0"),
    ):
        in_every_schedule(right, holds, what="the sum")
        with told(r"^schedule \d+: " + words, "The order was:", "ReadVariableOp = 0.0") as caught:
            in_every_schedule(wrong, holds, what="the sum")
        assert str(caught.value).count("ReadVariableOp = 0.0") == 2
    with told("hint: my own"):
        in_every_schedule(wrong, 2.0, hint="my own")


def is_two(value):
    if value != 2.0:
        raise Wrong("a count is lost", 2, value)


def test_the_same_answer_is_told_the_same_again():
    wrong = counting(lambda total: total.assign(total + 1.0))
    texts = set()
    for _ in range(2):
        with pytest.raises(Wrong) as caught:
            in_every_schedule(wrong, 2.0)
        texts.add(str(caught.value))
    assert len(texts) == 1


def test_the_order_is_cut():
    def program():
        with tf.Graph().as_default(), tf.Session() as sess:
            for number in range(30):
                sess.run(tf.random_uniform([], name=f"x{number}"))

    run = run_with_seed(program, 0)
    lines = order(run).splitlines()
    assert lines[0].startswith("  ... ")
    assert lines[-1].startswith("  MainThread: x29/RandomUniform = ")
    assert len(lines) == 13
    assert "... " not in order(run, None)


# speed_up_at_least -------------------------------------------------------------------------------


class Clock:
    """Each function takes the time that it is given."""

    def __init__(self):
        self.now, self.calls = 0.0, []

    def __call__(self):
        return self.now

    def function(self, name, *seconds):
        """Takes so many seconds, in turn."""
        left = []

        def run():
            self.calls.append(name)
            if not left:
                left.extend(seconds)
            self.now += left.pop(0)

        return run


def test_faster():
    clock = Clock()
    fast, slow = clock.function("f", 1.0), clock.function("s", 3.0)
    speed_up_at_least(3, fast, slow, clock=clock, repeats=3)
    assert "".join(clock.calls) == "fs" + "fs" + "sf" + "fs"
    with told(
        "not as much faster as it should be; expected 3.5 times as fast, got 3.00 times",
        "median of 7 pairs, from 3.00 to 3.00.: 1e.03 ms against 3e.03 ms",
        "hint: h",
    ):
        speed_up_at_least(3.5, fast, slow, clock=clock, hint="h")


def test_the_median_counts():
    clock = Clock()
    fast = clock.function("f", 1.0, 1.0, 1.0, 50.0, 1.0, 1.0)  # the first one warms up
    slow = clock.function("s", 4.0, 4.0, 4.0, 4.0, 4.0, 90.0)
    speed_up_at_least(4, fast, slow, clock=clock, repeats=5)


def test_neighbours_are_compared():
    """A machine that gets slower hits both of a pair."""
    clock = Clock()
    fast = clock.function("f", 1.0, 1.0, 10.0, 100.0)
    slow = clock.function("s", 2.0, 2.0, 20.0, 200.0)
    speed_up_at_least(2, fast, slow, clock=clock, repeats=3)
    with told("got 2.00 times .the median of 3 pairs, from 2.00 to 2.00"):
        speed_up_at_least(2.1, fast, slow, clock=clock, repeats=3)


def test_repeats():
    with told("at least 1", by=ValueError):
        speed_up_at_least(2, int, int, repeats=0)
    with told("from 0.00 to 0.00"):
        speed_up_at_least(2, int, int, clock=Clock())
