"""Recurrent cells and networks; graphs, values and gradients as TensorFlow's, name by name."""

import numpy as np

from tests.conformance.registry import Program, case

BATCH, STEPS, DEPTH, UNITS = 3, 4, 2, 3
X = np.sin(np.arange(BATCH * STEPS * DEPTH, dtype=np.float32)).reshape(BATCH, STEPS, DEPTH)
LENGTHS = [2, 4, 1]


def waves(tf):
    """Different values in all places, the same in both libraries."""

    def initializer(shape, dtype=None, partition_info=None):
        count = int(np.prod(shape))
        return tf.constant(np.cos(np.arange(count)).reshape(shape), dtype)

    return initializer


def program(tf, *fetches, gradients_of=None, **how):
    """Run once the variables are initialised, each by itself: which adds nothing to the graph."""
    if gradients_of is not None:
        ys = gradients_of if isinstance(gradients_of, list) else [gradients_of]
        fetches = [*fetches, tf.gradients(ys, tf.trainable_variables())]
    return Program(fetches, setup=[v.initializer for v in tf.global_variables()], **how)


def inputs(tf):
    return tf.placeholder(tf.float32, [None, None, DEPTH])


CELLS = {
    "basic": lambda cells: cells.BasicRNNCell(UNITS),
    "relu": lambda cells: cells.BasicRNNCell(UNITS, activation="relu"),
    "gru": lambda cells: cells.GRUCell(UNITS, bias_initializer="ones"),
    "basic_lstm": lambda cells: cells.BasicLSTMCell(UNITS, forget_bias=0.5),
    "joined": lambda cells: cells.BasicLSTMCell(UNITS, state_is_tuple=False, name="named"),
    "lstm": lambda cells: cells.LSTMCell(UNITS),
    "peepholes": lambda cells: cells.LSTMCell(
        UNITS, use_peepholes=True, cell_clip=0.4, num_proj=2, proj_clip=0.3
    ),
    "joined_projected": lambda cells: cells.LSTMCell(UNITS, num_proj=2, state_is_tuple=False),
    "stack": lambda cells: cells.MultiRNNCell([cells.GRUCell(4), cells.LSTMCell(2)]),
    "joined_stack": lambda cells: cells.MultiRNNCell(
        [cells.GRUCell(4), cells.BasicRNNCell(2)], state_is_tuple=False
    ),
    "residual": lambda cells: cells.ResidualWrapper(cells.GRUCell(DEPTH)),
    "device": lambda cells: cells.DeviceWrapper(cells.GRUCell(UNITS), "/cpu:0"),
}


@case("MatMul", "VariableV2", each=CELLS)
def cells_by_themselves(tf, kind):
    cell = CELLS[kind](tf.nn.rnn_cell)
    x = tf.constant(X[:, 0])
    with tf.variable_scope("outer", initializer=waves(tf)):
        state = cell.zero_state(BATCH, tf.float32)
        first = cell(x, state)
        second = cell(2 * x, first[1])
    if kind not in ("residual", "device"):  # of which TensorFlow 2.15 does not say it
        assert [v.name for v in cell.variables] == [v.name for v in tf.global_variables()]
    return program(tf, first, second, gradients_of=second[0])


@case("TensorArrayReadV3", "LoopCond", "StackPushV2", each=CELLS)
def dynamic_networks(tf, kind):
    x = inputs(tf)
    with tf.variable_scope("outer", initializer=waves(tf)):
        outputs, state = tf.nn.dynamic_rnn(CELLS[kind](tf.nn.rnn_cell), x, dtype=tf.float32)
    return program(tf, outputs, state, gradients_of=outputs, feed={x: X})


@case("Assert", "Select", each=["basic_lstm", "stack"])
def dynamic_networks_of_lengths(tf, kind):
    x, lengths = inputs(tf), tf.placeholder(tf.int64, [None])
    with tf.variable_scope("outer", initializer=waves(tf)):
        outputs, state = tf.nn.dynamic_rnn(
            CELLS[kind](tf.nn.rnn_cell), x, lengths, dtype=tf.float32, scope="net"
        )
    feed = {x: X, lengths: LENGTHS}
    return program(tf, outputs, state, gradients_of=outputs, feed=feed)


@case("TensorArrayGatherV3")
def dynamic_networks_that_are_time_major(tf):
    x = tf.constant(X)
    cell = tf.nn.rnn_cell.GRUCell(UNITS)
    before = tf.constant(np.full([STEPS, UNITS], 0.5), tf.float32)
    with tf.variable_scope("outer", initializer=waves(tf)):
        outputs, state = tf.nn.dynamic_rnn(
            cell, x, LENGTHS[:1] * STEPS, before, time_major=True, parallel_iterations=2
        )
    return program(tf, outputs, state, gradients_of=[outputs, state])


@case("ReverseSequence", "ReverseV2", each=[None, LENGTHS])
def networks_of_both_directions(tf, lengths):
    x = inputs(tf)
    cells = [tf.nn.rnn_cell.GRUCell(UNITS), tf.nn.rnn_cell.BasicLSTMCell(2)]
    with tf.variable_scope("outer", initializer=waves(tf)):
        outputs, state = tf.nn.bidirectional_dynamic_rnn(*cells, x, lengths, dtype=tf.float32)
    return program(tf, outputs, state, gradients_of=list(outputs), feed={x: X})
