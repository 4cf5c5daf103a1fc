"""Iterators over datasets: of all kinds, shared, with errors, in several threads."""

import threading

import numpy as np

from tests.behaviour.asking import question, says
from tests.behaviour.questions.datasets import elements, elements_or_error, steps


@question
def one_shot(tf):
    numbers = tf.data.Dataset.range(2)
    iterator = numbers.make_one_shot_iterator()
    element = iterator.get_next()
    with tf.Session() as sess, tf.Session() as other:
        first_session = steps(tf, sess, element)
        return {
            "to the end": first_session,
            "after it": steps(tf, sess, element),
            "again": steps(tf, sess, iterator.get_next()),
            "another session": steps(tf, other, element),
            "another iterator": steps(tf, sess, numbers.make_one_shot_iterator().get_next()),
            "no initializer": says(
                "The iterator does not have an initializer", lambda: iterator.initializer
            ),
            "types": iterator.output_types,
            "shapes": iterator.output_shapes,
            "the error": says("End of sequence", sess.run, element),
        }


@question
def one_shot_captures(tf):
    numbers = tf.data.Dataset.range(3)
    v = tf.Variable(1, dtype=tf.int64, use_resource=True)
    w = tf.Variable(1, dtype=tf.int64, use_resource=False)
    fed = tf.placeholder(tf.int64, [])
    c = tf.constant(2, tf.int64) * 3
    refused = "Cannot capture a stateful node"
    hint = "Use `make_initializable_iterator()` instead."
    return {
        "a variable": says(refused, numbers.map(lambda x: x + v).make_one_shot_iterator),
        "what to do": says(hint, numbers.map(lambda x: x + v).make_one_shot_iterator),
        "a reference variable": says(refused, numbers.map(lambda x: x + w).make_one_shot_iterator),
        "a placeholder": says(
            "Cannot capture a placeholder", numbers.take(fed).make_one_shot_iterator
        ),
        "a placeholder in a function": says(
            "Cannot capture a placeholder", numbers.map(lambda x: x * fed).make_one_shot_iterator
        ),
        "constants": one_shot_elements(tf, numbers.map(lambda x: x + c)),
        "computed counts": one_shot_elements(tf, numbers.repeat().take(c)),
    }


def one_shot_elements(tf, dataset):
    """The elements, by a one-shot iterator."""
    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        return steps(tf, sess, element)


@question
def initializable(tf):
    limit = tf.placeholder(tf.int64, [])
    iterator = tf.data.Dataset.range(limit).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        answers = {
            "not initialised": says(
                "GetNext() failed because the iterator has not been initialized.", sess.run, element
            ),
            "without its limit": says(
                "You must feed a value for placeholder tensor", sess.run, iterator.initializer
            ),
        }
        sess.run(iterator.initializer, {limit: 2})
        answers["initialised"] = steps(tf, sess, element)
        sess.run(iterator.initializer, {limit: 3})
        answers["with another limit"] = steps(tf, sess, element)
        sess.run(iterator.initializer, {limit: 5})
        answers["half way"] = [sess.run(element), sess.run(element)]
        sess.run(iterator.initializer, {limit: 1})
        answers["begun again"] = steps(tf, sess, element)
    with tf.Session() as sess:
        answers["in a new session"] = says("has not been initialized", sess.run, element)
    return answers


@question
def initializable_with_variables(tf):
    v = tf.Variable(5, dtype=tf.int64, use_resource=True)
    iterator = tf.data.Dataset.range(3).map(lambda x: x + v).make_initializable_iterator()
    element = iterator.get_next()
    change = v.assign(100)
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        answers = {"not initialised": says("Could not find variable", sess.run, element)}
        sess.run(v.initializer)
        sess.run(iterator.initializer)
        answers["a value"] = sess.run(element)
        sess.run(change)
        # TensorFlow may have made the next one already, here and there from one run to the next.
        answers["a while after a change"] = steps(tf, sess, element)[1:]
    return answers


