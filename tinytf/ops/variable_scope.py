"""`tf.get_variable` and `tf.variable_scope`: variables by name, to share them on purpose.

A graph has one store, from full name to variable, and for each thread a current scope, which puts
a prefix before names and carries defaults. Whether a name may, must or must not exist already is
the scope's `reuse`.

Mirrors tensorflow/python/ops/variable_scope.py.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.stacks import get_default_graph
from tinytf.ops.variable_store import AUTO_REUSE, VariableStore
from tinytf.ops.variables import Variable

_SCOPES_KEY = ("__varscope",)
_STORE_KEY = ("__variable_store",)
_INHERITED = (
    "initializer", "regularizer", "caching_device", "custom_getter", "dtype", "use_resource",
    "constraint",
)  # fmt: skip


class VariableScope:
    """A prefix for variable names, with defaults for the variables inside.

    TensorFlow: `tf.VariableScope`. Made by `tf.variable_scope`.

    Attributes:
      name: the prefix, without a "/" at its end.
      original_name_scope: the name scope it was first entered with.
      reuse: None or False: names must be new. True: they must exist. `tf.AUTO_REUSE`: either.
      initializer, regularizer, caching_device, custom_getter, dtype, use_resource, constraint:
        defaults for `tf.get_variable`.

    Example:
      >>> with tf.variable_scope("model", reuse=tf.AUTO_REUSE) as scope:
      ...     w = tf.get_variable("w", [2])
      >>> scope.name, w.name
      ('model', 'model/w:0')
    """

    def __init__(
        self,
        reuse: Any,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        custom_getter: Any = None,
        name_scope: str = "",
        dtype: Any = dtypes.float32,
        use_resource: bool | None = None,
        constraint: Any = None,
    ):
        self.reuse = reuse
        self.name = name
        self.original_name_scope = name_scope
        self.initializer = initializer
        self.regularizer = regularizer
        self.caching_device = caching_device
        self.custom_getter = custom_getter
        self.dtype = dtypes.as_dtype(dtype)
        self.use_resource = use_resource
        self.constraint = constraint

    def reuse_variables(self) -> None:
        """From now on the names used in this scope must exist already."""
        self.reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """Set the default initializer."""
        self.initializer = initializer

    def set_dtype(self, dtype: Any) -> None:
        """Set the default element type."""
        self.dtype = dtypes.as_dtype(dtype)

    def set_use_resource(self, use_resource: bool) -> None:
        """Set whether variables are resource variables."""
        self.use_resource = use_resource

    def set_regularizer(self, regularizer: Any) -> None:
        """Set the default regularizer."""
        self.regularizer = regularizer

    def set_caching_device(self, caching_device: Any) -> None:
        """Set the default caching device."""
        self.caching_device = caching_device

    def set_custom_getter(self, custom_getter: Any) -> None:
        """Set the default custom getter."""
        self.custom_getter = custom_getter

    def get_collection(self, name: str) -> list[Any]:
        """What the graph's collection `name` holds of this scope."""
        return get_default_graph().get_collection(name, self.name + "/" if self.name else "")

    def global_variables(self) -> list[Variable]:
        """The scope's global variables."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def trainable_variables(self) -> list[Variable]:
        """The scope's trainable variables."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def local_variables(self) -> list[Variable]:
        """The scope's local variables."""
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def get_variable(
        self,
        store: VariableStore,
        name: str,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        reuse: Any = None,
        **settings: Any,
    ) -> Variable:
        """The variable of this name in this scope; see `tf.get_variable`."""
        reuse = self.reuse if reuse is None else reuse
        for key in ("regularizer", "caching_device", "custom_getter", "constraint", "use_resource"):
            if settings.get(key) is None:
                settings[key] = getattr(self, key)
        full_name = f"{self.name}/{name}" if self.name else name
        # Names of variables depend on variable scopes alone, not on name scopes.
        with get_default_graph().name_scope(None):
            _check_initializer_type(dtype, initializer)
            return store.get_variable(
                full_name,
                shape=shape,
                dtype=self.dtype if dtype is None else dtype,
                initializer=self.initializer if initializer is None else initializer,
                reuse=reuse,
                **settings,
            )


