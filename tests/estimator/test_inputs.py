"""Input functions of arrays: what comes out, in which order, and how often."""

import numpy as np
import pytest

import tinytf as tf

inputs = tf.estimator.inputs
A = np.arange(5)


def run(input_fn, at_most=20):
    """The batches of an input function, as lists."""
    found = []
    with tf.Graph().as_default():
        fetches = input_fn()
        with tf.train.MonitoredSession() as sess:
            while len(found) < at_most:
                found.append(sess.run(fetches))
    return found


def test_rows_in_order():
    input_fn = inputs.numpy_input_fn({"b": A * 10, "a": A}, A * 2.0, batch_size=2, shuffle=False)
    found = run(input_fn)
    assert [features["a"].tolist() for features, _ in found] == [[0, 1], [2, 3], [4]]
    assert [features["b"].tolist() for features, _ in found] == [[0, 10], [20, 30], [40]]
    assert [labels.tolist() for _, labels in found] == [[0, 2], [4, 6], [8]]


def test_batches_go_on_over_epochs():
    found = run(inputs.numpy_input_fn(A, batch_size=3, num_epochs=2, shuffle=False))
    assert [batch.tolist() for batch in found] == [[0, 1, 2], [3, 4, 0], [1, 2, 3], [4]]
    found = run(inputs.numpy_input_fn(A, batch_size=4, num_epochs=None, shuffle=False), at_most=3)
    assert [batch.tolist() for batch in found] == [[0, 1, 2, 3], [4, 0, 1, 2], [3, 4, 0, 1]]


def test_shuffled_rows_are_all_there():
    found = run(inputs.numpy_input_fn(A, batch_size=2, num_epochs=3, shuffle=True))
    assert sorted(np.concatenate(found)) == sorted([*A] * 3)


def test_labels_in_a_dict():
    [(features, labels)] = run(inputs.numpy_input_fn(A, {"y": A, "z": -A}, shuffle=False))
    assert features.tolist() == labels["y"].tolist() == A.tolist()
    assert labels["z"].tolist() == (-A).tolist()


def test_names_are_tensorflows():
    with tf.Graph().as_default() as graph:
        inputs.numpy_input_fn(A, A, shuffle=True)()
        names = [op.name for op in graph.get_operations()]
    assert "enqueue_input/random_shuffle_queue_EnqueueMany" in names
    full = "fraction_over_250_of_750_full"
    assert f"enqueue_input/queue/enqueue_input/random_shuffle_queue{full}" in names
    assert "random_shuffle_queue_DequeueUpTo" in names


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([1, 2], None, "x must be a dict or array; got list"),
        ({}, None, "x cannot be an empty dict"),
        (np.zeros(0), None, "x cannot be an empty array"),
        (A, {}, "y cannot be empty dict, use None instead."),
        ({"a": A}, {"a": A}, "1 duplicate keys are found in both x and y: {'a'}"),
        ({"a": A}, A[1:], "Length of tensors in x and y is mismatched."),
        ({"a": A}, [1, 2, 3, 4, 5], "y must be a numpy array, got [1, 2, 3, 4, 5]."),
    ],
)
def test_what_is_no_data(x, y, message):
    with pytest.raises((ValueError, TypeError)) as error:
        inputs.numpy_input_fn(x, y, shuffle=False)()
    assert str(error.value).startswith(message)


def test_shuffle_must_be_said():
    with pytest.raises(ValueError, match=r"^shuffle must be provided and explicitly set"):
        inputs.numpy_input_fn(A)


class Frame:
    """As much of a pandas.DataFrame, or Series, as an input function looks at."""

    def __init__(self, columns, index):
        self.columns, self.index = list(columns), np.array(index)
        self._columns = {name: np.array(values) for name, values in columns.items()}
        self.ndim = 2

    def __len__(self):
        return len(self.index)

    def __contains__(self, name):
        return name in self._columns

    def __getitem__(self, name):
        return Series(self._columns[name], self.index)


class Series:
    """Likewise of a series."""

    ndim = 1

    def __init__(self, values, index):
        self.values, self.index = np.asarray(values), np.array(index)


class TestFrames:
    frame = Frame({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "z"]}, [7, 8, 9])

    def test_columns_and_labels(self):
        labels = Series([0, 1, 0], [7, 8, 9])
        [(features, found)] = run(inputs.pandas_input_fn(self.frame, labels, shuffle=False))
        assert features["a"].tolist() == [1.0, 2.0, 3.0]
        assert features["b"].tolist() == [b"x", b"y", b"z"]
        assert found.tolist() == [0, 1, 0]

    def test_several_labels(self):
        labels = Frame({"a": [4, 5, 6], "c": [1, 1, 1]}, [7, 8, 9])
        [(features, found)] = run(inputs.pandas_input_fn(self.frame, labels, shuffle=False))
        assert sorted(features) == ["a", "b"]
        assert [found["a"].tolist(), found["c"].tolist()] == [[4, 5, 6], [1, 1, 1]]

    def test_mistakes(self):
        with pytest.raises(ValueError, match=r"^Index for x and y are mismatched\."):
            inputs.pandas_input_fn(self.frame, Series([1, 2, 3], [0, 1, 2]), shuffle=False)
        with pytest.raises(ValueError, match=r"^Cannot use name a for target column: DataFrame"):
            inputs.pandas_input_fn(self.frame, self.frame, shuffle=False, target_column="a")
        with pytest.raises(TypeError, match=r"^target_column must be a string type"):
            inputs.pandas_input_fn(self.frame, shuffle=False, target_column=["a"])
