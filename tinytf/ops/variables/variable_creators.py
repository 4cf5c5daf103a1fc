"""What `tf.Variable` makes when it is called: which kind, and by whose hands.

Mirrors the parts of tensorflow/python/ops/variables.py and variable_scope.py that decide it.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

from tinytf.framework.graph import Graph
from tinytf.framework.stacks import get_default_graph


class _Defaults:
    """Which kind `tf.Variable` makes when nobody says."""

    use_resource = False


def enable_resource_variables() -> None:
    """Make new variables resource variables by default (TensorFlow: the same name).

    >>> tf.enable_resource_variables()
    """
    _Defaults.use_resource = True


def disable_resource_variables() -> None:
    """Make new variables reference variables by default: TensorFlow 1.x's way.

    >>> tf.disable_resource_variables()
    """
    _Defaults.use_resource = False


def resource_variables_enabled() -> bool:
    """Whether new variables are resource variables by default.

    >>> tf.resource_variables_enabled()  # False
    """
    return _Defaults.use_resource


class VariableSynchronization(enum.Enum):
    """When the copies of a distributed variable are made equal; kept with the variable.

    TensorFlow: `tf.VariableSynchronization`. ON_READ variables are not trainable.

    >>> tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ).trainable  # False
    """

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How updates of the copies of a distributed variable combine; kept with the variable.

    TensorFlow: `tf.VariableAggregation`.

    >>> tf.Variable(1.0).aggregation is tf.VariableAggregation.NONE  # True
    """

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
    ONLY_FIRST_TOWER = 3


def checked_modes(
    synchronization: Any, aggregation: Any, trainable: bool | None, name: str | None
) -> tuple[VariableSynchronization, VariableAggregation, bool]:
    """The three settings with their defaults; ValueError if they do not go together."""
    aggregation = VariableAggregation.NONE if aggregation is None else aggregation
    synchronization = VariableSynchronization.AUTO if synchronization is None else synchronization
    if not isinstance(aggregation, VariableAggregation):
        raise ValueError(f"Invalid variable aggregation mode: {aggregation} for variable: {name}")
    if not isinstance(synchronization, VariableSynchronization):
        raise ValueError(
            f"Invalid variable synchronization mode: {synchronization} for variable: {name}"
        )
    on_read = synchronization is VariableSynchronization.ON_READ
    if on_read and trainable:
        raise ValueError(
            "Synchronization value can be set to VariableSynchronization.ON_READ only for "
            "non-trainable variables. You have set trainable=True and "
            "synchronization=VariableSynchronization.ON_READ."
        )
    return synchronization, aggregation, not on_read if trainable is None else bool(trainable)


# Creators ---------------------------------------------------------------------------------------

Creator = Callable[..., Any]
#: graph -> the creators in force, the outermost first
_creators: WeakKeyDictionary[Graph, list[Creator]] = WeakKeyDictionary()


@contextmanager
def variable_creator_scope(variable_creator: Creator) -> Iterator[None]:
    """While it is open, `variable_creator` makes the variables of the default graph.

    TensorFlow: `tf.variable_creator_scope`.

    Args:
      variable_creator: called as `variable_creator(next_creator, **arguments)`; it may change the
        arguments (those of `tf.Variable`) or what `next_creator(**arguments)` returns.

    Example:
      >>> def double(next_creator, **arguments):
      ...     arguments["initial_value"] *= 2
      ...     return next_creator(**arguments)
      >>> with tf.variable_creator_scope(double):
      ...     v = tf.Variable(2.0)  # its initial value is 4.0
    """
    graph = get_default_graph()
    before = _creators.get(graph, [])
    _creators[graph] = [*before, variable_creator]
    try:
        yield
    finally:
        _creators[graph] = before


#: The order of `tf.Variable`'s arguments.
_ARGUMENTS = (
    "initial_value",
    "trainable",
    "collections",
    "validate_shape",
    "caching_device",
    "name",
    "variable_def",
    "dtype",
    "expected_shape",
    "import_scope",
    "constraint",
    "use_resource",
    "synchronization",
    "aggregation",
    "shape",
)
_ALWAYS_GIVEN = {
    **dict.fromkeys(_ARGUMENTS),
    "validate_shape": True,
    "synchronization": VariableSynchronization.AUTO,
    "aggregation": VariableAggregation.NONE,
}


class VariableType(type):
    """The class of `tf.Variable`: calling it asks the creators of the default graph."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """A new variable, by the innermost creator."""
        creators = _creators.get(get_default_graph()) if _creators else None
        # Not for the kinds of variables, which are its subclasses, nor for what is imported.
        is_a_kind = isinstance(cls.__base__, VariableType)
        if not creators or is_a_kind or kwargs.get("variable_def") is not None:
            return super().__call__(*args, **kwargs)
        create: Creator = super().__call__
        for creator in creators:
            create = functools.partial(creator, create)
        arguments = dict(zip(_ARGUMENTS, args, strict=False))
        return create(**{**_ALWAYS_GIVEN, **arguments, **kwargs})
