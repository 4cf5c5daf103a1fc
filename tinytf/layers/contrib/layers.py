"""Layers as functions (TensorFlow: contrib/layers/python/layers/layers.py).

They differ from those of `tf.layers` in names (`fully_connected/weights`), in what they do unasked
(an activation, Xavier's initial weights), and in that `arg_scope` gives them arguments.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from tinytf import ops
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.dtypes import int32, int64
from tinytf.framework.tensor import Tensor
from tinytf.layers.contrib.arg_scope import add_arg_scope
from tinytf.layers.contrib.getters import (
    arguments_of_layer,
    called,
    collect_outputs,
    finished,
    model_variables,
)
from tinytf.layers.contrib.initializers import xavier_initializer
from tinytf.layers.contrib.variables import model_variable
from tinytf.layers.core import Dense, Dropout
from tinytf.layers.core import flatten as flatten_layer
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.variables.initializers import Zeros
from tinytf.ops.variables.scope import variable_scope

#: What layers do unless told otherwise.
XAVIER, ZEROS = xavier_initializer(), Zeros()


@add_arg_scope
def fully_connected(
    inputs: Any,
    num_outputs: int,
    activation_fn: Any = ops.relu,
    normalizer_fn: Any = None,
    normalizer_params: Any = None,
    weights_initializer: Any = XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Tensor:
    """activation_fn(inputs · weights + biases) (TensorFlow: `contrib.layers.fully_connected`).

    Args:
      inputs: [..., size]. num_outputs: the size of the outputs.
      activation_fn: None for none.
      normalizer_fn, normalizer_params: called with the outputs, instead of biases; its arguments.
      weights_initializer, weights_regularizer, biases_initializer, biases_regularizer: of the
        variables; without a `biases_initializer` there are no biases.
      reuse, scope: of the variable scope, by default "fully_connected".
      variables_collections: where the variables are added: names, or "weights" and "biases" ->
        names. outputs_collections: where the outputs are added.
      trainable: whether the variables are trained.

    Returns:
      [..., num_outputs].

    Raises:
      ValueError: for a `num_outputs` that is no integer; as of `tf.layers.dense`.

    Example:
      >>> y = tf.contrib.layers.fully_connected(tf.ones([5, 2]), 3)
      >>> [one.name for one in tf.model_variables()]
      ['fully_connected/weights:0', 'fully_connected/biases:0']
    """
    given = dict(locals())
    if not isinstance(num_outputs, int):
        raise ValueError(f"num_outputs type should be one of int, got {type(num_outputs)}.")
    getter = model_variables({"bias": "biases", "kernel": "weights"})
    with variable_scope(
        scope, "fully_connected", [inputs], reuse=reuse, custom_getter=getter
    ) as entered:
        inputs = convert_to_tensor(inputs)
        layer = Dense(
            num_outputs,
            kernel_initializer=weights_initializer,
            kernel_regularizer=weights_regularizer,
            **arguments_of_layer(given, entered, inputs),
        )
        return called(layer, inputs, {"kernel": "weights", "bias": "biases"}, given)


linear = functools.partial(fully_connected, activation_fn=None)
relu_layer = functools.partial(fully_connected, activation_fn=ops.relu)
relu6_layer = functools.partial(fully_connected, activation_fn=ops.relu6)
elu_layer = functools.partial(fully_connected, activation_fn=ops.elu)


@add_arg_scope
def dropout(
    inputs: Any,
    keep_prob: Any = 0.5,
    noise_shape: Any = None,
    is_training: Any = True,
    outputs_collections: Any = None,
    scope: Any = None,
    seed: int | None = None,
) -> Tensor:
    """Some inputs set to 0 in training (TensorFlow: `contrib.layers.dropout`).

    Args:
      keep_prob: the share that is kept, where `tf.layers.dropout` takes the share that is not.
      is_training: a bool, or a tensor. noise_shape, seed: as of `tf.nn.dropout`.
      outputs_collections, scope: as of `fully_connected`.

    Example:
      >>> tf.contrib.layers.dropout(tf.ones([2]), is_training=False)  # [1., 1.]
    """
    with variable_scope(scope, "Dropout", [inputs], custom_getter=model_variables()) as entered:
        inputs = convert_to_tensor(inputs)
        layer = Dropout(1 - keep_prob, noise_shape, seed, name=entered.name, _scope=entered)
        outputs = layer(inputs, training=is_training)
        return collect_outputs(outputs_collections, entered.name, outputs)


@add_arg_scope
def flatten(inputs: Any, outputs_collections: Any = None, scope: Any = None) -> Tensor:
    """All dimensions but the first made one (TensorFlow: `contrib.layers.flatten`).

    Args:
      inputs: [batch, ...]. outputs_collections, scope: as of `fully_connected`.

    Example:
      >>> tf.contrib.layers.flatten(tf.ones([5, 2, 3])).shape
      TensorShape([Dimension(5), Dimension(6)])
    """
    with op_scope(scope, "Flatten", (inputs,)) as entered:
        outputs = flatten_layer(convert_to_tensor(inputs))
        return collect_outputs(outputs_collections, entered.rstrip("/"), outputs)


@add_arg_scope
def bias_add(
    inputs: Any,
    activation_fn: Any = None,
    initializer: Any = ZEROS,
    regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> Tensor:
    """Inputs plus a bias for each channel (TensorFlow: `contrib.layers.bias_add`).

    Args:
      initializer, regularizer, trainable: of the biases.
      data_format: where the channels are. The rest: as of `fully_connected`.

    Example:
      >>> y = tf.contrib.layers.bias_add(tf.ones([1, 2]), initializer=tf.ones_initializer())
      >>> sess.run(tf.global_variables_initializer())
      >>> y.eval()  # [[2., 2.]]
    """
    with variable_scope(scope, "BiasAdd", [inputs], reuse=reuse) as entered:
        inputs = convert_to_tensor(inputs)
        axis = 1 if data_format.startswith("NC") else -1
        biases = model_variable(
            "biases",
            [inputs.shape[axis].value],
            inputs.dtype.base_dtype,
            initializer,
            regularizer,
            trainable,
            collections=_named(variables_collections, "biases"),
        )
        outputs = ops.bias_add(inputs, biases, data_format=data_format)
        return finished(outputs, activation_fn, outputs_collections, entered.name)


def _named(collections: Any, name: str) -> Any:
    return collections.get(name) if isinstance(collections, dict) else collections


@add_arg_scope
def one_hot_encoding(
    labels: Any,
    num_classes: int,
    on_value: Any = 1.0,
    off_value: Any = 0.0,
    outputs_collections: Any = None,
    scope: Any = None,
) -> Tensor:
    """Numbers of classes as rows with a single 1 (TensorFlow: `contrib.layers.one_hot_encoding`).

    Args:
      labels: [...], integers. num_classes: the length of a row.
      on_value, off_value: instead of 1 and 0. outputs_collections, scope: as of `fully_connected`.

    Example:
      >>> tf.contrib.layers.one_hot_encoding([1], 3)  # [[0., 1., 0.]]
    """
    with op_scope(scope, "OneHotEncoding", (labels,)) as entered:
        labels = convert_to_tensor(labels)
        if labels.dtype == int32:
            labels = ops.cast(labels, int64)
        outputs = ops.one_hot(labels, num_classes, on_value=on_value, off_value=off_value)
        return collect_outputs(outputs_collections, entered.rstrip("/"), outputs)


@add_arg_scope
def softmax(logits: Any, scope: Any = None) -> Tensor:
    """Softmax of the last dimension (TensorFlow: `contrib.layers.softmax`).

    Args:
      logits: [..., classes]. scope: of the names of the operations.

    Example:
      >>> tf.contrib.layers.softmax([[0.0, 0.0]])  # [[0.5, 0.5]]
    """
    with variable_scope(scope, "softmax", [logits]):
        logits = convert_to_tensor(logits)
        rows = ops.reshape(logits, [-1, logits.shape[-1].value])
        found = ops.reshape(ops.softmax(rows), ops.shape(logits))
        found.set_shape(logits.shape)
        return found


@add_arg_scope
def embed_sequence(
    ids: Any,
    vocab_size: int | None = None,
    embed_dim: int | None = None,
    unique: bool = False,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: Any = None,
) -> Tensor:
    """A vector for each symbol, looked up (TensorFlow: `contrib.layers.embed_sequence`).

    Args:
      ids: [batch, length], integers. vocab_size, embed_dim: the shape of the vectors' matrix.
      unique: accepted; each id is looked up by itself.
      initializer, regularizer, trainable, scope, reuse: of the variable "embeddings".

    Returns:
      [batch, length, embed_dim].

    Raises:
      ValueError: without a size where the variable is new.

    Example:
      >>> tf.contrib.layers.embed_sequence([[0, 2]], vocab_size=3, embed_dim=4).shape.as_list()
      [1, 2, 4]
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(
            f"Must specify vocab size and embedding dimension when not reusing. Got "
            f"vocab_size={vocab_size} and embed_dim={embed_dim}"
        )
    shape = [vocab_size, embed_dim] if vocab_size and embed_dim else None
    with variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        embeddings = model_variable(
            "embeddings",
            shape,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        return ops.embedding_lookup(embeddings, ids)


def repeat(inputs: Any, repetitions: int, layer: Callable[..., Any], *args: Any, **kw: Any) -> Any:
    """The same layer several times, one after the other (TensorFlow: `contrib.layers.repeat`).

    Args:
      repetitions: how often. layer: a function of inputs; args, kw: its other arguments.

    Example:
      >>> layers = tf.contrib.layers
      >>> y = layers.repeat(tf.ones([5, 2]), 2, layers.fully_connected, 2, scope="fc")
      >>> [one.name for one in tf.model_variables("fc.*weights")]
      ['fc/fc_1/weights:0', 'fc/fc_2/weights:0']
    """
    return _chain(inputs, layer, [args] * repetitions, "Repeat", "repeat", kw)


def stack(inputs: Any, layer: Callable[..., Any], stack_args: Sequence[Any], **kwargs: Any) -> Any:
    """Layers of one kind, one after the other (TensorFlow: `contrib.layers.stack`).

    Args:
      layer: a function of inputs. stack_args: for each layer its argument, or several of them.
      kwargs: arguments of all of them.

    Example:
      >>> layers = tf.contrib.layers
      >>> y = layers.stack(tf.ones([5, 2]), layers.fully_connected, [8, 4], scope="fc")
      >>> y.shape.as_list(), y.op.name
      ([5, 4], 'fc/fc_2/Relu')
    """
    if not isinstance(stack_args, list | tuple):
        raise ValueError(f"stack_args need to be a list or tuple: {stack_args!r}")
    calls = [one if isinstance(one, list | tuple) else (one,) for one in stack_args]
    return _chain(inputs, layer, calls, "Stack", "stack", kwargs)


def _chain(
    inputs: Any, layer: Any, calls: Sequence[Any], default: str, prefix: str, kwargs: Any
) -> Any:
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, default, [inputs]):
        inputs = convert_to_tensor(inputs)
        scope = scope or getattr(layer, "__name__", prefix)
        for number, args in enumerate(calls, start=1):
            inputs = layer(inputs, *args, **kwargs, scope=f"{scope}_{number}")
        return inputs


