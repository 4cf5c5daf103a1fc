"""Pipelines as users build them: against lists, with names of stages in errors, and their speed."""

import collections
from itertools import chain

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

import tinytf as tf
from tinytf.data import structure

Dataset = tf.data.Dataset


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def elements(dataset, most=100):
    """The elements of a dataset, as lists and numbers."""
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    found = []
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        while len(found) < most:
            try:
                found.append(plain(sess.run(element)))
            except tf.errors.OutOfRangeError:
                break
    return found


def plain(value):
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    return value.tolist() if hasattr(value, "tolist") else value


# Against a model ----------------------------------------------------------------------------------

Step = collections.namedtuple("Step", ["name", "arguments"])


def steps():
    small = st.integers(0, 4)
    return st.one_of(
        st.builds(Step, st.just("take"), st.tuples(small)),
        st.builds(Step, st.just("skip"), st.tuples(small)),
        st.builds(Step, st.just("repeat"), st.tuples(small)),
        st.builds(Step, st.just("shard"), st.tuples(st.integers(1, 3))),
        st.builds(Step, st.just("batch"), st.tuples(st.integers(1, 3), st.booleans())),
        st.builds(Step, st.just("map"), st.tuples()),
        st.builds(Step, st.just("filter"), st.tuples(st.integers(2, 3))),
        st.builds(Step, st.just("concatenate"), st.tuples()),
        st.builds(Step, st.just("flat_map"), st.tuples(st.integers(0, 2))),
        st.builds(Step, st.just("interleave"), st.tuples(st.integers(1, 3), st.integers(1, 2))),
        st.builds(Step, st.just("shuffle"), st.tuples(st.integers(1, 5))),
    )


def built(dataset, step):
    """The dataset after one more step. Its elements stay vectors, so that all steps fit."""
    name, arguments = step
    if name == "shard":
        return dataset.shard(arguments[0], arguments[0] - 1)
    if name == "batch":
        flat = dataset.batch(*arguments)
        return flat.map(lambda rows: tf.reshape(rows, [-1]))
    if name == "map":
        return dataset.map(lambda row: row * 2 + 1)
    if name == "filter":
        return dataset.filter(lambda row: tf.not_equal(tf.reduce_sum(row) % arguments[0], 0))
    if name == "concatenate":
        return dataset.concatenate(dataset)
    if name == "flat_map":
        return dataset.flat_map(lambda row: Dataset.from_tensors(row).repeat(arguments[0]))
    if name == "interleave":
        return dataset.interleave(lambda row: Dataset.from_tensors(row).repeat(2), *arguments)
    if name == "shuffle":
        return dataset.shuffle(arguments[0], seed=1, reshuffle_each_iteration=False)
    return getattr(dataset, name)(*arguments)


def modelled(rows, step):
    """The same of a list; None where the model does not know."""
    name, arguments = step
    if name == "take":
        return rows[: arguments[0]]
    if name == "skip":
        return rows[arguments[0] :]
    if name == "repeat":
        return rows * arguments[0]
    if name == "shard":
        return rows[arguments[0] - 1 :: arguments[0]]
    if name == "batch":
        size, whole = arguments
        parts = [rows[i : i + size] for i in range(0, len(rows), size)]
        if any(len({len(row) for row in part}) > 1 for part in parts):
            return None
        return [list(chain.from_iterable(part)) for part in parts if len(part) == size or not whole]
    if name == "map":
        return [[2 * x + 1 for x in row] for row in rows]
    if name == "filter":
        return [row for row in rows if sum(row) % arguments[0]]
    if name == "concatenate":
        return rows + rows
    if name == "flat_map":
        return [row for row in rows for _ in range(arguments[0])]
    if name == "interleave":
        return interleaved([[row, row] for row in rows], *arguments)
    return None


def interleaved(sources, cycle, block):
    """Some sources at once: each gives a block in its turn, and leaves its place at its end."""
    waiting, places, found, place = list(sources), [None] * cycle, [], 0
    while waiting or any(p is not None for p in places):
        if places[place] is None and waiting:
            places[place] = list(waiting.pop(0))
        if places[place] is None:
            place = (place + 1) % cycle
            continue
        given = 0
        while given < block and places[place]:
            found.append(places[place].pop(0))
            given += 1
        if given < block:
            places[place] = None
        place = (place + 1) % cycle
    return found


@hypothesis.given(st.integers(0, 5), st.lists(steps(), max_size=4))
@hypothesis.settings(max_examples=25)
def test_random_pipelines_give_what_lists_give(size, chosen):
    with tf.Graph().as_default():
        dataset = Dataset.range(size).map(lambda x: tf.stack([x, -x]))
        rows = [[x, -x] for x in range(size)]
        for step in chosen:
            longer = modelled(rows, step)
            if longer is None and step.name != "shuffle":
                hypothesis.reject()
            dataset = built(dataset, step)
            if step.name == "shuffle":
                found = elements(dataset)
                assert sorted(found) == sorted(rows)
                longer = found
            rows = longer
        hypothesis.assume(len(rows) < 100)
        assert elements(dataset) == rows


