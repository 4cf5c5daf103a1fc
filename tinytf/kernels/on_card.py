"""How tinytf's kernels run on a CUDA card: on its arrays, or through host memory.

Three ways, and `runs_on` says which an op takes:

  card             the kernel's own function: cupy's arrays take over numpy's functions in it
  card, rewritten  a function of `cupy_math` or `cupy_nn`
  host             numpy, on copies: for everything else

The first list was established by running every conformance case that way and both ways
(tests/devices), and leaves out what behaves differently on a card: indices that are not checked
there, decompositions that do not say when a matrix is singular.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf.framework import registry
from tinytf.framework.operation import Operation
from tinytf.framework.registry import Kernel
from tinytf.kernels import cupy_math, cupy_nn, table

NATIVE = frozenset(
    """
    Abs Acos Acosh AddN AddV2 Asin Asinh Atan Atanh Ceil Cos Cosh Div DivNoNan Equal Exp Expm1
    Floor FloorDiv FloorMod Greater GreaterEqual IsFinite IsInf IsNan Less LessEqual Log Log1p
    LogicalAnd LogicalOr Maximum Minimum Mul Neg NotEqual Pow RealDiv Reciprocal Rint Round Rsqrt
    Sign Sin Sinh Sqrt SqrtGrad Square SquaredDifference Sub Tan Tanh TanhGrad
    ComplexAbs Conj Real Cast CheckNumerics ClipByValue
    Elu EluGrad LeakyRelu LeakyReluGrad Relu Relu6 Relu6Grad ReluGrad Selu SeluGrad Sigmoid
    SigmoidGrad Softplus SoftplusGrad Softsign SoftsignGrad BiasAdd BiasAddGrad
    AdjustContrastv2 AdjustHue AdjustSaturation HSVToRGB RGBToHSV ResizeBilinear ResizeBilinearGrad
    ResizeNearestNeighbor ResizeNearestNeighborGrad
    MatMul BatchMatMulV2 FusedBatchNorm FusedBatchNormGrad FusedBatchNormGradV2
    FusedBatchNormGradV3 FusedBatchNormV2 FusedBatchNormV3
    BroadcastTo Concat ConcatV2 EnsureShape ExpandDims Identity IdentityN OnesLike
    PlaceholderWithDefault PreventGradient RefIdentity Reshape Reverse ReverseV2 Select SelectV2
    Shape ShapeN Size Rank Slice Split SplitV Squeeze StopGradient StridedSlice Tile Transpose
    Unpack ZerosLike ArgMax ArgMin
    Variable VariableV2 Assign AssignAdd AssignSub IsVariableInitialized ReadVariableOp
    AssignVariableOp AssignAddVariableOp AssignSubVariableOp VarIsInitializedOp VariableShape
    ApplyAdadelta ApplyAdagrad ApplyAdam ApplyCenteredRMSProp ApplyFtrl ApplyGradientDescent
    ApplyMomentum ApplyProximalAdagrad ApplyRMSProp ResourceApplyAdadelta ResourceApplyAdagrad
    ResourceApplyAdam ResourceApplyCenteredRMSProp ResourceApplyFtrl ResourceApplyGradientDescent
    ResourceApplyMomentum ResourceApplyProximalAdagrad ResourceApplyRMSProp
    StackPopV2 StackPushV2 TensorArrayGradV3 TensorArrayGradWithShape TensorArrayReadV3
    TensorArrayScatterV3 TensorArraySizeV3 TensorArraySplitV3 TensorArrayV3 TensorArrayWriteV3
    """.split()
)

REWRITTEN: dict[str, Callable[..., Any]] = {
    **cupy_math.REDUCTIONS,
    "Conv2D": cupy_nn.convolution,
    "Conv2DBackpropFilter": cupy_nn.backprop_filter,
    "Conv2DBackpropInput": cupy_nn.backprop_input,
    "Conv3D": cupy_nn.convolution,
    "Conv3DBackpropFilterV2": cupy_nn.backprop_filter,
    "Conv3DBackpropInputV2": cupy_nn.backprop_input,
    "Cumsum": cupy_math.cumsum,
    "DepthwiseConv2dNative": cupy_nn.depthwise,
    "DepthwiseConv2dNativeBackpropFilter": cupy_nn.depthwise_filter,
    "DepthwiseConv2dNativeBackpropInput": cupy_nn.depthwise_input,
    "Fill": cupy_math.fill,
    "GatherV2": cupy_math.gather,
    "L2Loss": cupy_math.l2_loss,
    "LogSoftmax": cupy_math.log_softmax,
    "Pack": cupy_math.pack,
    "Softmax": cupy_math.softmax,
    "SoftmaxCrossEntropyWithLogits": cupy_math.cross_entropy,
    "SparseSoftmaxCrossEntropyWithLogits": cupy_math.sparse_cross_entropy,
}


def function_on_card(op: Operation, kernel: Kernel) -> Callable[..., Any] | None:
    """What computes a node with a card's arrays; None: it has to go through host memory."""
    return kernel.function if op.type in NATIVE else REWRITTEN.get(op.type)


def runs_on(op_type: str) -> str:
    """How an op runs on a CUDA card.

    Returns:
      "card", "card, rewritten" or "host", as the module says; "CPU only" for an op that has no
      kernel for GPUs. Values of types that cards do not have here (bfloat16) go through the host
      in any case, and arguments that a GPU keeps in host memory stay there.

    Raises:
      NotFoundError: if there is no such op.

    Example:
      >>> runs_on("MatMul"), runs_on("Sum"), runs_on("Svd"), runs_on("StringJoin")
      ('card', 'card, rewritten', 'host', 'CPU only')
    """
    registry.op_defs.lookup(op_type)
    if any(kernel.own for kernel in registry.kernels_of(op_type).get("GPU", ())):
        return "card"
    devices = {entry.device_type for entry in table.entries(op_type) or ()}
    if not devices & {"GPU", "DEFAULT"}:
        return "CPU only"
    if op_type in NATIVE:
        return "card"
    return "card, rewritten" if op_type in REWRITTEN else "host"
