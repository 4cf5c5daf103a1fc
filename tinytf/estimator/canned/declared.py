"""Estimators by declaration: their arguments, and the function that builds their model."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from tinytf.estimator.canned.heads import Reduction, RegressionHead, classification_head
from tinytf.estimator.estimator import Estimator
from tinytf.ops.base.arguments import explained_call
from tinytf.ops.nn.relu import relu
from tinytf.ops.variables.partitioned import min_max_variable_partitioner

#: Parts of input layers and of linear weights have at least so many bytes.
LEAST_PART = 64 << 20
ModelFn = Callable[..., Any]
#: What arguments are if they are not given, and not None.
_DEFAULTS = {
    "n_classes": 2,
    "label_dimension": 1,
    "optimizer": "Ftrl",
    "linear_optimizer": "Ftrl",
    "dnn_optimizer": "Adagrad",
    "activation_fn": relu,
    "dnn_activation_fn": relu,
    "loss_reduction": Reduction.SUM,
    "batch_norm": False,
    "sparse_combiner": "sum",
    "linear_sparse_combiner": "sum",
}
_REQUIRED = ("head", "hidden_units", "feature_columns")


def sign(cls: type, arguments: str, defaults: dict[str, Any]) -> None:
    """Give a class the signature that its declared arguments make."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    cls.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(name, kind)
            if name in _REQUIRED
            else inspect.Parameter(name, kind, default=defaults.get(name))
            for name in arguments.split()
        ]
    )


def bound_to(cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """What each argument of a signed class is; TypeError, explained, for a call that is wrong."""
    try:
        bound = inspect.signature(cls).bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(explained_call(cls, f"{cls.__name__}() {error}", kwargs)) from None
    bound.apply_defaults()
    return dict(bound.arguments)


class CannedEstimator(Estimator):
    """What estimators that are declared share.

    Attributes:
      arguments: of the constructor, in TensorFlow's order. defaults: where others than usual.
    """

    arguments = ""
    defaults: dict[str, Any] = {}

    def __init_subclass__(cls) -> None:
        sign(cls, cls.arguments, _DEFAULTS | cls.defaults)

    def __init__(self, *args: Any, **kwargs: Any):
        given = SimpleNamespace(**bound_to(type(self), args, kwargs))
        warm = getattr(given, "warm_start_from", None)
        model_fn = self.model_fn_of(given, _head(given))
        super().__init__(model_fn, given.model_dir, given.config, warm_start_from=warm)

    @staticmethod
    def model_fn_of(given: Any, head: Any) -> ModelFn:
        """The function that builds the model.

        Args:
          given: has the arguments as attributes. head: what is made of the model's results.
        """
        raise NotImplementedError


def _head(given: Any) -> Any:
    if hasattr(given, "head"):
        return given.head
    if hasattr(given, "n_classes"):
        return classification_head(
            given.n_classes, given.weight_column, given.label_vocabulary, given.loss_reduction
        )
    return RegressionHead(given.label_dimension, given.weight_column, given.loss_reduction)


def parts_for(config: Any, **how: Any) -> Any:
    """A partitioner for the parameter servers of a configuration."""
    count = config.num_ps_replicas if config else 0
    return min_max_variable_partitioner(max_partitions=count, **how)
