"""How much an operation has to do, from its type and the static shapes of its inputs and outputs.

Unknown sizes are assumed: a dimension without a size counts as `UNKNOWN`, a shape without a rank
as one such dimension. An operation that calls functions counts as what it takes and gives.
"""

from __future__ import annotations

from dataclasses import dataclass

from tinytf.framework import dtypes
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor

#: What a dimension without a static size counts as: a small batch.
UNKNOWN = 32
_TEXT_BYTES = 32

#: They pass on what they get, or give what is there already.
VIEWS = frozenset(
    "Identity IdentityN RefIdentity Reshape Squeeze ExpandDims StopGradient PreventGradient "
    "EnsureShape GuaranteeConst Switch RefSwitch Merge RefMerge Enter RefEnter Exit RefExit "
    "NextIteration RefNextIteration LoopCond ReadVariableOp PlaceholderWithDefault".split()
)
#: They do not run: their value is there when the step starts.
GIVEN = frozenset({"Const", "Placeholder"})
_FREE = VIEWS | frozenset(
    "Variable VariableV2 VarHandleOp Shape ShapeN Rank Size VariableShape NoOp "
    "ControlTrigger IsVariableInitialized VarIsInitializedOp TensorArrayV3 StackV2".split()
)
#: Their outputs are state: it is there from the first step to the last.
STATE = frozenset("Variable VariableV2 VarHandleOp Const".split())

#: Element by element, but much more than one operation of arithmetic for each.
_FUNCTIONS = frozenset(
    "Acos Acosh Asin Asinh Atan Atan2 Atanh BesselI0 BesselI0e BesselI1 BesselI1e Betainc Cos Cosh "
    "Digamma Elu Erf Erfc Erfinv Exp Expm1 Igamma IgammaGradA Igammac Lgamma Log Log1p LogSoftmax "
    "Multinomial Ndtri Polygamma Pow RandomGamma RandomPoissonV2 RandomShuffle "
    "RandomStandardNormal RandomUniform RandomUniformInt Selu Sigmoid Sin Sinh Softmax "
    "SoftmaxCrossEntropyWithLogits Softplus SparseSoftmaxCrossEntropyWithLogits Tan Tanh "
    "TruncatedNormal Xlog1py Xlogy Zeta LRN LRNGrad CumulativeLogsumexp".split()
)
#: Multiples of n * n * n for a matrix of n rows (and of its other dimensions).
_LINEAR_ALGEBRA = {
    "Cholesky": 1 / 3,
    "LogMatrixDeterminant": 2 / 3,
    "MatrixDeterminant": 2 / 3,
    "MatrixInverse": 2,
    "MatrixSolve": 1,
    "MatrixSolveLs": 2,
    "MatrixTriangularSolve": 1,
    "Qr": 4,
    "SelfAdjointEigV2": 9,
    "Svd": 20,
}


@dataclass(frozen=True, slots=True)
class Amount:
    """What an operation has to do.

    Attributes:
      dense, functions, size: see `Rates`; size in bytes.
      runs: whether it runs at all. assumed: whether sizes had to be assumed.
    """

    dense: float = 0.0
    functions: float = 0.0
    size: float = 0.0
    runs: bool = True
    assumed: bool = False


def amount_of(op: Operation) -> Amount:
    """How much an operation has to do in one execution.

    Example:
      >>> from tinytf.simulation.amounts import amount_of
      >>> amount_of(tf.matmul(tf.zeros([10, 20]), tf.zeros([20, 30])).op)
      Amount(dense=12000.0, functions=0.0, size=4400.0, runs=True, assumed=False)
    """
    tensors = (*op.inputs, *op.outputs)
    assumed = any(t.shape.num_elements() is None for t in tensors if t.dtype.base_dtype.size)
    if op.type in GIVEN:
        return Amount(runs=False, assumed=assumed)
    if op.type in _FREE:
        return Amount(assumed=assumed)
    size = sum(size_of(t) for t in tensors if t.dtype.base_dtype != dtypes.resource)
    functions = 0.0
    if op.type in _FUNCTIONS or op.type.startswith("Stateless"):
        functions = float(max((elements(t) for t in tensors), default=0))
    return Amount(_dense(op), functions, float(size), assumed=assumed)


#: Which of the output and the inputs are a convolution's result, or its gradient, and its filter.
_CONVOLUTIONS = {
    **dict.fromkeys(["Conv2D", "Conv3D"], (0, 2)),
    **dict.fromkeys(["Conv2DBackpropInput", "Conv3DBackpropInputV2"], (3, 2)),
    **dict.fromkeys(["Conv2DBackpropFilter", "Conv3DBackpropFilterV2"], (3, 0)),
}


def _dense(op: Operation) -> float:
    inputs, outputs, kind = op.inputs, op.outputs, op.type
    if kind in ("MatMul", "SparseMatMul") or kind.startswith("BatchMatMul"):
        rows_first = op.attrs.get("transpose_a") or op.attrs.get("adj_x")
        common = _sizes(inputs[0], 2)[-2 if rows_first else -1]
        return 2.0 * elements(outputs[0]) * common
    if kind in _CONVOLUTIONS:
        result, filter = _CONVOLUTIONS[kind]
        tensors = [*outputs, *inputs]
        return 2.0 * elements(tensors[result]) * _product(_sizes(tensors[filter], 4)[:-1])
    if kind == "Einsum":  # as many sums as the operands allow at most
        return 2.0 * max(elements(t) for t in inputs) * _sizes(outputs[0], 1)[-1]
    if kind.startswith(("MaxPool", "AvgPool")):
        window = _product(op.attrs["ksize"])
        return float(max(elements(outputs[0]), elements(inputs[-1])) * window)
    if kind in _LINEAR_ALGEBRA:
        return float(_LINEAR_ALGEBRA[kind] * elements(inputs[0]) * _sizes(inputs[0], 2)[-1])
    return 0.0


def _sizes(tensor: Tensor, at_least: int) -> tuple[int, ...]:
    sizes = tensor.shape.sizes
    if sizes is None:
        return (UNKNOWN,) * at_least
    known = tuple(UNKNOWN if size is None else size for size in sizes)
    return (1,) * (at_least - len(known)) + known


def _product(sizes: tuple[int, ...]) -> int:
    product = 1
    for size in sizes:
        product *= size
    return product


def elements(tensor: Tensor) -> int:
    """How many elements a tensor has, as far as is known."""
    known = tensor.shape.num_elements()
    return _product(_sizes(tensor, 1)) if known is None else known


def size_of(tensor: Tensor) -> int:
    """The bytes of a tensor, as far as is known. For the handle of a variable: the variable's."""
    if tensor.dtype.base_dtype == dtypes.resource:
        if tensor.op.type != "VarHandleOp" or tensor.op.attrs["shape"].sizes is None:
            return 0
        sizes = tuple(UNKNOWN if s is None else s for s in tensor.op.attrs["shape"].sizes)
        return int(tensor.op.attrs["dtype"].size) * _product(sizes)
    return elements(tensor) * (tensor.dtype.base_dtype.size or _TEXT_BYTES)
