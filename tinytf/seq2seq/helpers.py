"""Helpers of `tf.contrib.seq2seq`: what a decoder's next inputs are, and when a sequence ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf import ops
from tinytf.framework import dtypes, nest
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.slice import getitem
from tinytf.ops.tensor_array.tensor_array import TensorArray
from tinytf.rnn.dynamic import batch_and_time_swapped


class Helper:
    """What a `BasicDecoder` asks (TensorFlow: `tf.contrib.seq2seq.Helper`).

    Of one's own: the property `batch_size`, and the methods `initialize(name=None)` -> (finished,
    first inputs), `sample(time, outputs, state, name=None)` -> ids, and `next_inputs(time, outputs,
    state, sample_ids, name=None)` -> (finished, next inputs, next state).

    Attributes:
      sample_ids_shape, sample_ids_dtype: of the ids of one sequence at one step.

    Example:
      >>> helper = tf.contrib.seq2seq.TrainingHelper(tf.ones([2, 5, 3]), [5, 0])
      >>> isinstance(helper, tf.contrib.seq2seq.Helper)
      True
      >>> helper.initialize()[0]  # [False, True]
    """

    batch_size: Any
    sample_ids_shape: Any = TensorShape([])
    sample_ids_dtype: Any = dtypes.int32


class CustomHelper(Helper):
    """A helper made of three functions (TensorFlow: `tf.contrib.seq2seq.CustomHelper`).

    Args:
      initialize_fn: () -> (finished, first inputs).
      sample_fn: (time, outputs, state) -> ids.
      next_inputs_fn: (time, outputs, state, sample_ids) -> (finished, next inputs, next state).
      sample_ids_shape, sample_ids_dtype: of the ids; scalars of int32 by default.

    Example:
      >>> helper = tf.contrib.seq2seq.CustomHelper(
      ...     lambda: (tf.constant([False]), tf.ones([1, 3])),
      ...     lambda time, outputs, state: tf.constant([0]),
      ...     lambda time, outputs, state, sample_ids: ([time >= 4], outputs, state))
    """

    def __init__(
        self,
        initialize_fn: Callable[..., Any],
        sample_fn: Callable[..., Any],
        next_inputs_fn: Callable[..., Any],
        sample_ids_shape: Any = None,
        sample_ids_dtype: Any = None,
    ):
        self._functions = initialize_fn, sample_fn, next_inputs_fn
        self._batch_size: Any = None
        self.sample_ids_shape = TensorShape(sample_ids_shape or [])
        self.sample_ids_dtype = sample_ids_dtype or dtypes.int32

    @property
    def batch_size(self) -> Any:
        """How many sequences there are.

        Raises:
          ValueError: before `initialize`.
        """
        if self._batch_size is None:
            raise ValueError("batch_size accessed before initialize was called")
        return self._batch_size

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """What has ended at first, and the first inputs."""
        finished, inputs = self._functions[0]()
        if self._batch_size is None:
            self._batch_size = ops.size(finished)
        return finished, inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """The ids that are chosen."""
        return self._functions[1](time=time, outputs=outputs, state=state)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> Any:
        """What has ended, the next inputs, and the next state."""
        return self._functions[2](time=time, outputs=outputs, state=state, sample_ids=sample_ids)


class TrainingHelper(Helper):
    """The inputs are given (TensorFlow: `tf.contrib.seq2seq.TrainingHelper`).

    Args:
      inputs: [batch, time, ...], or a nest of such. sequence_length: of the sequences, [batch].
      time_major: whether inputs are [time, batch, ...]. name: a name scope.

    Raises:
      ValueError: if the lengths are no vector.

    Example:
      >>> helper = tf.contrib.seq2seq.TrainingHelper(tf.ones([2, 5, 3]), [5, 2])
      >>> helper.initialize()[1].shape
      TensorShape([Dimension(2), Dimension(3)])
    """

    def __init__(
        self, inputs: Any, sequence_length: Any, time_major: bool = False, name: str | None = None
    ):
        with get_default_graph().name_scope(name or "TrainingHelper"):
            inputs = nest.map_structure(convert_to_tensor, inputs)
            self.inputs = inputs
            if not time_major:
                inputs = nest.map_structure(batch_and_time_swapped, inputs)
            self._arrays = nest.map_structure(_unstacked, inputs)
            self.sequence_length = convert_to_tensor(sequence_length, name="sequence_length")
            if self.sequence_length.shape.ndims != 1:
                raise ValueError(
                    "Expected sequence_length to be a vector, but received shape: "
                    f"{self.sequence_length.shape}"
                )
            self._zeros = nest.map_structure(lambda x: ops.zeros_like(getitem(x, 0)), inputs)
            self.batch_size = ops.size(self.sequence_length)

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """What has ended at first, and the first inputs."""
        with get_default_graph().name_scope(name or "TrainingHelperInitialize"):
            return self._at(0)

    def sample(self, time: Any, outputs: Any, state: Any = None, name: str | None = None) -> Any:
        """Where the outputs are largest."""
        with get_default_graph().name_scope(name or "TrainingHelperSample"):
            return ops.cast(ops.argmax(outputs, axis=-1), dtypes.int32)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, name: str | None = None, **unused: Any
    ) -> Any:
        """What has ended, the inputs of the next step, and the state."""
        with get_default_graph().name_scope(name or "TrainingHelperNextInputs"):
            return *self._at(ops.add(time, 1)), state

    def _at(self, time: Any) -> tuple[Any, Any]:
        finished = ops.greater_equal(time, self.sequence_length)
        inputs = ops.cond(
            ops.reduce_all(finished),
            lambda: self._zeros,
            lambda: nest.map_structure(lambda array: array.read(time), self._arrays),
        )
        return finished, inputs


def _unstacked(x: Tensor) -> TensorArray:
    count = ops.shape(x)[0]  # type: ignore[index]
    return TensorArray(x.dtype, size=count, element_shape=x.shape[1:]).unstack(x)


class GreedyEmbeddingHelper(Helper):
    """The next input is the embedding of the most likely id.

    TensorFlow: `tf.contrib.seq2seq.GreedyEmbeddingHelper`.

    Args:
      embedding: a table for `tf.nn.embedding_lookup`, or a function of ids.
      start_tokens: the first ids, [batch]. end_token: the id that ends a sequence.

    Raises:
      ValueError: if the first ids are no vector, or the last is no scalar.

    Example:
      >>> helper = tf.contrib.seq2seq.GreedyEmbeddingHelper(tf.eye(3), [1, 1], end_token=2)
      >>> helper.initialize()[1]  # [[0., 1., 0.], [0., 1., 0.]]
    """

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any):
        self._embed = embedding if callable(embedding) else None
        self._table = embedding
        start = convert_to_tensor(start_tokens, dtype=dtypes.int32, name="start_tokens")
        self._end_token = convert_to_tensor(end_token, dtype=dtypes.int32, name="end_token")
        if start.shape.ndims != 1:
            raise ValueError("start_tokens must be a vector")
        if self._end_token.shape.ndims != 0:
            raise ValueError("end_token must be a scalar")
        self.batch_size = ops.size(start)
        self._start_inputs = self._embedded(start)

    def _embedded(self, ids: Any) -> Any:
        return self._embed(ids) if self._embed else ops.embedding_lookup(self._table, ids)

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """What has ended at first, nothing, and the embedding of the first ids."""
        return ops.tile([False], [self.batch_size]), self._start_inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Where the outputs are largest."""
        return ops.argmax(_one_tensor(outputs), axis=-1, output_type=dtypes.int32)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> Any:
        """What has ended, the embedding of the ids, and the state."""
        finished = ops.equal(sample_ids, self._end_token)
        inputs = ops.cond(
            ops.reduce_all(finished), lambda: self._start_inputs, lambda: self._embedded(sample_ids)
        )
        return finished, inputs, state


