"""`tf.contrib.seq2seq.AttentionWrapper`: a cell that pays attention to a memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tinytf import ops
from tinytf.framework import dtypes, nest
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor_shape import TensorShape
from tinytf.layers.core import Dense
from tinytf.ops.tensor_array.tensor_array import TensorArray
from tinytf.rnn.base import RNNCell, assert_like_rnncell
from tinytf.rnn.sizes import zeros_of
from tinytf.seq2seq.attention import AttentionMechanism


class AttentionWrapperState(NamedTuple):
    """The state of an `AttentionWrapper` (TensorFlow: the same name, in `tf.contrib.seq2seq`).

    Attributes:
      cell_state: of the cell inside. attention: what was put out last. time: the step.
      alignments: the weights of the memory's parts. alignment_history: those of all steps, in a
        `TensorArray`, or (). attention_state: of the mechanism. With several mechanisms, the last
        three are tuples.

    Example:
      >>> attention = tf.contrib.seq2seq.LuongAttention(4, tf.ones([2, 5, 3]), [5, 2])
      >>> cell = tf.contrib.seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(4), attention)
      >>> state = cell.zero_state(2, tf.float32).clone(cell_state=tf.ones([2, 4]))
      >>> state.cell_state[0]  # [1., 1., 1., 1.]
      >>> state.time  # 0
    """

    cell_state: Any
    attention: Any
    time: Any
    alignments: Any
    alignment_history: Any
    attention_state: Any

    def clone(self, **kwargs: Any) -> AttentionWrapperState:
        """The same, but for some attributes: `zero_state.clone(cell_state=encoder_state)`.

        Args:
          kwargs: the attributes' new values, in the structures of the old.

        Raises:
          ValueError: for other structures or shapes.
        """

        def fits(old: Any, new: Any) -> Any:
            if hasattr(old, "shape") and hasattr(new, "shape"):
                old.shape.assert_is_compatible_with(new.shape)
            return new

        changed = {
            name: nest.map_structure(fits, getattr(self, name), new) for name, new in kwargs.items()
        }
        return self._replace(**changed)


class AttentionWrapper(RNNCell):
    """A cell that pays attention to a memory (TensorFlow: `tf.contrib.seq2seq.AttentionWrapper`).

    Args:
      cell: the cell inside.
      attention_mechanism: an `AttentionMechanism`, or a list of them.
      attention_layer_size: to what size output and context are brought together; None for the
        context alone. A list for several mechanisms.
      alignment_history: whether to keep the weights of all steps.
      cell_input_fn: (inputs, attention) -> the cell's inputs; both side by side by default.
      output_attention: whether the output is the attention, or the cell's output.
      initial_cell_state: of the cell, in `zero_state`. name: of the layer.
      attention_layer: a layer, or a list of them, instead of `attention_layer_size`.

    Raises:
      TypeError: if the cell is none.
      ValueError: if there are not as many layers as mechanisms, or both are given.

    Example:
      >>> attention = tf.contrib.seq2seq.LuongAttention(4, tf.ones([2, 5, 3]))
      >>> cell = tf.nn.rnn_cell.GRUCell(4)
      >>> cell = tf.contrib.seq2seq.AttentionWrapper(cell, attention, attention_layer_size=6)
      >>> outputs, state = tf.nn.dynamic_rnn(cell, tf.ones([2, 7, 3]), dtype=tf.float32)
      >>> outputs.shape, state.alignments.shape
      (TensorShape([Dimension(2), Dimension(7), Dimension(6)]), TensorShape([Dimension(2), Dimension(5)]))
    """  # noqa: E501

    def __init__(
        self,
        cell: Any,
        attention_mechanism: Any,
        attention_layer_size: Any = None,
        alignment_history: bool = False,
        cell_input_fn: Callable[[Any, Any], Any] | None = None,
        output_attention: bool = True,
        initial_cell_state: Any = None,
        name: Any = None,
        attention_layer: Any = None,
    ):
        super().__init__(name=name)
        assert_like_rnncell("cell", cell)
        self._is_multi = isinstance(attention_mechanism, list | tuple)
        self._mechanisms = attention_mechanism if self._is_multi else (attention_mechanism,)
        for each in self._mechanisms:
            if not isinstance(each, AttentionMechanism):
                raise TypeError(
                    "attention_mechanism must be an AttentionMechanism or list of multiple "
                    f"AttentionMechanism instances, instead saw type: {type(each)}. "
                    "tf.contrib.seq2seq.LuongAttention(num_units, memory) makes one of a memory."
                )
        if attention_layer_size is not None and attention_layer is not None:
            raise ValueError("Only one of attention_layer_size and attention_layer should be set")
        self._layers = self._layers_of(attention_layer_size, attention_layer)
        self._cell, self._keeps_history = cell, alignment_history
        self._cell_input_fn = cell_input_fn or (lambda x, attention: ops.concat([x, attention], -1))
        self._output_attention = output_attention
        self._initial_cell_state = initial_cell_state

    def _layers_of(self, sizes: Any, layers: Any) -> Any:
        given = sizes if layers is None else layers
        if given is None:
            return [None] * len(self._mechanisms)
        given = given if isinstance(given, list | tuple) else [given]
        if len(given) != len(self._mechanisms):
            raise ValueError(
                "If provided, attention_layer_size or attention_layer must contain exactly one "
                f"element per attention_mechanism, saw: {len(given)} vs {len(self._mechanisms)}"
            )
        if layers is not None:
            return given
        return [
            Dense(size, name="attention_layer", use_bias=False, dtype=mechanism.dtype)
            for size, mechanism in zip(given, self._mechanisms, strict=True)
        ]

    @property
    def _attention_size(self) -> int:
        total = 0
        for layer, mechanism in zip(self._layers, self._mechanisms, strict=True):
            size: Any = mechanism.values.shape.as_list()[-1]
            if layer is not None:
                before = TensorShape([None, size + self._cell.output_size])
                size = layer.compute_output_shape(before).as_list()[-1]
            total += size
        return total

    def _each(self, things: Any) -> Any:
        things = tuple(things)
        return things if self._is_multi else things[0]

    @property
    def output_size(self) -> Any:
        """That of the attention, or of the cell inside."""
        return self._attention_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> Any:
        """An `AttentionWrapperState` of sizes."""
        sizes = [mechanism.alignments_size for mechanism in self._mechanisms]
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            attention=self._attention_size,
            time=TensorShape([]),
            alignments=self._each(sizes),
            alignment_history=self._each(s if self._keeps_history else () for s in sizes),
            attention_state=self._each(m.state_size for m in self._mechanisms),
        )

    def zero_state(self, batch_size: Any, dtype: Any) -> AttentionWrapperState:
        """A state of zeros, as of `RNNCell`, but for the initial state of the cell, if given.

        Raises, when it runs:
          InvalidArgumentError: if the memory is of another batch size.
        """
        with get_default_graph().name_scope(f"{type(self).__name__}ZeroState"):
            cell_state = self._initial_cell_state
            if cell_state is None:
                cell_state = self._cell.zero_state(batch_size, dtype)
            cell_state = self._checked(cell_state, batch_size, "checked_cell_state")
            before = [m.initial_alignments(batch_size, dtype) for m in self._mechanisms]
            history: list[Any] = [()] * len(before)
            if self._keeps_history:
                history = [
                    TensorArray(dtype, size=0, dynamic_size=True, element_shape=weights.shape)
                    for weights in before
                ]
            return AttentionWrapperState(
                cell_state=cell_state,
                attention=zeros_of(self._attention_size, batch_size, dtype),
                time=ops.zeros([], dtype=dtypes.int32),
                alignments=self._each(before),
                alignment_history=self._each(history),
                attention_state=self._each(
                    m.initial_state(batch_size, dtype) for m in self._mechanisms
                ),
            )

    def _checked(self, values: Any, batch_size: Any, name: str) -> Any:
        """The values, once it is known that the memory is of this batch size."""
        message = (
            f"When calling AttentionWrapper {self.name}: Non-matching batch sizes between the "
            "memory (encoder output) and the query (decoder output). Are you using the "
            "BeamSearchDecoder? You may need to tile your memory input via the "
            "tf.contrib.seq2seq.tile_batch function with argument multiple=beam_width."
        )
        checks = [
            ops.assert_equal(batch_size, m.batch_size, message=message) for m in self._mechanisms
        ]
        with get_default_graph().control_dependencies(checks):
            return nest.map_structure(lambda value: ops.identity(value, name=name), values)

    def call(self, inputs: Any, state: Any) -> tuple[Any, AttentionWrapperState]:
        """The attention (or the cell's output), and the next state.

        Raises:
          TypeError: if the state is none of an AttentionWrapper.
        """
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(
                "Expected state to be instance of AttentionWrapperState. Received type "
                f"{type(state)} instead. The state of an encoder goes into it by "
                "cell.zero_state(batch_size, dtype).clone(cell_state=encoder_state)."
            )
        cell_inputs = self._cell_input_fn(inputs, state.attention)
        output, cell_state = self._cell(cell_inputs, state.cell_state)
        batch_size = output.shape.as_list()[0] or ops.shape(output)[0]  # type: ignore[index]
        output = self._checked(output, batch_size, "checked_cell_output")
        multi = self._is_multi
        before = state.attention_state if multi else (state.attention_state,)
        histories = state.alignment_history if multi else (state.alignment_history,)
        columns: list[Any] = [
            self._attend(output, state.time, *parts)
            for parts in zip(self._mechanisms, self._layers, before, histories, strict=True)
        ]
        attentions, alignments, attention_states, histories = zip(*columns, strict=True)
        attention = ops.concat(list(attentions), 1) if multi else attentions[0]
        new_state = AttentionWrapperState(
            cell_state=cell_state,
            attention=attention,
            time=state.time + 1,
            alignments=self._each(alignments),
            alignment_history=self._each(histories),
            attention_state=self._each(attention_states),
        )
        return attention if self._output_attention else output, new_state

    def _attend(
        self, output: Any, time: Any, mechanism: Any, layer: Any, before: Any, history: Any
    ) -> tuple[Any, Any, Any, Any]:
        alignments, state = mechanism(output, state=before)
        context = ops.squeeze(ops.matmul(ops.expand_dims(alignments, 1), mechanism.values), [1])
        attention = context if layer is None else layer(ops.concat([output, context], 1))
        kept = history.write(time, alignments) if self._keeps_history else ()
        return attention, alignments, state, kept
