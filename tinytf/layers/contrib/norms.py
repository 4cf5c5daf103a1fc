"""Normalisation as functions (TensorFlow: contrib/layers' layers.py and normalization.py)."""

from __future__ import annotations

from typing import Any

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.dtypes import float16
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.scope_functions import add_to_collections, control_dependencies
from tinytf.framework.tensor import Tensor
from tinytf.layers.contrib.arg_scope import add_arg_scope
from tinytf.layers.contrib.getters import (
    channels,
    collect_variables,
    collections_of,
    finished,
    model_variables,
)
from tinytf.layers.contrib.variables import model_variable
from tinytf.layers.normalization import BatchNormalization
from tinytf.ops.array.identity import identity
from tinytf.ops.array.reshape import reshape
from tinytf.ops.array.shape import shape as shape_of
from tinytf.ops.nn.moments import batch_normalization, moments
from tinytf.ops.variables.initializers import Ones, Zeros
from tinytf.ops.variables.scope import variable_scope

#: The variables of batch normalisation, and how they begin.
_BATCH = {"beta": Zeros(), "gamma": Ones(), "moving_mean": Zeros(), "moving_variance": Ones()}


@add_arg_scope
def batch_norm(
    inputs: Any,
    decay: Any = 0.999,
    center: bool = True,
    scale: bool = False,
    epsilon: float = 0.001,
    activation_fn: Any = None,
    param_initializers: Any = None,
    param_regularizers: Any = None,
    updates_collections: Any = GraphKeys.UPDATE_OPS,
    is_training: Any = True,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    batch_weights: Any = None,
    fused: bool | None = None,
    data_format: str = "NHWC",
    zero_debias_moving_mean: bool = False,
    scope: Any = None,
    renorm: bool = False,
    renorm_clipping: Any = None,
    renorm_decay: float = 0.99,
    adjustment: Any = None,
) -> Tensor:
    """Inputs normalised over the batch (TensorFlow: `contrib.layers.batch_norm`).

    S. Ioffe and C. Szegedy, *Batch Normalization*, 2015.

    Args:
      inputs: [batch, ..., channels]. decay: of the moving averages.
      center, scale: whether there are a beta and a gamma. epsilon: added to the variance.
      param_initializers, param_regularizers: "beta", "gamma", "moving_mean", "moving_variance" ->
        initializer or regularizer.
      updates_collections: where the updates of the moving averages are added; a training step has
        to run them. None: the outputs wait for them.
      is_training: a bool, or a tensor: whether the batch's own mean is used, or the moving one.
      renorm, renorm_clipping, renorm_decay, fused, adjustment: as of
        `tf.layers.batch_normalization`.
      the rest: as of `tf.contrib.layers.fully_connected`; the scope is "BatchNorm".

    Raises:
      ValueError: for a data format that there is not; for `batch_weights` and
        `zero_debias_moving_mean`, which are not here.

    Example:
      >>> y = tf.contrib.layers.batch_norm(tf.ones([5, 2]), scale=True)
      >>> [one.op.name for one in tf.model_variables()][:2]
      ['BatchNorm/gamma', 'BatchNorm/beta']
      >>> len(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
      2
    """
    for name, given in (("batch_weights", batch_weights), ("zero_debias", zero_debias_moving_mean)):
        if given is not None and given is not False:
            raise ValueError(f"tinytf's tf.contrib.layers.batch_norm does not have {name}.")
    initial, regular = param_initializers or {}, param_regularizers or {}
    with variable_scope(
        scope, "BatchNorm", [inputs], reuse=reuse, custom_getter=model_variables()
    ) as entered:
        inputs = convert_to_tensor(inputs)
        flat = inputs.shape.ndims == 2 and not renorm and fused is not False and adjustment is None
        layer = BatchNormalization(
            axis=1 if channels(data_format, ("NHWC", "NCHW"), "NHWC") == "channels_first" else -1,
            momentum=decay,
            epsilon=epsilon,
            center=center,
            scale=scale,
            **{f"{name}_initializer": initial.get(name, usual) for name, usual in _BATCH.items()},
            **{f"{name}_regularizer": regular.get(name) for name in ("beta", "gamma")},
            trainable=trainable,
            renorm=renorm,
            renorm_clipping=renorm_clipping,
            renorm_momentum=renorm_decay,
            adjustment=adjustment,
            fused=fused,
            name=entered.name,
            _scope=entered,
            _reuse=reuse,
        )
        outputs = (
            _through_images(layer, inputs, is_training)
            if flat
            else layer(inputs, training=is_training)
        )
        collect_variables(layer, variables_collections, {name: name for name in _BATCH})
        outputs = _updated(outputs, layer.updates, updates_collections)
        return finished(outputs, activation_fn, outputs_collections, entered.name)


def _through_images(layer: BatchNormalization, inputs: Tensor, is_training: Any) -> Tensor:
    """Rows, normalised as images of one pixel, as there: their moving variance is a sample's."""
    images = reshape(inputs, [-1, 1, 1, inputs.shape[-1].value])
    outputs = reshape(layer(images, training=is_training), shape_of(inputs))
    outputs.set_shape(inputs.shape)
    return outputs


