"""`tf.py_func`: a Python function as an operation.

The graph holds a token, not the function: a name that means something in this process only. A
graph that comes from elsewhere can therefore never make this process run code of its choice; its
tokens are unknown here and are refused.
"""

from __future__ import annotations

import itertools
import re
import secrets
import threading
import traceback
import weakref
from collections.abc import Callable
from itertools import dropwhile
from typing import Any

import numpy as np

from tinytf.framework import call_site, dtypes, errors, shape_inference
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.base.arguments import explains_arguments

#: How Python says that bytes met text.
_MIXED = re.compile(r"bytes.* str\b|\bstr\b.* bytes|'bytes' object has no attribute|\"bytes\"")


class _Holder:
    """A registered function. The graph owns it; the table below only knows of it."""

    def __init__(self, function: Callable[..., Any]):
        self.function = function


_functions: weakref.WeakValueDictionary[str, _Holder] = weakref.WeakValueDictionary()
_lock = threading.Lock()
_numbers = itertools.count()
#: Part of every token: a token of another process, or a guess, must not hit a function here.
_PROCESS = secrets.token_hex(8)


def _register(function: Callable[..., Any], graph: Any) -> str:
    """Note a function for as long as `graph` lives; returns its token."""
    holder = _Holder(function)
    with _lock:
        token = f"pyfunc_{next(_numbers)}_{_PROCESS}"
        _functions[token] = holder
    graph._py_functions.append(holder)
    return token


def _define(name: str, stateful: bool) -> OpCard:
    return define_op(
        name,
        "input: Tin -> output: Tout",
        "token: string, Tin: list(type) >= 0, Tout: list(type) >= 0",
        stateful=stateful,
        shape=shape_inference.unknown,
        no_gradient="a Python function says nothing about its derivative",
    )


_py_func = _define("PyFunc", stateful=True)
_py_func_stateless = _define("PyFuncStateless", stateful=False)


@_py_func.kernel
@_py_func_stateless.kernel
def _call(*inputs: Any, token: bytes, Tout: tuple[dtypes.DType, ...], node: Operation) -> Any:
    name = token.decode("utf-8", "backslashreplace")
    holder = _functions.get(name)
    if holder is None:
        raise errors.InvalidArgumentError(
            f"ValueError: Could not find callback with key={name} in the registry. A py_func runs "
            f"in the process that built it, while its graph lives; this graph comes from another "
            f"process or from a file. On a cluster: feed what the function returns, or build and "
            f"run the step in the task itself (in a notebook, a cell with %%task)."
        )
    arguments = [_argument(value) for value in inputs]
    try:
        returned = holder.function(*arguments)
    except Exception as error:
        # The traceback goes into the message: it shows the line in the user's function.
        raise _error_class(error)(_describe(error)) from error
    return _results(name, returned, Tout, node)


def _argument(value: Any) -> Any:
    """What the function gets: a scalar as numpy scalar or bytes, otherwise a read-only view."""
    if not isinstance(value, np.ndarray):
        return value
    if value.ndim == 0:
        return value[()]
    view = value.view()
    view.flags.writeable = False
    return view


def _error_class(error: Exception) -> type[errors.OpError]:
    """TensorFlow's class for an exception out of a py_func."""
    table: list[tuple[Any, type[errors.OpError]]] = [
        ((ValueError, TypeError), errors.InvalidArgumentError),
        (StopIteration, errors.OutOfRangeError),
        (MemoryError, errors.ResourceExhaustedError),
        (NotImplementedError, errors.UnimplementedError),
    ]
    return next((ours for theirs, ours in table if isinstance(error, theirs)), errors.UnknownError)


def _describe(error: Exception) -> str:
    """The exception with its traceback, from the user's function on; cells as "In[3]"."""
    told = traceback.TracebackException(type(error), error, error.__traceback__)
    within: traceback.TracebackException | None = told
    while within is not None:
        frames = list(dropwhile(lambda frame: call_site.is_own(frame.filename), within.stack))
        for frame in frames:
            frame.filename = call_site.shown(frame.filename)
        within.stack[:] = frames
        if not frames:
            within.stack = None  # type: ignore[assignment]  # no header of an empty traceback
        within = within.__cause__ or within.__context__
    text = f"{type(error).__name__}: {error}\n{''.join(told.format()).rstrip()}"
    if isinstance(error, TypeError | AttributeError) and _MIXED.search(str(error)):
        text += "\nText comes into a py_func as bytes: text.decode() makes a str of it."
    return text


