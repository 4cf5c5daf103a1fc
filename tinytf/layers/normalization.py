"""`tf.layers.BatchNormalization`, and the function that makes and calls it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.scope_functions import colocate_with, control_dependencies
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, as_shape
from tinytf.layers import by_name
from tinytf.layers.base import Layer
from tinytf.layers.declared import function_of
from tinytf.layers.input_spec import InputSpec
from tinytf.ops.control_flow.cond import smart_constant_value
from tinytf.ops.nn import moments as normalizing
from tinytf.ops.variables.initializers import Ones, Zeros
from tinytf.ops.variables.state import assign, assign_sub
from tinytf.ops.variables.variable_creators import VariableAggregation, VariableSynchronization

#: Rank of the inputs, and where their channels are -> their format for the fused operation.
_FORMATS = {(4, 1): "NCHW", (4, 3): "NHWC", (5, 1): "NCDHW", (5, 4): "NDHWC"}
_SHORT = (dtypes.float16, dtypes.bfloat16)


class BatchNormalization(Layer):
    """Inputs shifted and scaled to mean 0, variance 1 (TensorFlow: `tf.layers.BatchNormalization`).

    In training by mean and variance of the batch, otherwise by their moving averages. These are
    updated by the operations `updates`, which training has to run: the `fit` of Keras does, other
    programs find those of `tf.layers` in the collection `tf.GraphKeys.UPDATE_OPS`.

    Args:
      axis: where the channels are, or a list of axes: what is normalised for itself.
      momentum: how much of the moving averages stays in an update.
      epsilon: added to the variance.
      center, scale: whether `beta` is added, whether the result is multiplied by `gamma`.
      beta_initializer, gamma_initializer, moving_mean_initializer, moving_variance_initializer: of
        the variables.
      beta_regularizer, gamma_regularizer: functions to a loss.
      beta_constraint, gamma_constraint: functions from a variable's new value to what it becomes.
      renorm: whether training is corrected towards the moving averages (batch renormalisation).
      renorm_clipping: {"rmax", "rmin", "dmax"}: limits of the corrections, all of them optional.
      renorm_momentum: as `momentum`, for the averages that corrections are made from.
      fused: whether one operation does it all, where it can; None for True.
      trainable, name, dtype: as of `tf.layers.Layer`; updates are of layers that are trained only.
      virtual_batch_size: how many examples are normalised together; None for the whole batch.
      adjustment: a function from the shape of the inputs to a scale and an offset for training.

    Raises:
      TypeError: for an axis that is no number. ValueError: for other keys of `renorm_clipping`;
        when called, if there is no such axis, or its size is not known.

    Example:
      >>> layer = tf.layers.BatchNormalization()
      >>> y = layer(tf.constant([[1.0], [3.0]]), training=True)  # about [[-1.], [1.]]
      >>> [v.op.name for v in layer.variables[1:]]
      ['batch_normalization/beta', 'batch_normalization/moving_mean',
       'batch_normalization/moving_variance']
      >>> len(layer.updates)
      2
    """

    def __init__(
        self,
        axis: Any = -1,
        momentum: Any = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = Zeros(),  # noqa: B008
        gamma_initializer: Any = Ones(),  # noqa: B008
        moving_mean_initializer: Any = Zeros(),  # noqa: B008
        moving_variance_initializer: Any = Ones(),  # noqa: B008
        beta_regularizer: Callable[[Any], Any] | None = None,
        gamma_regularizer: Callable[[Any], Any] | None = None,
        beta_constraint: Callable[[Any], Any] | None = None,
        gamma_constraint: Callable[[Any], Any] | None = None,
        renorm: bool = False,
        renorm_clipping: dict[str, Any] | None = None,
        renorm_momentum: Any = 0.99,
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Callable[[Any], Any] | None = None,
        name: Any = None,
        **kwargs: Any,
    ):
        super().__init__(trainable, name, **kwargs)
        if not isinstance(axis, int | list | tuple):
            raise TypeError(
                "Expected an int or a list/tuple of ints for the argument 'axis', but received: "
                f"{axis!r}"
            )
        limits = dict(renorm_clipping or {})
        if renorm and set(limits) - {"rmax", "rmin", "dmax"}:
            raise ValueError(
                "Received invalid keys for `renorm_clipping` argument: "
                f"{renorm_clipping}. Supported values: ['rmax', 'rmin', 'dmax']."
            )
        self.axis: Any = axis
        self.momentum, self.epsilon = momentum, epsilon
        self.center, self.scale = center, scale
        self._keep_arguments(locals(), "beta", "gamma")
        self.moving_mean_initializer = by_name.initializer(moving_mean_initializer)
        self.moving_variance_initializer = by_name.initializer(moving_variance_initializer)
        self.renorm, self.renorm_clipping = renorm, limits
        self.renorm_momentum = renorm_momentum
        self.fused = fused is None or fused
        self.virtual_batch_size = virtual_batch_size
        self.adjustment = adjustment
        self.gamma: Any = None
        self.beta: Any = None

    # Variables -----------------------------------------------------------------------------------

    def build(self, input_shape: Any) -> None:
        """Make `gamma`, `beta`, `moving_mean` and `moving_variance`, and renormalisation's own."""
        sizes = as_shape(input_shape).sizes
        if sizes is None:
            raise ValueError(
                "Input has undefined rank. Received: input_shape=<unknown>. Say how many "
                "dimensions there are: inputs.set_shape([None, 4])."
            )
        self.axis = _axes(self.axis, len(sizes), input_shape)
        self._check_virtual_batches()
        known = {axis: sizes[axis] for axis in self.axis}
        if None in known.values():
            raise ValueError(
                "Input has undefined `axis` dimension. Received input with shape "
                f"{tuple(sizes)} and axis={tuple(self.axis)}"
            )
        self._choose_format(len(sizes))
        self.input_spec = InputSpec(ndim=len(sizes), axes=known)
        shape = list(known.values())
        if len(known) > 1 or self.virtual_batch_size is not None:
            shape = [known.get(axis, 1) for axis in range(len(sizes))]
        if self.virtual_batch_size is not None:
            shape.insert(1, 1)
            self.axis = [axis + 1 for axis in self.axis]
        short = self.dtype is None or dtypes.as_dtype(self.dtype) in _SHORT
        self._kept_dtype = dtypes.float32 if short else dtypes.as_dtype(self.dtype)
        self._kept_shape = shape
        for name, wanted in (("gamma", self.scale), ("beta", self.center)):
            if wanted:
                setattr(self, name, self._add_as_given(name, shape, self._kept_dtype))
        scope: Any = self._scope  # the averages stay whole
        partitioner, scope.partitioner = scope.partitioner, None
        try:
            self._build_averages()
        finally:
            scope.partitioner = partitioner
        self.built = True

    def _check_virtual_batches(self) -> None:
        if self.virtual_batch_size is None:
            return
        if self.virtual_batch_size <= 0:
            raise ValueError(
                "`virtual_batch_size` must be a positive integer that divides the true batch size "
                f"of the input tensor. Received: virtual_batch_size={self.virtual_batch_size}"
            )
        if 0 in self.axis:
            raise ValueError(
                "When using `virtual_batch_size`, the batch dimension must be 0 and thus axis "
                f"cannot include 0. Received axis={self.axis}"
            )
        if self.adjustment is not None:
            raise ValueError("When using `virtual_batch_size`, adjustment cannot be specified")

    def _choose_format(self, rank: int) -> None:
        """Use the fused operation where it can do it: it knows four formats, and no extras."""
        extras = self.renorm or self.virtual_batch_size is not None or self.adjustment is not None
        dtype = self.dtype is None or dtypes.as_dtype(self.dtype) in (*_SHORT, dtypes.float32)
        can = rank in (4, 5) and len(self.axis) == 1 and dtype and not extras
        self._data_format = _FORMATS.get((rank, self.axis[0])) if can else None
        self.fused = self.fused and self._data_format is not None

    def _build_averages(self) -> None:
        mean, variance = self.moving_mean_initializer, self.moving_variance_initializer

        def deviation(*args: Any, **kwargs: Any) -> Any:
            return ops.sqrt(variance(*args, **kwargs))

        self.moving_mean = self._average("moving_mean", mean)
        self.moving_variance = self._average("moving_variance", variance)
        if self.renorm:
            with colocate_with(self.moving_variance):
                self.moving_stddev = self._average("moving_stddev", deviation)
            with colocate_with(self.moving_mean):
                self.renorm_mean = self._average("renorm_mean", mean)
            with colocate_with(self.moving_stddev):
                self.renorm_stddev = self._average("renorm_stddev", deviation)

    def _average(self, name: str, initializer: Any) -> Any:
        return self.add_weight(
            name,
            self._kept_shape,
            self._kept_dtype,
            initializer,
            trainable=False,
            synchronization=VariableSynchronization.ON_READ,
            aggregation=VariableAggregation.MEAN,
        )

    # Normalising ---------------------------------------------------------------------------------

    def call(self, inputs: Any, training: Any = False) -> Any:
        """The inputs, normalised; in training, updates of the moving averages are made as well.

        Args:
          training: whether to use mean and variance of this batch: a bool, or a tensor that says
            so in the run.
        """
        self._given, inputs = inputs, ops.cast(inputs, self.dtype)
        if self.fused:
            return self._call_fused(inputs, training)
        if self.virtual_batch_size is None:
            return self._call_unfused(inputs, training)
        # The batch becomes several smaller ones, side by side.
        batch: Any = ops.shape(inputs)
        original: Any = ops.concat([ops.constant([-1]), batch[1:]], axis=0)
        split = ops.concat([ops.constant([self.virtual_batch_size, -1]), original[1:]], axis=0)
        return ops.reshape(self._call_unfused(ops.reshape(inputs, split), training), original)

    def _call_fused(self, inputs: Tensor, training: Any) -> Tensor:
        dtype, shape = self._kept_dtype, self._kept_shape
        beta = self.beta if self.center else ops.constant(0.0, dtype=dtype, shape=shape)
        gamma = self.gamma if self.scale else ops.constant(1.0, dtype=dtype, shape=shape)

        def normalised(is_training: bool) -> Any:
            return ops.fused_batch_norm(
                *(inputs, gamma, beta, self.moving_mean, self.moving_variance),
                epsilon=self.epsilon,
                is_training=is_training,
                data_format=self._data_format or "NHWC",
            )

        outputs, mean, variance = ops.smart_cond(
            training, lambda: normalised(True), lambda: normalised(False)
        )
        known = smart_constant_value(training)
        if known is None:  # without training, an update changes nothing
            momentum = ops.smart_cond(training, lambda: self.momentum, lambda: 1.0)
        elif known:
            momentum = convert_to_tensor(self.momentum)
        if known is not False:
            for variable, value in ((self.moving_mean, mean), (self.moving_variance, variance)):
                self.add_update(_moved(variable, value, momentum), self._given)
        return outputs

    def _call_unfused(self, inputs: Any, training: Any) -> Tensor:
        given = inputs.dtype
        if given in _SHORT:
            inputs = ops.cast(inputs, dtypes.float32)
        rank = len(inputs.shape)
        others = [axis for axis in range(rank) if axis not in self.axis]
        if self.virtual_batch_size is not None:
            del others[1]  # each of the small batches by itself

        def spread(vector: Any) -> Any:
            if vector is None or len(vector.shape) == rank or others == list(range(rank - 1)):
                return vector
            sizes = [1] * rank
            sizes[self.axis[0]] = inputs.shape.as_list()[self.axis[0]]
            return ops.reshape(vector, sizes)

        scale, offset = spread(self.gamma), spread(self.beta)
        if smart_constant_value(training) is False:
            mean, variance = self.moving_mean, self.moving_variance
        else:
            scale, offset = self._adjusted(inputs, training, scale, offset)
            mean, variance = self._moments(inputs, others, training)
            scale, offset = self._updated(mean, variance, training, spread, scale, offset)
        mean, variance, offset, scale = (
            None if value is None else ops.cast(value, inputs.dtype)
            for value in (mean, variance, offset, scale)
        )
        outputs = normalizing.batch_normalization(
            inputs, spread(mean), spread(variance), offset, scale, self.epsilon
        )
        if given in _SHORT:
            outputs = ops.cast(outputs, given)
        outputs.set_shape(inputs.shape)
        return outputs

    def _adjusted(self, inputs: Any, training: Any, scale: Any, offset: Any) -> tuple[Any, Any]:
        if self.adjustment is None:
            return scale, offset
        factor, shift = self.adjustment(ops.shape(inputs))
        factor = ops.smart_cond(training, lambda: factor, lambda: _ones_like(factor))
        shift = ops.smart_cond(training, lambda: shift, lambda: ops.zeros_like(shift))
        return _composed(factor, shift, scale, offset)

    def _moments(self, inputs: Any, others: list[int], training: Any) -> tuple[Any, Any]:
        keep = self.virtual_batch_size is not None or len(self.axis) > 1
        found = normalizing.moments(ops.cast(inputs, self._kept_dtype), others, keepdims=keep)

        def chosen(new: Any, kept: Any) -> Any:
            return ops.smart_cond(training, lambda: new, lambda: convert_to_tensor(kept))

        return chosen(found[0], self.moving_mean), chosen(found[1], self.moving_variance)

    # Moving averages -----------------------------------------------------------------------------

    def _updated(
        self, mean: Any, variance: Any, training: Any, spread: Any, scale: Any, offset: Any
    ) -> tuple[Any, Any]:
        """Make the updates; scale and offset, corrected if there is renormalisation."""
        if self.virtual_batch_size is not None:
            mean = ops.reduce_mean(mean, axis=1, keepdims=True)
            variance = ops.reduce_mean(variance, axis=1, keepdims=True)
        if self.renorm:
            r, d, mean, variance = self._corrections(mean, variance, training)
            r = spread(ops.stop_gradient(r, name="renorm_r"))
            d = spread(ops.stop_gradient(d, name="renorm_d"))
            scale, offset = _composed(r, d, scale, offset)

        def move_variance() -> Any:
            if not self.renorm:
                return _moved(self.moving_variance, variance, self.momentum)
            deviation = _moved(self.moving_stddev, ops.sqrt(variance + self.epsilon), self.momentum)
            new = ops.relu(deviation * deviation - self.epsilon)
            with get_default_graph().name_scope("AssignNewValue") as scope:
                with colocate_with(self.moving_variance):
                    return assign(self.moving_variance, new, name=scope)

        def move_mean() -> Any:
            return _moved(self.moving_mean, mean, self.momentum)

        self.add_update(ops.smart_cond(training, move_mean, lambda: self.moving_mean), self._given)
        update = ops.smart_cond(training, move_variance, lambda: self.moving_variance)
        self.add_update(update, self._given)
        return scale, offset

    def _corrections(self, mean: Any, variance: Any, training: Any) -> tuple[Any, ...]:
        """Renormalisation's factor and shift; and mean and variance, after its own updates."""
        deviation: Any = ops.sqrt(variance + self.epsilon)
        usual = ops.maximum(self.renorm_stddev, ops.sqrt(self.epsilon))
        r: Any = deviation / usual
        d: Any = (mean - self.renorm_mean) / usual
        with control_dependencies([r, d]):  # which are of the averages before the update
            mean, deviation = ops.identity(mean), ops.identity(deviation)
        limits = self.renorm_clipping.get
        if (lowest := limits("rmin")) is not None:
            r = ops.maximum(r, lowest)
        if (highest := limits("rmax")) is not None:
            r = ops.minimum(r, highest)
        if (furthest := limits("dmax")) is not None:
            d = ops.minimum(ops.maximum(d, -furthest), furthest)
        r = ops.smart_cond(training, lambda: r, lambda: _ones_like(r))
        d = ops.smart_cond(training, lambda: d, lambda: ops.zeros_like(d))

        def moved(variable: Any, value: Any) -> Any:
            value = ops.identity(value)
            return ops.smart_cond(
                training,
                lambda: _moved(variable, value, self.renorm_momentum),
                lambda: ops.identity(variable),
            )

        updates = [moved(self.renorm_mean, mean), moved(self.renorm_stddev, deviation)]
        with control_dependencies(updates):
            return r, d, ops.identity(mean), ops.identity(variance)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The inputs' own."""
        return as_shape(input_shape)


