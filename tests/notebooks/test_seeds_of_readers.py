"""Programs on readers as the books of the time print them: they run here as they do in TensorFlow.

Each is typed as a learner would type it: queues built by hand, `shapes=[(), ...]`, shared names, a
loop until `OutOfRangeError`, sessions left to their `with`. Batches of several threads come in any
order, so programs print what they have read sorted.
"""

import textwrap

import pytest

from tests.notebooks.typed import printed_here, printed_there

#: Before every program.
BEGINNING = """
import numpy as np

def fresh_graph(seed=42):
    tf.reset_default_graph()
    tf.set_random_seed(seed)
    np.random.seed(seed)

def table(rows):
    for row in sorted(rows):
        print(*row)

fresh_graph()
"""

WRITE = """
csv = open("heights.csv", "w")
csv.write("age, height , tall\\n")
csv.write("1.,, 0\\n")
csv.write("4., 5. , 1\\n")
csv.write("7., 8. , 0\\n")
csv.close()
"""

#: Two queues, a reader, a parser: what all the programs with readers begin with.
QUEUES = """
name_queue = tf.FIFOQueue(capacity=10, dtypes=[tf.string], shapes=[()])
name = tf.placeholder(tf.string)
put_name = name_queue.enqueue([name])
close_names = name_queue.close()

def read_one():
    reader = tf.TextLineReader(skip_header_lines=1)
    key, value = reader.read(name_queue)
    age, height, tall = tf.decode_csv(value, record_defaults=[[-1.], [-1.], [-1]])
    return tf.stack([age, height]), tall

row_queue = tf.RandomShuffleQueue(
    capacity=10, min_after_dequeue=2,
    dtypes=[tf.float32, tf.int32], shapes=[[2],[]],
    name="rows", shared_name="shared_rows")
some_rows, some_tall = row_queue.dequeue_up_to(2)

def read_batches(sess):
    rows, sizes = [], []
    try:
        while True:
            features, targets = sess.run([some_rows, some_tall])
            sizes.append(len(targets))
            rows += [(*f.tolist(), int(t)) for f, t in zip(features, targets)]
    except tf.errors.OutOfRangeError as ex:
        print("no more rows")
    table(rows)
    return sizes
"""

