"""The scopes of a graph: names, devices, colocation, control dependencies, containers.

They are kept apart from the graph itself because each is one small stack: entering pushes,
leaving pops, and the graph reads the top when it creates an operation.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tinytf.framework.device_spec import (
    Components,
    DeviceSpec,
    canonical_device,
    components_of_device,
    device_text,
    merge_devices,
)
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor

_VALID_SCOPE = re.compile(r"[A-Za-z0-9_.\\/>-]*\Z")
_VALID_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*\Z")
_ALLOWED = (
    "Names start with a letter, a digit or '.', and go on with those or '_', '-', '/', '\\\\'."
)

DeviceFunction = Callable[["Operation"], Any]


def names_with_scopes(names: Iterable[str]) -> set[str]:
    """Names of operations and of all that they are in: "a/b/c", "a/b", "a"."""
    found = set(names)
    for name in list(found):
        while (name := name.rpartition("/")[0]) and name not in found:
            found.add(name)
    return found


def is_operation_name(name: Any) -> bool:
    """Whether `name` may name an operation."""
    return isinstance(name, str) and _VALID_NAME.match(name) is not None


def check_operation_name(name: str) -> None:
    """Raise ValueError unless `name` may name an operation."""
    if not is_operation_name(name):
        raise ValueError(f"'{name}' is not a valid root scope name or node name. {_ALLOWED}")


def as_text(name: Any) -> Any:
    """A name that is given as bytes as text; anything else as it is."""
    return name.decode() if isinstance(name, bytes) else name


def text_of(name: Any) -> str | None:
    """A name, given as text or as bytes; None if there is none.

    TypeError for what is no name: a third operand, for example.
    """
    name = as_text(name)
    if name is not None and not isinstance(name, str):
        raise TypeError(
            f"The `name` of an operation is a string, got {name!r} of type {type(name).__name__}. "
            f"Was one argument more given than the function takes?"
        )
    return name


class ControlDependencies:
    """One `with tf.control_dependencies(...)`: its controllers, and the ops built inside it."""

    def __init__(self, graph: GraphScopes, controllers: list[Operation] | None):
        self._graph = graph
        self._clears = controllers is None
        self.controllers = controllers or []
        self.seen: set[Operation] = set()
        self._saved: Any = None

    def __enter__(self) -> None:
        if self._clears:
            # None: leave all control dependencies and the control flow context behind.
            self._saved = (self._graph._scopes.controls, self._graph._scopes.flow)
            self._graph._scopes.controls = []
            self._graph._scopes.flow = None
        self._graph._scopes.controls.append(self)

    def __exit__(self, *unused: Any) -> None:
        self._graph._scopes.controls.remove(self)
        if self._clears:
            self._graph._scopes.controls, self._graph._scopes.flow = self._saved


class _Scopes(threading.local):
    """The scopes a thread is in: a thread that builds starts outside all of them."""

    def __init__(self) -> None:
        self.name = ""
        #: outermost first: the parts of a name, a device function, or None (forget the outer).
        self.devices: list[Components | DeviceFunction | None] = []
        self.colocation: list[Operation] = []
        self.controls: list[ControlDependencies] = []
        #: the branch of a conditional or the loop that is being built.
        self.flow: Any = None
        self.container = ""
        self.gradient_overrides: dict[str, str] = {}
        self.attrs: dict[str, Any] = {}


class GraphScopes:
    """The part of `tf.Graph` that manages scopes."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        #: lower-case name -> how often it was asked for, TensorFlow's rule for "_1", "_2" ...
        self._names_in_use: dict[str, int] = {}  # guarded by self._lock
        self._scopes = _Scopes()

    # Names ------------------------------------------------------------------------------------

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """`name` inside the current name scope, with "_1", "_2" ... added until it is new.

        Args:
          name: the wanted name. mark_as_used: False only looks what it would be.
        """
        scope = self._scopes.name
        if scope:
            name = f"{scope}/{name}"
        key = name.lower()
        with self._lock:
            count = self._names_in_use.get(key, 0)
            if mark_as_used:
                self._names_in_use[key] = count + 1
            if count == 0:
                return name
            unique_key = key
            while unique_key in self._names_in_use:
                unique_key = f"{key}_{count}"
                count += 1
            if mark_as_used:
                self._names_in_use[key] = count
                self._names_in_use[unique_key] = 1
        return f"{name}_{count - 1}"

    @contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """Put a prefix before the names of the operations built inside.

        Args:
          name: the prefix, made unique. None or "": the root scope. A name that ends in "/"
            (what this context manager yields) enters that very scope again.

        Yields:
          the full prefix with a "/" at its end ("" for the root).

        Raises:
          ValueError: if `name` cannot be a scope name.
        """
        name = as_text(name)
        if name:
            if not self._scopes.name:
                check_operation_name(name)
            elif not isinstance(name, str) or not _VALID_SCOPE.match(name):
                raise ValueError(f"'{name}' is not a valid scope name. {_ALLOWED}")
        saved = self._scopes.name
        if not name:
            scope = ""
        elif name.endswith("/"):
            scope = name[:-1]
        else:
            scope = self.unique_name(name)
        self._scopes.name = scope
        try:
            yield scope + "/" if scope else ""
        finally:
            self._scopes.name = saved

    def get_name_scope(self) -> str:
        """The current name scope, without a "/" at its end."""
        return self._scopes.name

    # Devices ----------------------------------------------------------------------------------

    @contextmanager
    def device(self, device_name_or_function: Any) -> Iterator[None]:
        """Request a device for the operations built inside; inner scopes override outer ones.

        Args:
          device_name_or_function: a string, a `DeviceSpec`, a function from `Operation` to one
            of these, or None, which makes the scope forget the outer requests. A function sees in
            `op.device` what the scopes inside its own ask for; what it returns takes the place of
            that, and the scopes outside fill in what it leaves open.

        Raises:
          ValueError: if the name does not parse.
          TypeError: for anything else; when an operation is built, if a function returns it.
        """
        entry: Any = device_name_or_function
        if entry is not None and not callable(entry):
            entry = components_of_device(entry)
            if not DeviceSpec(*entry).to_string():
                entry = ()  # asks for nothing
        self._scopes.devices.append(entry)
        try:
            yield
        finally:
            self._scopes.devices.pop()

    def _requested_device(self, op: Operation) -> str:
        """Apply the device scopes, innermost first.

        An outer name fills what is still open; a function sees `op.device` so far and decides.
        """
        for entry in reversed(self._scopes.devices):
            if entry is None:
                break
            if callable(entry):
                op._device = _call(entry, op)
            elif entry:
                op._device = merge_devices(entry, op._device)
        return op._device

    @contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """Put the operations built inside on the device of `op` (an operation, tensor or variable).

        Args:
          op: None with ignore_existing=True forgets the outer colocation.
          ignore_existing: whether outer colocation and device scopes no longer count inside.

        Raises:
          TypeError: for anything else, a name for example.
          ValueError: for None without ignore_existing.
        """
        if op is None and not ignore_existing:
            raise ValueError(
                "Trying to reset colocation (op is None) but ignore_existing is not True"
            )
        op = getattr(op, "op", op)
        if op is not None and not hasattr(op, "colocation_groups"):
            raise TypeError(
                "tf.colocate_with takes an operation, a tensor or a variable, got "
                f"{op!r} of type {type(op).__name__}. Of a name, graph.get_operation_by_name(name) "
                "gives the operation."
            )
        saved = self._scopes.colocation, self._scopes.devices
        if ignore_existing:
            self._scopes.colocation = []
        # As in TensorFlow: colocation replaces the device scopes around it.
        self._scopes.devices = []
        if op is not None:
            self._scopes.colocation = [*self._scopes.colocation, op]
        try:
            yield
        finally:
            self._scopes.colocation, self._scopes.devices = saved

    # Control dependencies -----------------------------------------------------------------------

    def control_dependencies(self, control_inputs: Iterable[Any] | None) -> ControlDependencies:
        """Make the operations built inside wait for `control_inputs` to have run.

        Args:
          control_inputs: operations, tensors or variables; None forgets all outer dependencies.

        Raises:
          TypeError: for anything else in the list.
        """
        if control_inputs is None:
            return ControlDependencies(self, None)
        if isinstance(control_inputs, Operation | Tensor):
            raise TypeError(
                f"tf.control_dependencies takes a list of operations or tensors, got "
                f"{control_inputs!r} itself: put it in brackets. (Iterating over a symbolic "
                f"`tf.Tensor` is not allowed.)"
            )
        known = {op for scope in self._scopes.controls for op in scope.controllers}
        controllers: list[Operation] = []
        for item in control_inputs:
            item = getattr(item, "_as_control_input", item)
            op = self.as_graph_element(item, allow_tensor=True, allow_operation=True)
            op = getattr(op, "op", op)
            if op not in known:  # else a scope around this one waits for it already
                known.add(op)
                controllers.append(op)
                # TensorFlow 2.15 marks them so. Nothing depends on it but the graph's sameness.
                op.attrs["_has_manual_control_dependencies"] = True
        return ControlDependencies(self, controllers)

    def as_graph_element(self, obj: Any, allow_tensor: bool, allow_operation: bool) -> Any:
        """Resolve a name, tensor or operation (implemented by `Graph`)."""
        raise NotImplementedError

    def _current_control_inputs(self, inputs: Iterable[Any]) -> list[Operation]:
        """The controllers a new op with these inputs needs.

        An input built inside a scope already waits for that scope's controllers, so they are
        not added again: graphs stay as sparse as TensorFlow's.
        """
        result: list[Operation] = []
        input_ops = {tensor.op for tensor in inputs}
        for scope in self._scopes.controls:
            if input_ops & scope.seen:
                continue
            result.extend(
                op for op in scope.controllers if op not in input_ops and op not in result
            )
        return result

    # The rest -----------------------------------------------------------------------------------

    @contextmanager
    def container(self, container_name: str) -> Iterator[str]:
        """Keep the state (variables, queues) of the operations built inside in this container.

        Args:
          container_name: text or bytes; "" or None for the default container.

        Raises:
          TypeError: for anything else.
        """
        name: Any = container_name or ""
        if not isinstance(name, str | bytes):
            raise TypeError(
                f"Expected binary or unicode string, got {container_name!r}. A container is a name."
            )
        saved = self._scopes.container
        self._scopes.container = name.decode() if isinstance(name, bytes) else name
        try:
            yield container_name
        finally:
            self._scopes.container = saved

    @contextmanager
    def gradient_override_map(self, op_type_map: dict[str, str]) -> Iterator[None]:
        """Use other registered gradients for the operations built inside.

        Args:
          op_type_map: op type -> name given to `tf.RegisterGradient`.

        Raises:
          TypeError: unless it maps strings to strings.
        """
        if not isinstance(op_type_map, dict):
            raise TypeError("op_type_map must be a dictionary mapping strings to strings")
        for op_type, name in op_type_map.items():
            if not isinstance(op_type, str) or not isinstance(name, str):
                raise TypeError("op_type_map must be a dictionary mapping strings to strings")
        saved = self._scopes.gradient_overrides
        self._scopes.gradient_overrides = {**saved, **op_type_map}
        try:
            yield
        finally:
            self._scopes.gradient_overrides = saved

    @contextmanager
    def _attribute_scope(self, attrs: dict[str, Any]) -> Iterator[None]:
        """Give the operations built inside these extra attributes (names with a leading "_")."""
        saved = self._scopes.attrs
        self._scopes.attrs = {**saved, **attrs}
        try:
            yield
        finally:
            self._scopes.attrs = saved


