"""Learners' programs: files read by several threads through queues, from the first line to join."""

import tempfile
from pathlib import Path

from tests.behaviour.asking import question, says

ROWS = ["x1,x2,target", "1.,,0", "4.,5.,1", "7.,8.,0"]


def csv_files(folder, count, rows=3):
    """Files with a header; each row's numbers tell the file and the row."""
    paths = []
    for number in range(count):
        lines = ["x,y,target", *(f"{number}.,{row}.,{row % 2}" for row in range(rows))]
        path = Path(folder, f"data_{number}.csv")
        path.write_text("\n".join(lines) + "\n")
        paths.append(str(path))
    return paths


def read_row(tf, files, **options):
    """One row of the files: features and target."""
    reader = tf.TextLineReader(skip_header_lines=1, **options)
    _, value = reader.read(files)
    x, y, target = tf.decode_csv(value, record_defaults=[[-1.0], [-1.0], [-1]])
    return tf.stack([x, y]), target


def rows_of(results):
    """The rows of all batches, sorted: threads may have mixed them."""
    return sorted(
        (*features, target)
        for batch in results
        for features, target in zip(batch[0].tolist(), batch[1].tolist())
    )


def with_files(program, count=1, rows=3):
    with tempfile.TemporaryDirectory() as folder:
        return program(csv_files(folder, count, rows))


