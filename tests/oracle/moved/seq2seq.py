"""tf.contrib.seq2seq for a TensorFlow that has lost it: its formulas, with TensorFlow's own ops."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf


class BasicDecoderOutput(NamedTuple):
    """What a decoder puts out at each step."""

    rnn_output: Any
    sample_id: Any


class AttentionWrapperState(NamedTuple):
    """The state of a cell that pays attention."""

    cell_state: Any
    attention: Any
    time: Any
    alignments: Any
    alignment_history: Any
    attention_state: Any

    def clone(self, **changed: Any) -> Any:
        """The same, but for some."""
        return self._replace(**changed)


def hardmax(logits: Any) -> Any:
    return tf.one_hot(tf.argmax(logits, -1), int(logits.shape[-1]), dtype=logits.dtype)


def sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Any = None,
) -> Any:
    function = softmax_loss_function or tf.nn.sparse_softmax_cross_entropy_with_logits
    losses = function(labels=targets, logits=logits) * weights
    axes = [n for n, mean in enumerate((average_across_batch, average_across_timesteps)) if mean]
    if not axes:
        return losses
    return tf.reduce_sum(losses, axes) / (tf.reduce_sum(weights, axes) + 1e-12)


class Decoder:
    tracks_own_finished = False

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        return outputs, final_state


class BasicDecoder(Decoder):
    def __init__(self, cell: Any, helper: Any, initial_state: Any, output_layer: Any = None):
        self.cell, self.helper, self.start = cell, helper, initial_state
        self.layer = output_layer or tf.identity
        width = output_layer.units if output_layer else cell.output_size
        ids = tf.TensorShape(helper.sample_ids_shape)
        self.output_size = BasicDecoderOutput(tf.TensorShape([width]), ids)
        self.output_dtype = BasicDecoderOutput(tf.float32, helper.sample_ids_dtype)

    batch_size = property(lambda self: self.helper.batch_size)

    def initialize(self, name: Any = None) -> Any:
        return *self.helper.initialize(), self.start

    def step(self, time: Any, inputs: Any, state: Any, name: Any = None) -> Any:
        outputs, state = self.cell(inputs, state)
        outputs = self.layer(outputs)
        ids = self.helper.sample(time=time, outputs=outputs, state=state)
        how = {"time": time, "outputs": outputs, "state": state, "sample_ids": ids}
        finished, inputs, state = self.helper.next_inputs(**how)
        return BasicDecoderOutput(outputs, ids), state, inputs, finished


def dynamic_decode(
    decoder: Any,
    output_time_major: bool = False,
    impute_finished: bool = False,
    maximum_iterations: Any = None,
    scope: Any = None,
) -> Any:
    def body(time: Any, arrays: Any, state: Any, inputs: Any, done: Any, lengths: Any) -> Any:
        outputs, new, inputs, ends = decoder.step(time, inputs, state)
        if not decoder.tracks_own_finished:
            ends = tf.logical_or(ends, done)
        lengths = tf.where(done, lengths, tf.fill(tf.shape(lengths), time + 1))
        if impute_finished:
            where = tf.where
            outputs = tf.nest.map_structure(lambda x: where(done, tf.zeros_like(x), x), outputs)
            new = tf.nest.map_structure(
                lambda x, old: x if _is_one(x) else where(done, old, x), new, state
            )
        arrays = tf.nest.map_structure(lambda array, x: array.write(time, x), arrays, outputs)
        return time + 1, arrays, new, inputs, ends, lengths

    def _is_one(x: Any) -> bool:
        return isinstance(x, tf.TensorArray) or not x.shape.ndims

    with tf.variable_scope(scope, "decoder"):
        done, inputs, state = decoder.initialize()
        arrays = tf.nest.map_structure(
            lambda kind: tf.TensorArray(kind, 0, dynamic_size=True), decoder.output_dtype
        )
        lengths = tf.zeros_like(done, tf.int32)
        _, arrays, state, _, _, lengths = tf.while_loop(
            lambda *loop: tf.logical_not(tf.reduce_all(loop[4])),
            body,
            (0, arrays, state, inputs, done, lengths),
            maximum_iterations=maximum_iterations,
        )
        outputs = tf.nest.map_structure(lambda array: array.stack(), arrays)
        outputs, state = decoder.finalize(outputs, state, lengths)
        if not output_time_major:
            outputs = tf.nest.map_structure(
                lambda x: tf.transpose(x, [1, 0, *range(2, x.shape.ndims)]), outputs
            )
        return outputs, state, lengths


class Helper:
    sample_ids_shape, sample_ids_dtype = (), tf.int32


class CustomHelper(Helper):
    def __init__(
        self,
        initialize_fn: Any,
        sample_fn: Any,
        next_inputs_fn: Any,
        sample_ids_shape: Any = (),
        sample_ids_dtype: Any = tf.int32,
    ):
        self.first, self.sample, self.next_inputs = initialize_fn, sample_fn, next_inputs_fn
        self.sample_ids_shape, self.sample_ids_dtype = sample_ids_shape, sample_ids_dtype

    def initialize(self) -> Any:
        finished, inputs = self.first()
        self.batch_size = tf.size(finished)
        return finished, inputs


class TrainingHelper(Helper):
    def __init__(self, inputs: Any, sequence_length: Any, time_major: bool = False):
        self.inputs, self.lengths = inputs, tf.convert_to_tensor(sequence_length)
        self.axis, self.batch_size = 0 if time_major else 1, tf.size(self.lengths)

    def at(self, time: Any) -> Any:
        last = tf.shape(self.inputs)[self.axis] - 1
        return time >= self.lengths, tf.gather(self.inputs, tf.minimum(time, last), axis=self.axis)

    def initialize(self) -> Any:
        return self.at(0)

    def sample(self, outputs: Any, **_: Any) -> Any:
        return tf.argmax(outputs, -1, output_type=tf.int32)

    def next_inputs(self, time: Any, state: Any, **_: Any) -> Any:
        return *self.at(time + 1), state


class GreedyEmbeddingHelper(Helper):
    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any):
        def look_up(ids: Any) -> Any:
            return tf.nn.embedding_lookup(embedding, ids)

        self.embed = embedding if callable(embedding) else look_up
        self.start, self.end = start_tokens, end_token
        self.batch_size = tf.size(start_tokens)

    def initialize(self) -> Any:
        return tf.fill([self.batch_size], False), self.embed(self.start)

    def sample(self, outputs: Any, **_: Any) -> Any:
        return tf.argmax(outputs, -1, output_type=tf.int32)

    def next_inputs(self, state: Any, sample_ids: Any, **_: Any) -> Any:
        return tf.equal(sample_ids, self.end), self.embed(sample_ids), state


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    def __init__(self, *args: Any, softmax_temperature: float = 1.0, seed: Any = None):
        super().__init__(*args)
        self.temperature, self.seed = softmax_temperature, seed

    def sample(self, outputs: Any, **_: Any) -> Any:
        scores = outputs / self.temperature
        return tf.multinomial(scores, 1, self.seed, output_dtype=tf.int32)[:, 0]


class InferenceHelper(Helper):
    def __init__(
        self,
        sample_fn: Any,
        sample_shape: Any,
        sample_dtype: Any,
        start_inputs: Any,
        end_fn: Any,
        next_inputs_fn: Any = tf.identity,
    ):
        self.sample_ids_shape, self.sample_ids_dtype = sample_shape, sample_dtype
        self.functions, self.start = (sample_fn, end_fn, next_inputs_fn), start_inputs
        self.batch_size = tf.shape(start_inputs)[0]

    def initialize(self) -> Any:
        return tf.fill([self.batch_size], False), self.start

    def sample(self, outputs: Any, **_: Any) -> Any:
        return self.functions[0](outputs)

    def next_inputs(self, state: Any, sample_ids: Any, **_: Any) -> Any:
        return self.functions[1](sample_ids), self.functions[2](sample_ids), state


def _layer(name: str, units: int) -> Any:
    return tf.layers.Dense(units, name=name, use_bias=False)


class AttentionMechanism:
    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        is_scaled: bool = False,
        probability_fn: Any = tf.nn.softmax,
    ):
        self.units, self.is_scaled, self.probability_fn = num_units, is_scaled, probability_fn
        self.mask = tf.fill(tf.shape(memory)[:2], True)
        if memory_sequence_length is not None:
            self.mask = tf.sequence_mask(memory_sequence_length, tf.shape(memory)[1])
        self.values = memory * tf.cast(self.mask, tf.float32)[:, :, None]
        self.query_layer = _layer("query_layer", num_units)
        self.keys = _layer("memory_layer", num_units)(self.values)
        self.alignments_size = int(memory.shape[1])

    def __call__(self, query: Any, state: Any) -> Any:
        with tf.variable_scope(None, self.scope):
            score = self.score(query)
            score = tf.where(self.mask, score, tf.fill(tf.shape(score), -math.inf))
            return self.probability_fn(score)


class LuongAttention(AttentionMechanism):
    scope = "luong_attention"

    def __init__(self, *args: Any, scale: bool = False, **named: Any):
        super().__init__(*args, is_scaled=scale, **named)

    def score(self, query: Any) -> Any:
        found = tf.reduce_sum(query[:, None] * self.keys, 2)
        ones = tf.ones_initializer()
        return tf.get_variable("attention_g", [], None, ones) * found if self.is_scaled else found


class BahdanauAttention(AttentionMechanism):
    scope = "bahdanau_attention"

    def __init__(self, *args: Any, normalize: bool = False, **named: Any):
        super().__init__(*args, is_scaled=normalize, **named)

    def score(self, query: Any) -> Any:
        both = self.keys + self.query_layer(query)[:, None]
        v = tf.get_variable("attention_v", [self.units])
        if self.is_scaled:
            start = tf.constant_initializer(math.sqrt(1 / self.units))
            g = tf.get_variable("attention_g", [], None, start)
            b = tf.get_variable("attention_b", [self.units], None, tf.zeros_initializer())
            both, v = both + b, g * v / tf.norm(v)
        return tf.reduce_sum(v * tf.tanh(both), 2)


class AttentionWrapper(tf.nn.rnn_cell.RNNCell):
    def __init__(
        self,
        cell: Any,
        attention_mechanism: Any,
        attention_layer_size: Any = None,
        alignment_history: bool = False,
        cell_input_fn: Any = None,
        output_attention: bool = True,
    ):
        super().__init__()
        self.is_one = not isinstance(attention_mechanism, list)
        self.all = [attention_mechanism] if self.is_one else attention_mechanism
        sizes = attention_layer_size
        sizes = sizes if isinstance(sizes, list) else [sizes] * len(self.all)
        self.made = [size and _layer("attention_layer", size) for size in sizes]
        widths = (int(each.values.shape[-1]) for each in self.all)
        self.width = sum(size or width for size, width in zip(sizes, widths))
        self.cell, self.keeps, self.puts_out = cell, alignment_history, output_attention
        self.join = cell_input_fn or (lambda x, attention: tf.concat([x, attention], -1))

    @property
    def output_size(self) -> Any:
        return self.width if self.puts_out else self.cell.output_size

    def each(self, things: Any) -> Any:
        things = tuple(things)
        return things[0] if self.is_one else things

    @property
    def state_size(self) -> Any:
        sizes = self.each(one.alignments_size for one in self.all)
        history = self.each(() for _ in self.all)
        inner = self.cell.state_size
        return AttentionWrapperState(inner, self.width, (), sizes, history, sizes)

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        zeros = [tf.zeros([batch_size, each.alignments_size]) for each in self.all]
        history = [tf.TensorArray(dtype, 0, dynamic_size=True) if self.keeps else () for _ in zeros]
        return AttentionWrapperState(
            self.cell.zero_state(batch_size, dtype),
            tf.zeros([batch_size, self.width]),
            tf.constant(0),
            self.each(zeros),
            self.each(history),
            self.each(zeros),
        )

    def call(self, inputs: Any, state: Any) -> Any:
        output, inner = self.cell(self.join(inputs, state.attention), state.cell_state)
        attentions, found = [], []
        for one, made in zip(self.all, self.made):
            alignments = one(output, None)
            context = tf.reduce_sum(alignments[:, :, None] * one.values, 1)
            attentions.append(made(tf.concat([output, context], 1)) if made else context)
            found.append(alignments)
        history = [state.alignment_history] if self.is_one else state.alignment_history
        if self.keeps:
            history = [old.write(state.time, new) for old, new in zip(history, found)]
        attention, weights = tf.concat(attentions, 1), self.each(found)
        past = self.each(history)
        new = AttentionWrapperState(inner, attention, state.time + 1, weights, past, weights)
        return attention if self.puts_out else output, new