def _check_initializer_type(dtype: Any, initializer: Any) -> None:
    if dtype is None or initializer is None or callable(initializer):
        return
    from tinytf.framework.conversion import convert_to_tensor

    actual = convert_to_tensor(initializer).dtype.base_dtype
    if actual is not dtypes.as_dtype(dtype).base_dtype:
        raise ValueError(
            f"Initializer type '{actual.name}' and explicit dtype "
            f"'{dtypes.as_dtype(dtype).name}' don't match."
        )


class _ScopeStore(threading.local):
    """The current scope of each thread, and how often each scope was opened."""

    def __init__(self) -> None:
        self.current = VariableScope(False)
        self.counts: dict[str, int] = {}

    def open(self, name: str) -> None:
        self.counts[name] = self.counts.get(name, 0) + 1

    def close_subscopes(self, name: str) -> None:
        for key in self.counts:
            if key.startswith(name + "/"):
                self.counts[key] = 0

    def unique(self, prefix: str) -> str:
        """`prefix`, with "_1", "_2" ... if the current scope has opened it before."""
        full = f"{self.current.name}/{prefix}" if self.current.name else prefix
        if not self.counts.get(full):
            return prefix
        number = 1
        while self.counts.get(f"{full}_{number}"):
            number += 1
        return f"{prefix}_{number}"


def _of_graph(key: Any, create: Callable[[], Any]) -> Any:
    held = get_default_graph().get_collection_ref(key)
    if not held:
        held.append(create())
    return held[0]


def _scope_store() -> _ScopeStore:
    return _of_graph(_SCOPES_KEY, _ScopeStore)


def get_variable_scope() -> VariableScope:
    """The current variable scope (TensorFlow: `tf.get_variable_scope`).

    Example:
      >>> with tf.variable_scope("model"):
      ...     print(tf.get_variable_scope().name)
      model
    """
    return _scope_store().current


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
) -> Variable:
    """The variable of this name in the current scope, new or shared (TensorFlow: `tf.get_variable`).

    Args:
      name: inside the current variable scope.
      shape: of a new variable; of one that exists, what its shape must be compatible with.
      dtype: by default the scope's, which is float32 by default.
      initializer: a function (shape, dtype) -> tensor, or a value; by default the scope's, then
        `glorot_uniform_initializer` for floating types, zeros for others.
      regularizer: a function from the variable to a loss, which is added to the collection
        `GraphKeys.REGULARIZATION_LOSSES`.
      trainable, collections, caching_device, validate_shape, use_resource, constraint: as for
        `tf.Variable`.
      partitioner: None; variables that are split over devices are not supported.
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
    if partitioner is not None:
        raise NotImplementedError("tinytf does not split variables: partitioner must be None.")
    return get_variable_scope().get_variable(
        _of_graph(_STORE_KEY, VariableStore),
        name, shape, dtype, initializer,
        regularizer=regularizer, trainable=trainable, collections=collections,
        caching_device=caching_device, validate_shape=validate_shape, use_resource=use_resource,
        custom_getter=custom_getter, constraint=constraint,
    )  # fmt: skip


def get_local_variable(*args: Any, **kwargs: Any) -> Variable:
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
      initializer, regularizer, caching_device, custom_getter, dtype, use_resource, constraint:
        defaults for the variables inside; by default inherited.
      partitioner: None; variables that are split over devices are not supported.

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
        if partitioner is not None:
            raise NotImplementedError("tinytf does not split variables: partitioner must be None.")
        self._target = name_or_scope
        self._default_name = default_name
        self._values = values
        self._reuse = reuse
        self._opens_name_scope = auxiliary_name_scope
        self._settings = {
            "initializer": initializer, "regularizer": regularizer,
            "caching_device": caching_device, "custom_getter": custom_getter, "dtype": dtype,
            "use_resource": use_resource, "constraint": constraint,
        }  # fmt: skip
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
                    target = _scope_store().unique(self._default_name or "")
                with self._entered_scope(target, name_scope) as scope:
                    yield scope

    @contextmanager
    def _entered_scope(
        self, target: str | VariableScope, name_scope: str | None
    ) -> Iterator[VariableScope]:
        store = _scope_store()
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
        settings = {key: getattr(target, key) for key in _INHERITED}
        return VariableScope(
            self._reuse or target.reuse, target.name, name_scope=target.original_name_scope,
            **settings,
        )  # fmt: skip

    def _nested(self, name: str, old: VariableScope, name_scope: str | None) -> VariableScope:
        settings = {key: getattr(old, key) for key in _INHERITED}
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
