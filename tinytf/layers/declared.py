"""Functions whose arguments are declared elsewhere: by a class, or once for a family of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any


def parameter(name: str, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    """A parameter of a function that is given by place or by name."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(name, kind, default=default, annotation=Any)


def parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters of a function or a class that can be given by place."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return [one for one in inspect.signature(function).parameters.values() if one.kind is kind]


def with_parameters(
    parameters: Iterable[inspect.Parameter],
    declared: Callable[..., Any],
    called: Callable[[dict[str, Any]], Any],
) -> Callable[..., Any]:
    """A function with these parameters.

    Args:
      declared: a function whose name and docstring it has.
      called: what it does, with all arguments by their names, also those that were not given.
    """
    signature = inspect.Signature(list(parameters))

    @wraps(declared)
    def function(*args: Any, **kwargs: Any) -> Any:
        try:
            given = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{declared.__name__}() {error}") from None
        given.apply_defaults()
        return called(given.arguments)

    vars(function)["__signature__"] = signature
    return function


def function_of(
    kind: type[Any], last: str = ""
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function that makes a layer and calls it (decorator).

    Its name and words are the decorated one's. It takes `inputs`, what the class takes, `training`
    if its `call` does, and, if the layer has variables, `reuse`.

    Args:
      kind: the layer's class.
      last: names of arguments that TensorFlow's function has behind all others.
    """
    own = {one.name: one for one in parameters_of(kind)}
    has_variables = "trainable" in own
    reuse = [parameter("reuse", None)] if has_variables else []
    training = [one for one in parameters_of(kind.call) if one.name == "training"]
    common = [own.pop(name) for name in ("trainable", "name") if name in own]
    behind = [own.pop(name) for name in last.split()]
    parameters = [parameter("inputs"), *own.values(), *training, *common, *reuse, *behind]

    def called(given: dict[str, Any]) -> Any:
        inputs = given.pop("inputs")
        how = {one.name: given.pop(one.name) for one in training}
        if has_variables:
            given |= {"_scope": given["name"], "_reuse": given.pop("reuse")}
        return kind(**given)(inputs, **how)

    return lambda declared: with_parameters(parameters, declared, called)
