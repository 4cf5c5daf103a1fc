"""An optimizer as a declaration: its ops, its hyper-parameters, its slots.

A subclass says which `Family` of ops it steps with, which of their inputs come from which argument
of its constructor, and which slots it keeps beside each variable. Dense and sparse gradients,
reference and resource variables follow from that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.training.family import Family
from tinytf.ops.variables.variable import Variable
from tinytf.training.optimizer import Optimizer


class Hyper(NamedTuple):
    """A hyper-parameter.

    Attributes:
      input: of the ops, which gets it. attribute: where the constructor keeps what was given.
      tensor: the attribute of its tensor, made for each step. node: the tensor's name.
    """

    input: str
    attribute: str
    tensor: str
    node: str


def hyper(input: str, name: str | None = None) -> Hyper:
    """Kept as "_name" and "_name_tensor", as most of TensorFlow's optimizers do."""
    name = name or input
    return Hyper(input, f"_{name}", f"_{name}_tensor", name)


def short_hyper(input: str, node: str | None = None) -> Hyper:
    """Kept as "_input" and "_input_t", as Adam and Adadelta do."""
    return Hyper(input, f"_{input}", f"_{input}_t", node or input)


class DeclaredOptimizer(Optimizer):
    """What optimizers that are declared share.

    Attributes:
      _family: the ops. _hypers: their hyper-parameters, in the order of their tensors.
      _slots_of_ops: the slots in the order of the ops' inputs; they are created in this order, and
        with zeros, unless `_create_slot` says otherwise.
      _takes_functions: whether a hyper-parameter may be a function that builds it, as with most of
        TensorFlow's optimizers.
    """

    _family: Family
    _hypers: tuple[Hyper, ...] = ()
    _slots_of_ops: tuple[str, ...] = ()
    _takes_functions = True

    def __init__(self, use_locking: bool, name: str):
        super().__init__(use_locking, name)
        for hyper in self._hypers:
            setattr(self, hyper.tensor, None)  # until a step is built

    def _create_slots(self, var_list: list[Variable]) -> None:
        for var in var_list:
            for slot in self._slots_of_ops:
                self._create_slot(var, slot)

    def _create_slot(self, var: Variable, slot: str) -> None:
        self._zeros_slot(var, slot, self._name)

    def _prepare(self) -> None:
        self._make_tensors(self._hypers)

    def _make_tensors(self, hypers: Sequence[Hyper]) -> None:
        """The nodes of all functions, then the tensors."""
        given = [getattr(self, hyper.attribute) for hyper in hypers]
        if self._takes_functions:
            given = [self._call_if_callable(value) for value in given]
        for hyper, value in zip(hypers, given, strict=True):
            setattr(self, hyper.tensor, convert_to_tensor(value, name=hyper.node))

    def _numbers(self, var: Any) -> dict[str, Any]:
        """The inputs of the ops beside states and gradient; cast to the variable's type there."""
        return {hyper.input: getattr(self, hyper.tensor) for hyper in self._hypers}

    def _flags(self) -> dict[str, Any]:
        """The attributes of the ops."""
        return {}

    def _step(self, gradient: Any, var: Any) -> Operation:
        states = [var, *(self.get_slot(var, slot) for slot in self._slots_of_ops)]
        numbers, flags = self._numbers(var), self._flags()
        return self._family.build(states, gradient, numbers, self._use_locking, **flags)

    def _apply_dense(self, grad: Tensor, var: Any) -> Operation:
        return self._step(grad, var)

    def _resource_apply_dense(self, grad: Tensor, var: Any) -> Operation:
        return self._step(grad, var)

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Operation:
        return self._step(grad, var)

    def _resource_apply_sparse(self, grad: Tensor, handle: Any, indices: Tensor) -> Operation:
        return self._step(IndexedSlices(grad, indices), handle)
