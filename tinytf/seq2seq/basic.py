"""`tf.contrib.seq2seq.BasicDecoder`: a cell, whose inputs a helper makes."""

from __future__ import annotations

from typing import Any, NamedTuple

from tinytf.framework import nest
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor_shape import TensorShape
from tinytf.rnn.base import assert_like_rnncell
from tinytf.seq2seq.decoding import Decoder


class BasicDecoderOutput(NamedTuple):
    """What a `BasicDecoder` puts out (TensorFlow: the same name, in `tf.contrib.seq2seq`).

    Attributes:
      rnn_output: the cell's outputs, after the output layer if there is one.
      sample_id: which of them the helper chose.

    Example:
      >>> helper = tf.contrib.seq2seq.TrainingHelper(tf.ones([2, 5, 3]), [5, 2])
      >>> cell = tf.nn.rnn_cell.GRUCell(4)
      >>> state = cell.zero_state(2, tf.float32)
      >>> decoder = tf.contrib.seq2seq.BasicDecoder(cell, helper, state)
      >>> outputs, _, _ = tf.contrib.seq2seq.dynamic_decode(decoder)
      >>> tf.shape(outputs.rnn_output)  # [2, 5, 4]
    """

    rnn_output: Any
    sample_id: Any


class BasicDecoder(Decoder):
    """A cell, whose inputs a helper makes (TensorFlow: `tf.contrib.seq2seq.BasicDecoder`).

    Args:
      cell: an `RNNCell`. helper: a `Helper`. initial_state: the state to begin with.
      output_layer: a layer, applied to the cell's outputs before the helper sees them.

    Raises:
      TypeError: if the cell is none, or the layer does not say the shape of its output.

    Example:
      >>> helper = tf.contrib.seq2seq.GreedyEmbeddingHelper(tf.eye(3), [1, 1], end_token=2)
      >>> cell = tf.nn.rnn_cell.GRUCell(4)
      >>> state = cell.zero_state(2, tf.float32)
      >>> layer = tf.layers.Dense(3)
      >>> decoder = tf.contrib.seq2seq.BasicDecoder(cell, helper, state, layer)
      >>> outputs, _, _ = tf.contrib.seq2seq.dynamic_decode(decoder, maximum_iterations=9)
      >>> outputs.sample_id.shape
      TensorShape([Dimension(2), Dimension(None)])
    """

    def __init__(self, cell: Any, helper: Any, initial_state: Any, output_layer: Any = None):
        assert_like_rnncell("cell", cell)
        if output_layer is not None and not hasattr(output_layer, "compute_output_shape"):
            raise TypeError(f"output_layer must be a Layer, received: {type(output_layer)}")
        self._cell, self._helper, self._initial_state = cell, helper, initial_state
        self._output_layer = output_layer

    @property
    def batch_size(self) -> Any:
        """That of the helper."""
        return self._helper.batch_size

    @property
    def output_size(self) -> BasicDecoderOutput:
        """Of the cell or the output layer, and of the helper's choices."""
        return BasicDecoderOutput(self._rnn_output_size(), self._helper.sample_ids_shape)

    def _rnn_output_size(self) -> Any:
        size = self._cell.output_size
        if self._output_layer is None:
            return size
        with_batch = nest.map_structure(lambda part: TensorShape([None]).concatenate(part), size)
        shapes = self._output_layer.compute_output_shape(with_batch)
        return nest.map_structure(lambda part: part[1:], shapes)

    @property
    def output_dtype(self) -> BasicDecoderOutput:
        """That of the state, and of the helper's choices."""
        kind = nest.flatten(self._initial_state)[0].dtype
        kinds = nest.map_structure(lambda _: kind, self._rnn_output_size())
        return BasicDecoderOutput(kinds, self._helper.sample_ids_dtype)

    def initialize(self, name: str | None = None) -> tuple[Any, Any, Any]:
        """What has ended at first, the first inputs, and the first state."""
        finished, inputs = self._helper.initialize()
        return finished, inputs, self._initial_state

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        """Outputs, next state, next inputs, and what has ended."""
        with get_default_graph().name_scope(name or "BasicDecoderStep"):
            outputs, cell_state = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            ids = self._helper.sample(time=time, outputs=outputs, state=cell_state)
            finished, next_inputs, next_state = self._helper.next_inputs(
                time=time, outputs=outputs, state=cell_state, sample_ids=ids
            )
        return BasicDecoderOutput(outputs, ids), next_state, next_inputs, finished
