"""What a saver saves: variables, their parts, and whatever says how it is saved and restored.

Mirrors tensorflow/python/training/saving/saveable_object.py and saveable_object_util.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from tinytf.framework import nest
from tinytf.framework.device_spec import DeviceSpec
from tinytf.framework.dtypes import DType
from tinytf.framework.scope_functions import device
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.identity import identity
from tinytf.ops.array.reshape import reshape
from tinytf.ops.variables import state
from tinytf.ops.variables.partitioned import PartitionedVariable
from tinytf.ops.variables.resource_variable import ResourceVariable
from tinytf.ops.variables.variable import Variable

_REFERENCES = ("Variable", "VariableV2", "AutoReloadVariable")


class SaveSpec:
    """One tensor of what is saved.

    Args:
      tensor: the tensor, or a function that makes it: then `dtype` and `device` say what it is.
      slice_spec: which part of the whole it is, as `Variable.SaveSliceInfo.spec`; "" for all.
      name: in the checkpoint.
    """

    def __init__(
        self,
        tensor: Tensor | Callable[[], Tensor],
        slice_spec: str,
        name: str,
        dtype: DType | None = None,
        device: str | None = None,
    ):
        self._tensor, self.slice_spec, self.name = tensor, slice_spec, name
        self.dtype: DType = dtype or tensor.dtype  # type: ignore[union-attr]
        given: Any = tensor.device if device is None else device  # type: ignore[union-attr]
        self.device: str = given

    @property
    def tensor(self) -> Tensor:
        """The tensor."""
        return self._tensor if isinstance(self._tensor, Tensor) else self._tensor()


class SaveableObject:
    """What a saver saves under a name; subclasses say how it is restored.

    Args:
      op: what it stands for; nothing is saved twice. specs: its tensors, on one device.
      name: in the checkpoint.
    """

    def __init__(self, op: Any, specs: Sequence[SaveSpec], name: str):
        self.op, self.specs, self.name = op, specs, name

    @property
    def device(self) -> str:
        """The device of its tensors."""
        return self.specs[0].device

    def restore(self, restored_tensors: list[Tensor], restored_shapes: list[Any] | None) -> Any:
        """The operation that gives it the values read; shapes only if a saver reshapes."""
        raise NotImplementedError


class _Reference(SaveableObject):
    def __init__(self, variable: Any, spec: str, name: str):
        tensor = variable if isinstance(variable, Tensor) else variable.value()
        specs = [SaveSpec(tensor, spec, name, variable.dtype, variable.device)]
        super().__init__(variable, specs, name)

    def restore(self, restored_tensors: list[Tensor], restored_shapes: list[Any] | None) -> Any:
        value = _reshaped(restored_tensors, restored_shapes)
        known = self.op.get_shape().is_fully_defined()
        return state.assign(self.op, value, validate_shape=restored_shapes is None and known)


class _Resource(SaveableObject):
    def __init__(self, variable: Any, spec: str, name: str):
        tensor: Any
        if isinstance(variable, Tensor):  # the read that the graph shares
            self._handle, tensor = variable.op.inputs[0], variable
        else:
            self._handle, tensor = variable.handle, lambda: _read(variable)
        self._device, self._shape = variable.device, variable.shape
        specs = [SaveSpec(tensor, spec, name, variable.dtype, variable.device)]
        super().__init__(variable, specs, name)

    def restore(self, restored_tensors: list[Tensor], restored_shapes: list[Any] | None) -> Any:
        value = _reshaped(restored_tensors, restored_shapes)
        with device(self._device):
            value = identity(value)
            if not self._shape.is_compatible_with(value.shape):
                raise ValueError(
                    f"Received incompatible tensor with shape {value.shape} when attempting to "
                    f"restore variable with shape {self._shape} and name {self.name}."
                )
            return state.assign_variable_op(self._handle, value)


def _read(variable: ResourceVariable) -> Tensor:
    with device(variable.device):
        value = variable.read_value()
        with device("/device:CPU:0"):
            return identity(value)


def _reshaped(tensors: list[Tensor], shapes: list[Any] | None) -> Tensor:
    return tensors[0] if shapes is None else reshape(tensors[0], shapes[0])


def on_cpu(name: str) -> str:
    """The CPU of a device's machine: files are read and written there."""
    return DeviceSpec.from_string(name).replace(device_type="CPU", device_index=0).to_string()


