"""`tf.nn.rnn_cell.BasicRNNCell` and `GRUCell`."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework.tensor import Tensor
from tinytf.layers import by_name
from tinytf.ops.variables.initializers import Constant, Zeros
from tinytf.rnn.base import LayerRNNCell


class BasicRNNCell(LayerRNNCell):
    """activation([inputs, state] · kernel + bias) (TensorFlow: `tf.nn.rnn_cell.BasicRNNCell`).

    Args:
      num_units: how large output and state are.
      activation: a function, or its name; None for tanh.
      reuse: whether the variables exist already. name, dtype, kwargs: as of `tf.layers.Layer`.

    Example:
      >>> cell = tf.nn.rnn_cell.BasicRNNCell(4)
      >>> outputs, state = tf.nn.dynamic_rnn(cell, tf.ones([2, 5, 3]), dtype=tf.float32)
      >>> outputs.shape, state.shape
      (TensorShape([Dimension(2), Dimension(5), Dimension(4)]), TensorShape([Dimension(2), Dimension(4)]))
      >>> tf.trainable_variables()[0]
      <tf.Variable 'rnn/basic_rnn_cell/kernel:0' shape=(7, 4) dtype=float32_ref>
    """  # noqa: E501

    def build(self, input_shape: Any) -> None:
        """Make the kernel, [inputs + units, units], and the bias."""
        rows = self._depth(input_shape) + self._num_units
        self._kernel = self.add_weight("kernel", shape=[rows, self._num_units])
        self._bias = self.add_weight("bias", shape=[self._num_units], initializer=Zeros())
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Tensor]:
        """The output, which is the next state, too."""
        gate_inputs = ops.matmul(ops.concat([inputs, state], 1), self._kernel)
        output = self._activation(ops.bias_add(gate_inputs, self._bias))
        return output, output


class GRUCell(LayerRNNCell):
    """A gated recurrent unit (TensorFlow: `tf.nn.rnn_cell.GRUCell`).

    Two gates, r and u, decide what a candidate is made of and how much of the state stays:
    u * state + (1 - u) * activation([inputs, r * state] · kernel + bias). Cho et al., 2014.

    Args:
      num_units: how large output and state are.
      activation: a function, or its name; None for tanh.
      reuse: whether the variables exist already.
      kernel_initializer: of both kernels. bias_initializer: of both biases; None for ones for the
        gates', so that the state stays at first, and zeros for the candidate's.
      name, dtype, kwargs: as of `tf.layers.Layer`.

    Example:
      >>> cell = tf.nn.rnn_cell.GRUCell(4)
      >>> output, state = cell(tf.ones([2, 3]), cell.zero_state(2, tf.float32))
      >>> [v.op.name for v in cell.variables]
      ['gru_cell/gates/kernel', 'gru_cell/gates/bias', 'gru_cell/candidate/kernel', 'gru_cell/candidate/bias']
    """  # noqa: E501

    #: Of the variables: kernel and bias of the gates, and of the candidate.
    _names = (("gates/kernel", "gates/bias"), ("candidate/kernel", "candidate/bias"))

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ):
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)
        self._kernel_initializer = by_name.initializer(kernel_initializer)
        self._bias_initializer = by_name.initializer(bias_initializer)

    def build(self, input_shape: Any) -> None:
        """Make a kernel and a bias for the gates, and for the candidate."""
        rows = self._depth(input_shape) + self._num_units
        columns = 2 * self._num_units, self._num_units
        pairs = []
        for names, size, start in zip(self._names, columns, (Constant(1.0), Zeros()), strict=True):
            bias = start if self._bias_initializer is None else self._bias_initializer
            kernel = self.add_weight(names[0], [rows, size], None, self._kernel_initializer)
            pairs.append((kernel, self.add_weight(names[1], [size], None, bias)))
        (self._gate_kernel, self._gate_bias), candidate = pairs
        self._candidate_kernel, self._candidate_bias = candidate
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Tensor]:
        """The output, which is the next state, too."""
        gate_inputs = ops.matmul(ops.concat([inputs, state], 1), self._gate_kernel)
        gates = ops.sigmoid(ops.bias_add(gate_inputs, self._gate_bias))
        parts: Any = ops.split(value=gates, num_or_size_splits=2, axis=1)
        r, u = parts
        r_state = r * state
        candidate = ops.matmul(ops.concat([inputs, r_state], 1), self._candidate_kernel)
        c = self._activation(ops.bias_add(candidate, self._candidate_bias))
        new_h = u * state + (1 - u) * c
        return new_h, new_h
