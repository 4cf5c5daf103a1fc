"""Habits from Python, numpy and TensorFlow 2: what to type here instead."""

import pytest

import tinytf as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


HABITS = [
    (lambda: tf.FIFOQueue(1, tf.int32).put(1), r"no attribute 'put'.*sess\.run\(queue\.enqueue"),
    (lambda: tf.FIFOQueue(1, tf.int32).get(), r"no attribute 'get'.*sess\.run\(queue\.dequeue"),
    (lambda: tf.FIFOQueue(1, tf.int32).qsize(), r"no attribute 'qsize'.*sess\.run\(queue\.size"),
    (lambda: tf.no_op().eval(), r"no attribute 'eval'.*sess\.run\(op\)"),
    (lambda: tf.constant(1).run(), r"no attribute 'run'.*sess\.run\(t\)"),
    (lambda: tf.data.Dataset.range(2).get_next(), r"make_one_shot_iterator\(\)\.get_next\(\)"),
    (lambda: tf.data.Dataset.range(2).as_numpy_iterator(), r"and sess\.run"),
]


@pytest.mark.parametrize(("habit", "instead"), HABITS)
def test_methods_of_other_libraries(habit, instead):
    with pytest.raises(AttributeError, match=instead):
        habit()


def test_they_are_not_there_for_those_who_ask():
    queue = tf.FIFOQueue(1, tf.int32)
    assert queue
    assert not hasattr(queue, "put")
    assert "put" not in dir(queue)
    assert "enqueue" in dir(queue)


@pytest.mark.parametrize(
    ("fetch", "said"),
    [
        (3.0, r"This is a value already, perhaps the result of an earlier run"),
        (tf.global_variables_initializer, r"call it, global_variables_initializer\(\), and run"),
    ],
)
def test_fetches_that_are_no_tensors(fetch, said):
    tf.constant(1)
    with tf.Session() as sess, pytest.raises(TypeError, match=said):
        sess.run(fetch)


def test_a_queue_is_no_tensor_either():
    queue = tf.FIFOQueue(1, tf.int32)
    with tf.Session() as sess:
        with pytest.raises(TypeError, match=r"This is a queue: run what is done with it"):
            sess.run(queue)
        with pytest.raises(TypeError, match=r"This is a function: call it, size\(\)"):
            sess.run(queue.size)


def test_a_graph_is_entered_by_as_default():
    with pytest.raises(TypeError, match=r"context manager protocol: write `with graph\.as_default"):
        with tf.Graph():
            pass


def test_concat_takes_the_tensors_first():
    with pytest.raises(
        ValueError, match=r"Shape \(2, 2\) must have rank 0.*tf\.concat\(values, axis\)"
    ):
        tf.concat(0, [tf.ones([2]), tf.ones([2])])


def test_initializers_that_do_not_fit():
    with pytest.raises(ValueError, match=r"do not specify shape\. Leave out the shape"):
        tf.get_variable("a", [2], initializer=[1.0, 2.0])
    with pytest.raises(ValueError, match=r"Give `shape` numbers alone"):
        tf.get_variable("b", [None, 2], initializer=tf.zeros_initializer())


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda d: d.shuffle(buffer=3), "Did you mean buffer_size="),
        (lambda d: d.batch(size=3), "Did you mean batch_size="),
        (lambda d: d.batch(), r"'batch_size'\. Its arguments: batch_size, drop_remainder=False"),
    ],
)
def test_arguments_of_datasets(call, said):
    with pytest.raises(TypeError, match=said):
        call(tf.data.Dataset.range(3))


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("run", r"sess\.run\(fetches, feed_dict\)"),
        ("array", r"tf\.constant\(value\)"),
        ("dot", r"tf\.matmul"),
        ("read_csv", r"tf\.decode_csv"),
        ("cuda", r"tf\.device\(\"/gpu:0\"\)"),
        ("mean", r"Did you mean tf\.reduce_mean\?"),
        ("constnt", r"Did you mean tf\.constant"),
    ],
)
def test_names_of_other_libraries(name, instead):
    with pytest.raises(
        AttributeError, match=rf"module 'tinytf' has no attribute '{name}'.*{instead}"
    ):
        getattr(tf, name)