def _call(function: DeviceFunction, op: Operation) -> str:
    """The device that a device function gives an operation, as it spells it."""
    try:
        result = function(op)
    except Exception as error:  # its own affair; the note says who called it
        if not hasattr(error, "__notes__"):  # one that builds operations calls itself
            error.add_note(
                f"The device function {getattr(function, '__name__', function)!r} raised it. "
                f"tf.device calls it with one argument, each operation built inside: here "
                f"{op.name} ({op.type}). It returns a device, and builds no operations itself."
            )
        raise
    try:
        device = device_text(result)
        components_of_device(device)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"{error} It was returned by the device function "
            f"{getattr(function, '__name__', function)!r} for {op.name} ({op.type}); to leave the "
            f"device as it is, return op.device."
        ) from None
    return device


def leaders_of(op: Operation) -> list[str]:
    """The other operations whose device an operation shares, by name."""
    groups = [group.decode() for group in op.attrs.get("_class", ())]
    names = [group.removeprefix("loc:@") for group in groups if group.startswith("loc:@")]
    return [name for name in names if name != op.name]


def follow_leaders(ops: Iterable[Operation]) -> None:
    """Give imported operations the device of those they must be with.

    As where `tf.colocate_with` is entered, neither their own request nor the scopes around count.
    """
    for op in ops:
        if leaders := leaders_of(op):
            others = (op.graph._by_name[name].device for name in leaders)
            op._device = canonical_device(next(filter(None, others), ""))