def _results(name: str, returned: Any, wanted: tuple[dtypes.DType, ...], node: Operation) -> Any:
    if returned is None:
        values = []
    else:
        values = list(returned) if isinstance(returned, list | tuple) else [returned]
    if len(values) != len(wanted):
        raise errors.InvalidArgumentError(
            f"{name} returns {len(values)} values, but expects to see {len(wanted)} values. "
            f"A list or tuple counts as several; wrap it in np.array to return one."
        )
    arrays = [_owned(value, index, name) for index, value in enumerate(values)]
    for index, (array, dtype, tensor) in enumerate(zip(arrays, wanted, node.outputs, strict=True)):
        actual = dtypes.as_dtype(array.dtype)
        if actual != dtype:
            raise errors.InvalidArgumentError(
                f"{index}-th value returned by {name} is {_c_name(actual)}, but expects "
                f"{_c_name(dtype)}. Convert it in the function: np.asarray(value, "
                f"np.{np.dtype(dtype.as_numpy_dtype).name}), or change Tout."
            )
        if not tensor.shape.is_compatible_with(array.shape):
            raise errors.InvalidArgumentError(
                f"{index}-th value returned by {name} has shape {array.shape}, but the graph was "
                f"told that {tensor.name} has shape {tensor.shape} (set_shape)."
            )
    return arrays


def _c_name(dtype: dtypes.DType) -> str:
    """The name of a type in TensorFlow's C++ messages."""
    return {"float32": "float", "float64": "double"}.get(dtype.name, dtype.name)


def _owned(value: Any, index: int, name: str) -> np.ndarray:
    """A returned value as an array of our own: the function may keep and change its array."""
    try:
        array = np.array(value, order="C")
    except ValueError as error:
        raise errors.InvalidArgumentError(
            f"{index}-th value returned by {name} is not an array: {error}"
        ) from None
    if array.dtype.kind in "US" or array.dtype == object:
        return _of_bytes(array, value, index, name)
    return array


def _of_bytes(array: np.ndarray, value: Any, index: int, name: str) -> np.ndarray:
    # Again from the value: numpy's own strings drop zero bytes at the end.
    elements = np.array(value, object)
    result = np.empty(elements.shape, object)
    for place, element in np.ndenumerate(elements):
        if isinstance(element, str):
            element = element.encode()
        if not isinstance(element, bytes):
            raise errors.InternalError(
                f"Unsupported object type {type(element).__name__} ({index}-th value returned by "
                f"{name})"
            )
        result[place] = element
    return result


@explains_arguments
def py_func(
    func: Callable[..., Any], inp: Any, Tout: Any, stateful: bool = True, name: str | None = None
) -> Any:
    """Call a Python function when the graph runs (TensorFlow: `tf.py_func`).

    Unlike TensorFlow's, it gives the function read-only arrays, and copies what it returns.

    Args:
      func: takes as many numpy arrays (scalars as numpy scalars or bytes) as `inp` has tensors,
        and returns an array, or a list of them.
      inp: a list of tensors.
      Tout: the dtype of the result, or a list of dtypes for a list of results.
      stateful: False if equal inputs always give equal results.
      name: of the operation.

    Returns:
      a tensor of unknown shape; a list of them if `Tout` is a list (for an empty one, the
      operation, or an empty list if `func` is not stateful).

    Raises:
      ValueError: if `func` is not callable. When it runs: `InvalidArgumentError` for a ValueError
        or TypeError of the function and for results of other dtypes, OutOfRangeError for
        StopIteration, UnknownError for most others.

    Example:
      >>> tf.py_func(lambda x: np.sort(x), [[3.0, 1.0, 2.0]], tf.float32)  # [1., 2., 3.]
    """
    if not callable(func):
        raise ValueError(
            f"Expected func to be callable. Received func={func} of type {type(func)}."
        )
    is_list = isinstance(Tout, list | tuple)
    kinds = [dtypes.as_dtype(kind) for kind in (Tout if is_list else [Tout])]
    if isinstance(inp, Tensor):
        raise TypeError(
            f"tf.py_func takes a list of tensors, got {inp!r} itself: put it in brackets. "
            f"(Iterating over a symbolic `tf.Tensor` is not allowed.)"
        )
    inputs = list(inp)
    graph = next((value.graph for value in inputs if hasattr(value, "graph")), None)
    token = _register(func, graph or get_default_graph())
    card = _py_func if stateful else _py_func_stateless
    result = card(inputs, name=name, token=token, Tout=kinds)
    if not (kinds or stateful):
        return []  # nothing that can be fetched, and so nothing that would run
    return result if is_list or isinstance(result, Operation) else result[0]


def numpy_function(func: Callable[..., Any], inp: Any, Tout: Any, name: str | None = None) -> Any:
    """`tf.py_func` under its newer name (TensorFlow: `tf.numpy_function`).

    Example:
      >>> tf.numpy_function(np.cumsum, [[1.0, 2.0]], tf.float32)  # [1., 3.]
    """
    return py_func(func, inp, Tout, name=name)
