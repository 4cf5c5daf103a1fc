"""Whether labels, weights and logits fit each other, while the graph is built and in the run."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.feature_column.base import DenseColumn, Inputs, require
from tinytf.feature_column.numeric import numeric_column
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.scope_functions import control_dependencies, name_scope
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.ops.sparse.conversion import convert_to_tensor_or_sparse_tensor


def features(given: Any) -> Any:
    """ValueError unless features are a dict."""
    require(
        isinstance(given, dict),
        f"features should be a dictionary of `Tensor`s. Given type: {type(given)}. An input_fn "
        "for this estimator returns ({name: tensor}, labels)."
        + " Its `return` is missing?"
        * (given is None),
    )
    return given


def labels(given: Any, logits: Any, width: int) -> Any:
    """Labels of shape [batch, width], a last dimension added where it is missing.

    Raises:
      ValueError: for no labels, sparse ones, and another width.
    """
    require(
        given is not None,
        "You must provide a labels Tensor. Given: None. To train and to evaluate, input_fn returns "
        "features and labels.",
    )
    with name_scope(None, "labels") as scope:
        given = convert_to_tensor_or_sparse_tensor(given)
        require(
            not isinstance(given, SparseTensor),
            "SparseTensor labels are not supported. labels must be a Tensor of shape [D0, D1, ..., "
            f"DN, {width}], e.g. [batch_size, {width}]. tf.sparse_tensor_to_dense() makes one.",
        )
        if _is_one_less(given, logits):
            given = ops.expand_dims(given, -1)
        labels_shape, logits_shape = ops.shape(given), ops.shape(logits)
        message = (
            f"labels shape must be [D0, D1, ... DN, {width}]. Suggested Fix: check your n_classes "
            "argument to the estimator and/or the shape of your label."
        )
        with control_dependencies([ops.assert_rank_at_least(given, 2, message=message)]):
            found = given.shape[-1].value if given.shape.ndims is not None else None
            require(
                found in (None, width),
                f"Mismatched label shape. Expected labels dimension={width}.  Received {found}. "
                "Suggested Fix:If your classifier expects one-hot encoding label,check your "
                "n_classes argument to the estimator and/or the shape of your label. Otherwise, "
                "check the shape of your label.",
            )
            wanted = ops.concat([logits_shape[:-1], [width]], axis=0)  # type: ignore[index]
            check = ops.assert_equal(
                wanted,
                labels_shape,
                message=message,
                data=["expected_labels_shape: ", wanted, "labels_shape: ", labels_shape],
            )
            with control_dependencies([check]):
                return ops.identity(given, name=scope)


def _is_one_less(tensor: Any, logits: Any) -> bool:
    """Whether the rank of a tensor is known to be one less than that of the logits."""
    ranks = tensor.shape.ndims, logits.shape.ndims
    return None not in ranks and ranks[0] == ranks[1] - 1


def weights(features: Any, weight_column: Any, logits: Any, of_logits: bool) -> Any:
    """What examples count: 1.0, or [batch, 1]; with `of_logits` perhaps as the logits.

    Raises:
      TypeError: for a column that is not dense. ValueError: for weights that are no numbers.
    """
    more = ", [D0, D1, ... DN, 1] or [D0, D1, ... DN, logits_dimension]"
    rest = more if of_logits else " or [D0, D1, ... DN, 1]"
    message = f"weights shape must be [D0, D1, ... DN]{rest}"
    with name_scope(None, "weights") as scope:
        if weight_column is None:
            return 1.0
        if isinstance(weight_column, str):
            weight_column = numeric_column(weight_column, shape=(1,))
        wrong = f"Weight column must be either a string or _DenseColumn. Given: {weight_column}"
        require(isinstance(weight_column, DenseColumn), wrong, TypeError)
        found = weight_column.get_dense_tensor(Inputs(features))
        number = found.dtype.is_floating or found.dtype.is_integer
        require(number, f"Weight column should be castable to float. Given dtype: {found.dtype}")
        found = ops.cast(found, dtypes.float32, name="weights")
        shape: Any = ops.shape(found, name="weights_shape")
        logits_shape: Any = ops.shape(logits, name="logits_shape")
        data = ["logits_shape: ", logits_shape, "weights_shape: ", shape]
        if _is_one_less(found, logits):
            check = ops.assert_equal(logits_shape[:-1], shape, message=message, data=data)
            with control_dependencies([check]):
                return ops.expand_dims(found, -1, name=scope)
        wanted = ops.concat([logits_shape[:-1], [1]], axis=0)
        if of_logits:
            same = ops.reduce_all(ops.equal(logits_shape, shape))
            fits = ops.reduce_any([same, ops.reduce_all(ops.equal(wanted, shape))])
            check = ops.Assert(fits, [message, *data])
        else:
            check = ops.assert_equal(wanted, shape, message=message, data=data)
        with control_dependencies([check]):
            return ops.identity(found, name=scope)


def logits(given: Any, width: int) -> Any:
    """Logits of shape [batch, width], float32; ValueError for another width."""
    with name_scope(None, "logits") as scope:
        given = ops.cast(given, dtypes.float32)
        shape: Any = ops.shape(given)
        message = "logits shape must be [D0, D1, ... DN, logits_dimension"
        check = ops.assert_rank_at_least(given, 2, data=[shape], message=f"{message}]")
        with control_dependencies([check]):
            known = given.shape
            if known.ndims is not None and known[-1].value is not None:
                require(known[-1].value == width, f"{message}={width}], got {known}.")
                return given
            check = ops.assert_equal(width, shape[-1], data=[shape], message=f"{message}={width}]")
            with control_dependencies([check]):
                return ops.identity(given, name=scope)


def in_range(labels: Any, n_classes: int) -> Any:
    """Labels from 0 to n_classes - 1; InvalidArgumentError in the run for others."""
    with name_scope(None, "assert_range"):
        last = convert_to_tensor(n_classes - 1, dtype=labels.dtype)
        below = ops.assert_less_equal(labels, last, message="Labels must <= n_classes - 1")
        above = ops.assert_non_negative(labels, message="Labels must >= 0")
        with control_dependencies((below, above)):
            return ops.identity(labels)
