"""Templates: a function whose variables are made by its first call, and shared by the others.

Mirrors tensorflow/python/ops/template.py.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tinytf.framework import call_site
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.stacks import get_default_graph
from tinytf.ops.variables.current_scope import VariableScope, scope_store
from tinytf.ops.variables.scope import variable_scope


class Template:
    """What `tf.make_template` returns; call it like the function.

    Attributes:
      name, func: as they were given.
      variable_scope: where its variables are; None before the first call.
    """

    def __init__(
        self,
        name: str,
        func: Callable[..., Any],
        create_scope_now: bool = False,
        unique_name: str | None = None,
        custom_getter: Any = None,
    ):
        if name is None:
            raise ValueError("name cannot be None.")
        self.name, self.func = name, func
        self._unique_name, self._custom_getter = unique_name, custom_getter
        self._line = call_site.user_line(call_site.capture())
        self._variables_created = False
        self.variable_scope: VariableScope | None = None
        if create_scope_now:
            wanted = unique_name or scope_store().unique(name)
            # Without a name scope: that is opened by each call.
            opened = variable_scope(wanted, custom_getter=custom_getter)
            with opened._entered_scope(wanted, None) as scope:
                self.variable_scope = scope

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function, in the template's variable scope.

        Raises:
          ValueError: if a later call makes a trainable variable, by `tf.Variable` for example.
        """
        if self.variable_scope is not None:
            with variable_scope(self.variable_scope, reuse=self._variables_created):
                return self._called(args, kwargs)
        with variable_scope(
            self._unique_name, self.name, custom_getter=self._custom_getter
        ) as scope:
            self.variable_scope = scope
            return self._called(args, kwargs)

    def _called(self, args: Any, kwargs: Any) -> Any:
        trainable = get_default_graph().get_collection_ref(GraphKeys.TRAINABLE_VARIABLES)
        before = len(trainable)
        try:
            result = self.func(*args, **kwargs)
            if self._variables_created and len(trainable) != before:
                raise ValueError(
                    f"Trainable variable created when calling a template after the first time, "
                    f"perhaps you used tf.Variable when you meant tf.get_variable: "
                    f"{trainable[before:]}"
                )
        except Exception as error:
            first = error.args[0] if error.args else ""
            line = self._line or "an unknown line"
            error.args = (f"{first}\n\noriginally defined at:\n{line}", *error.args[1:])
            raise
        self._variables_created = True
        return result

    @property
    def variable_scope_name(self) -> str | None:
        """The prefix of its variables' names, with "/" at its end; None before the first call."""
        if self.variable_scope is None:
            return None
        name = self.variable_scope.name
        return name if not name or name.endswith("/") else name + "/"

    def _collected(self, key: str) -> list[Any]:
        if not self._variables_created:
            return []
        return get_default_graph().get_collection(key, self.variable_scope_name)

    @property
    def global_variables(self) -> list[Any]:
        """Its global variables."""
        return self._collected(GraphKeys.GLOBAL_VARIABLES)

    @property
    def local_variables(self) -> list[Any]:
        """Its local variables."""
        return self._collected(GraphKeys.LOCAL_VARIABLES)

    @property
    def trainable_variables(self) -> list[Any]:
        """Its trainable variables."""
        return self._collected(GraphKeys.TRAINABLE_VARIABLES)

    @property
    def non_trainable_variables(self) -> list[Any]:
        """Its global variables that are not trainable."""
        trainable = set(map(id, self.trainable_variables))
        return [v for v in self.global_variables if id(v) not in trainable]

    @property
    def variables(self) -> list[Any]:
        """Its global and local variables."""
        return self.global_variables + self.local_variables

    weights = variables
    trainable_weights = trainable_variables
    non_trainable_weights = non_trainable_variables

    @property
    def var_scope(self) -> VariableScope | None:
        """`variable_scope`, under TensorFlow's older name."""
        return self.variable_scope


def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Any = None,
    **kwargs: Any,
) -> Template:
    """A function with variables of its own, shared by all calls (TensorFlow: `tf.make_template`).

    Args:
      name_: of its variable scope, made unique.
      func_: makes its variables with `tf.get_variable`.
      create_scope_now_: whether the scope opens here, and not at the first call.
      unique_name_: the scope's name as it is, in place of `name_`.
      custom_getter_: as for `tf.variable_scope`.
      **kwargs: passed to `func_` by every call.

    Raises:
      ValueError: if `name_` is None.

    Example:
      >>> def scaled(x):
      ...     return x * tf.get_variable("scale", [], initializer=tf.ones_initializer())
      >>> scale = tf.make_template("scale", scaled)
      >>> a, b = scale(tf.constant(1.0)), scale(tf.constant(2.0))
      >>> [v.name for v in tf.global_variables()]
      ['scale/scale:0']
    """
    function = functools.partial(func_, **kwargs) if kwargs else func_
    return Template(name_, function, create_scope_now_, unique_name_, custom_getter_)
