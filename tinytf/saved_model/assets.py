"""Files that a graph needs besides its variables: vocabularies, for example."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from google.protobuf.any_pb2 import Any as AnyMessage

from tinytf.framework import dtypes
from tinytf.framework.constant_value import constant_value
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.protos.meta_graph_pb2 import AssetFileDef
from tinytf.resources import file_system
from tinytf.saved_model.constants import ASSETS_DIRECTORY, ASSETS_KEY

#: How a message in a graph's collection says what it is, in TensorFlow.
_TYPE_URL = "type.googleapis.com/tensorflow.AssetFileDef"


def save_assets(tensors: Iterable[Any] | None, folder: str, copied: set[str]) -> None:
    """Copy the files that constants name, and note them in the default graph.

    Args:
      tensors: constants that are paths. folder: the model's.
      copied: paths of what is there already, which are not copied again, and are added to.

    Raises:
      TypeError: if one is not a constant string. ValueError: if it is empty.
      tf.errors.OpError: if a file cannot be copied.
    """
    sources: dict[str, str] = {}
    for tensor in tensors or ():
        source = _path(tensor)
        name = _unique(source, sources)
        sources[name] = source
        asset = AssetFileDef(filename=name)
        asset.tensor_info.name = tensor.name
        message = AnyMessage(type_url=_TYPE_URL, value=asset.SerializeToString())
        get_default_graph().add_to_collection(ASSETS_KEY, message)
    if not sources:
        return
    target = os.path.join(folder, ASSETS_DIRECTORY)
    file_system.make_folders(target)
    for name, source in sources.items():
        path = os.path.join(target, name)
        if file_system.exists(source) and path not in {source, *copied}:
            file_system.copy(source, path, overwrite=True)
            copied.add(path)


def _path(tensor: Any) -> str:
    if not isinstance(tensor, Tensor):
        raise TypeError(f"Asset path tensor {tensor} must be a Tensor.")
    if tensor.op.type != "Const":
        raise TypeError(
            f"Asset path tensor {tensor} must be of type constant. Has type {tensor.op.type} "
            f"instead."
        )
    if tensor.dtype != dtypes.string:
        raise TypeError(
            f"Asset path tensor {tensor} must be of dtype string. Has type {tensor.dtype} instead."
        )
    value = constant_value(tensor)
    if value is None or value.size != 1:
        raise TypeError(f"Asset path tensor {tensor} must be a scalar.")
    if not value.item():
        raise ValueError(f"Asset filepath tensor {tensor} is invalid: the path is empty.")
    return file_system.path_of(value.item())


def _unique(source: str, sources: dict[str, str]) -> str:
    """The file's name, with a number if another file has it."""
    name = plain = os.path.basename(source)
    other = sources.get(name)
    if other is None or other == source or file_system.read(other) == file_system.read(source):
        return name
    number = 1
    while name in sources:
        name = f"{plain}_{number}"
        number += 1
    return name


def asset_paths(meta_graph: Any, folder: str, scope: str | None) -> dict[str, str]:
    """The names of the tensors that are paths, and the paths of the files in a model's folder."""
    assets = list(meta_graph.asset_file_def)
    if not assets and ASSETS_KEY in meta_graph.collection_def:
        values = meta_graph.collection_def[ASSETS_KEY].any_list.value
        assets = [AssetFileDef.FromString(value.value) for value in values]
    prefix = f"{scope}/" if scope else ""
    return {
        prefix + asset.tensor_info.name: os.path.join(folder, ASSETS_DIRECTORY, asset.filename)
        for asset in assets
    }
