"""Cells of `tf.contrib.rnn`: layer normalisation; what TensorFlow computes in one operation."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.layers import by_name
from tinytf.ops.variables.initializers import Constant
from tinytf.ops.variables.scope import get_variable, variable_scope
from tinytf.rnn.base import RNNCell, explaining
from tinytf.rnn.cells import GRUCell
from tinytf.rnn.lstm import LSTMCell, LSTMStateTuple


class LayerNormBasicLSTMCell(RNNCell):
    """Long short-term memory with layer normalisation and recurrent dropout.

    TensorFlow: `tf.contrib.rnn.LayerNormBasicLSTMCell`. Each gate's input has mean `norm_shift`
    and deviation `norm_gain` over the units; both are trained. Ba et al., 2016. What is added to
    the memory, and not the memory, is dropped. Semeniuta et al., 2016.

    Args:
      num_units: how large output and memory are.
      forget_bias: added to the forget gate. activation: a function; tanh by default.
      input_size: ignored.
      layer_norm: whether there is normalisation; otherwise there is a bias.
      norm_gain, norm_shift: what the variables are at first.
      dropout_keep_prob: the probability that a number is kept, a number or a tensor.
      dropout_prob_seed: of the random numbers. reuse: whether the variables exist already.

    Example:
      >>> cell = tf.contrib.rnn.LayerNormBasicLSTMCell(4)
      >>> outputs, state = tf.nn.dynamic_rnn(cell, tf.ones([2, 5, 3]), dtype=tf.float32)
      >>> tf.trainable_variables()[1].name
      'rnn/layer_norm_basic_lstm_cell/input/gamma:0'
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        input_size: Any = None,
        activation: Any = ops.tanh,
        layer_norm: bool = True,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        dropout_keep_prob: Any = 1.0,
        dropout_prob_seed: Any = None,
        reuse: Any = None,
    ):
        super().__init__(_reuse=reuse)
        self._num_units, self._forget_bias = num_units, forget_bias
        self._activation: Any = by_name.activation(activation)
        self._norm = (norm_gain, norm_shift) if layer_norm else None
        self._keep_prob, self._seed = dropout_keep_prob, dropout_prob_seed

    @property
    def state_size(self) -> Any:
        """The number of units, twice."""
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> Any:
        """The number of units."""
        return self._num_units

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The output, and the next state."""
        with explaining(self, state):
            c, h = state
            args = ops.concat([inputs, h], 1)
            width = 4 * self._num_units
            kernel = get_variable("kernel", [args.shape[-1], width], dtype=args.dtype)
            gates = ops.matmul(args, kernel)
            if self._norm is None:
                gates = ops.bias_add(gates, get_variable("bias", [width], dtype=args.dtype))
            parts: Any = ops.split(value=gates, num_or_size_splits=4, axis=1)
            names = ("input", "transform", "forget", "output")
            i, j, f, o = map(self._normalized, parts, names)
            added = self._activation(j)
            if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
                added = ops.dropout(added, self._keep_prob, seed=self._seed)
            gate: Any = ops.sigmoid
            new_c = self._normalized(c * gate(f + self._forget_bias) + gate(i) * added, "state")
            new_h = self._activation(new_c) * gate(o)
            return new_h, LSTMStateTuple(new_c, new_h)

    def _normalized(self, x: Any, scope: str) -> Any:
        if self._norm is None:
            return x
        with variable_scope(scope):
            gamma, beta = (
                get_variable(name, x.shape[-1:], x.dtype, Constant(value))
                for name, value in zip(("gamma", "beta"), self._norm, strict=True)
            )
        with variable_scope(scope, reuse=True):
            mean, variance = ops.moments(x, [-1], keep_dims=True)
            return ops.batch_normalization(x, mean, variance, beta, gamma, _EPSILON)


_EPSILON = 1e-12  # as tf.contrib.layers.layer_norm


class LSTMBlockCell(LSTMCell):
    """`LSTMCell` as TensorFlow computes it in one operation; here it takes several.

    TensorFlow: `tf.contrib.rnn.LSTMBlockCell`. Its variables, and so checkpoints, are the same.

    Args:
      num_units, forget_bias, cell_clip, dtype, reuse, name: as of `tf.nn.rnn_cell.LSTMCell`.
      use_peephole: whether gates see the memory.

    Example:
      >>> tf.contrib.rnn.LSTMBlockCell(8).state_size
      LSTMStateTuple(c=8, h=8)
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: Any = None,
        use_peephole: bool = False,
        dtype: Any = None,
        reuse: Any = None,
        name: str = "lstm_cell",
    ):
        how = {"forget_bias": forget_bias, "dtype": dtype, "reuse": reuse, "name": name}
        super().__init__(num_units, use_peephole, cell_clip, **how)


class GRUBlockCellV2(GRUCell):
    """`GRUCell` as TensorFlow computes it in one operation; here it takes several.

    TensorFlow: `tf.contrib.rnn.GRUBlockCellV2`. Its variables are those of `GRUCell`.

    Args:
      num_units: how large output and state are. cell_size: its older name.
      reuse, name: as of `tf.nn.rnn_cell.GRUCell`.

    Raises:
      ValueError: if both or none of the sizes are given.

    Example:
      >>> tf.contrib.rnn.GRUBlockCellV2(8).state_size
      8
    """

    def __init__(
        self,
        num_units: Any = None,
        cell_size: Any = None,
        reuse: Any = None,
        name: Any = "gru_cell",
    ):
        if (num_units is None) == (cell_size is None):
            raise ValueError("Either num_units or cell_size must be specified, and not both.")
        super().__init__(num_units or cell_size, reuse=reuse, name=name)


class GRUBlockCell(GRUBlockCellV2):
    """`GRUBlockCellV2` with other names of its variables (TensorFlow: the same, `tf.contrib.rnn`).

    Args:
      num_units, cell_size, reuse, name: as of `GRUBlockCellV2`.

    Example:
      >>> cell = tf.contrib.rnn.GRUBlockCell(8)
      >>> output, state = cell(tf.ones([2, 3]), cell.zero_state(2, tf.float32))
      >>> cell.variables[0].name
      'gru_cell/w_ru:0'
    """

    _names = (("w_ru", "b_ru"), ("w_c", "b_c"))