# Errors name the stage ----------------------------------------------------------------------------


def failure(dataset, runs=10):
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        for _ in range(runs):
            try:
                sess.run(element)
            except tf.errors.OpError as error:
                return error
    raise AssertionError("nothing failed")


def test_an_error_names_the_stage_the_element_and_both_lines():
    numbers = Dataset.range(-2, 5).shuffle(1)
    divided = numbers.map(lambda x: 12 // x)  # the function
    error = failure(divided.batch(2).repeat(2))
    text = error.message
    assert isinstance(error, tf.errors.InvalidArgumentError)
    assert text.startswith("Integer division by zero")
    assert "stage MapDataset (MapDataset), at element 3 of its input" in text
    assert "floordiv (FloorDiv) was built at" in text
    assert text.count("divided = numbers.map(lambda x: 12 // x)  # the function") == 2
    assert error.op.name == "IteratorGetNext"
    assert text.count("In the pipeline's stage") == 1


def test_an_error_in_a_dataset_of_flat_map_names_the_inner_stage():
    def inner(x):
        return Dataset.range(3).map(lambda y: 6 // (y - x), name="inner")

    text = failure(Dataset.range(1, 4).flat_map(inner)).message
    assert "stage MapDataset (MapDataset), at element 2 of its input" in text
    assert "FlatMapDataset" not in text.partition("IteratorGetNext")[0]


def test_a_batch_of_several_shapes_names_both_and_what_to_do():
    text = failure(Dataset.range(1, 5).map(tf.range).batch(2)).message
    assert "element 0 of the batch has shape [1], element 1 has shape [2]" in text
    assert "padded_batch" in text
    assert "stage BatchDatasetV2 (BatchDatasetV2)" in text


def test_an_exception_in_a_python_function_is_the_cause():
    def failing(x):
        return {}[int(x)]

    mapped = Dataset.range(3).map(lambda x: tf.py_func(failing, [x], tf.int64))
    error = failure(mapped)
    assert isinstance(error, tf.errors.UnknownError)
    assert "KeyError: 0" in error.message
    assert "return {}[int(x)]" in error.message
    assert "at element 1 of its input" in error.message


@pytest.mark.parametrize("threads", [None, 2])
def test_effects_of_a_branch_that_is_not_taken_keep_no_result_from_coming(threads):
    called = []

    def note(x):
        called.append(int(x))
        return x

    def odd_ones_are_noted(x):
        return tf.cond(tf.equal(x % 2, 1), lambda: -tf.py_func(note, [x], tf.int64), lambda: x)

    assert elements(Dataset.range(4).map(odd_ones_are_noted, threads)) == [0, -1, 2, -3]
    assert sorted(called) == [1, 3]


def test_after_an_error_the_next_element_comes():
    iterator = Dataset.range(-1, 2).map(lambda x: 6 // x).make_one_shot_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        assert sess.run(element) == -6
        with pytest.raises(tf.errors.InvalidArgumentError):
            sess.run(element)
        assert sess.run(element) == 6


# What only we promise -----------------------------------------------------------------------------


def test_if_on_a_tensor_says_what_to_use():
    with pytest.raises(TypeError, match=r"tf\.cond"):
        Dataset.range(3).map(lambda x: 1 if x > 0 else 2)


def test_existing_variables_can_be_got_in_functions():
    with tf.variable_scope("outer"):
        v = tf.get_variable("v", [], tf.int64, tf.ones_initializer(), use_resource=True)

        def add(x):
            with tf.variable_scope(tf.get_variable_scope(), reuse=True):
                return x + tf.get_variable("v", [], tf.int64)

        iterator = Dataset.range(2).map(add).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run([v.initializer, iterator.initializer])
        assert [sess.run(element), sess.run(element)] == [1, 2]


def test_functions_are_in_the_graph_and_calls_of_python_are_not_repeated():
    calls = []

    def note(x):
        calls.append(x.dtype)
        return x + 1

    dataset = Dataset.range(5).map(note).repeat(3)
    assert len(elements(dataset)) == 15
    assert calls == [tf.int64]
    names = list(tf.get_default_graph()._functions)
    assert [name.startswith("__inference_Dataset_map_note_") for name in names] == [True]


def test_a_graph_travels():
    factor = tf.constant(3, tf.int64, name="factor")
    squares = Dataset.range(5).map(lambda x: x * x * factor)
    odd = squares.filter(lambda x: tf.equal(x % 2, 1))
    element = odd.flat_map(lambda x: Dataset.range(x, x + 2)).make_one_shot_iterator().get_next()
    text = tf.get_default_graph().as_graph_def().SerializeToString()
    expected = [3, 4, 27, 28]
    with tf.Session() as sess:
        assert [sess.run(element) for _ in expected] == expected
    with tf.Graph().as_default():
        (again,) = tf.import_graph_def(tf.GraphDef.FromString(text), return_elements=[element.name])
        with tf.Session() as sess:
            assert [sess.run(again) for _ in expected] == expected


def test_large_elements_are_not_copied_on_their_way():
    rows = np.arange(12.0).reshape(3, 4)
    fed = tf.placeholder(tf.float64, [3, 4])
    iterator = Dataset.from_tensor_slices(fed).take(2).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(iterator.initializer, {fed: rows})
        value = sess.run(element)
        assert value.tolist() == [0, 1, 2, 3]
        value[:] = 7  # what a step returns is the caller's
        assert sess.run(element).tolist() == [4, 5, 6, 7]
        sess.run(iterator.initializer, {fed: rows})
        assert sess.run(element).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: Dataset.range(7), 7),
        (lambda: Dataset.range(7, 1, -2), 3),
        (lambda: Dataset.from_tensors(1), 1),
        (lambda: Dataset.range(7).take(3), 3),
        (lambda: Dataset.range(7).take(-1), 7),
        (lambda: Dataset.range(7).skip(3), 4),
        (lambda: Dataset.range(7).skip(30), 0),
        (lambda: Dataset.range(7).repeat(3), 21),
        (lambda: Dataset.range(7).repeat(), -1),
        (lambda: Dataset.range(0).repeat(), 0),
        (lambda: Dataset.range(7).repeat().take(4), 4),
        (lambda: Dataset.range(7).shard(3, 1), 2),
        (lambda: Dataset.range(7).shard(3, 0), 3),
        (lambda: Dataset.range(7).batch(2), 4),
        (lambda: Dataset.range(7).batch(2, True), 3),
        (lambda: Dataset.range(7).shuffle(3), 7),
        (lambda: Dataset.zip((Dataset.range(7), Dataset.range(3))), 3),
        (lambda: Dataset.zip((Dataset.range(7).repeat(), Dataset.range(3))), 3),
        (lambda: Dataset.range(7).concatenate(Dataset.range(3)), 10),
        (lambda: Dataset.range(7).filter(lambda x: x > 1), -2),
        (lambda: Dataset.range(7).map(lambda x: x), -2),
        (lambda: Dataset.range(7).filter(lambda x: x > 1).take(0), -2),
    ],
)
def test_cardinality(make, expected):
    """What the dataset behind the tensor says (TensorFlow's numbers: cases of its op)."""
    iterator = make().make_initializable_iterator()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        (resource,) = (
            r for *_, kind, _, r in sess._backend.resources.items() if kind == "Iterator"
        )
        assert resource.dataset.cardinality() == expected


