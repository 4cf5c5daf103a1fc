"""`tf.get_variable` and `tf.variable_scope`: variables by name, to share them on purpose.

A graph has one store, from full name to variable, and for each thread a current scope, which puts
a prefix before names and carries defaults. Whether a name may, must or must not exist already is
the scope's `reuse`.

Mirrors tensorflow/python/ops/variable_scope.py.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.stacks import get_default_graph
from tinytf.ops.base.arguments import explains_arguments
from tinytf.ops.variables.current_scope import (
    INHERITED,
    VariableScope,
    get_variable_scope,
    scope_store,
    variable_store,
)
from tinytf.ops.variables.store import AUTO_REUSE
from tinytf.ops.variables.variable_creators import VariableAggregation, VariableSynchronization


@explains_arguments
def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Any:
    """The variable of this name in the current scope, new or shared (TensorFlow: `tf.get_variable`).

    Args:
      name: inside the current variable scope.
      shape: of a new variable; of one that exists, what its shape must be compatible with.
      dtype: by default the scope's, which is float32 by default.
      initializer: a function (shape, dtype) -> tensor, or a value; by default the scope's, then
        `glorot_uniform_initializer` for floating types, zeros for others.
      regularizer: a function from the variable to a loss, which is added to the collection
        `GraphKeys.REGULARIZATION_LOSSES`.
      trainable, collections, caching_device, validate_shape, use_resource, constraint,
        synchronization, aggregation: as for `tf.Variable`.
      partitioner: a function (shape, dtype) -> number of parts in each dimension, such as
        `tf.fixed_size_partitioner(3)` is; the result is a `PartitionedVariable` then.
      custom_getter: called as custom_getter(getter, name, **arguments) in place of the getter.

    Raises:
      ValueError: if the scope's `reuse` forbids that the name exists, or requires it; for a shape
        or type that does not agree with the existing variable's; without shape or initializer.

    Example:
      >>> with tf.variable_scope("layer"):
      ...     w = tf.get_variable("w", [3, 2])
      >>> w.name
      'layer/w:0'
    """  # noqa: E501
    return get_variable_scope().get_variable(
        variable_store(),
        name,
        shape,
        dtype,
        initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=collections,
        caching_device=caching_device,
        partitioner=partitioner,
        validate_shape=validate_shape,
        use_resource=use_resource,
        custom_getter=custom_getter,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def get_local_variable(*args: Any, **kwargs: Any) -> Any:
    """A variable of this process alone: `tf.get_variable`, in the collection LOCAL_VARIABLES.

    TensorFlow: `tf.get_local_variable`. It is not trainable.

    Example:
      >>> seen = tf.get_local_variable("seen", [], tf.int32, tf.zeros_initializer())
      >>> tf.local_variables() == [seen], tf.trainable_variables()  # (True, [])
    """
    kwargs["trainable"] = False
    kwargs["collections"] = [*(kwargs.get("collections") or ()), GraphKeys.LOCAL_VARIABLES]
    return get_variable(*args, **kwargs)


def no_regularizer(_: Any) -> None:
    """Stops a regularizer of an outer scope (TensorFlow: `tf.no_regularizer`).

    Example:
      >>> with tf.variable_scope("model", regularizer=tf.nn.l2_loss):
      ...     b = tf.get_variable("b", [2], regularizer=tf.no_regularizer)
      >>> tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)  # []
    """
    return None


class variable_scope:
    """Opens a variable scope, and a name scope with it (TensorFlow: `tf.variable_scope`).

    Args:
      name_or_scope: the name, added to the current scope's; or a `VariableScope` to enter again,
        wherever that is done.
      default_name: used, made unique, if `name_or_scope` is None.
      values: tensors that tell the graph.
      reuse: True, `tf.AUTO_REUSE`, or None and False to inherit; see `VariableScope`.
      auxiliary_name_scope: whether to open a name scope as well.
      initializer, regularizer, caching_device, partitioner, custom_getter, dtype, use_resource:
        defaults for the variables inside; by default inherited.
      constraint: likewise, but not inherited.

    Raises:
      TypeError: without a name, or with a scope of a wrong type.
      ValueError: for another `reuse`, or `reuse` without a name.

    Example:
      >>> with tf.variable_scope("model"):
      ...     a = tf.get_variable("v", [1])
      >>> with tf.variable_scope("model", reuse=True):
      ...     b = tf.get_variable("v", [1])
      >>> a is b
      True
    """

    def __init__(
        self,
        name_or_scope: str | VariableScope | None,
        default_name: str | None = None,
        values: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        reuse: Any = None,
        dtype: Any = None,
        use_resource: bool | None = None,
        constraint: Any = None,
        auxiliary_name_scope: bool = True,
    ):
        if name_or_scope is None and default_name is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if not isinstance(name_or_scope, str | VariableScope | None):
            raise TypeError("VariableScope: name_or_scope must be a string or VariableScope.")
        if reuse is False:
            reuse = None
        if reuse not in (None, True, AUTO_REUSE):
            raise ValueError("The reuse parameter must be True or False or None.")
        if name_or_scope is None and reuse:
            raise ValueError("reuse=True cannot be used without a name_or_scope")
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError(
                f"The auxiliary_name_scope must be `True` or `False`, while get "
                f"{auxiliary_name_scope}"
            )
        self._target = name_or_scope
        self._default_name = default_name
        self._values = values
        self._reuse = reuse
        self._opens_name_scope = auxiliary_name_scope
        self._settings = {
            "initializer": initializer,
            "regularizer": regularizer,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "custom_getter": custom_getter,
            "dtype": dtype,
            "use_resource": use_resource,
            "constraint": constraint,
        }
        self._entered: list[Any] = []

    def __enter__(self) -> VariableScope:
        manager = self._scopes()
        scope = manager.__enter__()
        self._entered.append(manager)
        return scope

    def __exit__(self, *details: Any) -> bool | None:
        return self._entered.pop().__exit__(*details)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """As a decorator: the scope is open while the function runs."""

        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return inside

    @contextmanager
    def _scopes(self) -> Iterator[VariableScope]:
        graph = next((v.graph for v in self._values or () if hasattr(v, "graph")), None)
        with (graph or get_default_graph()).as_default() as graph:
            target = self._target
            if isinstance(target, VariableScope):
                wanted = target.name.split("/")[-1]
            else:
                wanted = target if target is not None else self._default_name or ""
            if not self._opens_name_scope:
                current = graph.get_name_scope()
                wanted = current + "/" if current else ""
            if not wanted and target is not None and self._opens_name_scope:
                with self._entered_scope(target, None) as scope:
                    yield scope
                return
            with graph.name_scope(wanted or None) as name_scope:
                if target is None:
                    target = scope_store().unique(self._default_name or "")
                with self._entered_scope(target, name_scope) as scope:
                    yield scope

    @contextmanager
    def _entered_scope(
        self, target: str | VariableScope, name_scope: str | None
    ) -> Iterator[VariableScope]:
        store = scope_store()
        old = store.current
        again = isinstance(target, VariableScope)
        scope = self._reentered(target) if again else self._nested(target, old, name_scope)  # type: ignore[arg-type]
        for key, value in self._settings.items():
            if value is not None and key != "custom_getter":
                setattr(scope, key, dtypes.as_dtype(value) if key == "dtype" else value)
        scope.custom_getter = self._combined_getter(scope.custom_getter)
        store.open(scope.name)
        # Scopes opened inside a scope that is entered again do not count outside.
        counts = dict(store.counts) if again else None
        store.current = scope
        try:
            yield scope
        finally:
            store.close_subscopes(scope.name)
            if counts is not None:
                store.counts = counts
            store.current = old

    def _reentered(self, target: VariableScope) -> VariableScope:
        settings = {key: getattr(target, key) for key in INHERITED}
        return VariableScope(
            self._reuse or target.reuse,
            target.name,
            name_scope=target.original_name_scope,
            **settings,
        )

    def _nested(self, name: str, old: VariableScope, name_scope: str | None) -> VariableScope:
        settings = {key: getattr(old, key) for key in INHERITED}
        return VariableScope(
            self._reuse or old.reuse,
            f"{old.name}/{name}" if old.name else name,
            name_scope=name if name_scope is None else name_scope,
            **settings,
        )

    def _combined_getter(self, outer: Any) -> Any:
        """The scope's own getter, around the one of the scopes outside."""
        inner = self._settings["custom_getter"]
        if inner is None or outer is None:
            return outer if inner is None else inner

        def both(getter: Any, *args: Any, **kwargs: Any) -> Any:
            return inner(functools.partial(outer, getter), *args, **kwargs)

        return both


