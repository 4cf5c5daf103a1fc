"""`tf.keras.backend`: the session, the learning phase, and functions by Keras' names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from tinytf.framework import dtypes, nest
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.graph import Graph
from tinytf.framework.scope_functions import control_dependencies
from tinytf.framework.scope_functions import name_scope as name_scope
from tinytf.framework.stacks import (
    get_default_graph,
    get_default_session,
    reset_default_graph,
)
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.concat import concat
from tinytf.ops.array.placeholder import placeholder as _placeholder
from tinytf.ops.array.placeholder import placeholder_with_default
from tinytf.ops.control_flow.grouping import group
from tinytf.ops.math.cast import cast as cast
from tinytf.ops.math.exp_log import exp as exp
from tinytf.ops.math.exp_log import log as log
from tinytf.ops.math.power import pow as pow
from tinytf.ops.math.power import sqrt as sqrt
from tinytf.ops.math.power import square as square
from tinytf.ops.random.basic import random_normal as _random_normal
from tinytf.ops.variables.state import is_variable_initialized
from tinytf.ops.variables.variable import Variable, variables_initializer
from tinytf.session.session import Session

_settings: dict[str, Any] = {"epsilon": 1e-7, "floatx": "float32", "session": None}
_phases: WeakKeyDictionary[Graph, Any] = WeakKeyDictionary()
_names: WeakKeyDictionary[Graph, dict[str, int]] = WeakKeyDictionary()
#: Variables that Keras sees to, and of each session those that it has seen to.
_variables: WeakKeyDictionary[Graph, list[Any]] = WeakKeyDictionary()
_started: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()


def epsilon() -> float:
    """A small number that keeps logarithms and quotients finite (`tf.keras.backend.epsilon`).

    Example:
      >>> tf.keras.backend.epsilon()
      1e-07
    """
    small: float = _settings["epsilon"]
    return small


def floatx() -> str:
    """The type of layers' numbers (TensorFlow: `tf.keras.backend.floatx`).

    Example:
      >>> tf.keras.backend.floatx()
      'float32'
    """
    return "float32"


def image_data_format() -> str:
    """Where channels are (TensorFlow: `tf.keras.backend.image_data_format`).

    Example:
      >>> tf.keras.backend.image_data_format()
      'channels_last'
    """
    return "channels_last"


def get_uid(prefix: str = "") -> int:
    """How often it was asked for this prefix, in this graph (`tf.keras.backend.get_uid`).

    Example:
      >>> tf.keras.backend.get_uid("dense"), tf.keras.backend.get_uid("dense")
      (1, 2)
    """
    counts = _names.setdefault(get_default_graph(), {})
    counts[prefix] = counts.get(prefix, 0) + 1
    return counts[prefix]


def learning_phase() -> Any:
    """Whether it is training, to be fed (TensorFlow: `tf.keras.backend.learning_phase`).

    Example:
      >>> phase = tf.keras.backend.learning_phase()
      >>> y = tf.keras.layers.Dropout(0.5)(tf.ones([3]))
      >>> y.eval()  # [1., 1., 1.]
      >>> np.unique([0.0, 2.0, *y.eval({phase: True})])
      array([0., 2.])
    """
    graph = get_default_graph()
    if graph not in _phases:
        with name_scope(""):
            _phases[graph] = placeholder_with_default(False, [], "keras_learning_phase")
    return _phases[graph]


def set_learning_phase(value: Any) -> None:
    """Fix it, for layers that are called from now on: 0 or 1.

    Raises:
      ValueError: for anything else.

    Example:
      >>> tf.keras.backend.set_learning_phase(0)
      >>> tf.keras.backend.learning_phase()
      0
    """
    if value not in (0, 1):
        raise ValueError(f"Expected learning phase to be 0 or 1. Received: {value}")
    _phases[get_default_graph()] = value


def get_session(op_input_list: Any = ()) -> Any:
    """The session of models, with their variables initialised (`tf.keras.backend.get_session`).

    The default session if there is one; else the one that `set_session` was given, or a new one.

    Example:
      >>> w = tf.keras.backend.variable([1.0, 2.0])
      >>> print(tf.keras.backend.get_session().run(w))
      [1. 2.]
    """
    session = get_default_session()
    if session is None:
        session = _settings["session"]
        if session is None or session.graph is not get_default_graph():
            session = _settings["session"] = Session()
    started = _started.setdefault(session, set())
    new = [v for v in _variables.get(session.graph, ()) if v.name not in started]
    if new:
        with session.graph.as_default():
            there = session.run([is_variable_initialized(variable) for variable in new])
            session.run(variables_initializer([v for v, done in zip(new, there) if not done]))
        started.update(variable.name for variable in new)
    return session


def set_session(session: Any) -> None:
    """Let models use this session (TensorFlow: `tf.keras.backend.set_session`).

    Example:
      >>> one_thread = tf.ConfigProto(intra_op_parallelism_threads=1)
      >>> tf.keras.backend.set_session(tf.Session(config=one_thread))
      >>> tf.keras.backend.set_session(None)
    """
    _settings["session"] = session


def clear_session() -> None:
    """A new graph, a new session, names from the beginning (`tf.keras.backend.clear_session`).

    Example:
      >>> tf.keras.backend.clear_session()  # doctest: +SKIP
    """
    _settings["session"] = None
    reset_default_graph()


def _track(variable: Any) -> Any:
    """Have `get_session` initialise it; returns it."""
    _variables.setdefault(get_default_graph(), []).append(variable)
    return variable


def variable(value: Any, dtype: Any = None, name: str | None = None, constraint: Any = None) -> Any:
    """A variable that the session initialises (TensorFlow: `tf.keras.backend.variable`).

    Example:
      >>> w = tf.keras.backend.variable([1.0, 2.0])
      >>> print(tf.keras.backend.get_value(w))
      [1. 2.]
    """
    value = convert_to_tensor(value, dtype or floatx())
    return _track(Variable(value, name=name, constraint=constraint, use_resource=True))


def placeholder(
    shape: Any = None, ndim: int | None = None, dtype: Any = None, name: str | None = None
) -> Tensor:
    """A tensor to be fed (TensorFlow: `tf.keras.backend.placeholder`).

    Args:
      shape: or ndim: how many sizes it has, all of them unknown.
      dtype: "float32" by default. name: of the operation.

    Example:
      >>> tf.keras.backend.placeholder(ndim=2, name="x")
      <tf.Tensor 'x:0' shape=(?, ?) dtype=float32>
    """
    shape = [None] * ndim if shape is None and ndim is not None else shape
    return _placeholder(dtypes.as_dtype(dtype or floatx()), shape, name)


def get_value(x: Any) -> Any:
    """The value of a variable or tensor (TensorFlow: `tf.keras.backend.get_value`).

    Example:
      >>> float(tf.keras.backend.get_value(tf.keras.backend.variable(3.0)))
      3.0
    """
    return batch_get_value([x])[0]


eval = get_value


def batch_get_value(tensors: Sequence[Any]) -> list[Any]:
    """The values of several (TensorFlow: `tf.keras.backend.batch_get_value`).

    Example:
      >>> a, b = tf.keras.backend.variable(1.0), tf.keras.backend.variable(2.0)
      >>> [float(value) for value in tf.keras.backend.batch_get_value([a, b])]
      [1.0, 2.0]
    """
    values: list[Any] = get_session().run(list(tensors)) if tensors else []
    return values


def set_value(x: Any, value: Any) -> None:
    """Give a variable a value (TensorFlow: `tf.keras.backend.set_value`).

    Example:
      >>> w = tf.keras.backend.variable([1.0, 2.0])
      >>> tf.keras.backend.set_value(w, [3.0, 4.0])
      >>> print(tf.keras.backend.get_value(w))
      [3. 4.]
    """
    x.load(value, get_session())


def batch_set_value(tuples: Iterable[tuple[Any, Any]]) -> None:
    """Give variables values, in pairs (TensorFlow: `tf.keras.backend.batch_set_value`).

    Example:
      >>> a, b = tf.keras.backend.variable(1.0), tf.keras.backend.variable(2.0)
      >>> tf.keras.backend.batch_set_value([(a, 3.0), (b, 4.0)])
      >>> [float(value) for value in tf.keras.backend.batch_get_value([a, b])]
      [3.0, 4.0]
    """
    for x, value in tuples:
        set_value(x, value)


def function(
    inputs: Any, outputs: Any, updates: Any = (), name: str | None = None
) -> Callable[[Any], Any]:
    """A function of lists of arrays (TensorFlow: `tf.keras.backend.function`).

    Args:
      inputs: tensors to be fed. outputs: tensors. updates: operations to be run as well, or
        pairs of a variable and its new value.

    Example:
      >>> x = tf.keras.backend.placeholder([2])
      >>> doubled = tf.keras.backend.function([x], [2.0 * x])
      >>> doubled([np.array([1.0, 2.0])])
      [array([2., 4.], dtype=float32)]
    """
    with control_dependencies(nest.flatten(outputs)[:1]):
        steps = [each[0].assign(each[1]) if isinstance(each, tuple) else each for each in updates]
        also: Any = group(*steps, name=name) if steps else []
    places = [place for place in nest.flatten(inputs) if isinstance(place, Tensor)]

    def computed(values: Any) -> Any:
        feed = dict(zip(places, nest.flatten(values)))
        return get_session().run([outputs, also], feed)[0]

    return computed


def int_shape(x: Any) -> tuple[int | None, ...] | None:
    """The shape as far as it is known (TensorFlow: `tf.keras.backend.int_shape`).

    Example:
      >>> tf.keras.backend.int_shape(tf.keras.Input(shape=(3,)))
      (None, 3)
    """
    return None if x.shape.ndims is None else tuple(x.shape.as_list())


def ndim(x: Any) -> Any:
    """The number of dimensions (TensorFlow: `tf.keras.backend.ndim`).

    Example:
      >>> tf.keras.backend.ndim(tf.keras.Input(shape=(3,)))
      2
    """
    return x.shape.ndims


def concatenate(tensors: Any, axis: int = -1) -> Tensor:
    """One behind the other (TensorFlow: `tf.keras.backend.concatenate`).

    Example:
      >>> a, b = tf.constant([[1], [2]]), tf.constant([[3], [4]])
      >>> tf.keras.backend.concatenate([a, b])  # [[1, 3], [2, 4]]
    """
    return concat(tensors, axis % tensors[0].shape.ndims)


def random_normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: int | None = None
) -> Tensor:
    """Normal numbers (TensorFlow: `tf.keras.backend.random_normal`).

    Example:
      >>> tf.keras.backend.random_normal([2, 3], stddev=0.1).shape
      TensorShape([Dimension(2), Dimension(3)])
    """
    return _random_normal(shape, mean, stddev, dtypes.as_dtype(dtype or floatx()), seed)
