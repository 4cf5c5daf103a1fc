"""`tf.distributions.Distribution`, from which all derive.

A distribution says what it can: `_sample_n`, `_log_prob` or `_prob`, `_cdf`, `_mean` and so on. The
public methods here add scopes, conversions and shapes, and find a way from what there is to what
is asked for. Mirrors tensorflow/python/ops/distributions/distribution.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.distributions import kullback_leibler
from tinytf.framework import dtypes
from tinytf.framework.constant_value import constant_value, constant_value_as_shape
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.dtypes import DType
from tinytf.framework.scope_functions import name_scope
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, as_shape, unknown_shape


class ReparameterizationType:
    """How samples depend on parameters (TensorFlow: `tf.distributions.ReparameterizationType`).

    Example:
      >>> tf.distributions.FULLY_REPARAMETERIZED
      <Reparameterization Type: FULLY_REPARAMETERIZED>
    """

    def __init__(self, rep_type: str):
        self._rep_type = rep_type

    def __repr__(self) -> str:
        return f"<Reparameterization Type: {self._rep_type}>"


#: Samples have gradients with respect to the parameters.
FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
#: They have none.
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")


def _same(value: Any) -> Any:
    return value


#: What is asked for -> the methods that lead to it, each with what is done to its result.
_WAYS: dict[str, dict[str, Callable[[Any], Any]]] = {
    "log_prob": {"_log_prob": _same, "_prob": ops.log},
    "prob": {"_prob": _same, "_log_prob": ops.exp},
    "log_cdf": {"_log_cdf": _same, "_cdf": ops.log},
    "cdf": {"_cdf": _same, "_log_cdf": ops.exp},
    "log_survival_function": {
        "_log_survival_function": _same,
        "_survival_function": ops.log,
        "cdf": lambda cdf: ops.log1p(-cdf),
    },
    "survival_function": {
        "_survival_function": _same,
        "_log_survival_function": ops.exp,
        "cdf": lambda cdf: 1.0 - cdf,
    },
    "variance": {"_variance": _same, "_stddev": ops.square},
    "stddev": {"_stddev": _same, "_variance": ops.sqrt},
}


class Distribution:
    """Something random, in batches (TensorFlow: `tf.distributions.Distribution`).

    The shape of a sample is `sample_shape`, then the batch's, then that of one event.

    Args:
      dtype: of a sample. reparameterization_type: whether samples have gradients.
      validate_args: whether parameters and values are checked, in each step.
      allow_nan_stats: whether what is not defined is NaN, or fails.
      parameters: what it was made with, for `copy`. graph_parents: tensors that it depends on.
      name: of the scope of its operations.

    Raises:
      ValueError: if one of `graph_parents` is no tensor.

    Example:
      >>> class Certain(tf.distributions.Distribution):
      ...     def __init__(self):
      ...         how = tf.distributions.NOT_REPARAMETERIZED
      ...         super().__init__(tf.float32, how, False, True, name="Certain")
      ...     def _prob(self, value):
      ...         return tf.cast(tf.equal(value, 1.0), tf.float32)
      >>> Certain().log_prob([1.0])  # [0.0]
    """

    def __init__(
        self,
        dtype: DType,
        reparameterization_type: ReparameterizationType,
        validate_args: bool,
        allow_nan_stats: bool,
        parameters: dict[str, Any] | None = None,
        graph_parents: list[Tensor] | None = None,
        name: str | None = None,
    ) -> None:
        for index, tensor in enumerate(graph_parents or ()):
            if not isinstance(tensor, Tensor):
                raise ValueError(f"Graph parent item {index} is not a Tensor; {tensor}.")
        if not name or name[-1] != "/":
            with name_scope(name or type(self).__name__) as name:
                pass
        self._name: str = name
        self._dtype, self._reparameterization_type = dtype, reparameterization_type
        self._validate_args, self._allow_nan_stats = validate_args, allow_nan_stats
        self._parameters, self._graph_parents = parameters or {}, graph_parents or []

    def __str__(self) -> str:
        parts = ("batch_shape", self.batch_shape), ("event_shape", self.event_shape)
        shapes = "".join(f", {name}={s}" for name, s in parts if s.ndims is not None)
        name = f"tfp.distributions.{type(self).__name__}"
        return f'{name}("{self.name}"{shapes}, dtype={self.dtype.name})'

    def __repr__(self) -> str:
        return (
            f"<tfp.distributions.{type(self).__name__} '{self.name}' batch_shape="
            f"{self.batch_shape} event_shape={self.event_shape} dtype={self.dtype.name}>"
        )

    @property
    def name(self) -> str:
        """The scope, with a slash behind."""
        return self._name

    @property
    def dtype(self) -> DType:
        """Of samples."""
        return self._dtype

    @property
    def parameters(self) -> dict[str, Any]:
        """What it was made with, by name."""
        hidden = ("self", "__class__")
        return {name: v for name, v in self._parameters.items() if name not in hidden}

    @property
    def reparameterization_type(self) -> ReparameterizationType:
        """Whether samples have gradients with respect to the parameters."""
        return self._reparameterization_type

    @property
    def allow_nan_stats(self) -> bool:
        """Whether what is not defined is NaN."""
        return self._allow_nan_stats

    @property
    def validate_args(self) -> bool:
        """Whether parameters and values are checked."""
        return self._validate_args

    def copy(self, **override_parameters_kwargs: Any) -> Any:
        """Another one like this, with some parameters of its own."""
        return type(self)(**{**self.parameters, **override_parameters_kwargs})

    @contextmanager
    def _name_scope(self, name: str, values: Any = ()) -> Iterator[str]:
        with name_scope(self.name), name_scope(name, values=[*values, *self._graph_parents]) as at:
            yield at

    def _batch_shape(self) -> TensorShape:
        return unknown_shape()

    def _event_shape(self) -> TensorShape:
        return unknown_shape()

    @property
    def batch_shape(self) -> TensorShape:
        """The shape of what is independent and differs in its parameters, as far as it is known."""
        return as_shape(self._batch_shape())

    @property
    def event_shape(self) -> TensorShape:
        """The shape of one event, as far as it is known."""
        return as_shape(self._event_shape())

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """The shape of the batch."""
        return self._shape_tensor(name, self.batch_shape)

    def event_shape_tensor(self, name: str = "event_shape_tensor") -> Tensor:
        """The shape of one event."""
        return self._shape_tensor(name, self.event_shape)

    def _shape_tensor(self, name: str, static: TensorShape) -> Tensor:
        with self._name_scope(name):
            if static.is_fully_defined():
                return convert_to_tensor(
                    static.as_list(), dtypes.int32, name.removesuffix("_tensor")
                )
            result: Tensor = self._found(name)()
            return result

    def is_scalar_batch(self, name: str = "is_scalar_batch") -> Tensor:
        """Whether there is no batch."""
        with self._name_scope(name):
            return ops.equal(ops.size(self.batch_shape_tensor()), 0, name)

    def is_scalar_event(self, name: str = "is_scalar_event") -> Tensor:
        """Whether an event is one number."""
        with self._name_scope(name):
            return ops.equal(ops.size(self.event_shape_tensor()), 0, name)

    def sample(
        self, sample_shape: Any = (), seed: int | None = None, name: str = "sample"
    ) -> Tensor:
        """Draw.

        Args:
          sample_shape: how many, as a number or a shape. seed: as of `tf.random_normal`.

        Returns:
          a tensor of that shape, then the batch's, then an event's.
        """
        with self._name_scope(name, [sample_shape]):
            wanted = convert_to_tensor(sample_shape, dtypes.int32, "sample_shape")
            if (wanted.shape.ndims or 0) > 1:
                raise ValueError("Input is neither scalar nor vector.")
            static = constant_value(wanted)
            number = ops.reduce_prod(wanted) if static is None else np.prod(static, dtype=np.int32)
            drawn = self._found("sample_n")(number, seed)
            wanted = ops.reshape(wanted, [-1])
            drawn = ops.reshape(drawn, ops.concat([wanted, ops.shape(drawn)[1:]], 0))
            known = constant_value_as_shape(wanted).concatenate(self.batch_shape)
            drawn.set_shape(known.concatenate(self.event_shape))
            return drawn

    def _found(self, name: str) -> Any:
        method = getattr(self, f"_{name}", None)
        if method is None:
            raise NotImplementedError(f"{name} is not implemented: {type(self).__name__}")
        return method

    def _first(self, what: str, name: str, *value: Any) -> Any:
        """What the first of the ways gives that this distribution has."""
        with self._name_scope(name, value):
            given = [convert_to_tensor(v, name="value", preferred_dtype=self.dtype) for v in value]
            for method, then in _WAYS.get(what, {}).items():
                if hasattr(self, method):
                    try:
                        return then(getattr(self, method)(*given))
                    except NotImplementedError:
                        pass  # a subclass may say so; perhaps there is another way
            return self._found(what)(*given)

    def log_prob(self, value: Any, name: str = "log_prob") -> Tensor:
        """The logarithm of the probability, or of its density, of `value`."""
        return self._first("log_prob", name, value)

    def prob(self, value: Any, name: str = "prob") -> Tensor:
        """The probability, or its density, of `value`."""
        return self._first("prob", name, value)

    def log_cdf(self, value: Any, name: str = "log_cdf") -> Tensor:
        """The logarithm of `cdf`."""
        return self._first("log_cdf", name, value)

    def cdf(self, value: Any, name: str = "cdf") -> Tensor:
        """The probability of at most `value`."""
        return self._first("cdf", name, value)

    def log_survival_function(self, value: Any, name: str = "log_survival_function") -> Tensor:
        """The logarithm of `survival_function`."""
        return self._first("log_survival_function", name, value)

    def survival_function(self, value: Any, name: str = "survival_function") -> Tensor:
        """The probability of more than `value`."""
        return self._first("survival_function", name, value)

    def quantile(self, value: Any, name: str = "quantile") -> Tensor:
        """The inverse of `cdf`: what is not exceeded with probability `value`."""
        return self._first("quantile", name, value)

    def entropy(self, name: str = "entropy") -> Tensor:
        """How uncertain an event is, in nats."""
        return self._first("entropy", name)

    def mean(self, name: str = "mean") -> Tensor:
        """The mean."""
        return self._first("mean", name)

    def mode(self, name: str = "mode") -> Tensor:
        """The likeliest event."""
        return self._first("mode", name)

    def variance(self, name: str = "variance") -> Tensor:
        """The variance, number by number."""
        return self._first("variance", name)

    def stddev(self, name: str = "stddev") -> Tensor:
        """The standard deviation, number by number."""
        return self._first("stddev", name)

    def covariance(self, name: str = "covariance") -> Tensor:
        """The matrix of covariances of an event that is a vector."""
        return self._first("covariance", name)

    def cross_entropy(self, other: Distribution, name: str = "cross_entropy") -> Tensor:
        """`entropy` and the divergence from `other`."""
        with self._name_scope(name):
            return kullback_leibler.cross_entropy(self, other, self.allow_nan_stats)

    def kl_divergence(self, other: Distribution, name: str = "kl_divergence") -> Tensor:
        """As `tf.distributions.kl_divergence(self, other)`."""
        with self._name_scope(name):
            return kullback_leibler.kl_divergence(self, other, self.allow_nan_stats)
