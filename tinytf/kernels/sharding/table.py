"""Which op types are sharded, and how."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tinytf.kernels.sharding import slices
from tinytf.kernels.sharding.elementwise import Elementwise
from tinytf.kernels.sharding.pool import ShardPool
from tinytf.kernels.sharding.products import (
    batch_mat_mul,
    convolution,
    filter_gradient,
    input_gradient,
    mat_mul,
)
from tinytf.kernels.sharding.training import optimizer_step

if TYPE_CHECKING:
    from tinytf.framework.operation import Operation

Rule = Callable[..., Callable[..., Any]]

#: Inputs of several shapes are broadcast.
BROADCASTING = """
    Add AddV2 Sub Mul Div RealDiv FloorDiv FloorMod TruncateDiv TruncateMod Mod DivNoNan MulNoNan
    Pow Maximum Minimum SquaredDifference Atan2 NextAfter Xdivy Xlogy Xlog1py
    Equal NotEqual Less LessEqual Greater GreaterEqual ApproximateEqual LogicalAnd LogicalOr
    BitwiseAnd BitwiseOr BitwiseXor LeftShift RightShift SelectV2
""".split()

#: One input, or several of one shape.
OF_ONE_SHAPE = """
    Neg Abs Sign Square Sqrt Rsqrt Reciprocal Inv Exp Expm1 Log Log1p Sin Cos Tan Asin Acos Atan
    Sinh Cosh Tanh Asinh Acosh Atanh Floor Ceil Rint Round IsNan IsInf IsFinite LogicalNot Invert
    Conj ComplexAbs Angle Cast AddN AccumulateNV2
    SqrtGrad RsqrtGrad ReciprocalGrad InvGrad TanhGrad SigmoidGrad
    Relu ReluGrad Relu6 Relu6Grad Elu EluGrad Selu SeluGrad LeakyRelu LeakyReluGrad
    Sigmoid Softplus SoftplusGrad Softsign SoftsignGrad
""".split()

#: Along an axis that is not reduced.
REDUCTIONS = "Sum Mean Prod Max Min All Any ArgMax ArgMin EuclideanNorm".split()

#: The step of an optimizer; "Resource" may stand before each.
OPTIMIZERS = """
    ApplyGradientDescent ApplyMomentum ApplyAdam ApplyAdagrad ApplyAdagradDA ApplyAdadelta
    ApplyRMSProp ApplyCenteredRMSProp ApplyFtrl ApplyFtrlV2 ApplyProximalGradientDescent
    ApplyProximalAdagrad
""".split()

#: Products of the windows of images with a filter.
CONVOLUTIONS = "Conv2D Conv3D DepthwiseConv2dNative".split()
INPUT_GRADIENTS = """
    Conv2DBackpropInput Conv3DBackpropInputV2 DepthwiseConv2dNativeBackpropInput
""".split()
FILTER_GRADIENTS = """
    Conv2DBackpropFilter Conv3DBackpropFilterV2 DepthwiseConv2dNativeBackpropFilter
""".split()

#: Kernels that could write into an array that is given, and are not split all the same: why.
LEFT_OUT: dict[str, str] = {}

RULES: dict[str, Rule] = {
    **dict.fromkeys(BROADCASTING, Elementwise),
    **dict.fromkeys(OF_ONE_SHAPE, functools.partial(Elementwise, broadcasts=False)),
    **dict.fromkeys(REDUCTIONS, slices.reduction),
    **dict.fromkeys(OPTIMIZERS, optimizer_step),
    **dict.fromkeys([f"Resource{name}" for name in OPTIMIZERS], optimizer_step),
    "Select": slices.select,
    "BiasAdd": slices.bias_add,
    "BiasAddGrad": slices.bias_gradient,
    "Softmax": slices.by_rows,
    "LogSoftmax": slices.by_rows,
    "SoftmaxCrossEntropyWithLogits": functools.partial(slices.by_rows, sliced=(0, 1)),
    "SparseSoftmaxCrossEntropyWithLogits": functools.partial(slices.by_rows, sliced=(0, 1)),
    "MatMul": mat_mul,
    "BatchMatMul": batch_mat_mul,
    "BatchMatMulV2": batch_mat_mul,
    **dict.fromkeys(CONVOLUTIONS, convolution),
    **dict.fromkeys(INPUT_GRADIENTS, input_gradient),
    **dict.fromkeys(FILTER_GRADIENTS, filter_gradient),
    "MaxPool": slices.in_blocks,
    "MaxPoolGrad": slices.in_blocks,
    "AvgPool": slices.by_rows,
}

#: Products of matrices, which BLAS computes.
PRODUCTS = frozenset(
    ["MatMul", "BatchMatMul", "BatchMatMulV2", *CONVOLUTIONS, *INPUT_GRADIENTS, *FILTER_GRADIENTS]
)

_NOT_NUMBERS = {"string", "resource", "variant"}


def sharded(
    op: Operation, function: Callable[..., Any], pool: ShardPool
) -> Callable[..., Any] | None:
    """The bound kernel of a node as a function that splits its work; None if it is not split.

    Args:
      op: the node, on a CPU.
      function: its kernel, as `kernel_binding.bind` gives it, or as `fusion.writing` does where
        the result goes to an array of the caller's (`out=`).
      pool: whose threads share the work.

    Returns:
      a function with the arguments, the result (to the last bit) and the errors of `function`.
      Inputs that are too small to share, or odd, it passes on to `function` as they are. None for
      an op type without a rule, for inputs that are no numbers, for a pool of one thread, and for
      products where BLAS may use threads of its own.

    Example:
      >>> kernel = sharded(op, function, pool) or function
    """
    if not is_shardable(op, pool):
        return None
    return RULES[op.type](op, function, pool)


def is_shardable(op: Operation, pool: ShardPool) -> bool:
    """Whether `sharded` has a form that splits its work for this node, on a CPU.

    The runtime asks for the operations that were measured to be expensive, before it compiles
    a plan in which they are split.
    """
    rule = RULES.get(op.type)
    if rule is None or pool.threads < 2 or (op.type in PRODUCTS and not pool.holds_blas):
        return False
    if op.type == "Cast" and op.attrs["SrcT"] is op.attrs["DstT"]:
        return False  # the input itself is the result
    tensors = (*op.inputs, *op.outputs)
    return rule is optimizer_step or not any(
        tensor.dtype.base_dtype.name in _NOT_NUMBERS for tensor in tensors
    )
