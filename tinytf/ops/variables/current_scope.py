"""The current variable scope of each graph and thread, and what it holds.

Mirrors `VariableScope` of tensorflow/python/ops/variable_scope.py.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.stacks import get_default_graph
from tinytf.ops.variables.store import VariableStore
from tinytf.ops.variables.variable import Variable

_SCOPES_KEY = ("__varscope",)
STORE_KEY = ("__variable_store",)
#: The settings that a scope hands down to the scopes inside. A constraint it keeps to itself.
INHERITED = (
    "initializer",
    "regularizer",
    "caching_device",
    "partitioner",
    "custom_getter",
    "dtype",
    "use_resource",
)
#: What `get_variable` takes from the scope if the caller does not say.
_DEFAULTS = (
    "regularizer",
    "caching_device",
    "partitioner",
    "custom_getter",
    "constraint",
    "use_resource",
)


class VariableScope:
    """A prefix for variable names, with defaults for the variables inside.

    TensorFlow: `tf.VariableScope`. Made by `tf.variable_scope`.

    Attributes:
      name: the prefix, without a "/" at its end.
      original_name_scope: the name scope it was first entered with.
      reuse: None or False: names must be new. True: they must exist. `tf.AUTO_REUSE`: either.
      initializer, regularizer, caching_device, partitioner, custom_getter, dtype, use_resource,
        constraint: defaults for `tf.get_variable`.

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
        partitioner: Any = None,
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
        self.partitioner = partitioner
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

    def set_partitioner(self, partitioner: Any) -> None:
        """Set the default partitioner."""
        self.partitioner = partitioner

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
        for key in _DEFAULTS:
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

    def get_partitioned_variable(self, store: VariableStore, **settings: Any) -> Any:
        """The partitioned variable with the scope's own name; for `create_partitioned_variables`.

        Raises:
          ValueError: if the scope has a custom getter, which would not be asked.
        """
        if self.custom_getter is not None:
            raise ValueError(
                f"Private access to _get_partitioned_variable is not allowed when a custom getter "
                f"is set.  Current custom getter: {self.custom_getter}.  It is likely that you're "
                f"using create_partitioned_variables.  If so, consider instead using get_variable "
                f"with a non-empty partitioner parameter instead."
            )
        for key in ("regularizer", "caching_device", "constraint", "use_resource", "initializer"):
            if settings.get(key) is None:
                settings[key] = getattr(self, key)
        with get_default_graph().name_scope(None):
            return store.get_partitioned(name=self.name, reuse=self.reuse, **settings)


def _check_initializer_type(dtype: Any, initializer: Any) -> None:
    if dtype is None or initializer is None or callable(initializer):
        return
    actual = convert_to_tensor(initializer).dtype.base_dtype
    if actual is not dtypes.as_dtype(dtype).base_dtype:
        raise ValueError(
            f"Initializer type '{actual.name}' and explicit dtype "
            f"'{dtypes.as_dtype(dtype).name}' don't match."
        )


class ScopeStore(threading.local):
    """The current scope of each thread, and how often each scope was opened."""

    def __init__(self) -> None:
        self.current = VariableScope(False)
        self.counts: dict[str, int] = {}

    def open(self, name: str) -> None:
        """Count that a scope of this full name is entered."""
        self.counts[name] = self.counts.get(name, 0) + 1

    def close_subscopes(self, name: str) -> None:
        """Forget how often the scopes inside were entered."""
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


def scope_store() -> ScopeStore:
    """The scopes of the default graph, as this thread sees them."""
    return _of_graph(_SCOPES_KEY, ScopeStore)


def variable_store() -> VariableStore:
    """The variables of the default graph that `tf.get_variable` knows."""
    return _of_graph(STORE_KEY, VariableStore)


def get_variable_scope() -> VariableScope:
    """The current variable scope (TensorFlow: `tf.get_variable_scope`).

    Example:
      >>> with tf.variable_scope("model"):
      ...     print(tf.get_variable_scope().name)
      model
    """
    return scope_store().current
