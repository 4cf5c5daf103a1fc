"""`tf.nn.rnn_cell.BasicLSTMCell` and `LSTMCell`: long short-term memory."""

from __future__ import annotations

from typing import Any, NamedTuple

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.tensor import Tensor
from tinytf.layers import by_name
from tinytf.ops.variables.initializers import Zeros
from tinytf.ops.variables.partitioned import fixed_size_partitioner
from tinytf.rnn.base import LayerRNNCell


class LSTMStateTuple(NamedTuple):
    """The state of an LSTM cell (TensorFlow: `tf.nn.rnn_cell.LSTMStateTuple`).

    Attributes:
      c: what the cell remembers. h: its last output.

    Example:
      >>> tf.nn.rnn_cell.BasicLSTMCell(8).state_size
      LSTMStateTuple(c=8, h=8)
    """

    c: Any
    h: Any

    @property
    def dtype(self) -> Any:
        """The dtype of both.

        Raises:
          TypeError: if they differ.
        """
        if self.c.dtype != self.h.dtype:
            raise TypeError(
                f"Inconsistent dtypes for internal state: {self.c.dtype} vs {self.h.dtype}"
            )
        return self.c.dtype


class BasicLSTMCell(LayerRNNCell):
    """Long short-term memory without extras (TensorFlow: `tf.nn.rnn_cell.BasicLSTMCell`).

    Gates decide what of a memory c is forgotten, what is added to it, and what of it is put out.
    Hochreiter and Schmidhuber, 1997; Zaremba et al., 2014. `LSTMCell` has more to choose.

    Args:
      num_units: how large output and memory are.
      forget_bias: added to the forget gate, so that little is forgotten at first. A checkpoint of
        a cell trained elsewhere may need 0.
      state_is_tuple: whether the state is an `LSTMStateTuple`; otherwise c and h are side by side
        in one tensor.
      activation: a function, or its name; None for tanh.
      reuse: whether the variables exist already. name, dtype, kwargs: as of `tf.layers.Layer`.

    Example:
      >>> cell = tf.nn.rnn_cell.BasicLSTMCell(4)
      >>> outputs, state = tf.nn.dynamic_rnn(cell, tf.ones([2, 5, 3]), dtype=tf.float32)
      >>> state.c.shape, tf.trainable_variables()[0].shape
      (TensorShape([Dimension(2), Dimension(4)]), TensorShape([Dimension(7), Dimension(16)]))
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ):
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple

    @property
    def state_size(self) -> Any:
        """The number of units, twice."""
        units = self._num_units
        return LSTMStateTuple(units, units) if self._state_is_tuple else 2 * units

    def build(self, input_shape: Any) -> None:
        """Make the kernel, [inputs + units, 4 * units], and the bias."""
        rows = self._depth(input_shape) + self._num_units
        self._kernel = self.add_weight("kernel", shape=[rows, 4 * self._num_units])
        self._bias = self.add_weight("bias", shape=[4 * self._num_units], initializer=Zeros())
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        """The output, and the next state."""
        one = ops.constant(1, dtype=dtypes.int32)
        c, h = state if self._state_is_tuple else ops.split(state, num_or_size_splits=2, axis=one)
        gate_inputs = ops.bias_add(ops.matmul(ops.concat([inputs, h], 1), self._kernel), self._bias)
        # in, new, forget, out
        i, j, f, o = ops.split(value=gate_inputs, num_or_size_splits=4, axis=one)
        forget_bias = ops.constant(self._forget_bias, dtype=f.dtype)
        kept = ops.multiply(c, ops.sigmoid(ops.add(f, forget_bias)))
        new_c = ops.add(kept, ops.multiply(ops.sigmoid(i), self._activation(j)))
        new_h = ops.multiply(self._activation(new_c), ops.sigmoid(o))
        return new_h, _state(new_c, new_h, self._state_is_tuple)


class LSTMCell(LayerRNNCell):
    """Long short-term memory (TensorFlow: `tf.nn.rnn_cell.LSTMCell`).

    As `BasicLSTMCell`, and on demand with gates that see the memory (peepholes) and with an output
    that is projected to another size. Sak et al., 2014.

    Args:
      num_units: how large the memory is.
      use_peepholes: whether gates see the memory.
      cell_clip: within what bounds the memory is kept, [-clip, clip].
      initializer: of the kernels and the peepholes.
      num_proj: to what size the output is projected; None for `num_units`, without projection.
      proj_clip: within what bounds the projected output is kept.
      num_unit_shards, num_proj_shards: into how many parts the kernels are split.
      forget_bias, state_is_tuple, activation, reuse, name, dtype, kwargs: as of `BasicLSTMCell`.

    Example:
      >>> cell = tf.nn.rnn_cell.LSTMCell(8, use_peepholes=True, num_proj=4)
      >>> cell.state_size, cell.output_size
      (LSTMStateTuple(c=8, h=4), 4)
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: Any = None,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: Any = None,
        num_unit_shards: int | None = None,
        num_proj_shards: int | None = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ):
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)
        self._use_peepholes = use_peepholes
        self._cell_clip, self._proj_clip = cell_clip, proj_clip
        self._initializer = by_name.initializer(initializer)
        self._num_proj = num_proj
        self._shards = num_unit_shards, num_proj_shards
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple

    @property
    def state_size(self) -> Any:
        """That of the memory, and of the output."""
        units, size = self._num_units, self.output_size
        return LSTMStateTuple(units, size) if self._state_is_tuple else units + size

    @property
    def output_size(self) -> Any:
        """That of the projection, or the number of units."""
        return self._num_proj or self._num_units

    def build(self, input_shape: Any) -> None:
        """Make kernel and bias, three vectors if there are peepholes, and the projection."""
        units, split_in, split_out = self._num_units, *map(_partitioner, self._shards)
        rows = self._depth(input_shape) + self.output_size
        how = {"initializer": self._initializer}
        self._kernel = self.add_weight("kernel", [rows, 4 * units], partitioner=split_in, **how)
        self._bias = self.add_weight("bias", [4 * units], initializer=Zeros())
        if self._use_peepholes:
            self._w_f_diag = self.add_weight("w_f_diag", [units], **how)
            self._w_i_diag = self.add_weight("w_i_diag", [units], **how)
            self._w_o_diag = self.add_weight("w_o_diag", [units], **how)
        if self._num_proj is not None:
            size = [units, self._num_proj]
            name = "projection/kernel"
            self._proj_kernel = self.add_weight(name, size, partitioner=split_out, **how)
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        """The output, and the next state."""
        units, size, act = self._num_units, self.output_size, self._activation
        gate: Any = ops.sigmoid
        if self._state_is_tuple:
            c_prev, m_prev = state
        else:
            c_prev = ops.slice(state, [0, 0], [-1, units])
            m_prev = ops.slice(state, [0, units], [-1, size])
        gates = ops.bias_add(ops.matmul(ops.concat([inputs, m_prev], 1), self._kernel), self._bias)
        parts: Any = ops.split(value=gates, num_or_size_splits=4, axis=1)
        i, j, f, o = parts  # in, new, forget, out
        if self._use_peepholes:
            kept = gate(f + self._forget_bias + self._w_f_diag * c_prev) * c_prev
            c = kept + gate(i + self._w_i_diag * c_prev) * act(j)
        else:
            c = gate(f + self._forget_bias) * c_prev + gate(i) * act(j)
        if self._cell_clip is not None:
            c = ops.clip_by_value(c, -self._cell_clip, self._cell_clip)
        if self._use_peepholes:
            m = gate(o + self._w_o_diag * c) * act(c)
        else:
            m = gate(o) * act(c)
        if self._num_proj is not None:
            m = ops.matmul(m, self._proj_kernel)
            if self._proj_clip is not None:
                m = ops.clip_by_value(m, -self._proj_clip, self._proj_clip)
        return m, _state(c, m, self._state_is_tuple)


def _partitioner(shards: int | None) -> Any:
    return None if shards is None else fixed_size_partitioner(shards)


def _state(c: Tensor, h: Tensor, is_tuple: bool) -> Any:
    return LSTMStateTuple(c, h) if is_tuple else ops.concat([c, h], 1)
