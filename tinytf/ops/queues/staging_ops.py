"""The op types of staging areas. Mirrors tensorflow/core/kernels/stage_op.cc and map_stage_op.cc.

The areas themselves are `resources.queues.staging`. There is no handle: operations with the same
shared name (or, without one, the same name) mean the same area.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.dtypes import DType
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.tensor_shape import scalar, unknown_shape
from tinytf.resources.queues.staging import (
    MapStagingArea,
    OrderedMapStagingArea,
    StagingArea,
)

_STATE = "a staging area is state"


def _attrs(dtypes: str, *more: str) -> list[str]:
    return [
        "capacity: int >= 0 = 0",
        "memory_limit: int >= 0 = 0",
        f"dtypes: {dtypes}",
        *more,
        "container: string = ''",
        "shared_name: string = ''",
    ]


_SOME, _ANY = "list(type) >= 1", "list(type)"


def _define(
    name: str, inputs: list[str], outputs: list[str], dtypes: str = _SOME, *more: str
) -> OpCard:
    card = define_op(name, inputs, outputs, _attrs(dtypes, *more), stateful=True)
    card.not_differentiable(_STATE)
    return card


def _no_shape(c: InferenceContext) -> Any:
    return unknown_shape() if c.output_count == 1 else [unknown_shape()] * c.output_count


def _name(node: Any) -> str:
    return node.attrs["shared_name"].decode() or node.name


def _area(node: Any, resources: Any) -> StagingArea:
    """What a node means; the first who asks decides how much it holds."""
    attrs = node.attrs

    def make() -> StagingArea:
        return StagingArea(_name(node), attrs["capacity"], attrs["memory_limit"])

    container = attrs["container"].decode()
    return resources.lookup_or_create(container, _name(node), StagingArea, make)


def _number(value: Any, what: str) -> int:
    if np.ndim(value):
        raise InvalidArgumentError(f"{what} must be scalar")
    return int(value)


# Stage, Unstage, StagePeek, StageSize, StageClear -------------------------------------------------

stage = _define("Stage", ["values: dtypes"], [])
unstage = _define("Unstage", [], ["values: dtypes"])
stage_peek = _define("StagePeek", ["index: int32"], ["values: dtypes"])
stage_size = _define("StageSize", [], ["size: int32"], _ANY)
stage_clear = _define("StageClear", [], [], _ANY)
stage.shape(shape_inference.no_outputs)
unstage.shape(_no_shape)
stage_peek.shape(_no_shape)
stage_size.shape(lambda c: scalar())
stage_clear.shape(shape_inference.no_outputs)


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


def _define_map(prefix: str, is_ordered: bool) -> MapCards:
    cards = MapCards(
        _define(
            f"{prefix}Stage",
            ["key: int64", "indices: int32", "values: fake_dtypes"],
            [],
            _ANY,
            "fake_dtypes: list(type) >= 1",
        ),
        _define(f"{prefix}Peek", ["key: int64", "indices: int32"], ["values: dtypes"]),
        _define(f"{prefix}Unstage", ["key: int64", "indices: int32"], ["values: dtypes"]),
        _define(f"{prefix}UnstageNoKey", ["indices: int32"], ["key: int64", "values: dtypes"]),
        _define(f"{prefix}Size", [], ["size: int32"], _ANY),
        _define(f"{prefix}IncompleteSize", [], ["size: int32"], _ANY),
        _define(f"{prefix}Clear", [], [], _ANY),
    )
    for card in (cards.stage, cards.clear):
        card.shape(shape_inference.no_outputs)
    for card in (cards.size, cards.incomplete_size):
        card.shape(lambda c: scalar())
    for card in (cards.peek, cards.unstage, cards.unstage_no_key):
        card.shape(_no_shape)
    kind: type[MapStagingArea] = OrderedMapStagingArea if is_ordered else MapStagingArea

    def area(node: Any, resources: Any) -> MapStagingArea:
        attrs = node.attrs

        def make() -> MapStagingArea:
            return kind(_name(node), attrs["capacity"], attrs["memory_limit"])

        return resources.lookup_or_create(attrs["container"].decode(), _name(node), kind, make)

    _define_map_kernels(cards, area)
    return cards


def _define_map_kernels(cards: MapCards, area: Callable[..., MapStagingArea]) -> None:
    @cards.stage.kernel(blocking=True)
    def _stage(
        step: Any,
        key: Any,
        indices: Any,
        *values: Any,
        dtypes: tuple[DType, ...],
        node: Any,
        resources: Any,
    ) -> Any:
        places = np.reshape(indices, -1).tolist()
        found = area(node, resources)
        return found.put(_number(key, "key"), places, values, dtypes, step.cancellation)

    def _get(is_peek: bool) -> Callable[..., Any]:
        def get(
            step: Any,
            key: Any,
            indices: Any,
            *,
            dtypes: tuple[DType, ...],
            node: Any,
            resources: Any,
        ) -> Any:
            places = np.reshape(indices, -1).tolist()
            found = area(node, resources)
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


map_cards = _define_map("Map", False)
ordered_map_cards = _define_map("OrderedMap", True)
