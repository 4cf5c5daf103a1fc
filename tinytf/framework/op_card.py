"""Op cards: everything about one op type, together on one screen.

A card is written in one order: schema, shape function, kernel, gradient (or the reason why there
is none), public function.

    # MatMul -----------------------------------------------------------------------------

    mat_mul = define_op(
        "MatMul",
        "a: T, b: T -> product: T",
        "transpose_a: bool = false, transpose_b: bool = false, T: {float, double}",
    )

    @mat_mul.shape
    def _(c: InferenceContext) -> TensorShape: ...

    @mat_mul.kernel
    def _(a, b, *, transpose_a, transpose_b): ...

    @mat_mul.gradient
    def _(op, dy): ...

    def matmul(a, b, transpose_a=False, transpose_b=False, name=None):
        return mat_mul(a, b, transpose_a=transpose_a, transpose_b=transpose_b, name=name)

A facet that has a name already stands in the definition: `shape=same_shape`, `kernel=np.sin`,
`no_gradient="its result is an index"`.

The card writes into the four registries of `registry.py`, where each facet can be replaced.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, TypeVar

from tinytf.framework import registry
from tinytf.framework.op_builder import build
from tinytf.framework.op_def import OpDef, make_op_def, types_named
from tinytf.framework.operation import Operation

F = TypeVar("F", bound=Callable[..., Any])


class OpCard:
    """The handle of one op type; calling it adds a node to the graph.

    Attributes:
      op_def: the schema.
    """

    __slots__ = ("op_def",)

    def __init__(self, op_def: OpDef):
        self.op_def = op_def

    def shape(self, function: F) -> F:
        """Register the shape function (decorator); see `shape_inference`."""
        registry.shape_functions.register(self.op_def.name, function)
        return function

    def kernel(
        self,
        function: Any = None,
        *,
        device: str = "CPU",
        types: Mapping[str, Iterable[Any]] | None = None,
        blocking: bool = False,
        host_args: Iterable[str] = (),
    ) -> Any:
        """Register a kernel (decorator, or called with a function such as a numpy ufunc).

        Args:
          function: a plain function of arrays; see `registry.Kernel` for its parameters.
          device: the device type it runs on.
          types: type attribute -> the dtypes it takes, or names of `op_def.TYPE_SETS`; None for
            all that the schema allows.
          blocking: it may have to wait, and returns a `Pending` then.
          host_args: arguments that live in host memory on a GPU.
        """

        def register(function: F) -> F:
            allowed = None
            if types is not None:
                allowed = {n: frozenset(types_named(ts)) for n, ts in types.items()}
            registry.register_kernel(
                registry.Kernel(
                    self.op_def.name, device, function, allowed, blocking, frozenset(host_args)
                )
            )
            return function

        return register if function is None else register(function)

    def gradient(self, function: F) -> F:
        """Register the gradient (decorator): `(op, *output_gradients) -> input gradients`.

        It returns one tensor or None for each input (bare when there is just one).
        """
        registry.gradients.register(self.op_def.name, function)
        return function

    def not_differentiable(self, reason: str) -> None:
        """Say that the op has no gradient, and why: gradients stop here."""
        registry.gradients.register(self.op_def.name, registry.NotDifferentiable(reason))

    def __call__(self, *inputs: Any, name: str | None = None, **attrs: Any) -> Any:
        """Add a node.

        Returns:
          the output tensor; a list of tensors for a list output; a named tuple for several outputs
          (lists inside for list outputs); the `Operation` when there are none.
        """
        op = build(self.op_def, inputs, name, attrs)
        if self.op_def.single_output:
            return op.outputs[0]
        return structured_outputs(op)


def structured_outputs(op: Operation) -> Any:
    """The outputs of a node, arranged as its schema names them."""
    arguments = op.op_def.outputs
    if not op.outputs:  # none in the schema, or only lists, and all of them empty
        return op
    groups: list[Any] = []
    position = 0
    for arg in arguments:
        if arg.type_list_attr is not None:
            count = len(op.attrs[arg.type_list_attr])
        elif arg.number_attr is not None:
            count = op.attrs[arg.number_attr]
        else:
            groups.append(op.outputs[position])
            position += 1
            continue
        groups.append(op.outputs[position : position + count])
        position += count
    if len(groups) == 1:
        return groups[0]
    return _result_class(op.type, tuple(arg.name for arg in arguments))(*groups)


@cache
def _result_class(op_type: str, outputs: tuple[str, ...]) -> Any:
    """The class of an op's results: named like the op, with a field for each output."""
    return namedtuple(op_type, outputs, rename=True, module=__name__)


def define_op(
    name: str,
    signature: str = "",
    *attrs: str,
    stateful: bool = False,
    commutative: bool = False,
    aggregate: bool = False,
    allows_uninitialized_input: bool = False,
    shape: Callable[..., Any] | None = None,
    kernel: Callable[..., Any] | None = None,
    no_gradient: str | None = None,
) -> OpCard:
    """Register an op type and return its card.

    Args:
      name: the op type, in CamelCase, as TensorFlow has it.
      signature, attrs: the schema, in the notation of `op_def`.
      stateful, commutative, aggregate, allows_uninitialized_input: TensorFlow's flags.
      shape, kernel: the shape function, and the kernel of the CPU, where they have a name already;
        else the card's decorators take them.
      no_gradient: why there is no gradient: see `OpCard.not_differentiable`.

    Raises:
      KeyError: if the op type exists. ValueError: if the schema does not parse.

    Example:
      >>> floor = define_op("MyFloor", "x: T -> y: T", "T: {float, double}", kernel=np.floor)
    """
    flags = {
        "is_stateful": stateful,
        "is_commutative": commutative,
        "is_aggregate": aggregate,
        "allows_uninitialized_input": allows_uninitialized_input,
    }
    card = OpCard(make_op_def(name, signature, *attrs, **flags))
    registry.op_defs.register(name, card.op_def)
    if shape is not None:
        card.shape(shape)
    if kernel is not None:
        card.kernel(kernel)
    if no_gradient is not None:
        card.not_differentiable(no_gradient)
    return card
