"""Wrappers of `tf.contrib.rnn` with variables of their own: projections, embedding, attention."""

from __future__ import annotations

import math
from typing import Any

from tinytf import ops
from tinytf.framework import nest
from tinytf.framework.stacks import get_default_graph
from tinytf.ops.variables.current_scope import get_variable_scope
from tinytf.ops.variables.initializers import Constant, RandomUniform
from tinytf.ops.variables.scope import get_variable, variable_scope
from tinytf.rnn.base import explaining
from tinytf.rnn.wrappers import CellAround


class _Linear:
    """x · kernel + bias, of one tensor or of several side by side; makes the variables once."""

    def __init__(self) -> None:
        self._variables: Any = None

    def __call__(self, parts: list[Any], size: int) -> Any:
        x = parts[0] if len(parts) == 1 else ops.concat(parts, 1)
        if self._variables is None:
            width = sum(part.shape.as_list()[1] for part in parts)
            kernel = get_variable("kernel", [width, size], dtype=x.dtype)
            with variable_scope(get_variable_scope()) as scope:
                scope.set_partitioner(None)
                bias = get_variable("bias", [size], dtype=x.dtype, initializer=Constant(0.0))
            self._variables = kernel, bias
        return ops.bias_add(ops.matmul(x, self._variables[0]), self._variables[1])


class _Projecting(CellAround):
    """A cell with a linear map, and perhaps an activation, on one of its sides."""

    def __init__(self, cell: Any, size: int, activation: Any, reuse: Any):
        super().__init__(cell, _reuse=reuse)
        self._size, self._activation, self._linear = size, activation, _Linear()

    def _project(self, x: Any) -> Any:
        projected = self._linear([x], self._size)
        return self._activation(projected) if self._activation else projected


class OutputProjectionWrapper(_Projecting):
    """A cell whose output is projected to another size at each step.

    TensorFlow: `tf.contrib.rnn.OutputProjectionWrapper`. One `tf.layers.dense` of the outputs of
    all steps, after the network, computes the same faster.

    Args:
      cell: the cell inside. output_size: of the projection.
      activation: a function of the projected output; None for none.
      reuse: whether the variables exist already.

    Raises:
      TypeError: if the cell is none. ValueError: if the size is less than 1.

    Example:
      >>> cell = tf.contrib.rnn.OutputProjectionWrapper(tf.nn.rnn_cell.GRUCell(8), output_size=1)
      >>> outputs, _ = tf.nn.dynamic_rnn(cell, tf.ones([2, 5, 3]), dtype=tf.float32)
      >>> outputs.shape, tf.trainable_variables()[-2].name
      (TensorShape([Dimension(2), Dimension(5), Dimension(1)]), 'rnn/output_projection_wrapper/kernel:0')
    """  # noqa: E501

    def __init__(self, cell: Any, output_size: int, activation: Any = None, reuse: Any = None):
        super().__init__(cell, output_size, activation, reuse)
        if output_size < 1:
            raise ValueError(f"Parameter output_size must be > 0: {output_size}.")

    @property
    def output_size(self) -> Any:
        """That of the projection."""
        return self._size

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The projected output, and the state of the cell inside."""
        output, new_state = self.cell(inputs, state)
        return self._project(output), new_state


class InputProjectionWrapper(_Projecting):
    """A cell whose input is projected to another size at each step.

    TensorFlow: `tf.contrib.rnn.InputProjectionWrapper`.

    Args:
      cell: the cell inside. num_proj: of the projection. input_size: ignored.
      activation: a function of the projected input; None for none.
      reuse: whether the variables exist already.

    Raises:
      TypeError: if the cell is none.

    Example:
      >>> cell = tf.contrib.rnn.InputProjectionWrapper(tf.nn.rnn_cell.GRUCell(8), 4)
      >>> outputs, _ = tf.nn.dynamic_rnn(cell, tf.ones([2, 5, 3]), dtype=tf.float32)
    """

    def __init__(
        self,
        cell: Any,
        num_proj: int,
        activation: Any = None,
        input_size: Any = None,
        reuse: Any = None,
    ):
        super().__init__(cell, num_proj, activation, reuse)

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The output and state of the cell inside."""
        return self.cell(self._project(inputs), state)


