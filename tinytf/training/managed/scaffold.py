"""`tf.train.Scaffold`: the operations around a model that a training session needs.

    init_op                 global variables, shared resources
    ready_for_local_init_op which of those have no value yet
    local_init_op           local variables, lookup tables, local resources
    ready_op                what has no value yet, of all
    summary_op              all summaries in one
    saver                   of all global variables

Each is what was given, or what the graph's collection of that name holds, or made. Mirrors a part
of tensorflow/python/training/monitored_session.py.
"""

from __future__ import annotations

import functools
import inspect
import logging
import weakref
from collections.abc import Callable
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.graph import Graph
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.boolean_mask import boolean_mask
from tinytf.ops.array.concat import concat
from tinytf.ops.array.constant import constant
from tinytf.ops.array.stack import stack
from tinytf.ops.control_flow.grouping import group
from tinytf.ops.control_flow.primitives import no_op
from tinytf.ops.lookup.initializers import tables_initializer
from tinytf.ops.math.logical import logical_not
from tinytf.ops.summary.summaries import merge_all
from tinytf.ops.variables.checks import report_uninitialized_variables
from tinytf.ops.variables.variable import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
)
from tinytf.training.saver import Saver, _get_saver_or_default

#: Operations that whoever loads a SavedModel wants to be run.
_SAVED_MODEL = "saved_model_initializers"


