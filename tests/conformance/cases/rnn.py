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


@case("MatMul", each=["basic_lstm", "stack", "basic"])
def static_networks(tf, kind):
    x = tf.unstack(tf.constant(X), axis=1)
    with tf.variable_scope("outer", initializer=waves(tf)):
        outputs, state = tf.nn.static_rnn(CELLS[kind](tf.nn.rnn_cell), x, dtype=tf.float32)
    return program(tf, outputs, state, gradients_of=outputs)


@case("Switch", "Merge", "Select", each=["basic_lstm", "stack"])
def static_networks_of_lengths(tf, kind):
    x = [tf.placeholder(tf.float32, [None, DEPTH]) for _ in range(STEPS)]
    with tf.variable_scope("outer", initializer=waves(tf)):
        outputs, state = tf.nn.static_rnn(
            CELLS[kind](tf.nn.rnn_cell), x, dtype=tf.float32, sequence_length=[3, 1, 2]
        )
    feed = {x[step]: X[:, step] for step in range(STEPS)}
    return program(tf, outputs, state, gradients_of=outputs, feed=feed)


@case("ConcatV2", each=[None, LENGTHS])
def static_networks_of_both_directions(tf, lengths):
    x = tf.unstack(tf.constant(X), axis=1)
    cells = [tf.nn.rnn_cell.GRUCell(UNITS), tf.nn.rnn_cell.BasicLSTMCell(2)]
    with tf.variable_scope("outer", initializer=waves(tf)):
        outputs, forward, backward = tf.nn.static_bidirectional_rnn(
            *cells, x, dtype=tf.float32, sequence_length=lengths
        )
    return program(tf, outputs, forward, backward)


class Saver:
    """Keeps states in variables."""

    def __init__(self, tf, names):
        self.kept = {name: tf.Variable(np.full([BATCH, UNITS], 0.1), name=name) for name in names}
        self.tf = tf

    def state(self, name):
        return self.tf.cast(self.kept[name], self.tf.float32)

    def save_state(self, name, value):
        return self.kept[name].assign(self.tf.cast(value, self.tf.float64))


@case("Assign", each=["basic", "basic_lstm"])
def networks_that_save_their_state(tf, kind):
    names = "one" if kind == "basic" else ("c", "h")
    x, saver = tf.unstack(tf.constant(X), axis=1), Saver(tf, list(names))
    names = "o" if kind == "basic" else names
    with tf.variable_scope("outer", initializer=waves(tf)):
        outputs, state = tf.nn.static_state_saving_rnn(CELLS[kind](tf.nn.rnn_cell), x, saver, names)
    return program(tf, outputs, state, runs=2)


@case("TensorArrayWriteV3", "LogicalOr", each=[False, True])
def raw_networks(tf, emits):
    cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.LSTMCell(UNITS), tf.nn.rnn_cell.GRUCell(2)])
    x = tf.TensorArray(tf.float32, STEPS).unstack(np.swapaxes(X, 0, 1))

    def loop_fn(time, output, state, loop_state):
        emit, total = output, None
        if output is None:
            state = cell.zero_state(BATCH, tf.float32)
        if emits:
            emit = (tf.zeros([1]), tf.zeros([], tf.int32))
            total = time if loop_state is None else loop_state + time
            if output is not None:
                emit = (tf.reduce_sum(output, 1, keepdims=True), tf.fill([BATCH], time))
        finished = time >= LENGTHS
        following = tf.cond(
            tf.reduce_all(finished), lambda: tf.zeros([BATCH, DEPTH]), lambda: x.read(time)
        )
        following.set_shape([BATCH, DEPTH])
        return finished, following, state, emit, total

    with tf.variable_scope("outer", initializer=waves(tf)):
        outputs, state, last = tf.nn.raw_rnn(cell, loop_fn)
    stacked = [array.stack() for array in outputs] if emits else outputs.stack()
    return program(tf, stacked, state, *([last] if emits else []))


@case("RandomUniform", random=True, each=["plain", "variational", "visited"])
def networks_with_dropout(tf, kind):
    """Random numbers of TensorFlow's seeds; what is drawn is compared by the operations' seeds."""
    more = {}
    if kind == "variational":
        more = {"variational_recurrent": True, "input_size": DEPTH, "dtype": tf.float32}
    if kind == "visited":
        more["dropout_state_filter_visitor"] = lambda part: not hasattr(part, "c")
    cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.LSTMCell(UNITS), tf.nn.rnn_cell.GRUCell(2)])
    keep = tf.placeholder_with_default(0.5, [])
    cell = tf.nn.rnn_cell.DropoutWrapper(cell, 0.5, keep, 0.75, seed=7, **more)
    outputs, state = tf.nn.dynamic_rnn(cell, tf.constant(X), dtype=tf.float32)
    return program(tf, outputs, state)


@case("Identity")
def dropout_that_keeps_everything(tf):
    cell = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(UNITS), 1.0, 1.0)
    with tf.variable_scope("outer", initializer=waves(tf)):
        outputs, _ = tf.nn.dynamic_rnn(cell, tf.constant(X), dtype=tf.float32)
    return program(tf, outputs)


