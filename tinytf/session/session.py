"""`tf.Session`: the handle that runs a graph.

Mirrors tensorflow/python/client/session.py. A signature (these fetches, these feeds) is resolved,
pruned and compiled once; after that `run` converts the feeds, calls the compiled step, and puts
the answer together.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import ExitStack
from typing import Any

from tinytf.devices.device import DeviceAttributes
from tinytf.framework import misplaced
from tinytf.framework.errors import CancelledError, InvalidArgumentError, UnimplementedError
from tinytf.framework.graph import Graph
from tinytf.framework.stacks import default_sessions, get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.kernels import own_ops
from tinytf.ops.base.arguments import explains_arguments
from tinytf.protos import config_pb2
from tinytf.runtime.preparation import Signature
from tinytf.session import backend
from tinytf.session.feeds import (
    Feed,
    check_feed_dict,
    components_of,
    expand_feeds,
    is_composite,
    resolve_feed,
)
from tinytf.session.fetches import FetchPlan, fetch_key
from tinytf.session.partial_run import PartialRun
from tinytf.session.tensor_handles import SessionHandles

#: the open sessions of this process's own runtime, for `Session.reset("")`
_local_sessions: weakref.WeakSet[BaseSession] = weakref.WeakSet()


def _compile_again() -> None:
    """A kernel has changed: what sessions have compiled may hold the old one."""
    for session in list(_local_sessions):
        session._signatures.clear()


own_ops.on_change.append(_compile_again)


class _Signature:
    """A pair of fetches and feed keys, ready to run."""

    __slots__ = ("changes", "feeds", "fetch_plan", "plain_keys", "runner")

    def __init__(
        self, fetch_plan: FetchPlan, feeds: list[Feed], runner: backend.Runner, changes: int
    ):
        self.fetch_plan = fetch_plan
        self.feeds = feeds
        self.runner = runner
        self.changes = changes
        #: whether the keys of the feed_dict are the feeds themselves, one for one
        self.plain_keys = True


class BaseSession:
    """What `Session` and `InteractiveSession` share.

    Args:
      target: "" for this process, or "grpc://host:port".
      graph: the graph to run; the default graph when None.
      config: a `tf.ConfigProto`.
      credentials: for servers with TLS, a `tinytf.distributed.tls.Credentials`; None for those
        that the environment variable TINYTF_TLS names, if it is set.

    Raises:
      TypeError: for arguments of other types. NotFoundError: for a target of unknown kind.
    """

    @explains_arguments
    def __init__(
        self,
        target: Any = "",
        graph: Graph | None = None,
        config: Any = None,
        *,
        credentials: Any = None,
    ):
        if isinstance(target, bytes):
            target = target.decode()
        for name, kind, words, given in (
            ("target", str, "a string", target),
            ("graph", Graph, "a tf.Graph", graph),
            ("config", config_pb2.ConfigProto, "a tf.ConfigProto", config),
        ):
            if given is not None and not isinstance(given, kind):
                advice = misplaced.advice(given, misplaced.SESSION)
                got = type(given).__name__
                raise TypeError(f"Argument `{name}` must be {words}, but got {got}{advice}")
        self._graph = get_default_graph() if graph is None else graph
        self._target = target or ""
        self._config = config
        self._closed = self._was_reset = False
        self._signatures: dict[Hashable, _Signature] = {}
        self._partial: dict[str, PartialRun] = {}
        self._partial_numbers = itertools.count()
        self._contexts: list[ExitStack] = []
        self._lock = threading.Lock()
        self._when_closed: dict[object, Callable[[], None]] = {}
        self._backend = backend.open_backend(self._target, self._graph, config, credentials)
        self._handles = SessionHandles(self, self._backend.session_tensors)
        if not self._target:
            _local_sessions.add(self)

    @property
    def graph(self) -> Graph:
        """The graph this session runs."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """The graph as a `GraphDef`."""
        return self._graph.as_graph_def(add_shapes=False)

    @property
    def sess_str(self) -> str:
        """The target the session was opened on."""
        return self._target

    def list_devices(self) -> list[DeviceAttributes]:
        """The devices this session can use, with name, type, memory limit (bytes), incarnation.

        Raises:
          CancelledError: if the session is closed.
        """
        self._check_not_cancelled()
        return self._backend.list_devices()

    # Running ------------------------------------------------------------------------------------

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Compute what is fetched, and only what that needs.

        Args:
          fetches: a tensor, operation, variable or name, or a nesting of lists, tuples, named
            tuples and dicts of these.
          feed_dict: tensor (or name) -> value to use in its place.
          options: a `tf.RunOptions`: timeout_in_ms, trace_level.
          run_metadata: a `tf.RunMetadata` to fill; what it held before is lost.

        Returns:
          values in the structure of `fetches`: numpy arrays, numpy scalars for 0-d tensors,
          bytes for strings, None for operations. They share no memory with the session.

        Raises:
          RuntimeError: if the session is closed or the graph empty. TypeError, ValueError: for
            fetches and feeds that make no sense. OpError: what an operation raised.

        Example:
          >>> with tf.Session() as sess:
          ...     print(sess.run(tf.add(3, 5)))
          8
        """
        if self._closed:
            self._check_open()
        if options is not None or run_metadata is not None:
            _check_options(options, run_metadata)
        if feed_dict is not None and type(feed_dict) is not dict:
            check_feed_dict(feed_dict)
        if feed_dict:
            signature = self._signature(fetches, feed_dict)
            given: Iterable[Any] = feed_dict.values()
            if not signature.plain_keys:
                given = [value for _, value in expand_feeds(feed_dict)]
            values = [
                feed.convert(value) for feed, value in zip(signature.feeds, given, strict=True)
            ]
        else:
            signature = self._signature(fetches, ())
            values = []
        if run_metadata is None:
            results = signature.runner(values, options, None)
        else:  # what it held of another step makes way; an error leaves it as it was
            metadata = config_pb2.RunMetadata()
            results = signature.runner(values, options, metadata)
            run_metadata.CopyFrom(metadata)
        return signature.fetch_plan.build(results)

    def _signature(self, fetches: Any, feed_dict: Any) -> _Signature:
        key: Hashable
        try:
            key = (fetches if type(fetches) is Tensor else fetch_key(fetches), tuple(feed_dict))
            found = self._signatures.get(key)
        except TypeError:  # something unhashable: compile it, or complain, below
            key = found = None
        if found is not None and found.changes == self._graph._changes:
            return found
        signature = self._compile(fetches, feed_dict)
        if key is not None:
            self._signatures[key] = signature
        return signature

    def _compile(self, fetches: Any, feed_dict: Any) -> _Signature:
        if not self._graph.version:
            text = "The Session graph is empty. Add operations to the graph before calling run()."
            if isinstance(getattr(fetches, "graph", None), Graph):
                text += (
                    f" {fetches.name} is in another graph: tf.Session(graph=...) takes it. "
                    f"Every thread begins with a default graph of its own."
                )
            raise RuntimeError(text)
        changes = self._graph._changes
        pairs = expand_feeds(feed_dict) if feed_dict else []
        feeds = [self._feed(resolve_feed(self._graph, key)) for key, _ in pairs]
        fetch_plan = FetchPlan(self._graph, fetches, self._handles.made)
        tensors = [feed.tensor for feed in feeds]
        for number, tensor in enumerate(tensors):
            if tensor in tensors[:number]:
                raise ValueError(f"Cannot flatten dict because this key is not unique: {tensor}")
        wanted = Signature(tensors, fetch_plan.tensors, fetch_plan.targets)
        runner = self._backend.compile(wanted)
        signature = _Signature(fetch_plan, feeds, runner, changes)
        signature.plain_keys = not any(map(is_composite, feed_dict))
        return signature

    def _feeds_of(self, keys: Iterable[Any]) -> list[Tensor]:
        return [resolve_feed(self._graph, part) for key in keys for part in components_of(key)]

    def _feed(self, tensor: Tensor) -> Feed:
        return Feed(tensor, self._handles)

    def _given(self, feed_dict: Any) -> dict[Tensor, Any]:
        """The values of a `feed_dict`, converted."""
        given: dict[Tensor, Any] = {}
        for key, value in expand_feeds(feed_dict or {}):
            tensor = resolve_feed(self._graph, key)
            given[tensor] = self._feed(tensor).convert(value)
        return given

    def make_callable(
        self, fetches: Any, feed_list: Sequence[Any] | None = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        """A function that runs `fetches` and takes the fed values as positional arguments.

        Args:
          fetches: as in `run`. feed_list: the tensors to feed, in the order of the arguments.
          accept_options: whether the function also takes `options` and `run_metadata`.

        Raises:
          CancelledError: if the session is closed. What `run` raises of fetches and feeds.
        """
        self._check_not_cancelled()
        if feed_list is not None and not isinstance(feed_list, list | tuple):
            raise TypeError(
                f"Argument `feed_list` must be a list or tuple. Received: feed_list={feed_list}"
            )
        keys = list(feed_list or ())
        self._feeds_of(keys)
        FetchPlan(self._graph, fetches)  # complain now rather than at the first call

        def call(*values: Any, options: Any = None, run_metadata: Any = None) -> Any:
            if len(values) != len(keys):
                names = ", ".join(getattr(key, "name", str(key)) for key in keys)
                raise TypeError(
                    f"This callable takes {len(keys)} values ({names}), got {len(values)}"
                )
            if (options is not None or run_metadata is not None) and not accept_options:
                raise TypeError("Pass accept_options=True to make_callable to give options")
            return self.run(fetches, dict(zip(keys, values, strict=True)), options, run_metadata)

        return call

    def observe(
        self,
        fetches: Any,
        make_observer: Callable[[Any], Any],
        feed_dict: Any = None,
        threads: int = 1,
        choose: Callable[[list[Any]], int] | None = None,
    ) -> Any:
        """Run a step once, for an instrument: one node at a time, and unoptimised.

        Args:
          fetches, feed_dict: as in `run`.
          make_observer: given the step's plan (`tinytf.runtime.plan.Plan`), returns the
            `Observer` that is told about every node.
          threads: how many work on it, this one included.
          choose: given the nodes that are ready, (unit, iteration, whether it is dead) each, picks
            the next one, by index; default: the one that has been ready for longest.

        Returns:
          what `run` would have returned.

        Raises:
          what `run` raises. UnimplementedError: if the session runs elsewhere.
        """
        self._check_open()
        if not isinstance(self._backend, backend.Observable):
            raise UnimplementedError(
                f"A step can be watched only where it runs, and this session's steps run at "
                f"{self._target!r}. Watch the same graph in a local session: tf.Session()."
            )
        plan = FetchPlan(self._graph, fetches, self._handles.made)
        check_feed_dict(feed_dict)
        given = self._given(feed_dict)
        wanted, values = Signature(list(given), plan.tensors, plan.targets), list(given.values())
        results = self._backend.observe(wanted, values, make_observer, threads, choose)
        return plan.build(results)

    # Partial runs -------------------------------------------------------------------------------

    def partial_run_setup(self, fetches: Any, feeds: Sequence[Any] | None = None) -> str:
        """Begin a step whose feeds arrive in several calls of `partial_run`.

        Args:
          fetches: everything that will be fetched. feeds: every tensor that will be fed.

        Returns:
          a handle for `partial_run`.
        """
        self._check_open()
        feeds = [] if feeds is None else feeds
        tensors = self._feeds_of(feeds if isinstance(feeds, list | tuple) else [feeds])
        plan = FetchPlan(self._graph, fetches)
        if not plan.tensors and not plan.targets:
            raise InvalidArgumentError("Must specify at least one target to fetch or execute.")
        step = self._backend.start_partial(Signature(tensors, plan.tensors, plan.targets))
        handle = f"partial_run_{next(self._partial_numbers)}"
        self._partial[handle] = PartialRun(step, tensors, plan.tensors, plan.targets)
        return handle

    def partial_run(self, handle: str, fetches: Any, feed_dict: Any = None) -> Any:
        """Go on with a partial run: feed some tensors, fetch some others.

        Raises:
          InvalidArgumentError: for an unknown handle, a fetch or feed that was not announced or
            was used before, or a fetch that needs feeds which are still to come.
        """
        self._check_open()
        run = self._partial.get(handle)
        if run is None:
            raise InvalidArgumentError(
                f"Must run 'setup' before performing partial runs! No run {handle!r}."
            )
        plan = FetchPlan(self._graph, fetches, self._handles.made)
        feeds = self._given(feed_dict)
        run.check(feeds, plan)
        results = run.step.run(feeds, plan.tensors, plan.targets)
        if run.is_over:
            del self._partial[handle]
        return plan.build(results)

    # Life ---------------------------------------------------------------------------------------

    def as_default(self) -> Any:
        """A context manager that makes this the session of `eval()` and `run()`; it stays open."""
        return default_sessions.pushed(self)

    def close(self) -> None:
        """Cancel what runs and free the session's state; it cannot be used afterwards."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        _local_sessions.discard(self)
        self._signatures.clear()
        self._partial.clear()
        self._backend.close()
        for callback in list(self._when_closed.values()):
            callback()
        self._when_closed.clear()

    @property
    def is_closed(self) -> bool:
        """Whether it was closed."""
        return self._closed

    def call_when_closed(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Have something told when the session has closed; at once, if it is closed already.

        Returns:
          a function that takes the wish back.
        """
        key = object()
        with self._lock:
            is_late = self._closed
            if not is_late:
                self._when_closed[key] = callback
        if is_late:
            callback()

        def forget() -> None:
            self._when_closed.pop(key, None)

        return forget

    def _check_not_cancelled(self) -> None:
        if self._closed:
            raise CancelledError("Session has been closed. Open a new one.")

    def _check_open(self) -> None:
        if self._was_reset:
            raise CancelledError(
                "Session has been closed. tf.Session.reset closed it; open a new one."
            )
        if self._closed:
            raise RuntimeError(
                "Attempted to use a closed Session. `with tf.Session() as sess:` closes it at the "
                "end of its block: move this call into the block, or open a new session."
            )

    def __repr__(self) -> str:
        state = "closed" if self._closed else self._target or "local"
        return f"<tf.{type(self).__name__} {state}>"


class Session(BaseSession):
    """Runs operations and evaluates tensors (TensorFlow: `tf.Session`).

    As a context manager it makes itself and its graph the default, and closes itself at the end.

    Example:
      >>> with tf.Session() as sess:
      ...     print(sess.run(tf.constant(3) + 5))
      8
    """

    def __enter__(self) -> Session:
        if self._contexts:
            raise RuntimeError(
                "Session context managers are not re-entrant. Use `Session.as_default()` if you "
                "want to enter a session multiple times."
            )
        stack = ExitStack()
        stack.enter_context(self._graph.as_default())
        stack.enter_context(self.as_default())
        self._contexts.append(stack)
        return self

    def __exit__(self, *exception: Any) -> None:
        try:
            self._contexts.pop().__exit__(*exception)
        finally:
            self.close()

    @staticmethod
    def reset(
        target: str,
        containers: Sequence[str] | None = None,
        config: Any = None,
        *,
        credentials: Any = None,
    ) -> None:
        """Forget the state (variables, queues) of `containers` on a server, and close its sessions.

        Args:
          target: "grpc://host:port", or "" for the sessions of this process, which are closed:
            each has containers of its own.
          containers: names; None or [] for the default one. config: timeout, device filters.

        Raises:
          TypeError: for names that are none. NotFoundError: for a target of unknown kind.
        """
        address = "" if target is None else backend.text_of(target)
        names = [backend.text_of(name) for name in containers or ()]
        if address:
            backend.reset_target(address, names, config, credentials)
            return
        for session in list(_local_sessions):
            session._was_reset = True
            session.close()


def _check_options(options: Any, run_metadata: Any) -> None:
    if options is not None and not isinstance(options, config_pb2.RunOptions):
        raise TypeError(f"Argument `options` must be a tf.RunOptions, got {type(options).__name__}")
    if run_metadata is not None and not isinstance(run_metadata, config_pb2.RunMetadata):
        raise TypeError(
            f"Argument `run_metadata` must be a tf.RunMetadata, got {type(run_metadata).__name__}"
        )