@add_arg_scope
def unit_norm(inputs: Any, dim: int, epsilon: float = 1e-7, scope: Any = None) -> Tensor:
    """Inputs divided by their length along a dimension (TensorFlow: `contrib.layers.unit_norm`).

    Args:
      dim: the dimension. epsilon: added to the squared length. scope: of the operations.

    Raises:
      ValueError: if the inputs have no such dimension.

    Example:
      >>> tf.contrib.layers.unit_norm([[3.0, 4.0]], 1)  # [[0.6, 0.8]]
    """
    with variable_scope(scope, "UnitNorm", [inputs]):
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        if rank is None or not 0 <= dim < rank:
            raise ValueError(f"dim must be between 0 and the inputs' rank, {rank}; got {dim}.")
        return ops.div(
            inputs,
            ops.sqrt(ops.add(ops.reduce_sum(ops.square(inputs), dim, keepdims=True), epsilon)),
        )


@add_arg_scope
def maxout(inputs: Any, num_units: int, axis: int = -1, scope: Any = None) -> Tensor:
    """The largest of each group of inputs (TensorFlow: `contrib.layers.maxout`).

    I. Goodfellow et al., *Maxout Networks*, 2013.

    Args:
      num_units: the number of groups along `axis`. scope: of the operations.

    Raises:
      ValueError: if the inputs cannot be divided into groups of the same size.

    Example:
      >>> tf.contrib.layers.maxout([[1.0, 4.0, 2.0, 3.0]], 2)  # [[4., 3.]]
    """
    with variable_scope(scope, "MaxOut", [inputs]):
        inputs = convert_to_tensor(inputs)
        sizes = inputs.shape.as_list()
        count = sizes[axis]
        if count is None or count % num_units:
            raise ValueError(
                f"number of features({count}) is not a multiple of num_units({num_units})"
            )
        sizes[axis] = num_units
        grouped = [-1 if size is None else size for size in [*sizes, count // num_units]]
        return ops.reduce_max(ops.reshape(inputs, grouped), axis=-1)
