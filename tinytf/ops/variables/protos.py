"""Variables as `VariableDef` messages, and which part of a larger one a variable is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tinytf.framework.stacks import get_default_graph
from tinytf.ops.variables.variable_creators import VariableAggregation, VariableSynchronization

if TYPE_CHECKING:
    from tinytf.ops.variables.variable import Variable


def _stripped(name: str, scope: str | None) -> str:
    """`name` without the name scope it was exported from."""
    return name.removeprefix(f"{scope}/") if scope else name


class SaveSliceInfo:
    """Which part of a partitioned variable this one is (TensorFlow: `Variable.SaveSliceInfo`).

    Attributes:
      full_name, full_shape: of the whole. var_offset, var_shape: of the part, in each dimension.
    """

    def __init__(
        self,
        full_name: str | None = None,
        full_shape: Sequence[int] | None = None,
        var_offset: Sequence[int] | None = None,
        var_shape: Sequence[int] | None = None,
        save_slice_info_def: Any = None,
        import_scope: str | None = None,
    ):
        self.full_name, self.full_shape = full_name, full_shape
        self.var_offset, self.var_shape = var_offset, var_shape
        if save_slice_info_def is not None:
            name = save_slice_info_def.full_name
            self.full_name = f"{import_scope}/{name}" if import_scope else name
            self.full_shape = list(save_slice_info_def.full_shape)
            self.var_offset = list(save_slice_info_def.var_offset)
            self.var_shape = list(save_slice_info_def.var_shape)

    @property
    def spec(self) -> str:
        """The part as checkpoints name it: "6 4 0,2:0,4" are rows 0 and 1 of a (6, 4) matrix."""
        parts = zip(self.var_offset or (), self.var_shape or (), strict=True)
        ranges = ":".join(f"{start},{size}" for start, size in parts)
        return "".join(f"{size} " for size in self.full_shape or ()) + ranges

    def to_proto(self, export_scope: str | None = None) -> Any:
        """A `SaveSliceInfoDef`; None if the name is outside `export_scope`."""
        from tinytf.protos.meta_graph_pb2 import SaveSliceInfoDef

        if export_scope is not None and not str(self.full_name).startswith(export_scope):
            return None
        return SaveSliceInfoDef(
            full_name=_stripped(str(self.full_name), export_scope),
            full_shape=self.full_shape,
            var_offset=self.var_offset,
            var_shape=self.var_shape,
        )


def variable_to_proto(variable: Variable, export_scope: str | None) -> Any:
    """The variable as a `VariableDef`; None if its name is outside `export_scope`."""
    from tinytf.protos.meta_graph_pb2 import VariableDef

    if export_scope is not None and not variable.name.startswith(export_scope):
        return None
    message = VariableDef(
        variable_name=_stripped(variable.name, export_scope),
        initializer_name=_stripped(variable.initializer.name, export_scope),
        snapshot_name=_stripped(variable._snapshot.name, export_scope),
        trainable=variable.trainable,
        synchronization=variable.synchronization.value,
        aggregation=variable.aggregation.value,
    )
    if variable._initial_value is not None:
        message.initial_value_name = _stripped(variable._initial_value.name, export_scope)
    if variable._save_slice_info is not None:
        message.save_slice_info_def.MergeFrom(variable._save_slice_info.to_proto(export_scope))
    return message


def take_over(variable: Variable, message: Any, import_scope: str | None) -> Callable[[str], Any]:
    """Fill in what both kinds of variables read from a `VariableDef`.

    Returns:
      a function that looks a name of the message up in the default graph.

    Raises:
      KeyError: if the default graph lacks one of the nodes.
    """
    graph = get_default_graph()

    def element(name: str) -> Any:
        return graph.as_graph_element(f"{import_scope}/{name}" if import_scope else name)

    # Messages of older versions do not say; such variables were trainable.
    variable._trainable = getattr(message, "trainable", True)
    variable._synchronization = VariableSynchronization(message.synchronization)
    variable._aggregation = VariableAggregation(message.aggregation)
    variable._constraint = None
    variable._initializer_op = element(message.initializer_name)
    named = message.initial_value_name
    variable._initial_value = element(named) if named else None
    if message.HasField("save_slice_info_def"):
        variable._save_slice_info = SaveSliceInfo(
            save_slice_info_def=message.save_slice_info_def, import_scope=import_scope
        )
    return element