def _updated(outputs: Tensor, updates: Any, collections: Any) -> Tensor:
    """Outputs that wait for the updates, or the outputs, with the updates in collections."""
    if collections is None:
        with control_dependencies(updates):
            return identity(outputs)
    if collections != GraphKeys.UPDATE_OPS:  # the layer adds them there itself
        for update in updates:
            add_to_collections(collections, update)
    return outputs


@add_arg_scope
def layer_norm(
    inputs: Any,
    center: bool = True,
    scale: bool = True,
    activation_fn: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    begin_norm_axis: int = 1,
    begin_params_axis: int = -1,
    scope: Any = None,
) -> Tensor:
    """Each example normalised by itself (TensorFlow: `contrib.layers.layer_norm`).

    J. L. Ba, J. R. Kiros and G. Hinton, *Layer Normalization*, 2016.

    Args:
      begin_norm_axis: mean and variance are of this dimension and those after it.
      begin_params_axis: beta and gamma have this dimension and those after it.
      the rest: as of `tf.contrib.layers.batch_norm`; the scope is "LayerNorm".

    Raises:
      ValueError: for dimensions that the inputs do not have, or whose sizes are not known.

    Example:
      >>> tf.contrib.layers.layer_norm([[1.0, 3.0]])  # [[-1., 1.]]
    """
    with variable_scope(scope, "LayerNorm", [inputs], reuse=reuse) as entered:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        if rank is None:
            raise ValueError("Inputs of layer_norm have undefined rank.")
        first, params = (
            axis + rank if axis < 0 else axis for axis in (begin_norm_axis, begin_params_axis)
        )
        if first >= rank or params >= rank:
            raise ValueError(
                f"begin_params_axis ({begin_params_axis}) and begin_norm_axis ({begin_norm_axis}) "
                f"must be < rank(inputs) ({rank})"
            )
        shape = inputs.shape[params:]
        if not shape.is_fully_defined():
            raise ValueError(
                f"Inputs: shape(inputs)[{params}:] is not fully defined: {inputs.shape}"
            )
        beta, gamma = _parameters(inputs, shape, center, scale, trainable, variables_collections)
        mean, variance = moments(inputs, list(range(first, rank)), keep_dims=True)
        epsilon = 1e-3 if inputs.dtype == float16 else 1e-12
        outputs = batch_normalization(inputs, mean, variance, beta, gamma, epsilon)
        outputs.set_shape(inputs.shape)
        return finished(outputs, activation_fn, outputs_collections, entered.name)


def _parameters(
    inputs: Tensor, shape: Any, center: bool, scale: bool, trainable: bool, collections: Any
) -> tuple[Any, Any]:
    """Beta and gamma, or None."""

    def made(name: str, initializer: Any) -> Any:
        wanted = collections_of(collections, name)
        kind = inputs.dtype.base_dtype
        return model_variable(
            name, shape, kind, initializer, trainable=trainable, collections=wanted
        )

    return made("beta", Zeros()) if center else None, made("gamma", Ones()) if scale else None


@add_arg_scope
def instance_norm(
    inputs: Any,
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> Tensor:
    """Each channel of each image normalised by itself (TensorFlow: `contrib.layers.instance_norm`).

    D. Ulyanov, A. Vedaldi and V. Lempitsky, *Instance Normalization*, 2016.

    Args:
      inputs: [batch, height, width, channels], or channels first with data_format "NCHW".
      the rest: as of `tf.contrib.layers.batch_norm`; the scope is "InstanceNorm".

    Raises:
      ValueError: if the number of channels is not known.

    Example:
      >>> y = tf.contrib.layers.instance_norm(tf.ones([1, 2, 2, 3]))
      >>> [one.op.name for one in tf.model_variables()]
      ['InstanceNorm/beta', 'InstanceNorm/gamma']
    """
    with variable_scope(scope, "InstanceNorm", [inputs], reuse=reuse) as entered:
        inputs = convert_to_tensor(inputs)
        first = channels(data_format, ("NHWC", "NCHW"), "NHWC") == "channels_first"
        rank = inputs.shape.ndims
        axis = 1 if first else (rank or 0) - 1
        if rank is None or inputs.shape[axis].value is None:
            raise ValueError(f"Inputs {inputs.name} has undefined channels dimension {axis}.")
        shape = [inputs.shape[axis].value]
        beta, gamma = _parameters(inputs, shape, center, scale, trainable, variables_collections)
        if first:
            wide = [1, -1, *[1] * (rank - 2)]
            beta, gamma = (None if one is None else reshape(one, wide) for one in (beta, gamma))
        over = [number for number in range(1, rank) if number != axis]
        mean, variance = moments(inputs, over, keep_dims=True)
        outputs = batch_normalization(inputs, mean, variance, beta, gamma, epsilon)
        outputs.set_shape(inputs.shape)
        return finished(outputs, activation_fn, outputs_collections, entered.name)