@question
def one_reader_by_hand(tf):
    """A filename queue and an instance queue, filled by the main thread."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "my_test.csv")
        path.write_text("\n".join(ROWS))
        names = tf.FIFOQueue(capacity=10, dtypes=[tf.string], shapes=[()])
        name = tf.placeholder(tf.string)
        enqueue_name, close_names = names.enqueue([name]), names.close()
        features, target = read_row(tf, names)
        instances = tf.RandomShuffleQueue(
            capacity=10,
            min_after_dequeue=2,
            dtypes=[tf.float32, tf.int32],
            shapes=[[2], []],
            name="instance_q",
            shared_name="shared_instance_q",
        )
        enqueue, close = instances.enqueue([features, target]), instances.close()
        minibatch = instances.dequeue_up_to(2)
        ended, results = [], []
        with tf.Session() as sess:
            sess.run(enqueue_name, {name: str(path)})
            sess.run(close_names)
            try:
                while True:
                    sess.run(enqueue)
            except tf.errors.OutOfRangeError:
                ended.append("No more files to read")
            sess.run(close)
            try:
                while True:
                    results.append(sess.run(minibatch))
            except tf.errors.OutOfRangeError:
                ended.append("No more training instances")
    return {
        "ended": ended,
        "rows": rows_of(results),
        "sizes of the batches": [len(batch[1]) for batch in results],
    }


def run_runner(tf, runner, names, paths, minibatch):
    """Execution as in the book: file names in, threads on, batches out."""
    results = []
    name = tf.placeholder(tf.string)
    enqueue_name, close_names = names.enqueue([name]), names.close()
    with tf.Session() as sess:
        for path in paths:
            sess.run(enqueue_name, {name: path})
        sess.run(close_names)
        coord = tf.train.Coordinator()
        threads = runner.create_threads(sess, coord=coord, start=True)
        try:
            while True:
                results.append(sess.run(minibatch))
        except tf.errors.OutOfRangeError:
            pass
        coord.request_stop()
        coord.join(threads)
    return {
        "rows": rows_of(results),
        "threads": [thread.is_alive() for thread in threads],
        "exceptions": runner.exceptions_raised,
    }


@question
def five_threads_one_reader(tf):
    def program(paths):
        names = tf.FIFOQueue(capacity=10, dtypes=[tf.string], shapes=[()])
        features, target = read_row(tf, names)
        instances = tf.RandomShuffleQueue(
            capacity=10, min_after_dequeue=2, dtypes=[tf.float32, tf.int32], shapes=[[2], []]
        )
        runner = tf.train.QueueRunner(instances, [instances.enqueue([features, target])] * 5)
        return run_runner(tf, runner, names, paths, instances.dequeue_up_to(2))

    return with_files(program, 1, 7)


@question
def five_readers(tf):
    def program(paths):
        names = tf.FIFOQueue(capacity=10, dtypes=[tf.string], shapes=[()])
        instances = tf.RandomShuffleQueue(
            capacity=10,
            min_after_dequeue=2,
            dtypes=[tf.float32, tf.int32],
            shapes=[[2], []],
            name="instance_q",
            shared_name="shared_instance_q",
        )
        enqueues = [instances.enqueue(list(read_row(tf, names))) for _ in range(5)]
        runner = tf.train.QueueRunner(instances, enqueues)
        return run_runner(tf, runner, names, paths, instances.dequeue_up_to(2))

    return with_files(program, 4, 5)


def run_pipeline(tf, minibatch, most=1000):
    """Execution with start_queue_runners."""
    results, ended = [], ""
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            while not coord.should_stop() and len(results) < most:
                results.append(sess.run(minibatch))
        except tf.errors.OutOfRangeError:
            ended = "out of range"
        finally:
            coord.request_stop()
            joined = joins(tf, coord, threads)
    return {
        "rows": rows_of(results),
        "sizes of the batches": [len(batch[1]) for batch in results],
        "ended": ended,
        "join": joined,
        "threads": any(thread.is_alive() for thread in threads),
    }


def joins(tf, coord, threads):
    try:
        coord.join(threads)
    except tf.errors.OpError as error:
        return type(error).__name__
    return "nothing raised"


@question
def convenience_functions(tf):
    def program(paths):
        names = tf.train.string_input_producer(paths, num_epochs=2, shuffle=False)
        row = list(read_row(tf, names))
        return run_pipeline(tf, tf.train.batch(row, 4, allow_smaller_final_batch=True))

    return with_files(program, 2, 5)


@question
def shuffled_by_two_threads(tf):
    def program(paths):
        names = tf.train.string_input_producer(paths, num_epochs=1)
        row = list(read_row(tf, names))
        return run_pipeline(
            tf,
            tf.train.shuffle_batch(
                row,
                4,
                capacity=20,
                min_after_dequeue=5,
                num_threads=2,
                allow_smaller_final_batch=True,
            ),
        )

    answers = with_files(program, 3, 6)
    return {key: answers[key] for key in ("rows", "ended", "join", "threads")}


@question
def readers_joined(tf):
    def program(paths):
        names = tf.train.string_input_producer(paths, num_epochs=1)
        rows = [list(read_row(tf, names)) for _ in range(3)]
        return run_pipeline(
            tf, tf.train.batch_join(rows, 5, capacity=12, allow_smaller_final_batch=True)
        )

    answers = with_files(program, 4, 4)
    return {key: answers[key] for key in ("rows", "ended", "join", "threads")}


@question
def readers_joined_and_shuffled(tf):
    def program(paths):
        names = tf.train.string_input_producer(paths, num_epochs=1)
        rows = [list(read_row(tf, names)) for _ in range(2)]
        return run_pipeline(
            tf, tf.train.shuffle_batch_join(rows, 3, 30, 4, allow_smaller_final_batch=True)
        )

    answers = with_files(program, 3, 3)
    return {key: answers[key] for key in ("rows", "ended", "join", "threads")}


@question
def files_by_pattern(tf):
    def program(paths):
        pattern = str(Path(paths[0]).parent / "data_*.csv")
        files = tf.train.match_filenames_once(pattern)
        names = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
        row = list(read_row(tf, names))
        answers = run_pipeline(tf, tf.train.batch(row, 3))
        with tf.Session() as sess:
            sess.run(tf.local_variables_initializer())
            answers["files"] = [Path(name.decode()).name for name in sess.run(files)]
        return answers

    return with_files(program, 3, 2)


@question
def stopped_in_the_middle(tf):
    def program(paths):
        names = tf.train.string_input_producer(paths)
        row = list(read_row(tf, names))
        answers = run_pipeline(tf, tf.train.batch(row, 3, capacity=6), most=5)
        return {key: answers[key] for key in ("sizes of the batches", "ended", "join", "threads")}

    return with_files(program, 2, 3)


@question
def a_missing_file(tf):
    names = tf.train.string_input_producer(["/nowhere/data.csv"], shuffle=False)
    row = list(read_row(tf, names))
    answers = run_pipeline(tf, tf.train.batch(row, 3))
    return {key: answers[key] for key in ("rows", "join", "threads")}


@question
def a_bad_row(tf):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bad.csv")
        path.write_text("x,y,target\n1.,2.,0\n1.,2.\n3.,4.,1\n")
        names = tf.train.string_input_producer([str(path)], num_epochs=1, shuffle=False)
        row = list(read_row(tf, names))
        minibatch = tf.train.batch(row, 1)
        answers = run_pipeline(tf, minibatch)
    return {key: answers[key] for key in ("join", "threads")}


@question
def epochs_not_initialized(tf):
    names = tf.train.string_input_producer(["a", "b"], num_epochs=1)
    item = names.dequeue()
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        main = says("is closed and has insufficient elements", sess.run, item)
        return {"main": main, "join": joins(tf, coord, threads)}
