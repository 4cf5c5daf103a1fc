"""What needs a value, and what a tensor says to it: `float(t)`, `t[0] = 3.0`, `t.numpy()`.

A tensor has no value while the graph is built. Whoever asks for one is told so, in the words that
Python or TensorFlow have for it, and what to type instead. The methods are attached when this
module is imported, as operators are; reading a tensor's other attributes gets no slower.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from tinytf.framework.graph import Graph
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor

_NONE_YET = "has no value while the graph is built"
#: method -> what Python or TensorFlow say, and what to do instead
_OF_BOTH = {
    "__float__": (
        "float() argument must be a string or a real number, not {kind!r}",
        "float(sess.run(t)) is the value's; tf.cast(t, tf.float32) converts it in the graph.",
    ),
    "__int__": (
        "int() argument must be a string, a bytes-like object or a real number, not {kind!r}",
        "int(sess.run(t)) is the value's; tf.cast(t, tf.int32) converts it in the graph.",
    ),
    "__complex__": (
        "complex() first argument must be a string or a number, not {kind!r}",
        "complex(sess.run(t)) is the value's; tf.cast(t, tf.complex64) converts it in the graph.",
    ),
    "__round__": (
        "type {kind} doesn't define __round__ method",
        "tf.round(t) rounds in the graph; round(float(sess.run(t))) the value.",
    ),
}
_OF_TENSORS = {
    "__index__": (
        "{kind!r} object cannot be interpreted as an integer",
        "Python's range, indices of lists and shapes of arrays take int(sess.run(t)); in the graph "
        "there are tf.range(t), tf.gather(list, t), tf.zeros([t]) and tf.while_loop.",
    ),
    "__bool__": (
        "Using a `tf.Tensor` as a Python `bool` is not allowed",
        "Use `if t is not None:` to test whether a tensor is defined, TensorFlow ops such as "
        "tf.cond to execute subgraphs conditioned on the value of a tensor, and `if sess.run(t):` "
        "to let Python decide. For `and`, `or`, `not` there are tf.logical_and and its kin.",
    ),
    "__iter__": (
        "Iterating over a symbolic `tf.Tensor` is not allowed. Tensor objects are only iterable "
        "when eager execution is enabled",
        "Use tf.unstack(t) for a Python list of its parts, tf.map_fn or tf.while_loop to go "
        "through them in the graph, `for x in sess.run(t):` for the values.",
    ),
    "__len__": (
        "len is not well defined for a symbolic Tensor ({name}). Please call `x.shape` rather "
        "than `len(x)` for shape information.",
        "Its static shape is {shape}: t.shape[0] is known now. tf.shape(t)[0] and tf.size(t) are "
        "tensors, for when the graph runs.",
    ),
}
_CONTAINS = (
    "argument of type {kind!r} is not iterable",
    "tf.reduce_any(tf.equal(t, x)) looks for x in the graph; `x in sess.run(t)` among the values.",
)
_SET_TENSOR = (
    "{kind!r} object does not support item assignment",
    "It is what its operation computes, and cannot be changed: a tensor with other elements is "
    "tf.tensor_scatter_update(t, [[0]], [3.0]). What changes is a tf.Variable: "
    "sess.run(v[0].assign(3.0)).",
)
_SET_VARIABLE = (
    "{kind!r} object does not support item assignment",
    "An assignment is an operation, which a session runs: sess.run(v[0].assign(3.0)), or "
    "tf.scatter_update(v, [0], [3.0]) for whole rows.",
)
_FORMAT = (
    "unsupported format string passed to {kind}.__format__",
    "Format what the session gives: f'{{sess.run(t):.3f}}'.",
)

_COMPUTED = "it has no value while the graph is built: use sess.run(t) or t.eval()"
#: attribute -> what to do instead
_NOT_AN_ARRAY = {
    "numpy": _COMPUTED,
    "item": f"{_COMPUTED}, and ask its result",
    "tolist": f"{_COMPUTED}, and ask its result",
    "copy": "use tf.identity(t)",
    "reshape": "use tf.reshape(t, shape)",
    "astype": "use tf.cast(t, dtype)",
    "size": "use tf.size(t), or t.shape.num_elements() if the shape is static",
    "ndim": "use t.shape.ndims, or tf.rank(t)",
    "T": "use tf.transpose(t)",
    "dot": "use tf.matmul(t, other)",
    "sum": "use tf.reduce_sum(t)",
    "mean": "use tf.reduce_mean(t)",
    "max": "use tf.reduce_max(t)",
    "min": "use tf.reduce_min(t)",
    "argmax": "use tf.argmax(t, axis)",
    "backward": "use tf.gradients(loss, variables), or an optimizer's minimize(loss)",
    "detach": "use tf.stop_gradient(t)",
    "view": "use tf.reshape(t, shape)",
    "squeeze": "use tf.squeeze(t)",
    "unsqueeze": "use tf.expand_dims(t, axis)",
    "flatten": "use tf.reshape(t, [-1])",
    "to": "use tf.cast(t, dtype); what is built in `with tf.device(...):` is on that device",
    "cuda": "build it in `with tf.device('/gpu:0'):`",
    "split": "use tf.string_split([t]) for text, tf.split(t, number) for arrays",
    "decode": f"{_COMPUTED}, and decode its result",
    "append": "use tf.concat([t, others], axis)",
}


class _Missing:
    """An attribute that raises AttributeError, with what to do instead.

    (`__getattr__` would do the same, and make reading every other attribute slower.)
    """

    def __init__(self, name: str, instead: str):
        self._name, self._instead = name, instead

    def __get__(self, tensor: Any, owner: type) -> NoReturn:
        which = getattr(tensor, "name", owner.__name__)
        raise AttributeError(
            f"'{owner.__name__}' object has no attribute '{self._name}' ({which}): {self._instead}"
        )


def _dir(self: Any) -> list[str]:
    """Completion offers what there is, not what only explains why it is not there."""
    known = {name: it for kind in reversed(type(self).__mro__) for name, it in vars(kind).items()}
    return [n for n in object.__dir__(self) if not isinstance(known.get(n), _Missing)]


def _refusal(tensor: Any, words: tuple[str, str]) -> TypeError:
    kind = type(tensor).__name__
    name = getattr(tensor, "name", f"the {kind.lower()}")
    said, instead = (
        text.format(kind=kind, name=name, shape=getattr(tensor, "shape", None)) for text in words
    )
    said += " " if said.endswith(".") else ": "
    return TypeError(f"{said}{name} {_NONE_YET}. {instead}")


def _refusing(words: tuple[str, str]) -> Callable[..., NoReturn]:
    def method(self: Any, *others: Any) -> NoReturn:
        raise _refusal(self, words)

    return method


def _format(self: Any, spec: str) -> str:
    if spec:
        raise _refusal(self, _FORMAT)
    return str(self)


def _array(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    raise NotImplementedError(
        f"Cannot convert a symbolic Tensor ({self.name}) to a numpy array: it {_NONE_YET}. Use "
        f"`sess.run(tensor)` or `tensor.eval()`. tf has most functions of numpy, for the graph: "
        f"tf.sqrt(t), tf.reduce_sum(t); others compute there in tf.py_func."
    )


def say_instead(cls: type, instead: dict[str, str]) -> None:
    """Have attributes that a class has not say what to do instead.

    Args:
      cls: its objects have a `name`. instead: attribute -> what to do.
    """
    for name, text in instead.items():
        setattr(cls, name, _Missing(name, text))
    cls.__dir__ = _dir  # type: ignore[method-assign, assignment]


def refuse(cls: type, methods: dict[str, tuple[str, str]]) -> None:
    """Have what Python asks of objects of a class raise TypeError, with what to do instead.

    Args:
      methods: "__iter__" and others -> Python's words, with {kind!r} for the class, and what to do.
    """
    for name, words in methods.items():
        method: Any = _refusing(words)
        method.__name__ = name
        setattr(cls, name, method)


def attach_refusals(cls: type) -> None:
    """Have objects of a class say what to do instead where Python asks for their value.

    Args:
      cls: `Tensor`, or `Variable`: it counts as true, as in TensorFlow, and has an `__array__` and
        an `__iter__` of its own.
    """
    is_tensor = issubclass(cls, Tensor)
    setting = _SET_TENSOR if is_tensor else _SET_VARIABLE
    others = {"__contains__": _CONTAINS, "__setitem__": setting, "__delitem__": setting}
    refuse(cls, _OF_BOTH | (_OF_TENSORS if is_tensor else {}) | others)
    of_tensors = {
        "assign": "only a tf.Variable can be assigned to",
        "run": "an operation runs; of a tensor, sess.run(t) or t.eval() is the value",
    }
    say_instead(cls, _NOT_AN_ARRAY | (of_tensors if is_tensor else {}))
    cls.__format__ = _format  # type: ignore[method-assign, assignment]
    if is_tensor:
        cls.__array__ = _array  # type: ignore[attr-defined]


def _enter(self: Graph) -> NoReturn:
    raise TypeError(
        "'Graph' object does not support the context manager protocol: write `with "
        "graph.as_default():`, which makes it the default one for a block."
    )


setattr(Graph, "__enter__", _enter)  # noqa: B010
setattr(Graph, "__exit__", lambda self, *error: None)  # noqa: B010  # Python looks for both
attach_refusals(Tensor)
say_instead(
    Operation,
    {"eval": "an operation has no value: sess.run(op) or op.run() runs it, op.outputs are tensors"},
)