PROGRAMS = {
    "data in a variable": """
        n_features = 3
        initial = tf.placeholder(tf.float32, shape=(None, n_features))
        rows = tf.Variable(initial, trainable=False, collections=[], name="rows",
                           validate_shape=False)
        first = rows[0]
        with tf.Session() as sess:
            data = np.arange(12.).reshape(4, n_features)
            sess.run(rows.initializer, feed_dict={initial: data})
            print(sess.run(first), sess.run(tf.shape(rows)))
            print(tf.global_variables(), tf.trainable_variables())
    """,
    "defaults that are tensors": """
        default1 = tf.constant([5.])
        default2 = tf.constant([6])
        default3 = tf.constant([7])
        parsed = tf.decode_csv(tf.constant("1.,,44"),
                               record_defaults=[default1, default2, default3])
        with tf.Session() as sess:
            print(*sess.run(parsed))
    """,
    "read everything, then take it": """
        put_row = row_queue.enqueue(read_one())
        close_rows = row_queue.close()
        with tf.Session() as sess:
            sess.run(put_name, feed_dict={name: "heights.csv"})
            sess.run(close_names)
            try:
                while True:
                    sess.run(put_row)
            except tf.errors.OutOfRangeError as ex:
                print("no more files")
            sess.run(close_rows)
            print(read_batches(sess))
    """,
    "one reader, five threads": """
        put_row = row_queue.enqueue(read_one())
        n_threads = 5
        queue_runner = tf.train.QueueRunner(row_queue, [put_row] * n_threads)
        coord = tf.train.Coordinator()
        with tf.Session() as sess:
            sess.run(put_name, feed_dict={name: "heights.csv"})
            sess.run(close_names)
            threads = queue_runner.create_threads(sess, coord=coord, start=True)
            sizes = read_batches(sess)
        print(sum(sizes), len(threads))
    """,
    "five readers": """
        ops = [row_queue.enqueue(read_one()) for i in range(5)]
        queue_runner = tf.train.QueueRunner(row_queue, ops)
        with tf.Session() as sess:
            for _ in range(3):
                sess.run(put_name, feed_dict={name: "heights.csv"})
            sess.run(close_names)
            coord = tf.train.Coordinator()
            threads = queue_runner.create_threads(sess, coord=coord, start=True)
            sizes = read_batches(sess)
        print(sum(sizes), len(threads))
    """,
    "a producer, runners and a coordinator": """
        names = tf.train.string_input_producer(["heights.csv"], num_epochs=2)
        key, value = tf.TextLineReader(skip_header_lines=1).read(names)
        row = tf.decode_csv(value, record_defaults=[[-1.], [-1.], [-1]])
        batch = tf.train.shuffle_batch(row, batch_size=3, capacity=20, min_after_dequeue=5)
        with tf.Session() as sess:
            sess.run(tf.local_variables_initializer())
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(coord=coord)
            rows = []
            try:
                while not coord.should_stop():
                    rows += [tuple(float(v) for v in row) for row in zip(*sess.run(batch))]
            except tf.errors.OutOfRangeError:
                print("no more epochs")
            finally:
                coord.request_stop()
            coord.join(threads)
        table(rows)
    """,
    "a field of blanks": """
        parsed = tf.decode_csv("1.,    , 0", record_defaults=[[-1.], [-1.], [-1]])
        with tf.Session() as sess:
            print(*sess.run(parsed))
    """,
    "a wait with a deadline for the session": """
        q = tf.FIFOQueue(capacity=10, dtypes=[tf.float32], shapes=[()])
        v = tf.placeholder(tf.float32)
        put = q.enqueue([v])
        taken = q.dequeue()
        output = taken + 1
        config = tf.ConfigProto()
        config.operation_timeout_in_ms = 500
        with tf.Session(config=config) as sess:
            for number in (1.0, 2.0, 3.0):
                sess.run(put, feed_dict={v: number})
            print(sess.run(output), sess.run(output, feed_dict={taken: 5}))
            print(sess.run(output), sess.run(output))
            try:
                print(sess.run(output))
            except tf.errors.DeadlineExceededError as ex:
                print("timed out")
    """,
}

ROWS = "1.0 -1.0 0\n4.0 5.0 1\n7.0 8.0 0\n"
#: What each prints.
EXPECTED = {
    "data in a variable": "[0. 1. 2.] [4 3]\n[] []\n",
    "defaults that are tensors": "1.0 6 44\n",
    "read everything, then take it": f"no more files\nno more rows\n{ROWS}[2, 1]\n",
    "one reader, five threads": f"no more rows\n{ROWS}3 6\n",
    "five readers": "no more rows\n"
    + "".join(line * 3 for line in ROWS.splitlines(keepends=True))
    + "9 6\n",
    "a producer, runners and a coordinator": "no more epochs\n"
    + "".join(2 * f"{line}.0\n" for line in ROWS.splitlines()),
    "a field of blanks": "1.0 0.0 0\n",
    "a wait with a deadline for the session": "2.0 6.0\n3.0 4.0\ntimed out\n",
}


#: There, the threads that wait for a coordinator nobody has stopped keep the process from ending.
END = "import os\nsys.stdout.flush()\nos._exit(0)\n"
#: Before a program in the real one.
IMPORT = "import tensorflow.compat.v1 as tf\n"


def source_of(name):
    """A program with what stands before it."""
    body = textwrap.dedent(PROGRAMS[name])
    return BEGINNING + WRITE + (QUEUES if "read_one" in body else "") + body


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_runs_as_it_is_typed(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert printed_here(source_of(name), name) == EXPECTED[name]


@pytest.mark.tensorflow
@pytest.mark.timeout(150)
def test_a_real_tensorflow_prints_the_same(tmp_path):
    sources = {name: IMPORT + source_of(name) for name in PROGRAMS}
    assert printed_there(sources, tmp_path, END) == EXPECTED
