"""One's own ops and kernels, from a notebook: `tf.user_ops`; docs/own_ops.md has examples."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from tinytf.framework import dtypes, op_def_proto, registry
from tinytf.framework.op_card import OpCard
from tinytf.framework.op_card import define_op as _define_op
from tinytf.framework.registry import Kernel

F = TypeVar("F", bound=Callable[..., Any])
#: Called after a kernel, or a whole op, was registered or taken back: plans that are compiled may
#: hold the old one.
on_change: list[Callable[[], None]] = []

_DEVICE_TYPES = ("CPU", "GPU")
#: What kernels can have besides attributes; see `kernel_binding.bind`.
_BOUND = ("xp", "attrs", "node", "resources")
_CAMEL_CASE = re.compile(r"[A-Z][A-Za-z0-9_]*")
_own: set[str] = set()


class OwnOp(OpCard):
    """The handle of an op of one's own: calling it adds a node; the decorators give it meaning.

    A cell with a decorator may be run again: what it registers takes the place of what it
    registered before.

    Example:
      >>> cube = tf.user_ops.define_op("ExampleCube", "x: T -> y: T", "T: {float, double}")
      >>> @cube.kernel
      ... def _(x):
      ...     return x * x * x
      >>> cube([1.0, 2.0])  # [1., 8.]
    """

    __slots__ = ()

    def shape(self, function: F) -> F:
        """Say what shapes the outputs have (decorator); without it they are unknown.

        The function gets the node as it is being built: `c.input(0)` is a TensorShape, `c.attrs`
        the attributes, `c.constant(0)` the value of an input or None. It returns a TensorShape,
        or a list with one for each output; ValueError refuses the node.

        Example:
          >>> twice = tf.user_ops.define_op("ExampleTwice", "x: float -> y: float")
          >>> twice(tf.zeros([3])).shape.ndims is None
          True
          >>> @twice.shape
          ... def _(c):
          ...     return c.input(0)
          >>> twice(tf.zeros([3])).shape
          TensorShape([Dimension(3)])
        """
        registry.shape_functions.register(self.op_def.name, function, replace=True)
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
        """Register a kernel (decorator); arguments as of `tf.user_ops.register_kernel`.

        Example:
          >>> negate = tf.user_ops.define_op("ExampleNegate", "x: float -> y: float")
          >>> negate.kernel(np.negative)
          <ufunc 'negative'>
          >>> negate(2.0)  # -2.
        """
        return register_kernel(
            self.op_def.name,
            function,
            device=device,
            types=types,
            blocking=blocking,
            host_args=host_args,
        )

    def gradient(self, function: F) -> F:
        """Register the gradient (decorator): `(op, *output_gradients) -> input gradients`.

        It builds nodes, from `op.inputs` and `op.outputs`; it returns one tensor or None for each
        input, bare when there is just one.

        Example:
          >>> square = tf.user_ops.define_op("ExampleSquare", "x: float -> y: float")
          >>> _ = square.kernel(np.square)
          >>> @square.gradient
          ... def _(op, dy):
          ...     return 2.0 * op.inputs[0] * dy
          >>> x = tf.constant(3.0)
          >>> tf.gradients(square(x), x)  # [6.]
        """
        registry.gradients.register(self.op_def.name, function, replace=True)
        return function

    def not_differentiable(self, reason: str) -> None:
        """Say that the op has no gradient, and why: gradients stop here.

        Example:
          >>> floor = tf.user_ops.define_op("ExampleFloor", "x: float -> y: float")
          >>> floor.not_differentiable("it is flat almost everywhere")
          >>> x = tf.constant(3.5)
          >>> tf.gradients(floor(x), x)
          [None]
        """
        refusal = registry.NotDifferentiable(reason)
        registry.gradients.register(self.op_def.name, refusal, replace=True)


def define_op(name: str, signature: str = "", *attrs: str, **facets: Any) -> OwnOp:
    """Define an op type of one's own; TensorFlow 1.x needs C++ and REGISTER_OP for it.

    Running the cell again defines it anew, with none of the old kernels, shapes or gradients; it
    says so. Nodes that are in a graph already keep the schema they were built with.

    Args:
      name: the op type, in CamelCase.
      signature: what goes in and what comes out, as REGISTER_OP has it: "x: T, n: int32 -> y: T",
        "values: N * T -> sum: T", "-> components: Types".
      attrs: such as "T: {float, double}, axis: int = 0", "N: int >= 1", "Types: list(type)".
        Attributes that an input's type or number settles are not given in a call.
      **facets: what has a name already: `shape`, `kernel` (for CPUs) and `no_gradient` (the reason)
        instead of the decorators. `stateful=True`: two nodes with the same inputs may give
        different results, so they are never merged, computed beforehand or left out.
        `commutative`, `aggregate`, `allows_uninitialized_input`: TensorFlow's flags.

    Returns:
      an `OwnOp`; call it with one value for each input, and attributes by name.

    Raises:
      ValueError: if the schema does not parse, or tinytf has an op of that name.
      TypeError: if the schema is a list; it says how it is written.

    Example:
      >>> power = tf.user_ops.define_op(
      ...     "ExamplePower", "x: T -> y: T", "T: {float, double}, exponent: int = 2")
      >>> @power.kernel
      ... def _(x, *, exponent):
      ...     return x**exponent
      >>> power([1.0, 2.0], exponent=3, name="cubes")  # [1., 8.]
    """
    if not isinstance(name, str) or not _CAMEL_CASE.fullmatch(name):
        raise ValueError(f"Invalid name: {name!r} (Did you use CamelCase?), as in 'ZeroOut'")
    _check_text(name, (signature, *attrs), facets)
    given = {facet: facets.pop(facet, None) for facet in ("shape", "kernel", "no_gradient")}
    if name in registry.op_defs:
        if name not in _own:
            raise ValueError(
                f"'{name}' is an op of TensorFlow's. Choose another name; or give it a kernel of "
                f"your own: tf.user_ops.register_kernel({name!r}, ...)."
            )
        before = registry.op_defs.lookup(name)
        registry.op_defs._entries.pop(name)
        op_def_proto.message_of.cache_clear()
    else:
        before = None
    try:
        schema = _define_op(name, signature, *attrs, **facets).op_def
    except (TypeError, ValueError):
        if before is not None:
            registry.op_defs.register(name, before)
        raise
    if before is not None:
        registry.unregister(name)
        registry.op_defs.register(name, schema)
        print(f"Op '{name}' is defined anew: its old kernels, shapes and gradient are gone.")
        _changed()
    _own.add(name)
    op = OwnOp(schema)
    for facet, value in given.items():
        if value is not None:
            _FACETS[facet](op, value)
    return op


#: What `define_op` takes by name -> what it registers.
_FACETS: dict[str, Callable[[OwnOp, Any], Any]] = {
    "shape": OwnOp.shape,
    "kernel": OwnOp.kernel,
    "no_gradient": OwnOp.not_differentiable,
}


def _check_text(name: str, schema: tuple[Any, ...], facets: dict[str, Any]) -> None:
    """TypeError, with the call as it is written, for a schema in lists."""
    in_lists = [part for part in ("inputs", "outputs", "attrs") if part in facets]
    if all(isinstance(part, str) for part in schema) and not in_lists:
        return
    given = [*filter(None, schema)]
    given += [facets.get(part, "") for part in ("inputs", "outputs", "attrs")[len(given) :]]
    texts = [part if isinstance(part, str) else ", ".join(map(str, part)) for part in given]
    if "->" not in texts[0]:
        texts[:2] = [" -> ".join(texts[:2])]
    shown = ", ".join(f'"{text}"' for text in [name, *texts] if text)
    raise TypeError(
        f"The schema of op {name} is text, as REGISTER_OP has it, not lists. Write: "
        f"tf.user_ops.define_op({shown})"
    )


def register_kernel(
    op_type: str,
    function: Any = None,
    *,
    device: str = "CPU",
    types: Mapping[str, Iterable[Any]] | None = None,
    blocking: bool = False,
    host_args: Iterable[str] = (),
) -> Any:
    """Give an op a kernel of one's own, for one type of device (decorator, or called).

    It goes before tinytf's, for the types it takes, until `restore_kernels`. One that was
    registered before for the same device and types is replaced.

    Args:
      op_type: any op: "MatMul".
      function: takes the values of the inputs as arrays, in order, and must not change them. It
        returns an array of exactly the promised type, or one for each output. Parameters behind a
        `*` are bound by name: attributes (`transpose_a`), all of them (`attrs`), `xp` (numpy, or
        cupy on a card).
      device: "CPU" or "GPU": simulated ones, whose arrays are numpy's, and CUDA cards.
      types: type attribute -> the dtypes it takes; None for all that the schema allows.
      blocking: it may have to wait, and returns a `Pending` then.
      host_args: arguments that are in host memory on a GPU, as sizes and axes usually are.

    Raises:
      ValueError: for an op, a device, an attribute or an argument that does not exist.

    Example:
      >>> @tf.user_ops.register_kernel("Softsign", types={"T": [tf.float64]})
      ... def _(x):
      ...     return x * 0
      >>> tf.nn.softsign(tf.constant([1.0], tf.float64)), tf.nn.softsign([1.0])  # ([0.], [0.5])
    """
    allowed = _checked(op_type, device, types, host_args)

    def register(function: F) -> F:
        if not callable(function):
            raise TypeError(f"A kernel is a function; got {function!r} for op '{op_type}'.")
        kernel = Kernel(
            op_type, device, function, allowed, blocking, frozenset(host_args), own=True
        )
        attrs = registry.op_defs.lookup(op_type).attrs
        for name in kernel.bound_parameters:
            if name not in attrs and name not in _BOUND:
                raise ValueError(
                    f"Op '{op_type}' has no attribute {name!r}, which its kernel asks for behind "
                    f"the *. There are: {', '.join([*attrs, *_BOUND])}."
                )
        registry.unregister_own_kernels(op_type, device, allowed)
        registry.register_kernel(kernel)
        _changed()
        return function

    return register if function is None else register(function)


def restore_kernels(op_type: str) -> int:
    """Take one's own kernels of an op away: tinytf's compute it again.

    Returns:
      how many there were.

    Example:
      >>> _ = tf.user_ops.register_kernel("Softsign", lambda x: x * 0)
      >>> tf.user_ops.restore_kernels("Softsign")
      1
    """
    gone = registry.unregister_own_kernels(op_type)
    _changed()
    return len(gone)


def _checked(
    op_type: str, device: str, types: Mapping[str, Iterable[Any]] | None, host_args: Iterable[str]
) -> dict[str, frozenset[dtypes.DType]] | None:
    """The types as the registry has them; ValueError for anything that does not exist."""
    if op_type not in registry.op_defs:
        raise ValueError(
            f"There is no op '{op_type}'. Define it first: tf.user_ops.define_op({op_type!r}, ...)."
        )
    if device not in _DEVICE_TYPES:
        raise ValueError(
            f"A kernel is for a type of device, {' or '.join(map(repr, _DEVICE_TYPES))}; got "
            f"{device!r}. Which device computes a node is for tf.device to say."
        )
    schema = registry.op_defs.lookup(op_type)
    arguments = [arg.name for arg in (*schema.inputs, *schema.outputs)]
    for name in host_args:
        if name not in arguments:
            raise ValueError(
                f"Op '{op_type}' has no argument {name!r}. It has: {', '.join(arguments)}."
            )
    kinds = [a.name for a in schema.attrs.values() if a.type in ("type", "list(type)")]
    for name in types or ():
        if name not in kinds:
            raise ValueError(
                f"Op '{op_type}' has no type attribute {name!r}. It has: {', '.join(kinds)}."
            )
    if types is None:
        return None
    return {name: frozenset(map(dtypes.as_dtype, listed)) for name, listed in types.items()}


def forget_all() -> None:
    """Take back every op and kernel of one's own: tests leave none behind."""
    for op_type in list(registry.op_defs):
        registry.unregister_own_kernels(op_type)
    for op_type in _own:
        registry.unregister(op_type)
    _own.clear()
    _changed()


def _changed() -> None:
    for function in on_change:
        function()
