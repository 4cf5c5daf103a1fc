"""Is the right class among the k most probable ones?"""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext, merge_dimension, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown

_TARGETS = "T: {int32, int64} = DT_INT32"


def _row_each(c: InferenceContext) -> TensorShape:
    predictions = with_rank(c.input(0), 2).sizes or (None, None)
    targets = with_rank(c.input(1), 1).sizes or (None,)
    return TensorShape.of((merge_dimension(predictions[0], targets[0]),))


_facets: dict[str, Any] = {"shape": _row_each, "no_gradient": "the result is true or false"}
_in_top_k = define_op(
    "InTopK", "predictions: float, targets: T -> precision: bool", "k: int", _TARGETS, **_facets
)
_in_top_k_v2 = define_op(
    "InTopKV2", "predictions: float, targets: T, k: T -> precision: bool", _TARGETS, **_facets
)


@_in_top_k.kernel
def _in_top_k_kernel(predictions: Array, targets: Array, *, k: int) -> Array:
    if predictions.ndim != 2:
        raise invalid("predictions must be 2-dimensional")
    if targets.ndim != 1:
        raise invalid("targets must be 1-dimensional")
    if len(predictions) != len(targets):
        raise invalid(
            f"First dimension of predictions {len(predictions)} must match length of targets "
            f"{len(targets)}"
        )
    classes = predictions.shape[1]
    is_known = (targets >= 0) & (targets < classes)
    if not classes:
        return is_known
    own = predictions[np.arange(len(targets)), np.where(is_known, targets, 0)]
    # Those with the same probability count as less probable: ties are all in.
    is_above = (np.sum(predictions > own[:, None], axis=1)) < k
    is_finite = np.isfinite(predictions)
    # As soon as something better is not finite, nothing can be said.
    return is_known & is_above & np.isfinite(own) & is_finite.all(axis=1)


@_in_top_k_v2.kernel
def _in_top_k_v2_kernel(predictions: Array, targets: Array, k: Array) -> Array:
    if np.ndim(k) != 0:
        raise invalid(f"k must be 0-D, got shape {shown(k)}")
    return _in_top_k_kernel(predictions, targets, k=int(k))


def in_top_k(predictions: Any, targets: Any, k: Any, name: str | None = None) -> Tensor:
    """Whether each target is among the k best predictions (TensorFlow: `tf.nn.in_top_k`).

    Args:
      predictions: float32, of shape (batch, classes).
      targets: int32 or int64, of shape (batch,): the right classes.
      k: how many of the best count. Classes as good as the k-th are in, too.
      name: of the operation.

    Returns:
      a boolean vector; False for a target that is no class, and where predictions are not finite.

    Raises:
      ValueError: if the shapes do not fit.

    Example:
      >>> tf.nn.in_top_k([[0.1, 0.7, 0.2], [0.6, 0.3, 0.1]], [2, 2], k=2)  # [True, False]
    """
    with op_scope(name, "in_top_k"):
        return _in_top_k_v2(predictions, targets, k, name=name)
