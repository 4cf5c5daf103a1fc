"""The op types of staging areas. Mirrors tensorflow/core/kernels/stage_op.cc and map_stage_op.cc.

The areas themselves are `resources.queues.staging`. There is no handle: operations with the same
shared name (or, without one, the same name) mean the same area.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tinytf.framework.dtypes import DType
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.shape_inference import is_scalar, no_outputs, unknown
from tinytf.ops.base.resource_cards import WHERE
from tinytf.resources.queues.staging import MapStagingArea, OrderedMapStagingArea, StagingArea

_STATE = "a staging area is state"


_SOME, _ANY = "dtypes: list(type) >= 1", "dtypes: list(type)"


def _define(
    name: str, schema: str, dtypes: str = _SOME, shape: Callable[..., Any] = unknown
) -> OpCard:
    attrs = f"capacity: int >= 0 = 0, memory_limit: int >= 0 = 0, {dtypes}, {WHERE}"
    return define_op(name, schema, attrs, stateful=True, shape=shape, no_gradient=_STATE)


def _name(node: Any) -> str:
    return node.attrs["shared_name"].decode() or node.name


def _area(node: Any, resources: Any, kind: type[Any] = StagingArea) -> Any:
    """What a node means; the first who asks decides how much it holds."""
    attrs = node.attrs

    def make() -> Any:
        return kind(_name(node), attrs["capacity"], attrs["memory_limit"])

    container = attrs["container"].decode()
    return resources.lookup_or_create(container, _name(node), kind, make)


def _number(value: Any, what: str) -> int:
    if np.ndim(value):
        raise invalid(f"{what} must be scalar")
    return int(value)


# Stage, Unstage, StagePeek, StageSize, StageClear -------------------------------------------------

stage = _define("Stage", "values: dtypes", shape=no_outputs)
unstage = _define("Unstage", "-> values: dtypes")
stage_peek = _define("StagePeek", "index: int32 -> values: dtypes")
stage_size = _define("StageSize", "-> size: int32", _ANY, is_scalar)
stage_clear = _define("StageClear", "", _ANY, no_outputs)


@stage.kernel(blocking=True)
def _stage(step: Any, *values: Any, node: Any, resources: Any) -> Any:
    return _area(node, resources).put(values, step.cancellation)


@unstage.kernel(blocking=True)
def _unstage(step: Any, *, dtypes: tuple[DType, ...], node: Any, resources: Any) -> Any:
    return _area(node, resources).get(dtypes, step.cancellation)


@stage_peek.kernel(blocking=True)
def _peek(step: Any, index: Any, *, dtypes: tuple[DType, ...], node: Any, resources: Any) -> Any:
    return _area(node, resources).peek(_number(index, "index"), dtypes, step.cancellation)


@stage_size.kernel
def _size(*, node: Any, resources: Any) -> Any:
    return np.int32(_area(node, resources).size())


@stage_clear.kernel
def _clear(*, node: Any, resources: Any) -> tuple[()]:
    _area(node, resources).clear()
    return ()


# MapStage, MapUnstage, ... and OrderedMapStage, ... -----------------------------------------------


class MapCards(NamedTuple):
    """The op types of areas with keys."""

    stage: OpCard
    peek: OpCard
    unstage: OpCard
    unstage_no_key: OpCard
    size: OpCard
    incomplete_size: OpCard
    clear: OpCard


def _define_map(prefix: str) -> MapCards:
    by_key = "key: int64, indices: int32"
    fakes = f"{_ANY}, fake_dtypes: list(type) >= 1"
    return MapCards(
        _define(f"{prefix}Stage", f"{by_key}, values: fake_dtypes", fakes, no_outputs),
        _define(f"{prefix}Peek", f"{by_key} -> values: dtypes"),
        _define(f"{prefix}Unstage", f"{by_key} -> values: dtypes"),
        _define(f"{prefix}UnstageNoKey", "indices: int32 -> key: int64, values: dtypes"),
        _define(f"{prefix}Size", "-> size: int32", _ANY, is_scalar),
        _define(f"{prefix}IncompleteSize", "-> size: int32", _ANY, is_scalar),
        _define(f"{prefix}Clear", "", _ANY, no_outputs),
    )


def _define_map_kernels(cards: MapCards, kind: type[MapStagingArea]) -> None:
    def area(node: Any, resources: Any) -> Any:
        return _area(node, resources, kind)

    @cards.stage.kernel(blocking=True)
    def _stage(step: Any, key: Any, indices: Any, *values: Any, node: Any, resources: Any) -> Any:
        places = np.reshape(indices, -1).tolist()
        dtypes, found = node.attrs["dtypes"], area(node, resources)
        return found.put(_number(key, "key"), places, values, dtypes, step.cancellation)

    def _get(is_peek: bool) -> Callable[..., Any]:
        def get(step: Any, key: Any, indices: Any, *, node: Any, resources: Any) -> Any:
            places = np.reshape(indices, -1).tolist()
            dtypes, found = node.attrs["dtypes"], area(node, resources)
            return found.get(_number(key, "key"), places, dtypes, step.cancellation, is_peek)

        return get

    cards.peek.kernel(_get(True), blocking=True)
    cards.unstage.kernel(_get(False), blocking=True)

    @cards.unstage_no_key.kernel(blocking=True)
    def _get_any(
        step: Any, indices: Any, *, dtypes: tuple[DType, ...], node: Any, resources: Any
    ) -> Any:
        places = np.reshape(indices, -1).tolist()
        return area(node, resources).get(None, places, dtypes, step.cancellation)

    @cards.size.kernel
    def _size(*, node: Any, resources: Any) -> Any:
        return np.int32(area(node, resources).size())

    @cards.incomplete_size.kernel
    def _incomplete(*, node: Any, resources: Any) -> Any:
        return np.int32(area(node, resources).incomplete_size())

    @cards.clear.kernel
    def _clear(*, node: Any, resources: Any) -> tuple[()]:
        area(node, resources).clear()
        return ()


map_cards = _define_map("Map")
ordered_map_cards = _define_map("OrderedMap")
_define_map_kernels(map_cards, MapStagingArea)
_define_map_kernels(ordered_map_cards, OrderedMapStagingArea)