def test_modules_of_the_implementation_are_not_suggested():
    with pytest.raises(AttributeError) as caught:
        tf.runtme  # noqa: B018
    assert "tf.runtime" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("backward", r"tf\.gradients"),
        ("view", r"tf\.reshape"),
        ("to", r"tf\.cast"),
        ("cuda", r"tf\.device"),
        ("split", r"tf\.string_split"),
    ],
)
def test_attributes_of_other_libraries_tensors(name, instead):
    with pytest.raises(AttributeError, match=instead):
        getattr(tf.constant([1.0]), name)


@pytest.mark.parametrize(
    ("going_through", "said"),
    [
        (lambda: iter(tf.FIFOQueue(1, tf.int32)), r"'FIFOQueue' object is not iterable.*sess\.run"),
        (lambda: iter(one_shot()), r"'Iterator' object is not iterable.*iterator\.get_next\(\)"),
        (lambda: next(one_shot()), r"'Iterator' object is not an iterator.*get_next\(\)"),
    ],
)
def test_what_python_does_not_go_through(going_through, said):
    with pytest.raises(TypeError, match=said):
        going_through()


def one_shot():
    return tf.data.Dataset.range(2).make_one_shot_iterator()


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda d: d.from_list([1]), AttributeError, r"from_tensor_slices"),
        (lambda d: d.range(2).fit(), AttributeError, r"sess\.run\(train_op\)"),
        (lambda d: d.from_tensor_slices([1], [2]), TypeError, r"Was one argument more given"),
        (lambda d: d.from_generator([1], tf.int32), TypeError, r"callable\. Got \[1\].*slices"),
        (lambda d: d.range(3).repeat(epochs=2), TypeError, r"Did you mean count="),
    ],
)
def test_datasets(make, error, said):
    with pytest.raises(error, match=said):
        make(tf.data.Dataset)


@pytest.mark.parametrize(
    ("rows", "said"),
    [(1, r"rank at least 1\. .*given were \(\)"), ([[1], [1, 2]], r"given were \(1,\), \(2,\)")],
)
def test_rows_of_enqueue_many(rows, said):
    components = len(rows) if isinstance(rows, list) else 1
    queue = tf.FIFOQueue(9, [tf.int32] * components, shapes=[[]] * components)
    with pytest.raises(ValueError, match=said):
        queue.enqueue_many(rows)


def test_py_func():
    with pytest.raises(TypeError, match=r"takes a list of tensors.*put it in brackets"):
        tf.py_func(abs, tf.constant(1), tf.int32)
    texts = tf.py_func(lambda text: text + "!", ["a"], tf.string)
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError) as caught:
        sess.run(texts)
    assert "text.decode() makes a str of it" in str(caught.value)


@pytest.mark.parametrize(
    ("labels", "logits", "said"),
    [([None], [None, 3], None), ([None, 3], [None], "swapped"), ([4, 3], [4, 3], r"tf\.argmax")],
)
def test_labels_and_logits(labels, logits, said):
    def build():
        numbers = tf.placeholder(tf.int32, labels)
        scores = tf.placeholder(tf.float32, logits)
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=numbers, logits=scores)

    if said is None:
        build()
        return
    with pytest.raises(ValueError, match=rf"`labels\.shape\.rank` must equal .*{said}"):
        build()


def test_a_summary_is_run_before_it_is_written(tmp_path):
    with tf.summary.FileWriter(tmp_path) as writer:
        with pytest.raises(TypeError, match=r"writer\.add_summary\(sess\.run\(summary\), step\)"):
            writer.add_summary(tf.summary.scalar("a", 1.0))