@contextmanager
def variable_op_scope(
    values: Any, name_or_scope: Any, default_name: str | None = None, **settings: Any
) -> Iterator[VariableScope]:
    """The older form of `tf.variable_scope`, with its first arguments in another order.

    TensorFlow: `tf.variable_op_scope`.

    Example:
      >>> with tf.variable_op_scope([], "model") as scope:
      ...     print(scope.name)
      model
    """
    with variable_scope(name_or_scope, default_name, values, **settings) as scope:
        yield scope


def create_partitioned_variables(
    shape: Sequence[int],
    slicing: Sequence[int],
    initializer: Any,
    dtype: Any = dtypes.float32,
    trainable: bool = True,
    collections: Any = None,
    name: str | None = None,
    reuse: Any = None,
) -> list[Any]:
    """The parts of one large variable, as a list (TensorFlow: the same name).

    Args:
      shape: of the whole.
      slicing: how many parts there are in each dimension; more than one in one dimension only.
      initializer: a function (shape, dtype) -> tensor for each part, or the whole's value.
      dtype, trainable, collections: as for `tf.get_variable`.
      name: of the whole; by default "PartitionedVariable", made unique.
      reuse: as for `tf.variable_scope`.

    Raises:
      ValueError: if `shape` and `slicing` are not of one length, or empty.

    Example:
      >>> parts = tf.create_partitioned_variables([4, 2], [2, 1], tf.zeros_initializer())
      >>> [part.name for part in parts]
      ['PartitionedVariable/part_0:0', 'PartitionedVariable/part_1:0']
    """
    if len(shape) != len(slicing):
        raise ValueError(
            f"The 'shape' and 'slicing' of a partitioned Variable must have the length: shape: "
            f"{shape}, slicing: {slicing}"
        )
    if len(shape) < 1:
        raise ValueError(f"A partitioned Variable must have rank at least 1: shape: {shape}")
    with variable_scope(name, "PartitionedVariable", reuse=reuse) as scope:
        whole = scope.get_partitioned_variable(
            variable_store(),
            shape=shape,
            dtype=dtypes.as_dtype(dtype),
            initializer=initializer,
            trainable=trainable,
            collections=collections,
            partitioner=lambda **_: slicing,
        )
        return list(whole)
