"""The operations of a saver, with TensorFlow's names, so that its graphs go both ways.

Mirrors `BaseSaverBuilder` and `BulkSaverBuilder` of tensorflow/python/training/saver.py.
"""

from __future__ import annotations

from typing import Any

from tinytf.framework.device_spec import canonical_device
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.scope_functions import control_dependencies, device
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.constant import constant
from tinytf.ops.array.identity import identity
from tinytf.ops.array.placeholder import placeholder_with_default
from tinytf.ops.array.shape import shape
from tinytf.ops.array.where import where
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.control_flow.grouping import group, with_dependencies
from tinytf.ops.io import save_restore
from tinytf.ops.strings.regular_expressions import regex_full_match
from tinytf.ops.strings.text import string_join
from tinytf.ops.variables.partitioned import PartitionedVariable
from tinytf.protos.meta_graph_pb2 import SaverDef
from tinytf.training.saveables import SaveableObject, on_cpu, saveables_of

_ByDevice = list[tuple[str, list[SaveableObject]]]


def build(
    var_list: Any,
    name: str | None,
    filename: str | None,
    reshape: bool,
    sharded: bool,
    version: int,
) -> SaverDef:
    """Add a saver's operations to the default graph.

    Args:
      var_list: what is saved, as for `tf.train.Saver`. name: of the scope; by default "save".
      filename: of the checkpoint, if none is fed. version: `SaverDef.V1` or `V2`.

    Returns:
      a `SaverDef` with the names of the operations, and how they save.

    Raises:
      TypeError, ValueError: if something cannot be saved, or not under its name.
    """
    saveables = saveables_of(var_list)
    with op_scope(name, "save", tuple(item.op for item in saveables)):
        default = placeholder_with_default(filename or "model", shape=(), name="filename")
        file = placeholder_with_default(default, shape=(), name="Const")
        if not sharded:
            saved = _save(file, saveables, version)
            restored = _restore(file, saveables, reshape, "restore_all")
        else:
            by_device = _by_device(saveables)
            if version == SaverDef.V2:
                saved = _save_sharded(file, by_device)
            else:
                saved = _save_sharded_v1(file, by_device)
            restored = _restore_sharded(file, by_device, reshape)
    _write_wholes()
    return SaverDef(
        filename_tensor_name=file.name,
        save_tensor_name=saved.name,
        restore_op_name=restored.name,
        sharded=sharded,
        version=version,
    )


def _write_wholes() -> None:
    """Partitioned variables in collections are exported by the name of the tensor they are."""
    graph = get_default_graph()
    for key in graph.get_all_collection_keys():
        for item in graph.get_collection(key):
            if isinstance(item, PartitionedVariable) and item.name not in graph._by_name:
                item.as_tensor()


def _save(file: Tensor, saveables: list[SaveableObject], version: int) -> Tensor:
    specs = [spec for saveable in saveables for spec in saveable.specs]
    names, slices = [spec.name for spec in specs], [spec.slice_spec for spec in specs]
    tensors = [spec.tensor for spec in specs]
    if version == SaverDef.V2:
        saving = save_restore.save_v2(file, names, slices, tensors)
    else:
        saving = save_restore.save_slices(file, names, slices, tensors, name="save")
    saved: Tensor = with_dependencies([saving], file)
    return saved


def _save_sharded(prefix: Tensor, by_device: _ByDevice) -> Tensor:
    """Each device saves its own in a temporary folder; the last one makes one checkpoint of it."""
    with device("CPU"):
        place = where(
            regex_full_match(prefix, "^s3://.*"), constant(".part"), constant("_temp/part")
        )
        temporary = string_join([prefix, place])
    saves = _save_shards(temporary, by_device, SaverDef.V2, on_cpu)
    with control_dependencies([save.op for save, _ in saves]):
        with device(on_cpu(by_device[-1][0])):
            parts = [part for _, part in saves]
            merging = save_restore.merge_v2_checkpoints(parts, prefix, delete_old_dirs=True)
            with control_dependencies([merging]):
                return identity(prefix)


def _save_sharded_v1(prefix: Tensor, by_device: _ByDevice) -> Tensor:
    saves = _save_shards(prefix, by_device, SaverDef.V1, str)
    with control_dependencies([save.op for save, _ in saves]):
        spec: Tensor = save_restore.sharded_filespec(prefix, saves[0][1].op.inputs[2])
        return spec


def _save_shards(
    prefix: Tensor, by_device: _ByDevice, version: int, place: Any
) -> list[tuple[Tensor, Tensor]]:
    """(the tensor that waits for the shard, the shard's name) for each device."""
    count = constant(len(by_device), name="num_shards")
    result = []
    for shard, (name, saveables) in enumerate(by_device):
        with device(place(name)):
            part = save_restore.sharded_filename(prefix, shard, count)
            result.append((_save(part, saveables, version), part))
    return result


def _restore(file: Tensor, saveables: list[SaveableObject], reshape: bool, name: str) -> Any:
    specs = [spec for saveable in saveables for spec in saveable.specs]
    with device("cpu:0"):
        tensors = save_restore.restore_v2(
            file,
            [spec.name for spec in specs],
            [spec.slice_spec for spec in specs],
            dtypes=[spec.dtype.base_dtype for spec in specs],
        )
    assignments, start = [], 0
    for saveable in saveables:
        end = start + len(saveable.specs)
        shapes = [_shape_of(spec.tensor) for spec in saveable.specs] if reshape else None
        assignments.append(saveable.restore(tensors[start:end], shapes))
        start = end
    return group(*assignments, name=name)


def _shape_of(tensor: Tensor) -> Any:
    return tensor.shape if tensor.shape.is_fully_defined() else shape(tensor)


def _restore_sharded(file: Tensor, by_device: _ByDevice, reshape: bool) -> Any:
    restores = []
    for name, saveables in by_device:
        with device(name):
            restores.append(_restore(file, saveables, reshape, "restore_shard"))
    return group(*restores, name="restore_all")


def _by_device(saveables: list[SaveableObject]) -> _ByDevice:
    """What is saved, by its device; the devices are sorted."""
    result: dict[str, list[SaveableObject]] = {}
    for saveable in saveables:
        devices = {canonical_device(spec.device) for spec in saveable.specs}
        if len(devices) != 1:
            raise ValueError(
                f"All tensors of a saveable object must be on the same device: {saveable.name} "
                f"has {sorted(devices)}"
            )
        result.setdefault(devices.pop(), []).append(saveable)
    return sorted(result.items())


def all_saveables(scope: str | None = None) -> list[Any]:
    """Everything in the default graph that a saver saves if nothing else is said."""
    graph = get_default_graph()
    found: list[Any] = graph.get_collection(GraphKeys.GLOBAL_VARIABLES, scope)
    return found + graph.get_collection(GraphKeys.SAVEABLE_OBJECTS, scope)