@question
def reinitializable(tf):
    numbers = tf.data.Dataset.range(2)
    iterator = tf.data.Iterator.from_structure(tf.int64, [])
    first_one = iterator.make_initializer(numbers)
    second = iterator.make_initializer(numbers.map(lambda x: x * 10).repeat(2))
    element = iterator.get_next()
    pairs = tf.data.Iterator.from_structure((tf.int64, tf.string), ([], [None]))
    other = "The two structures don't have the same"
    with tf.Session() as sess:
        answers = {
            "not initialised": says("has not been initialized", sess.run, element),
            "no initializer": says(
                "The iterator does not have an initializer", lambda: iterator.initializer
            ),
        }
        sess.run(first_one)
        answers["first"] = steps(tf, sess, element)
        sess.run(second)
        answers["second"] = steps(tf, sess, element)
        sess.run(second)
        sess.run(element)
        sess.run(first_one)
        answers["first again"] = steps(tf, sess, element)
    return {
        **answers,
        "types of a pair": pairs.output_types,
        "shapes of a pair": pairs.output_shapes,
        "unknown shapes": tf.data.Iterator.from_structure(tf.int64).output_shapes,
        "other types": says(
            "Expected output types", iterator.make_initializer, tf.data.Dataset.from_tensors(1.0)
        ),
        "other shapes": says(
            "Expected output shapes compatible with", iterator.make_initializer, numbers.batch(2)
        ),
        "other forms": says(other, pairs.make_initializer, numbers),
        "shapes in another form": says(
            "same keys", tf.data.Iterator.from_structure, {"a": tf.int64}, {"b": []}
        ),
        "too few shapes": says(
            "The two structures don't have the same sequence length",
            tf.data.Iterator.from_structure,
            (tf.int64, tf.int64),
            ([],),
        ),
    }


@question
def feedable(tf):
    training = tf.data.Dataset.range(100, 103).repeat().make_one_shot_iterator()
    testing = tf.data.Dataset.range(2).make_initializable_iterator()
    handle = tf.placeholder(tf.string, [])
    iterator = tf.data.Iterator.from_string_handle(handle, tf.int64, [])
    element = iterator.get_next()
    with tf.Session() as sess:
        train, test = sess.run([training.string_handle(), testing.string_handle()])
        answers = {
            "one": [sess.run(element, {handle: train}) for _ in range(2)],
            "not initialised": says("has not been initialized", sess.run, element, {handle: test}),
        }
        sess.run(testing.initializer)
        answers["the other"] = sess.run(element, {handle: test})
        answers["the one goes on"] = sess.run(element, {handle: train})
        answers["the other too"] = sess.run(element, {handle: test})
        answers["and ends"] = says("End of sequence", sess.run, element, {handle: test})
        answers["they are texts"] = [type(train).__name__, train == test]
        answers["the same every time"] = sess.run(training.string_handle()) == train
        answers["named"] = training.string_handle(name="h").name
        answers["nonsense"] = says(
            "Could not parse string_handle as a valid ResourceHandle",
            sess.run,
            element,
            {handle: "nonsense"},
        )
        floats = tf.data.Iterator.from_string_handle(handle, tf.float32, []).get_next()
        answers["another type"] = says(
            "Data type mismatch at component 0: expected float but got int64.",
            sess.run,
            floats,
            {handle: train},
        )
        rows = tf.data.Iterator.from_string_handle(handle, tf.int64, [2]).get_next()
        answers["another shape"] = says(
            "Incompatible shapes at component 0: expected [2] but got [].",
            sess.run,
            rows,
            {handle: train},
        )
        two = tf.data.Iterator.from_string_handle(handle, (tf.int64, tf.int64)).get_next()
        answers["more components"] = says(
            "Number of components does not match: expected 2 types but got 1.",
            sess.run,
            two,
            {handle: train},
        )
    return answers


