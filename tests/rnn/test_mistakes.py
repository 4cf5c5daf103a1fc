"""What errors of recurrent networks say, beyond TensorFlow's words (tests/conformance)."""

import pytest

import tinytf as tf

cells = tf.nn.rnn_cell
ADVICE = {}


def advised(words):
    """Register a mistake, and what its error is to say."""

    def register(function):
        ADVICE[function.__name__] = function, words
        return function

    return register


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def network(cell, x=(2, 3, 4), **how):
    return tf.nn.dynamic_rnn(cell, tf.ones(x), **{"dtype": tf.float32, **how})


@advised('scope="decoder" of tf.nn.dynamic_rnn')
def two_networks_in_one_scope():
    network(cells.GRUCell(2))
    network(cells.GRUCell(2))


@advised("in this structure, each after the batch's; it is tensor (2, 2).")
def one_tensor_for_two():
    network(cells.LSTMCell(2), initial_state=tf.ones([2, 2]))


@advised("to be of sizes LSTMStateTuple(c=2, h=2), in this")
def a_list_for_a_tuple():
    network(cells.LSTMCell(2), initial_state=[tf.ones([2, 2])] * 2)


@advised("it is (tensor (2, 3), tensor (2, 3)).")
def a_state_of_another_size():
    network(cells.LSTMCell(2), initial_state=(tf.ones([2, 3]),) * 2)


@advised("Make a cell for each layer")
def one_cell_twice():
    network(cells.MultiRNNCell([cells.LSTMCell(2)] * 2))


@advised("is a class: call it")
def a_class():
    network(cells.GRUCell)


@advised("there is tf.nn.static_rnn")
def one_step():
    network(cells.GRUCell(2), (2, 3))


@advised("tf.unstack(inputs, axis=1)")
def a_tensor_for_a_list():
    tf.nn.static_rnn(cells.GRUCell(2), tf.ones([2, 3, 4]))


@advised("tf.nn.dynamic_rnn")
def unknown_steps():
    tf.unstack(tf.placeholder(tf.float32, [None, None, 4]), axis=1)


@advised("tf.shape(inputs)[0]")
def an_unknown_batch():
    cells.GRUCell(2).zero_state(None, tf.float32)


@advised("tf.nn.embedding_lookup(table, inputs)")
def integers():
    cells.GRUCell(2)(tf.ones([2, 3], tf.int32), tf.ones([2, 2]))


@advised("one length for each sequence")
def one_length():
    network(cells.GRUCell(2), sequence_length=3)


@pytest.mark.parametrize("name", ADVICE)
def test_advice(name):
    mistake, words = ADVICE[name]
    with pytest.raises((ValueError, TypeError)) as caught:
        mistake()
    assert str(caught.value).count(words) == 1


def test_a_state_that_fits_is_not_blamed():
    with pytest.raises(ValueError, match="rank at least 3") as caught:
        network(cells.LSTMCell(2), (2, 3))
    assert "is to be of sizes" not in str(caught.value)


def test_variables_of_wrappers_are_those_of_the_cell_inside():
    cell = cells.DropoutWrapper(cells.ResidualWrapper(cells.GRUCell(3)), 0.5)
    network(cell, (2, 5, 3))
    assert cell.trainable_weights == tf.trainable_variables()
    assert repr(cell.wrapped_cell.cell) == "<tf.nn.rnn_cell.GRUCell 'gru_cell_1'>"