def _axes(axis: Any, rank: int, shape: Any) -> list[int]:
    """The axes, counted from the front; ValueError if there are no such ones."""
    given = [axis] if isinstance(axis, int) else list(axis)
    axes = [rank + one if one < 0 else one for one in given]
    for one in axes:
        if not 0 <= one < rank:
            raise ValueError(
                f"Invalid value for `axis` argument. Expected 0 <= axis < inputs.rank (with "
                f"inputs.rank={rank}). Received: axis={tuple(axes)}"
            )
    if len(set(axes)) < len(axes):
        raise ValueError(f"Duplicate axis: {tuple(axes)}")
    return axes


def _ones_like(tensor: Tensor) -> Tensor:
    """A constant, if its shape is known."""
    if tensor.shape.is_fully_defined():
        return ops.ones(tensor.shape, tensor.dtype, name="ones_like")
    return ops.ones_like(tensor)


def _moved(variable: Any, value: Any, momentum: Any) -> Any:
    """A moving average, brought nearer to a value."""
    with get_default_graph().name_scope("AssignMovingAvg") as scope, colocate_with(variable):
        decay: Any = convert_to_tensor(1.0 - momentum, name="decay")
        decay = ops.cast(decay, variable.dtype.base_dtype)
        difference = (variable - ops.cast(value, variable.dtype.base_dtype)) * decay
        return assign_sub(variable, difference, name=scope)