@question
def shared_iterators(tf):
    first_one = tf.data.Dataset.range(10).make_initializable_iterator(shared_name="shared")
    second = tf.data.Dataset.range(20).make_initializable_iterator(shared_name="shared")
    a, b = first_one.get_next(), second.get_next()
    with tf.Session() as sess:
        sess.run(first_one.initializer)
        turns = [sess.run(a), sess.run(b), sess.run(a)]
        sess.run(second.initializer)
        return {"in turns": turns, "begun again by the other": [sess.run(a), sess.run(b)]}


@question
def names(tf):
    iterator = tf.data.Dataset.range(3).make_initializable_iterator()
    with tf.name_scope("scope"):
        inner = tf.data.Dataset.range(3).map(lambda x: x + 1, name="mine").batch(2, name="pairs")
        element = inner.make_one_shot_iterator().get_next()
    return {
        "initializer": iterator.initializer,
        "elements": [iterator.get_next(), iterator.get_next(), element],
        "all operations": [op.name for op in tf.get_default_graph().get_operations()],
        "collection": [t.name for t in tf.get_collection("iterators")],
        "metadata": tf.get_default_graph()
        .get_operation_by_name("scope/BatchDatasetV2")
        .get_attr("metadata"),
        "functions of the module": [
            tf.data.get_output_types(inner),
            tf.data.get_output_shapes(inner),
            tf.data.get_output_classes(inner).__name__,
            tf.data.make_one_shot_iterator(inner).output_types,
            tf.data.make_initializable_iterator(inner).initializer.type,
        ],
    }