class EmbeddingWrapper(CellAround):
    """A cell whose inputs are whole numbers, of each of which it learns a vector.

    TensorFlow: `tf.contrib.rnn.EmbeddingWrapper`. One `tf.nn.embedding_lookup` before the network
    does the same, faster.

    Args:
      cell: the cell inside. embedding_classes: how many numbers there are.
      embedding_size: of the vectors. initializer: of them; None for numbers of variance 1.
      reuse: whether the variables exist already.

    Raises:
      TypeError: if the cell is none. ValueError: for sizes less than 1.

    Example:
      >>> cell = tf.contrib.rnn.EmbeddingWrapper(tf.nn.rnn_cell.GRUCell(8), 100, 4)
      >>> outputs, _ = tf.nn.static_rnn(cell, [tf.constant([1, 2])] * 5, dtype=tf.float32)
    """

    def __init__(
        self,
        cell: Any,
        embedding_classes: int,
        embedding_size: int,
        initializer: Any = None,
        reuse: Any = None,
    ):
        super().__init__(cell, _reuse=reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError(
                "Both embedding_classes and embedding_size must be > 0: "
                f"{embedding_classes}, {embedding_size}."
            )
        self._shape, self._initializer = [embedding_classes, embedding_size], initializer

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The output and state of the cell inside."""
        with get_default_graph().device("/cpu:0"):
            usual = RandomUniform(-math.sqrt(3), math.sqrt(3))
            initializer = self._initializer or get_variable_scope().initializer or usual
            kind = nest.flatten(state)[0].dtype
            table = get_variable("embedding", self._shape, kind, initializer)
            return self.cell(ops.embedding_lookup(table, ops.reshape(inputs, [-1])), state)


class AttentionCellWrapper(CellAround):
    """A cell that looks back at its last outputs (TensorFlow: `tf.contrib.rnn.AttentionCellWrapper`).

    Bahdanau et al., 2014.

    Args:
      cell: the cell inside.
      attn_length: at how many outputs. attn_size: of the output; None for the cell's.
      attn_vec_size: of what outputs are compared in; None for `attn_size`.
      input_size: of what the cell gets; None for the inputs'.
      state_is_tuple: whether the state is a tuple; otherwise its parts are side by side.
      reuse: whether the variables exist already.

    Raises:
      TypeError: if the cell is none. ValueError: for lengths less than 1, and for a cell whose
        state is a tuple though this one's is not.

    Example:
      >>> cell = tf.contrib.rnn.AttentionCellWrapper(tf.nn.rnn_cell.LSTMCell(8), attn_length=5)
      >>> outputs, _ = tf.nn.dynamic_rnn(cell, tf.ones([2, 9, 3]), dtype=tf.float32)
    """  # noqa: E501

    def __init__(
        self,
        cell: Any,
        attn_length: int,
        attn_size: int | None = None,
        attn_vec_size: int | None = None,
        input_size: int | None = None,
        state_is_tuple: bool = True,
        reuse: Any = None,
    ):
        super().__init__(cell, _reuse=reuse)
        if nest.is_nested(cell.state_size) and not state_is_tuple:
            raise ValueError(
                "Cell returns tuple of states, but the flag state_is_tuple is not set. State size "
                f"is: {cell.state_size}"
            )
        if attn_length <= 0:
            raise ValueError(f"attn_length should be greater than zero, got {attn_length}")
        self._length, self._size = attn_length, attn_size or cell.output_size
        self._vector_size = attn_vec_size or self._size
        self._input_size, self._state_is_tuple = input_size, state_is_tuple
        self._into, self._out, self._of_query = _Linear(), _Linear(), _Linear()

    @property
    def state_size(self) -> Any:
        """That of the cell, of what was seen, and of the outputs that can be seen."""
        sizes = self.cell.state_size, self._size, self._size * self._length
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """The size of the output."""
        return self._size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """A state of zeros, as of `RNNCell`."""
        return super(CellAround, self).zero_state(batch_size, dtype)

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The output, and the next state."""
        with explaining(self, state):
            inner, seen, past = state if self._state_is_tuple else self._parts(state)
            past = ops.reshape(past, [-1, self._length, self._size])
            size = self._input_size or inputs.shape.as_list()[1]
            output, new_inner = self.cell(self._into([inputs, seen], size), inner)
            query = new_inner
            if self._state_is_tuple:
                query = ops.concat(nest.flatten(new_inner), 1)
            new_seen = self._look(query, past)
            with variable_scope("attn_output_projection"):
                output = self._out([output, new_seen], self._size)
            past = ops.concat(
                [ops.slice(past, [0, 1, 0], [-1, -1, -1]), ops.expand_dims(output, 1)], 1
            )
            new_state = new_inner, new_seen, ops.reshape(past, [-1, self._length * self._size])
        return output, new_state if self._state_is_tuple else ops.concat(list(new_state), 1)

    def _parts(self, state: Any) -> list[Any]:
        parts, start = [], 0
        for size in (self.cell.state_size, self._size, self._size * self._length):
            parts.append(ops.slice(state, [0, start], [-1, size]))
            start += size
        return parts

    def _look(self, query: Any, past: Any) -> Any:
        """The mean of past outputs, weighted by how well they fit the query."""
        with variable_scope("attention"):
            k = get_variable("attn_w", [1, 1, self._size, self._vector_size])
            v = get_variable("attn_v", [self._vector_size])
            hidden: Any = ops.reshape(past, [-1, self._length, 1, self._size])
            features: Any = ops.conv2d(hidden, k, [1, 1, 1, 1], "SAME")
            y = ops.reshape(
                self._of_query([query], self._vector_size), [-1, 1, 1, self._vector_size]
            )
            weights: Any = ops.softmax(ops.reduce_sum(v * ops.tanh(features + y), [2, 3]))
            mean = ops.reduce_sum(ops.reshape(weights, [-1, self._length, 1, 1]) * hidden, [1, 2])
            return ops.reshape(mean, [-1, self._size])