def _one_tensor(outputs: Any) -> Tensor:
    if not isinstance(outputs, Tensor):
        raise TypeError(f"Expected outputs to be a single Tensor, got: {type(outputs)}")
    return outputs


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """The next input is the embedding of an id drawn by its probability.

    TensorFlow: `tf.contrib.seq2seq.SampleEmbeddingHelper`.

    Args:
      embedding, start_tokens, end_token: as of `GreedyEmbeddingHelper`.
      softmax_temperature: what the outputs are divided by; the larger, the more is left to chance.
      seed: of the random numbers.

    Raises:
      ValueError: as `GreedyEmbeddingHelper`.

    Example:
      >>> helper = tf.contrib.seq2seq.SampleEmbeddingHelper(tf.eye(3), [1, 1], 2, seed=1)
    """

    def __init__(
        self,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        softmax_temperature: Any = None,
        seed: Any = None,
    ):
        super().__init__(embedding, start_tokens, end_token)
        self._temperature, self._seed = softmax_temperature, seed

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Ids that are drawn."""
        logits = _one_tensor(outputs)
        if self._temperature is not None:
            logits = ops.divide(logits, self._temperature)
        drawn = ops.multinomial(logits, 1, seed=self._seed, output_dtype=dtypes.int32)
        return getitem(drawn, (slice(None), 0))


class InferenceHelper(Helper):
    """The next input is made of what was chosen (TensorFlow: `tf.contrib.seq2seq.InferenceHelper`).

    Args:
      sample_fn: outputs -> ids, or whatever is chosen. sample_shape, sample_dtype: of one.
      start_inputs: the first inputs. end_fn: ids -> which sequences have ended.
      next_inputs_fn: ids -> next inputs; None for the ids themselves.

    Example:
      >>> helper = tf.contrib.seq2seq.InferenceHelper(
      ...     tf.identity, [3], tf.float32, tf.ones([2, 3]), lambda x: tf.reduce_sum(x, 1) < 0)
    """

    def __init__(
        self,
        sample_fn: Callable[[Any], Any],
        sample_shape: Any,
        sample_dtype: Any,
        start_inputs: Any,
        end_fn: Callable[[Any], Any],
        next_inputs_fn: Callable[[Any], Any] | None = None,
    ):
        self._sample, self._end, self._next = sample_fn, end_fn, next_inputs_fn
        self.sample_ids_shape, self.sample_ids_dtype = TensorShape(sample_shape), sample_dtype
        self._start_inputs = convert_to_tensor(start_inputs, name="start_inputs")
        self.batch_size = ops.shape(self._start_inputs)[0]  # type: ignore[index]

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """What has ended at first, nothing, and the first inputs."""
        return ops.tile([False], [self.batch_size]), self._start_inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """What is chosen of the outputs."""
        return self._sample(outputs)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> Any:
        """What has ended, the next inputs, and the state."""
        inputs = sample_ids if self._next is None else self._next(sample_ids)
        return self._end(sample_ids), inputs, state
