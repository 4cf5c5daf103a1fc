"""Attention mechanisms of `tf.contrib.seq2seq`: how much each part of a sequence counts now."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tinytf import ops
from tinytf.framework import dtypes, nest
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.layers.core import Dense
from tinytf.ops.variables.initializers import Constant, Ones, Zeros
from tinytf.ops.variables.scope import get_variable, variable_scope
from tinytf.rnn.sizes import zeros_of


class AttentionMechanism:
    """What weighs the parts of a memory (TensorFlow: `tf.contrib.seq2seq.AttentionMechanism`).

    Attributes:
      values: the memory, with zeros after the ends. keys: what queries are compared with.
      batch_size, alignments_size, state_size: how many sequences, parts, and weights there are.
      dtype: of the layers. memory_layer, query_layer: what keys and queries are made by, or None.

    Example:
      >>> kinds = tf.contrib.seq2seq
      >>> attention = kinds.LuongAttention(4, tf.ones([2, 5, 3]), [5, 2])
      >>> isinstance(attention, kinds.AttentionMechanism), attention.alignments_size
      (True, 5)
    """

    _scope, _name = "attention", "Attention"

    def __init__(
        self,
        memory: Any,
        lengths: Any,
        layers: tuple[Any, Any],
        probability_fn: Any,
        score_mask_value: Any,
        name: str | None,
    ):
        self.query_layer, self.memory_layer = layers
        self.dtype = self.memory_layer.dtype
        self._probability_fn = probability_fn or ops.softmax
        self._mask_value = -math.inf if score_mask_value is None else score_mask_value
        with get_default_graph().name_scope(name or f"{self._name}Init"):
            memory = nest.map_structure(lambda part: convert_to_tensor(part, name="memory"), memory)
            self._lengths = None
            if lengths is not None:
                self._lengths = convert_to_tensor(lengths, name="memory_sequence_length")
            self.values = _masked(memory, self._lengths)
            self.keys: Any = self.memory_layer(self.values)
            sizes = self.keys.shape.as_list()
            self.batch_size: Any = sizes[0] or ops.shape(self.keys)[0]  # type: ignore[index]
            self.alignments_size: Any = sizes[1] or ops.shape(self.keys)[1]  # type: ignore[index]
        self.state_size = self.alignments_size

    def __call__(self, query: Any, state: Any) -> tuple[Any, Any]:
        """The weights of the memory's parts, and the next state: the weights, too.

        Args:
          query: [batch, size]. state: the weights before.
        """
        with variable_scope(None, self._scope):
            score = self._score(query)
            if self._lengths is not None:
                score = self._without_ends(score)
            alignments = self._probability_fn(score)
        return alignments, alignments

    def _score(self, query: Any) -> Any:
        raise NotImplementedError

    def _without_ends(self, score: Tensor) -> Tensor:
        message = "All values in memory_sequence_length must greater than zero."
        check = ops.assert_positive(self._lengths, message=message)
        with get_default_graph().control_dependencies([check]):
            mask = ops.sequence_mask(self._lengths, maxlen=ops.shape(score)[1])  # type: ignore[index]
            masked: Any = ops.ones_like(score)
            return ops.where(mask, score, self._mask_value * masked)

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Tensor:
        """Weights of zeros.

        Args:
          batch_size: an int or a tensor. dtype: of the weights.
        """
        return zeros_of(self.alignments_size, batch_size, dtype)

    def initial_state(self, batch_size: Any, dtype: Any) -> Tensor:
        """The same as `initial_alignments`."""
        return self.initial_alignments(batch_size, dtype)


class LuongAttention(AttentionMechanism):
    """Keys times query (TensorFlow: `tf.contrib.seq2seq.LuongAttention`). Luong et al., 2015.

    Args:
      num_units: how large keys are: as large as the query.
      memory: the sequence, [batch, time, size], such as the outputs of an encoder.
      memory_sequence_length: of the sequences, [batch].
      scale: whether scores are multiplied by a variable.
      probability_fn: scores -> weights; softmax by default.
      score_mask_value: of the scores after the ends; minus infinity by default.
      dtype: of the variables. name: a name scope.

    Raises:
      ValueError: when called, if the query is not as large as the keys.

    Example:
      >>> attention = tf.contrib.seq2seq.LuongAttention(4, tf.ones([2, 5, 3]), [5, 2])
      >>> attention(tf.ones([2, 4]), state=None)[0].shape
      TensorShape([Dimension(2), Dimension(5)])
    """

    _scope, _name = "luong_attention", "LuongAttention"

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        scale: bool = False,
        probability_fn: Callable[[Any], Any] | None = None,
        score_mask_value: Any = None,
        dtype: Any = None,
        name: str | None = None,
    ):
        self._scale = scale
        layers = None, _layer("memory_layer", num_units, dtype)
        super().__init__(
            memory, memory_sequence_length, layers, probability_fn, score_mask_value, name
        )

    def _score(self, query: Any) -> Any:
        sizes = query.shape.as_list()[-1], self.keys.shape.as_list()[-1]
        if sizes[0] != sizes[1]:
            raise ValueError(
                "Incompatible or unknown inner dimensions between query and keys. Query "
                f"({query}) has units: {sizes[0]}. Keys ({self.keys}) have units: {sizes[1]}. "
                "Set num_units to the size of the query, which is the cell's output."
            )
        score: Any = ops.squeeze(
            ops.matmul(ops.expand_dims(query, 1), self.keys, transpose_b=True), [1]
        )
        if self._scale:
            score = get_variable("attention_g", [], query.dtype, Ones()) * score
        return score


class BahdanauAttention(AttentionMechanism):
    """v · tanh(keys + query) (TensorFlow: `tf.contrib.seq2seq.BahdanauAttention`).

    Bahdanau et al., 2014; Salimans and Kingma, 2016, for the normalisation.

    Args:
      num_units: how large keys and queries become.
      normalize: whether v is of a length of its own, and a bias is added.
      memory, memory_sequence_length, probability_fn, score_mask_value, dtype, name: as of
        `LuongAttention`.

    Example:
      >>> attention = tf.contrib.seq2seq.BahdanauAttention(4, tf.ones([1, 5, 3]))
      >>> attention(tf.ones([1, 7]), state=None)[0]  # [[0.2, 0.2, 0.2, 0.2, 0.2]]
    """

    _scope, _name = "bahdanau_attention", "BahdanauAttention"

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        normalize: bool = False,
        probability_fn: Callable[[Any], Any] | None = None,
        score_mask_value: Any = None,
        dtype: Any = None,
        name: str | None = None,
    ):
        self._units, self._normalize = num_units, normalize
        layers = (_layer("query_layer", num_units, dtype), _layer("memory_layer", num_units, dtype))
        super().__init__(
            memory, memory_sequence_length, layers, probability_fn, score_mask_value, name
        )

    def _score(self, query: Any) -> Any:
        processed = ops.expand_dims(self.query_layer(query), 1)
        v: Any = get_variable("attention_v", [self._units], query.dtype)
        total = self.keys + processed
        if self._normalize:
            start = Constant(math.sqrt(1 / self._units))
            g = get_variable("attention_g", [], query.dtype, start)
            total = total + get_variable("attention_b", [self._units], query.dtype, Zeros())
            v = g * v * ops.rsqrt(ops.reduce_sum(ops.square(v)))
        return ops.reduce_sum(v * ops.tanh(total), [2])


def _layer(name: str, units: int, dtype: Any) -> Dense:
    return Dense(units, name=name, use_bias=False, dtype=dtype or dtypes.float32)


def _masked(memory: Any, lengths: Any) -> Any:
    """The memory, with zeros after the ends."""
    if lengths is None:
        return memory

    def masked(part: Any) -> Any:
        mask = ops.sequence_mask(lengths, maxlen=ops.shape(part)[1], dtype=part.dtype)  # type: ignore[index]
        for _ in part.shape[2:]:
            mask = ops.expand_dims(mask, -1)
        return part * mask

    return nest.map_structure(masked, memory)


def hardmax(logits: Any, name: str | None = None) -> Tensor:
    """One where the last axis is largest, else zero (TensorFlow: `tf.contrib.seq2seq.hardmax`).

    Args:
      logits: numbers of any shape. name: a name scope.

    Example:
      >>> tf.contrib.seq2seq.hardmax([1.0, 3.0, 2.0])  # [0., 1., 0.]
    """
    with get_default_graph().name_scope(name or "Hardmax"):
        logits = convert_to_tensor(logits, name="logits")
        depth = logits.shape.as_list()[-1] or ops.shape(logits)[-1]  # type: ignore[index]
        return ops.one_hot(ops.argmax(logits, -1), depth, dtype=logits.dtype)