class Scaffold:
    """The pieces around a model that its training needs (TensorFlow: `tf.train.Scaffold`).

    What is not given is taken from the graph's collections, or made, when a session creator calls
    `finalize()`. Afterwards they are the properties of the same names.

    Args:
      init_op: initialises the global variables. init_feed_dict: with which it is run.
      init_fn: called as `init_fn(scaffold, session)` after `init_op`.
      ready_op: a string vector with what has no value yet; empty if all is ready.
      ready_for_local_init_op: the same, of what `local_init_op` needs.
      local_init_op: initialises local variables and tables, in each new session.
      summary_op: a string: the summaries, merged.
      saver: a `tf.train.Saver`; `defer_build=True` is welcome.
      copy_from_scaffold: another one; what it has and is not given here is taken from it.
      local_init_feed_dict: with which `local_init_op` is run.

    Raises:
      TypeError: if `copy_from_scaffold` is no scaffold, or `saver` no saver, or `init_fn` does not
      take two arguments.

    Example:
      >>> w = tf.get_variable("w", initializer=1.0)
      >>> doubled = w.assign(2.0 * w)
      >>> def start(scaffold, session):
      ...     session.run(doubled)
      >>> scaffold = tf.train.Scaffold(init_fn=start)
      >>> with tf.train.MonitoredTrainingSession(scaffold=scaffold) as sess:
      ...     print(sess.run(w))
      2.0
    """

    def __init__(
        self,
        init_op: Any = None,
        init_feed_dict: Any = None,
        init_fn: Callable[[Scaffold, Any], object] | None = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: Any = None,
        summary_op: Any = None,
        saver: Any = None,
        copy_from_scaffold: Scaffold | None = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        given = {
            "init_op": init_op,
            "init_feed_dict": init_feed_dict,
            "user_init_fn": init_fn,
            "ready_op": ready_op,
            "ready_for_local_init_op": ready_for_local_init_op,
            "local_init_op": local_init_op,
            "summary_op": summary_op,
            "saver": saver,
            "local_init_feed_dict": local_init_feed_dict,
        }
        if copy_from_scaffold is not None and not isinstance(copy_from_scaffold, Scaffold):
            raise TypeError(
                f"copy_from_scaffold is not a Scaffold instance. It is {copy_from_scaffold!r}."
            )
        if saver is not None and not hasattr(saver, "build"):
            raise TypeError(f"saver must be a tf.train.Saver, got {saver!r}")
        if init_fn is not None:
            _check_init_fn(init_fn)
        for name, value in given.items():
            if value is None and copy_from_scaffold is not None:
                value = getattr(copy_from_scaffold, f"_{name}")
            setattr(self, f"_{name}", value)

    # The properties are declared one by one so that their types are known.
    _init_op: Any
    _init_feed_dict: Any
    _user_init_fn: Callable[[Scaffold, Any], object] | None
    _ready_op: Any
    _ready_for_local_init_op: Any
    _local_init_op: Any
    _summary_op: Any
    _saver: Any
    _local_init_feed_dict: Any

    def finalize(self) -> Scaffold:
        """Take or make what was not given, then finalise the default graph.

        Returns:
          itself.

        Raises:
          RuntimeError: if a collection has several of a kind; if the graph is finalised already
          and lacks some.
        """
        for collection, make in (
            (GraphKeys.INIT_OP, _default_init_op),
            (GraphKeys.READY_OP, _default_ready_op),
            (GraphKeys.READY_FOR_LOCAL_INIT_OP, _default_ready_for_local_init_op),
            (GraphKeys.LOCAL_INIT_OP, Scaffold.default_local_init_op),
            (GraphKeys.SUMMARY_OP, merge_all),
        ):
            if getattr(self, f"_{collection}") is None:  # collections are named as properties are
                get = functools.partial(Scaffold.get_or_default, collection, collection, make)
                setattr(self, f"_{collection}", _up_to_date(collection, get))
        if self._saver is None:
            self._saver = _up_to_date(GraphKeys.SAVERS, _get_saver_or_default)
        self._saver.build()
        graph = get_default_graph()
        if not graph.finalized:
            graph._why_finalized = _why_finalized
            graph.finalize()
            logging.getLogger("tinytf").info("Graph was finalized.")
        return self

    @property
    def init_fn(self) -> Callable[[Any], object] | None:
        """A function of the session alone, made of the one that was given."""
        function = self._user_init_fn
        return None if function is None else lambda session: function(self, session)

    @property
    def init_op(self) -> Any:
        """What initialises the global variables."""
        return self._init_op

    @property
    def init_feed_dict(self) -> Any:
        """With which `init_op` is run."""
        return self._init_feed_dict

    @property
    def ready_op(self) -> Any:
        """What has no value yet."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        """What has no value yet, of what `local_init_op` needs."""
        return self._ready_for_local_init_op

    @property
    def local_init_op(self) -> Any:
        """What initialises local variables and tables."""
        return self._local_init_op

    @property
    def local_init_feed_dict(self) -> Any:
        """With which `local_init_op` is run."""
        return self._local_init_feed_dict

    @property
    def summary_op(self) -> Any:
        """All summaries in one; None if the graph has none."""
        return self._summary_op

    @property
    def saver(self) -> Any:
        """What saves and restores the variables."""
        return self._saver

    @staticmethod
    def get_or_default(
        arg_name: str, collection_key: str, default_constructor: Callable[[], Any]
    ) -> Any:
        """The one element of a collection of the default graph; made and put there if need be.

        Args:
          arg_name: of this class's argument, for the error. collection_key: of the collection.
          default_constructor: makes an element, or returns None.

        Raises:
          RuntimeError: if the collection has several.

        Example:
          >>> op = tf.train.Scaffold.get_or_default("init_op", "init_op", tf.no_op)
          >>> tf.get_collection(tf.GraphKeys.INIT_OP) == [op]
          True
        """
        elements = get_default_graph().get_collection(collection_key)
        if len(elements) > 1:
            raise RuntimeError(
                f'More than one item in the collection "{collection_key}". Please indicate which '
                f"one to use by passing it to the tf.Scaffold constructor as:  "
                f"tf.Scaffold({arg_name}=item to use). There are: "
                + ", ".join(str(getattr(element, "name", element)) for element in elements)
            )
        if elements:
            return elements[0]
        made = default_constructor()
        if made is not None:
            get_default_graph().add_to_collection(collection_key, made)
        return made

    @staticmethod
    def default_local_init_op() -> Operation:
        """What initialises local variables, lookup tables and local resources.

        Example:
          >>> tf.train.Scaffold.default_local_init_op().type
          'NoOp'
        """
        return group(
            local_variables_initializer(),
            tables_initializer(),
            _initialize_resources(GraphKeys.LOCAL_RESOURCES),
        )


def _check_init_fn(function: Callable[..., object]) -> None:
    try:
        signature = inspect.signature(function)
    except ValueError:
        return  # a builtin may have none
    try:
        signature.bind(None, None)
    except TypeError as error:
        name = getattr(function, "__name__", repr(function))
        raise TypeError(
            f"init_fn is called with two arguments, init_fn(scaffold, session); {name}{signature} "
            f"does not take them: {error}"
        ) from None


# The defaults ---------------------------------------------------------------------------------


def _default_init_op() -> Operation:
    return group(
        global_variables_initializer(),
        _initialize_resources(GraphKeys.RESOURCES),
        get_default_graph().get_collection(_SAVED_MODEL),
    )


def _default_ready_op() -> Tensor:
    both = GraphKeys.RESOURCES, GraphKeys.LOCAL_RESOURCES
    return concat([report_uninitialized_variables(), _report_uninitialized_resources(*both)], 0)


def _default_ready_for_local_init_op() -> Tensor:
    variables = report_uninitialized_variables(global_variables())
    return concat([variables, _report_uninitialized_resources(GraphKeys.RESOURCES)], 0)


def _initialize_resources(collection: str) -> Operation:
    """Creates the collection's resources: objects with `handle`, `create`, `is_initialized`."""
    made = [resource.create for resource in get_default_graph().get_collection(collection)]
    return group(*made, name="init") if made else no_op(name="init")


def _report_uninitialized_resources(*collections: str) -> Tensor:
    """The names of the collections' resources that are not created yet."""
    graph = get_default_graph()
    resources = [each for name in collections for each in graph.get_collection(name)]
    with graph.name_scope("report_uninitialized_resources"), graph.device("/cpu:0"):
        if not resources:
            return constant([], dtypes.string)
        missing = logical_not(stack([resource.is_initialized for resource in resources]))
        return boolean_mask(constant([each.handle.name for each in resources]), missing)


#: What the defaults see to; a default that was made before there was more of it is outdated.
_SEEN_TO = (
    GraphKeys.GLOBAL_VARIABLES,
    GraphKeys.LOCAL_VARIABLES,
    GraphKeys.TABLE_INITIALIZERS,
    GraphKeys.RESOURCES,
    GraphKeys.LOCAL_RESOURCES,
    GraphKeys.SUMMARIES,
    GraphKeys.SAVEABLE_OBJECTS,
)
#: Of each graph, by collection: the name of the default that was made, and what it sees to.
_made: weakref.WeakKeyDictionary[Graph, dict[str, tuple[str, list[int]]]]
_made = weakref.WeakKeyDictionary()


def _up_to_date(collection: str, get: Callable[[], Any]) -> Any:
    """What `get` finds in the graph's collection, or makes there, for all that the graph has now.

    A cell of a notebook adds a variable to a graph that has had a session: what was made for that
    session would leave the variable without a value, and out of the checkpoints.
    """
    graph = get_default_graph()
    made = _made.setdefault(graph, {})
    seen_to = [len(graph.get_collection(each)) for each in _SEEN_TO]
    name, before = made.get(collection, ("", seen_to))
    held = [_name_of(element) for element in graph.get_collection(collection)]
    if held == [name] and before != seen_to and not graph.finalized:
        graph.clear_collection(collection)
        held = []
    piece = get()
    if not held and piece is not None:
        made[collection] = _name_of(piece), seen_to
    return piece


def _name_of(piece: Any) -> str:
    if isinstance(piece, Saver):
        return str(piece.saver_def and piece.saver_def.save_tensor_name)
    return str(getattr(piece, "name", piece))


def _why_finalized(new: str) -> str:
    """What is said to somebody who changes the graph; `new` is an operation, "init (NoOp)"."""
    text = (
        " A session of tf.train (MonitoredSession, MonitoredTrainingSession) has made it final, so "
        "that it stays as it is until the session is closed"
    )
    if new:
        text += f"; {new} would be new"
    if new.endswith("(NoOp)") and new.rpartition("/")[2].startswith("init"):
        return (
            f"{text}. Leave it out: this session has initialised the variables already, or "
            f"restored them from a checkpoint."
        )
    return (
        f"{text}. Build everything before the session: the model, its summaries, and what is "
        f"looked at now and then; what changes from step to step is fed to a tf.placeholder. "
        f"(Operators make operations, too: `sess.run(a + b)` would add one each time.)"
    )
