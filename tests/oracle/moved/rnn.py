"""tf.contrib.rnn for a TensorFlow that has lost it: its kernels, what is left, or its formulas."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf


def rnn() -> dict[str, Any]:
    """The names of tf.contrib.rnn."""
    from keras.src.layers.rnn.legacy_cells import LayerRNNCell

    left = {name: getattr(tf.nn.rnn_cell, name) for name in dir(tf.nn.rnn_cell) if name[0] != "_"}
    of_nn = "static_rnn static_bidirectional_rnn static_state_saving_rnn"
    return {
        **left,
        **{name: getattr(tf.nn, name) for name in of_nn.split()},
        **_blocks(),
        **_AROUND_A_CELL,
        **_stacks(),
        "LayerNormBasicLSTMCell": _layer_norm_cell(),
        "LayerRNNCell": LayerRNNCell,
        "transpose_batch_time": lambda x: tf.transpose(x, [1, 0, *range(2, len(x.shape))]),
    }


def _blocks() -> dict[str, Any]:
    """Cells that are one operation."""

    class LSTMBlockCell(tf.nn.rnn_cell.LSTMCell):
        def __init__(
            self,
            num_units: int,
            forget_bias: float = 1.0,
            cell_clip: Any = None,
            use_peephole: bool = False,
            name: str = "lstm_cell",
        ):
            how = {"forget_bias": forget_bias, "name": name}
            super().__init__(num_units, use_peephole, cell_clip, **how)

        def call(self, inputs: Any, state: Any) -> Any:
            peeps = [tf.zeros([self._num_units])] * 3
            if self._use_peepholes:
                peeps = [self._w_i_diag, self._w_f_diag, self._w_o_diag]
            numbers = {"forget_bias": self._forget_bias, "cell_clip": self._cell_clip or -1.0}
            _, c, _, _, _, _, h = tf.raw_ops.LSTMBlockCell(
                x=inputs,
                cs_prev=state.c,
                h_prev=state.h,
                w=self._kernel,
                b=self._bias,
                use_peephole=self._use_peepholes,
                **dict(zip(("wci", "wcf", "wco"), peeps)),
                **numbers,
            )
            return h, tf.nn.rnn_cell.LSTMStateTuple(c, h)

    class GRUBlockCellV2(tf.nn.rnn_cell.GRUCell):
        names = ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")

        def __init__(self, num_units: Any = None, cell_size: Any = None, name: str = "gru_cell"):
            super().__init__(num_units or cell_size, name=name)

        def build(self, shape: Any) -> None:
            n, rows = self._num_units, int(shape[1]) + self._num_units
            shapes = [[rows, 2 * n], [2 * n], [rows, n], [n]]
            starts = [None, tf.ones_initializer(), None, tf.zeros_initializer()]
            self.all = [
                self.add_variable(*each, initializer=start)
                for *each, start in zip(self.names, shapes, starts)
            ]
            self.built = True

        def call(self, inputs: Any, state: Any) -> Any:
            w_ru, b_ru, w_c, b_c = self.all
            *_, h = tf.raw_ops.GRUBlockCell(
                x=inputs, h_prev=state, w_ru=w_ru, w_c=w_c, b_ru=b_ru, b_c=b_c
            )
            return h, h

    class GRUBlockCell(GRUBlockCellV2):
        names = ("w_ru", "b_ru", "w_c", "b_c")

    return {one.__name__: one for one in (LSTMBlockCell, GRUBlockCell, GRUBlockCellV2)}


def _layer_norm_cell() -> Any:
    class LayerNormBasicLSTMCell(tf.nn.rnn_cell.RNNCell):
        def __init__(self, num_units: int, **named: Any):
            super().__init__()
            self.n, self.how = num_units, named

        @property
        def state_size(self) -> Any:
            return tf.nn.rnn_cell.LSTMStateTuple(self.n, self.n)

        @property
        def output_size(self) -> Any:
            return self.n

        def norm(self, x: Any, scope: str) -> Any:
            with tf.variable_scope(scope):
                start = self.how.get("norm_gain", 1.0), self.how.get("norm_shift", 0.0)
                gamma, beta = (
                    tf.get_variable(name, [self.n], None, tf.constant_initializer(value))
                    for name, value in zip(("gamma", "beta"), start)
                )
            mean, variance = tf.nn.moments(x, [-1], keepdims=True)
            return tf.nn.batch_normalization(x, mean, variance, beta, gamma, 1e-12)

        def call(self, inputs: Any, state: Any) -> Any:
            both = tf.concat([inputs, state.h], 1)
            w = tf.get_variable("kernel", [both.shape[1], 4 * self.n])
            parts = tf.split(tf.matmul(both, w), 4, 1)
            names = "input", "transform", "forget", "output"
            i, j, f, o = (self.norm(part, name) for part, name in zip(parts, names))
            added = tf.tanh(j)
            if "dropout_keep_prob" in self.how:
                keep, seed = self.how["dropout_keep_prob"], self.how["dropout_prob_seed"]
                added = tf.nn.dropout(added, keep, seed=seed)
            kept = tf.sigmoid(f + self.how.get("forget_bias", 1.0))
            c = self.norm(state.c * kept + tf.sigmoid(i) * added, "state")
            h = tf.tanh(c) * tf.sigmoid(o)
            return h, tf.nn.rnn_cell.LSTMStateTuple(c, h)

    return LayerNormBasicLSTMCell


# Wrappers with variables of their own.


def linear(x: Any, size: int) -> Any:
    kernel = tf.get_variable("kernel", [x.shape[1], size])
    bias = tf.get_variable("bias", [size], None, tf.zeros_initializer())
    return tf.nn.bias_add(tf.matmul(x, kernel), bias)


class Around(tf.nn.rnn_cell.RNNCell):
    def __init__(self, cell: Any, *args: Any, **named: Any):
        super().__init__()
        self.cell = cell
        self.set(*args, **named)

    @property
    def state_size(self) -> Any:
        return self.cell.state_size

    @property
    def output_size(self) -> Any:
        return self.cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        return self.cell.zero_state(batch_size, dtype)


class OutputProjectionWrapper(Around):
    def set(self, output_size: int, activation: Any = None) -> None:
        self.size, self.activation = output_size, activation or tf.identity

    @property
    def output_size(self) -> Any:
        return self.size

    def call(self, inputs: Any, state: Any) -> Any:
        output, state = self.cell(inputs, state)
        return self.activation(linear(output, self.size)), state


class InputProjectionWrapper(Around):
    def set(self, num_proj: int, activation: Any = None) -> None:
        self.size, self.activation = num_proj, activation or tf.identity

    def call(self, inputs: Any, state: Any) -> Any:
        return self.cell(self.activation(linear(inputs, self.size)), state)


class EmbeddingWrapper(Around):
    def set(self, embedding_classes: int, embedding_size: int, initializer: Any = None) -> None:
        self.shape, self.initializer = [embedding_classes, embedding_size], initializer

    def call(self, inputs: Any, state: Any) -> Any:
        table = tf.get_variable("embedding", self.shape, None, self.initializer)
        return self.cell(tf.nn.embedding_lookup(table, tf.reshape(inputs, [-1])), state)


class AttentionCellWrapper(Around):
    """It looks back at its last outputs."""

    def set(self, attn_length: int, attn_size: Any = None, attn_vec_size: Any = None) -> None:
        self.length, self.size = attn_length, attn_size or self.cell.output_size
        self.width = attn_vec_size or self.size

    @property
    def state_size(self) -> Any:
        return self.cell.state_size, self.size, self.size * self.length

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        return tf.nn.rnn_cell.RNNCell.zero_state(self, batch_size, dtype)

    def call(self, inputs: Any, state: Any) -> Any:
        inner, seen, past = state
        past = tf.reshape(past, [-1, self.length, self.size])
        x = linear(tf.concat([inputs, seen], 1), int(inputs.shape[1]))
        output, inner = self.cell(x, inner)
        with tf.variable_scope("attention"):
            w = tf.get_variable("attn_w", [1, 1, self.size, self.width])
            v = tf.get_variable("attn_v", [self.width])
            query = linear(tf.concat(tf.nest.flatten(inner), 1), self.width)
            scores = tf.tanh(tf.tensordot(past, w[0, 0], 1) + query[:, None])
            weights = tf.nn.softmax(tf.reduce_sum(v * scores, 2))
            seen = tf.reduce_sum(weights[:, :, None] * past, 1)
        with tf.variable_scope("attn_output_projection"):
            new = linear(tf.concat([output, seen], 1), self.size)
        past = tf.concat([past[:, 1:], new[:, None]], 1)
        return new, (inner, seen, tf.reshape(past, [-1, self.size * self.length]))


_AROUND_A_CELL = {one.__name__: one for one in Around.__subclasses__()}


def _stacks() -> dict[str, Any]:
    def stack_bidirectional_rnn(
        cells_fw: Any, cells_bw: Any, inputs: Any, scope: Any = None, **how: Any
    ) -> Any:
        finals = []
        with tf.variable_scope(scope or "stack_bidirectional_rnn"):
            for number, cells in enumerate(zip(cells_fw, cells_bw)):
                with tf.variable_scope(f"cell_{number}") as inner:
                    found = tf.nn.static_bidirectional_rnn(*cells, inputs, scope=inner, **how)
                    inputs, *states = found
                    finals.append(states)
        return inputs, *zip(*finals)

    def stack_bidirectional_dynamic_rnn(
        cells_fw: Any, cells_bw: Any, inputs: Any, scope: Any = None, **how: Any
    ) -> Any:
        finals = []
        with tf.variable_scope(scope or "stack_bidirectional_rnn"):
            for number, cells in enumerate(zip(cells_fw, cells_bw)):
                with tf.variable_scope(f"cell_{number}"):
                    outputs, states = tf.nn.bidirectional_dynamic_rnn(*cells, inputs, **how)
                    inputs = tf.concat(outputs, 2)
                    finals.append(states)
        return inputs, *zip(*finals)

    return {
        "stack_bidirectional_dynamic_rnn": stack_bidirectional_dynamic_rnn,
        "stack_bidirectional_rnn": stack_bidirectional_rnn,
    }