def names_to_saveables(given: Any) -> dict[str, Any]:
    """Names in the checkpoint -> what is saved there; parts of a variable are together.

    Raises:
      TypeError: if it is neither a dict nor a list of what can be saved. ValueError: if two
        have the same name.
    """
    if isinstance(given, dict):
        return given
    if not isinstance(given, list | tuple | set):
        raise TypeError(f"Variables to save should be passed in a dict or a list. Got {given}")
    result: dict[str, Any] = {}
    for item in sorted(nest.flatten(list(given)), key=lambda item: item.name):
        name, value = item.name, item
        if isinstance(item, Variable) and item._save_slice_info is not None:
            name = str(item._save_slice_info.full_name)
            if not isinstance(result.setdefault(name, []), list):
                raise ValueError(f"Mixing slices and non-slices with the same name: {name}")
            result[name].append(item)
            continue
        if not isinstance(item, SaveableObject | PartitionedVariable):
            value = _tensor_of(item)
            node = value.op.inputs[0].op if value.op.type == "ReadVariableOp" else value.op
            name = node.name
        if name in result:
            raise ValueError(
                f"At least two variables have the same name: {name}. A dict gives them other "
                f"names in the checkpoint: Saver({{'name': variable, ...}})"
            )
        result[name] = value
    return result


def _tensor_of(item: Any) -> Tensor:
    """The tensor that stands for a variable: its reference, or the read that the graph shares."""
    tensor = item
    if isinstance(item, ResourceVariable):
        tensor = item._graph_element
    elif isinstance(item, Variable):
        tensor = item._ref()
    if isinstance(tensor, Tensor) and tensor.op.type in (*_REFERENCES, "ReadVariableOp"):
        return tensor
    raise TypeError(
        f"Variable to save is not a Variable: {item}. A tensor is computed again from the "
        f"variables, which are restored"
    )


def saveables_of(given: Any) -> list[SaveableObject]:
    """What is saved, sorted by its names; arguments and errors as for `names_to_saveables`."""
    result: list[SaveableObject] = []
    seen: set[int] = set()
    for name, item in sorted(names_to_saveables(given).items(), key=lambda pair: str(pair[0])):
        if not isinstance(name, str):
            raise TypeError(
                f"names_to_saveables must be a dict mapping string names to trackable operations. "
                f"Name is not a string: {name}"
            )
        for saveable in _saveables(name, item):
            if saveable.op is not None and id(saveable.op) in seen:
                raise ValueError(f"The same saveable will be restored with two names: {name}")
            seen.add(id(saveable.op))
            result.append(saveable)
    return result


def _saveables(name: str, item: Any) -> Iterator[SaveableObject]:
    if isinstance(item, SaveableObject):
        yield item
    elif isinstance(item, list | tuple | PartitionedVariable):
        yield from _slices(name, list(item))
    else:
        tensor = _tensor_of(item)
        kind = _Reference if tensor.op.type in _REFERENCES else _Resource
        yield kind(tensor, "", name)


def _slices(name: str, parts: Iterable[Any]) -> Iterator[SaveableObject]:
    whole = None
    for part in parts:
        if isinstance(part, SaveableObject):
            yield part
            continue
        info = part._save_slice_info if isinstance(part, Variable) else None
        if info is None:
            raise ValueError(f"Slices must all be slices of a partitioned variable: {part}")
        whole = whole or info.full_name
        if whole != info.full_name:
            raise ValueError(
                f"Slices must all be from the same tensor: {whole} != {info.full_name}"
            )
        kind = _Reference if part.op.type in _REFERENCES else _Resource
        yield kind(part, info.spec, name)
