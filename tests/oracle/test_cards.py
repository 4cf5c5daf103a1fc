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


def test_every_card_agrees_with_tensorflows_op_def():
    wrong = {}
    for name in registry.op_defs:
        if name in OWN:
            continue
        if name not in tables.op_defs():
            wrong[name] = ["TensorFlow has no such op"]
            continue
        theirs = of_proto(tables.op_def(name))
        if found := differences(of_card(registry.op_defs.lookup(name)), theirs):
            wrong[name] = found
    report = "\n".join(f"{name}: {line}" for name, lines in wrong.items() for line in lines)
    assert not wrong, f"\n{report}"


def test_ops_of_our_own_are_not_tensorflows():
    assert [name for name in OWN if name in tables.op_defs()] == []


@pytest.mark.parametrize("name", sorted(registry.op_defs))
def test_every_op_has_a_kernel_where_tensorflow_has_one(name):
    ours = set(registry.kernels_of(name))
    theirs = {kernel.device_type for kernel in tables.kernels(name, "CPU")}
    assert ours or not theirs, f"{name} has no kernel; TensorFlow's has one for {sorted(theirs)}"