@question
def errors_do_not_end_it(tf):
    numbers = tf.data.Dataset.range(-2, 3)
    divided = numbers.map(lambda x: 12 // x)
    return {
        "one element": elements(tf, divided),
        "a batch": elements(tf, divided.batch(2)),
        "before repeat": elements(tf, divided.take(4).repeat(2)),
        "a check": elements(
            tf, numbers.map(lambda x: tf.check_numerics(1.0 / tf.cast(x, tf.float32), "infinite"))
        ),
        "what it says": says(
            "infinite : Tensor had Inf values",
            elements_or_error,
            tf,
            numbers.map(lambda x: tf.check_numerics(1.0 / tf.cast(x, tf.float32), "infinite")),
        ),
        "in a filter": elements(tf, numbers.filter(lambda x: 12 // x > 0)),
        "in flat_map": elements(tf, numbers.flat_map(lambda x: tf.data.Dataset.range(2 // x))),
        "inside flat_map": elements(
            tf, numbers.flat_map(lambda x: tf.data.Dataset.from_tensors(x).map(lambda y: 6 // y))
        ),
        "zipped": elements(tf, tf.data.Dataset.zip((divided, numbers))),
        "shuffled": elements(tf, divided.shuffle(2, seed=1)),
    }


@question
def other_graphs(tf):
    with tf.Graph().as_default():
        foreign = tf.data.Dataset.range(3)
    numbers = tf.data.Dataset.range(3)
    other = "must be from the same graph as"
    different = "is different from the graph"
    iterator = tf.data.Iterator.from_structure(tf.int64, [])
    return {
        "one-shot": says(different, foreign.make_one_shot_iterator),
        "initializable": says(different, foreign.make_initializable_iterator),
        "reinitializable": says(other, iterator.make_initializer, foreign),
        "batch": says(other, foreign.batch, 2),
        "zip": says(other, tf.data.Dataset.zip, (foreign, numbers)),
        "concatenate": says(other, numbers.concatenate, foreign),
        "a function": says(other, numbers.flat_map, lambda x: foreign),
    }


@question
def sparse(tf):
    one = tf.SparseTensor([[0, 1], [1, 2]], [5.0, 6.0], [2, 3])
    rows = tf.data.Dataset.from_tensor_slices(one)
    value = tf.SparseTensorValue(np.array([[1]], np.int64), np.array([7]), np.array([2], np.int64))
    return {
        "element": elements(tf, tf.data.Dataset.from_tensors(one)),
        "a value": elements(tf, tf.data.Dataset.from_tensors((value, 1))),
        "rows": elements(tf, rows),
        "batches": elements(tf, rows.repeat(2).batch(3)),
        "types": [rows.output_types, rows.output_shapes, rows.output_classes.__name__],
        "of batches": [rows.batch(3).output_shapes, repr(rows.batch(3).element_spec)],
        "made dense": elements(tf, rows.map(tf.sparse_tensor_to_dense)),
        "and back": elements(
            tf, tf.data.Dataset.range(2).map(lambda x: tf.SparseTensor([[x]], [x], [4]))
        ),
        "another class": says(
            "Expected output classes",
            tf.data.Iterator.from_structure(tf.float32).make_initializer,
            rows,
        ),
    }


@question
def accumulating(tf):
    numbers = tf.data.Dataset.range(6)
    zero = tf.constant(0, tf.int64)
    with tf.Session() as sess:
        return {
            "reduced": sess.run(numbers.reduce(zero, lambda state, x: state + x)),
            "again": [sess.run(numbers.skip(2).reduce(zero, lambda state, x: state + x))] * 2,
            "counted": sess.run(numbers.reduce(0, lambda count, _: count + 1)),
            "another type": says(
                "must match the initial state", numbers.reduce, 0, lambda state, x: x
            ),
            "its shape": numbers.reduce([zero], lambda state, x: tf.concat([state, [x]], 0)).shape,
            "cardinality": sess.run(numbers.batch(4).cardinality()),
            "single": sess.run(numbers.batch(9).get_single_element()),
            "none": says("Dataset was empty.", sess.run, numbers.skip(9).get_single_element()),
            "two": says(
                "Dataset had more than one element.", sess.run, numbers.take(2).get_single_element()
            ),
        }


@question
def several_in_a_step(tf):
    iterator = tf.data.Dataset.range(10).make_one_shot_iterator()
    element = iterator.get_next()
    doubled = element * 2
    with tf.Session() as sess:
        answers = {
            "element and what depends on it": sess.run([element, doubled]),
            "twice the same": sess.run([element, element]),
            "two of them": sorted(sess.run([iterator.get_next(), iterator.get_next()])),
            "not fetched, not taken": [sess.run(tf.constant(1)), sess.run(element)],
            "only its operation": [sess.run(element.op), sess.run(element)],
            "fed": [sess.run(doubled, {element: 50}), sess.run(element)],
        }
    return answers


@question
def several_threads(tf):
    element = tf.data.Dataset.range(200).make_one_shot_iterator().get_next()
    found, lock = [], threading.Lock()
    with tf.Session() as sess:

        def take():
            while True:
                try:
                    value = int(sess.run(element))
                except tf.errors.OutOfRangeError:
                    return
                with lock:
                    found.append(value)

        threads = [threading.Thread(target=take) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return {"each element once": sorted(found) == list(range(200))}


@question
def training(tf):
    rows = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 3.0], [0.0, 1.0]], np.float32)
    dataset = tf.data.Dataset.from_tensor_slices((rows, rows.sum(1))).repeat(3).batch(2)
    iterator = dataset.make_initializable_iterator()
    x, y = iterator.get_next()
    w = tf.Variable([[0.5], [0.0]])
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)[:, 0] - y))
    step = tf.train.GradientDescentOptimizer(0.125).minimize(loss)
    losses = []
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), iterator.initializer])
        while True:
            try:
                losses.append(sess.run([loss, step])[0])
            except tf.errors.OutOfRangeError:
                break
        return {"steps": len(losses), "goes down": bool(losses[-1] < losses[0]), "first": losses[0]}
