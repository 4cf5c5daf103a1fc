"""What several distributions share."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.scope_functions import name_scope
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import dimension_value


def parameter(name: str, what: str) -> Any:
    """A property for a parameter; `what` is its docstring."""
    return property(lambda self: getattr(self, f"_{name}"), doc=what)


def new_seed(seed: int | None, salt: str) -> int | None:
    """Another seed for a second draw; None of none."""
    if seed is None:
        return None
    digest = hashlib.md5(f"{seed}{salt}".encode(), usedforsecurity=False).hexdigest()
    return int(digest[:8], 16) & 0x7FFFFFFF


def logits_and_probs(
    logits: Any, probs: Any, scope: str, validate: bool, multidimensional: bool = False
) -> tuple[Tensor, Tensor]:
    """Both, of the one that is given.

    Raises:
      ValueError: if both are given, or none. TypeError: if it is not floating-point.
    """
    with name_scope(scope, values=[probs, logits]):
        if (probs is None) == (logits is None):
            raise ValueError("Must pass probs or logits, but not both.")
        name = "logits" if probs is None else "probs"
        given = convert_to_tensor(logits if probs is None else probs, name=name)
        if not given.dtype.is_floating:
            raise TypeError(f"{name} must having floating type.")
        if validate and multidimensional:
            given = checked_classes(given)
        if probs is None:
            return given, (ops.softmax if multidimensional else ops.sigmoid)(given, name="probs")
        if validate:
            with name_scope("validate_probs"):
                checks = [ops.assert_non_negative(given)]
                one = np.ones([], given.dtype.as_numpy_dtype)
                if multidimensional:
                    what = "probs does not sum to 1."
                    checks += [ops.assert_near(ops.reduce_sum(given, -1), one, message=what)]
                else:
                    what = "probs has components greater than 1."
                    checks += [ops.assert_less_equal(given, one, message=what)]
                given = ops.with_dependencies(checks, given)
        with name_scope("logits"):
            return (
                ops.log(given) if multidimensional else ops.log(given) - ops.log1p(-given)
            ), given


def checked_classes(x: Tensor) -> Tensor:
    """A parameter whose last dimension are classes: at least two."""
    few = "A categorical-distribution parameter must have at least 2 events."
    try:
        number = dimension_value(x.shape.with_rank_at_least(1)[-1])
    except ValueError:
        raise ValueError(
            "A categorical-distribution parameter must have at least 1 dimension."
        ) from None
    if number is None:
        return ops.with_dependencies([ops.assert_less(1, ops.shape(x)[-1], message=few)], x)
    if number < 2:
        raise ValueError(few)
    return x


def checked_counts(x: Any, at_most: int | None = None) -> Tensor:
    """Numbers that count: not negative, and whole."""
    x = convert_to_tensor(x, name="x")
    checks = [ops.assert_non_negative(x, message=f"'{x}' must be non-negative.")]
    if x.dtype.is_floating:
        whole, what = (
            ops.cast(ops.cast(x, dtypes.int64), x.dtype),
            "cannot contain fractional components.",
        )
        checks += [ops.assert_equal(x, whole, message=f"'{x}' {what}")]
    if at_most is not None:
        what = f"Elements cannot exceed {at_most}."
        checks += [
            ops.assert_less_equal(x, np.array(at_most, x.dtype.as_numpy_dtype), message=what)
        ]
    return ops.with_dependencies(checks, x)


def checked_sums(total: Any, counts: Any) -> Tensor:
    """Counts that add up to a total."""
    counts = checked_counts(counts)
    what = "counts last-dimension must sum to `self.total_count`"
    return ops.with_dependencies(
        [ops.assert_equal(total, ops.reduce_sum(counts, -1), message=what)], counts
    )


def where_defined(
    distribution: Any, where: Any, value: Any, parameters: list[Any], text: str
) -> Tensor:
    """`value`, with NaN elsewhere; or an error if one of the parameters is not above 1."""
    number = distribution.dtype.as_numpy_dtype
    if distribution.allow_nan_stats:
        return ops.where_v2(where, value, number(np.nan))
    checks = [ops.assert_less(number(1.0), each, message=text) for each in parameters]
    return ops.with_dependencies(checks, value)


def log_combinations(n: Any, counts: Any) -> Tensor:
    """The logarithm of the number of orders in which `counts` of `n` can come."""
    with name_scope("log_combinations", values=[n, counts]):
        result: Tensor = ops.lgamma(n + 1.0) - ops.reduce_sum(ops.lgamma(counts + 1.0), axis=[-1])
        return result


def ndtr(x: Any) -> Any:
    """The standard normal distribution's `cdf`."""
    tail: Any = ops.erfc(-math.sqrt(0.5) * x)
    return 0.5 * tail


def log_ndtr(x: Any) -> Tensor:
    """Its logarithm: below, where `ndtr` is too near to 0, by an asymptotic series."""
    lower, upper = (-20.0, 8.0) if x.dtype == dtypes.float64 else (-10.0, 5.0)
    far = ops.minimum(x, lower)
    once: Any = 1.0 / ops.square(far)
    series = ops.log(1.0 - once * (1.0 - 3.0 * once * (1.0 - 5.0 * once)))
    below = -0.5 * ops.square(far) - ops.log(-far) - 0.5 * math.log(2.0 * math.pi) + series
    near = ops.where_v2(x > lower, ops.log(ndtr(ops.maximum(x, lower))), below)
    return ops.where_v2(x > upper, -ndtr(-x), near)


def log_cdf_laplace(x: Any) -> Tensor:
    """The logarithm of the standard Laplace distribution's `cdf`."""
    return ops.where_v2(x < 0.0, x - math.log(2.0), ops.log1p(-0.5 * ops.exp(-ops.absolute(x))))


def softplus_inverse(x: Any, name: str | None = None) -> Tensor:
    """What `tf.nn.softplus` makes x of (TensorFlow: `tf.contrib.distributions.softplus_inverse`).

    Example:
      >>> tf.nn.softplus(tf.contrib.distributions.softplus_inverse(3.0))  # 3.0
    """
    with name_scope(name, "softplus_inverse", values=[x]):
        x = convert_to_tensor(x, name="x")
        threshold = math.log(np.finfo(x.dtype.as_numpy_dtype).eps) + 2.0
        small, large = x < math.exp(threshold), x > -threshold
        safe = ops.where_v2(ops.logical_or(small, large), 1.0, x)
        between = safe + ops.log(-ops.expm1(-safe))
        return ops.where_v2(small, ops.log(x), ops.where_v2(large, x, between))