def _composed(scale: Any, offset: Any, then_scale: Any, then_offset: Any) -> tuple[Any, Any]:
    if then_scale is not None:
        scale, offset = scale * then_scale, offset * then_scale
    return scale, offset if then_offset is None else offset + then_offset


#: Those that TensorFlow's function has behind all others.
_LATE = "renorm renorm_clipping renorm_momentum fused virtual_batch_size adjustment"


@function_of(BatchNormalization, last=_LATE)
def batch_normalization(inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """Batch normalisation, made and called (TensorFlow: `tf.layers.batch_normalization`).

    Training has to run what is in the collection `tf.GraphKeys.UPDATE_OPS`, or the moving averages
    stay as they were.

    Args:
      inputs: a tensor of known rank.
      training: whether to use mean and variance of this batch: a bool, or a tensor that says so in
        the run.
      reuse: whether to use the variables of an earlier layer of this name.
      axis and the rest: as of `tf.layers.BatchNormalization`.

    Raises:
      ValueError, TypeError: as `tf.layers.BatchNormalization`, and as `tf.get_variable` where names
        are taken.

    Example:
      >>> training = tf.placeholder_with_default(False, [])
      >>> y = tf.layers.batch_normalization(tf.ones([5, 2]), training=training)
      >>> updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
      >>> with tf.control_dependencies(updates):
      ...     train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(y))
    """
