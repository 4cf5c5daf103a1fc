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


def test_every_op_has_a_kernel_where_tensorflow_has_one():
    theirs = {
        name: sorted({kernel.device_type for kernel in tables.kernels(name, "CPU")})
        for name in sorted(registry.op_defs)
    }
    assert sum(map(bool, theirs.values())) > 600
    missing = {name: found for name, found in theirs.items() if not registry.kernels_of(name)}
    assert {name: found for name, found in missing.items() if found} == {}