@case("VarHandleOp", "ReadVariableOp", "MatMul")
def networks_of_resource_variables(tf):
    with tf.variable_scope("outer", initializer=waves(tf), use_resource=True):
        cell = tf.nn.rnn_cell.LSTMCell(UNITS)
        outputs, _ = tf.nn.dynamic_rnn(cell, tf.constant(X), dtype=tf.float32)
    return program(tf, outputs, gradients_of=outputs)


@case("MatMul", each=["float64", "float16"])
def networks_of_other_dtypes(tf, dtype):
    cell = tf.nn.rnn_cell.BasicLSTMCell(UNITS)
    with tf.variable_scope("outer", initializer=waves(tf)):
        outputs, _ = tf.nn.dynamic_rnn(cell, tf.constant(X, dtype), dtype=dtype)
    return program(tf, outputs)


@case("MatMul")
def networks_that_share_variables(tf):
    """By one object, by a scope that is used again, and one in a conditional."""
    cell, x = tf.nn.rnn_cell.GRUCell(UNITS), tf.constant(X)
    with tf.variable_scope("outer", initializer=waves(tf)):
        first, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
        again, _ = tf.nn.dynamic_rnn(cell, 2 * x, dtype=tf.float32)
    with tf.variable_scope("outer", reuse=True):
        other, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(UNITS), 3 * x, dtype=tf.float32)
    with tf.variable_scope("conditional", initializer=waves(tf), reuse=tf.AUTO_REUSE):

        def network():
            return tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(UNITS), x, dtype=tf.float32)[0]

        chosen = tf.cond(tf.placeholder_with_default(True, []), network, lambda: tf.zeros_like(x))
    return program(tf, first, again, other, chosen)


@case("MatMul", "VariableV2")
def cells_of_ones_own(tf):
    class Own(tf.nn.rnn_cell.RNNCell):
        state_size = output_size = UNITS

        def call(self, inputs, state):
            kernel = tf.get_variable("kernel", [DEPTH, UNITS], initializer=waves(tf))
            scale = tf.get_variable("scale", [], initializer=waves(tf), trainable=False)
            state = tf.matmul(inputs, kernel) + scale * state
            return state, state

    cell = Own()
    outputs, state = tf.nn.dynamic_rnn(cell, tf.constant(X), dtype=tf.float32)
    assert [len(cell.trainable_weights), len(cell.non_trainable_weights)] == [1, 1]
    assert [v.name for v in cell.variables] == ["rnn/own/kernel:0", "rnn/own/scale:0"]
    return program(tf, outputs, state)


def network(tf, cell="lstm", x=X, **how):
    return tf.nn.dynamic_rnn(CELLS[cell](tf.nn.rnn_cell), tf.constant(x), **how)


@case("MatMul", error="RNN cell only supports floating point inputs, but received dtype")
def networks_of_integers(tf):
    return network(tf, x=np.ones([2, 3, 4], np.int32), dtype=tf.float32)


@case("MatMul", error="If no initial_state is provided, argument `dtype` must be specified")
def networks_without_a_dtype(tf):
    return network(tf)


@case("Cast", error="must be a vector of length batch_size")
def lengths_that_are_no_vector(tf):
    return network(tf, sequence_length=[[1, 2, 3]], dtype=tf.float32)


@case("Assert", error="Expected shape for Tensor rnn/sequence_length:0 is ")
def lengths_of_another_batch(tf):
    lengths = tf.placeholder(tf.int32, [None])
    return program(tf, network(tf, sequence_length=lengths, dtype=tf.float32), feed={lengths: [1]})


@case("Placeholder", error="Input size (depth of inputs) must be accessible via shape inference")
def networks_of_unknown_depth(tf):
    x = tf.placeholder(tf.float32, [None, None, None])
    return tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(2), x, dtype=tf.float32)


@case("Const", error="is not an RNNCell", each=["class", "number"])
def what_is_no_cell(tf, kind):
    cell = 3 if kind == "number" else object
    return tf.nn.dynamic_rnn(cell, tf.constant(X), dtype=tf.float32)


@case("Const", error="Argument `inputs` must be a sequence")
def static_networks_of_a_tensor(tf):
    return tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(2), tf.constant(X), dtype=tf.float32)


@case("Const", error="Prefix or suffix can't be None")
def states_of_unknown_batches(tf):
    x = tf.placeholder(tf.float32, [None, 2])
    return tf.nn.rnn_cell.LSTMCell(2).zero_state(x.shape[0], tf.float32)


@case("MatMul", error="Dimensions must be equal, but are")
def one_cell_for_two_layers(tf):
    cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(UNITS)] * 2)
    return cell(tf.constant(X[:, 0]), cell.zero_state(BATCH, tf.float32))


@case("MatMul", error="", each=["one", "list", "sizes"])
def states_that_do_not_fit(tf, kind):
    zeros = tf.zeros([BATCH, UNITS])
    state = {"one": zeros, "list": [zeros, zeros], "sizes": (zeros, tf.zeros([BATCH, 9]))}[kind]
    return network(tf, initial_state=state)


@case("Const", error="Must specify at least one cell for MultiRNNCell.")
def no_cells(tf):
    return tf.nn.rnn_cell.MultiRNNCell([])


@case("Const", error="Parameter output_keep_prob must be between 0 and 1. Received 1.5")
def dropout_that_keeps_too_much(tf):
    return tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(2), output_keep_prob=1.5)
