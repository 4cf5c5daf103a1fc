"""Ops that exist for one test only: the registries are global, and other tests count the ops."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tinytf.framework import registry
from tinytf.framework.op_card import OpCard, define_op


@contextmanager
def temporary_op(
    name: str, signature: str = "", *attrs: str, stateful: bool = True
) -> Iterator[OpCard]:
    """Define an op; forget it and its kernels afterwards."""
    card = define_op(name, signature, *attrs, stateful=stateful)
    try:
        yield card
    finally:
        for table in (registry.op_defs, registry.shape_functions, registry.gradients):
            table._entries.pop(name, None)
        registry._kernels.pop(name, None)


@contextmanager
def counter(name: str = "TestCounter") -> Iterator[tuple[Any, list[Any]]]:
    """An op that passes a float on and notes each value: (function, notes)."""
    notes: list[Any] = []
    with temporary_op(name, "x: float -> y: float") as card:
        card.shape(lambda c: c.input(0))

        @card.kernel
        def _(x):
            notes.append(x)
            return x

        yield (lambda x, name=None: card(x, name=name)), notes
