"""One run for several: what its caller and the hooks want, in one `session.run`."""

from __future__ import annotations

from typing import Any

from tinytf.protos.config_pb2 import RunMetadata, RunOptions
from tinytf.session.fetches import FetchPlan
from tinytf.training.hooks.session_run_hook import SessionRunArgs, SessionRunHook

#: Of options that several set, the larger value counts, or that one of them wants it.
_LARGER = ("trace_level", "timeout_in_ms", "inter_op_thread_pool")
_EITHER = ("output_partition_graphs", "report_tensor_allocations_upon_oom")


class RunRequest:
    """What is wanted of a run: the caller's part first, then what `add` adds.

    Args: as of `session.run`; the caller's options are copied, not changed.

    Attributes:
      options: all that was asked for, merged.
      run_metadata: the caller's, or an empty one, filled by `run` if there are options.
    """

    def __init__(self, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any) -> None:
        self._of_caller = fetches
        self._of_hooks: list[tuple[SessionRunHook, Any]] = []
        self._feed_dict = feed_dict
        self._by_hooks: dict[Any, Any] = {}
        self._fed_by: dict[Any, SessionRunHook] = {}
        self._has_options = options is not None or run_metadata is not None
        self.options = RunOptions()
        if options is not None:
            self.options.CopyFrom(options)
        self.run_metadata = RunMetadata() if run_metadata is None else run_metadata

    def add(self, hook: SessionRunHook, wanted: SessionRunArgs | None) -> None:
        """Add what a hook's `before_run` has returned.

        Raises:
          TypeError: if that is something else. RuntimeError: if it feeds what another hook feeds.
        """
        if wanted is None:
            return
        if not hasattr(wanted, "fetches"):
            raise TypeError(
                f"{type(hook).__name__}.before_run must return a tf.train.SessionRunArgs or None, "
                f"got {wanted!r}. What it wants to see of each step is "
                f"`return tf.train.SessionRunArgs(loss)`."
            )
        if wanted.fetches is not None:
            self._of_hooks.append((hook, wanted.fetches))
        if wanted.feed_dict:
            self._feed(hook, wanted.feed_dict)
        if wanted.options is not None:
            self._has_options = True
            _merge(self.options, wanted.options)

    def _feed(self, hook: SessionRunHook, feeds: dict[Any, Any]) -> None:
        name = type(hook).__name__
        for key in feeds:
            if key in self._fed_by:
                other = type(self._fed_by[key]).__name__
                raise _conflict("two hooks", key, f"{other} and {name}")
        self._fed_by.update(dict.fromkeys(feeds, hook))
        self._by_hooks.update(feeds)

    def run(self, session: Any) -> RunResults:
        """Run it; RuntimeError if a hook feeds what the caller feeds."""
        options = metadata = None
        if self._has_options:
            options, metadata = self.options, self.run_metadata
        feeds = self._feed_dict
        if self._by_hooks:
            for key in set(self._by_hooks).intersection(feeds or ()):
                names = f"{type(self._fed_by[key]).__name__} and this sess.run()"
                raise _conflict("a SessionRunHook and user", key, names)
            feeds = {**self._by_hooks, **(feeds or {})}
        if not self._of_hooks:
            return RunResults(session.run(self._of_caller, feeds, options, metadata))
        # Theirs come first: of a variable that the step changes they mostly see the value before,
        # as in TensorFlow. (The graph leaves it open.)
        hooks, wanted = zip(*self._of_hooks, strict=True)
        try:
            *values, of_caller = session.run([*wanted, self._of_caller], feeds, options, metadata)
        except (TypeError, ValueError):
            self._blame_hooks(session.graph)
            raise
        return RunResults(of_caller, dict(zip(map(id, hooks), values, strict=True)))

    def _blame_hooks(self, graph: Any) -> None:
        """Raise again what is wrong with a hook's fetches, if that was it; with its name."""
        for hook, wanted in self._of_hooks:
            try:
                FetchPlan(graph, wanted)
            except (TypeError, ValueError) as error:
                name = type(hook).__name__
                raise type(error)(f"{error}\nThe hook {name} has asked for it.") from None


class RunResults:
    """What a run has brought, for the caller and for each hook.

    Args:
      of_caller: the values of the caller's fetches. of_hooks: those of each hook, by its identity.
    """

    def __init__(self, of_caller: Any, of_hooks: dict[int, Any] | None = None) -> None:
        self.of_caller = of_caller
        self._of_hooks = of_hooks or {}

    def of(self, hook: SessionRunHook) -> Any:
        """The values of a hook's fetches; None if it has asked for none."""
        return self._of_hooks.get(id(hook))


def _conflict(whom: str, key: Any, names: str) -> RuntimeError:
    return RuntimeError(
        f"Same tensor is fed by {whom}. Conflict(s): [{key!r}]. Both {names} feed "
        f"{getattr(key, 'name', key)}: leave one of them out."
    )


def _merge(options: RunOptions, more: RunOptions) -> None:
    """Add what others want to options."""
    for name in _LARGER:
        setattr(options, name, max(getattr(options, name), getattr(more, name)))
    for name in _EITHER:
        setattr(options, name, getattr(options, name) or getattr(more, name))
    if more.HasField("debug_options"):
        debug, more_debug = options.debug_options, more.debug_options
        debug.debug_tensor_watch_opts.extend(more_debug.debug_tensor_watch_opts)
        debug.reset_disk_byte_usage |= more_debug.reset_disk_byte_usage
