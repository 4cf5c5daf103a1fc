"""Every op card's schema is TensorFlow's OpDef."""

import pytest

import tinytf  # noqa: F401  (registers the cards)
from tests.oracle import tables
from tests.oracle.schemas import differences, of_card, of_proto
from tinytf.framework import registry

#: Op types that are tinytf's own. Each has a reason in docs/differences.md.
OWN: frozenset[str] = frozenset()


def test_there_are_cards():
    assert len(registry.op_defs) > 0


@pytest.mark.parametrize("name", sorted(set(registry.op_defs) - OWN))
def test_a_card_has_tensorflows_op_def(name):
    assert name in tables.op_defs(), "TensorFlow has no such op"
    theirs = of_proto(tables.op_def(name))
    assert differences(of_card(registry.op_defs.lookup(name)), theirs) == []


def test_ops_of_our_own_are_not_tensorflows():
    assert [name for name in OWN if name in tables.op_defs()] == []


@pytest.mark.parametrize("name", sorted(registry.op_defs))
def test_every_op_has_a_kernel_where_tensorflow_has_one(name):
    ours = set(registry.kernels_of(name))
    theirs = {kernel.device_type for kernel in tables.kernels(name, "CPU")}
    assert ours or not theirs, f"{name} has no kernel; TensorFlow's has one for {sorted(theirs)}"