def test_structures():
    pair = collections.namedtuple("Pair", ["a", "b"])
    nested = {"z": 1, "a": (2, pair(3, [4, 5]))}
    assert structure.flatten(nested) == [2, 3, [4, 5], 1]
    packed = structure.pack(nested, "wxyz")
    assert packed == {"z": "z", "a": ("w", pair("x", "y"))}
    assert list(packed) == ["z", "a"]
    assert type(packed["a"][1]) is pair


MISTAKES = {
    "one argument for a pair": (
        lambda: Dataset.from_tensor_slices(([1], [2])).map(lambda pair: pair),
        ["takes 1 positional argument but 2 were given", "Dataset.map()", "lambda a, b: ..."],
    ),
    "two arguments for a dictionary": (
        lambda: Dataset.from_tensor_slices({"a": [1], "b": [2]}).filter(lambda a, b: a > b),
        ["missing 1 required positional argument", "Dataset.filter()", "one dictionary"],
    ),
    "a TypeError of its own": (
        lambda: Dataset.range(2).map(lambda x: open(x)),
        ["expected str, bytes or os.PathLike object"],
    ),
    "windows in batches": (
        lambda: Dataset.range(2).map(lambda x: Dataset.range(x)).batch(2),
        ["Datasets inside of elements cannot be put into batches", "flat_map"],
    ),
    "running a dataset": (
        lambda: tf.Session().run(Dataset.range(2)),
        ["has invalid type", "This is a dataset", "make_one_shot_iterator().get_next()"],
    ),
    "running an iterator": (
        lambda: tf.Session().run(Dataset.range(2).make_one_shot_iterator()),
        ["has invalid type", "This is an iterator", "iterator.get_next()"],
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_told_with_what_to_do(name):
    mistake, words = MISTAKES[name]
    with pytest.raises(TypeError) as caught:
        mistake()
    assert [word for word in words if word not in str(caught.value)] == []
    is_own = name == "a TypeError of its own"
    assert not (is_own and "The function of" in str(caught.value))


def test_the_shapes_of_padded_batch_have_the_form_of_the_elements():
    pairs = Dataset.from_tensor_slices(([1, 2], [3, 4]))
    with pytest.raises(ValueError, match=r"padded_shapes=\[None\] must have the form of the elem"):
        pairs.padded_batch(2, [None])
