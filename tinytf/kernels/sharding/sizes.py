"""When a kernel is worth splitting, and into how many shards.

All numbers here were measured by `benchmarks/sharding.py` (two cores of an AMD EPYC 9004 in a
virtual machine, numpy 2.4, OpenBLAS 0.3.31; nothing else was running). There, a thread that sleeps
begins its first shard 45 us after it is called, and the caller, if it has to sleep until the last
shard of another ends, wakes up 45 us after that. Between two calls of numpy a thread needs the
interpreter's lock for a moment; if another holds it then, it sleeps, and wakes up as late. So
splitting pays from 250 us on, a little later for kernels that call numpy often; one shard for each
thread is best; and two where each call of numpy still takes long: who begins late does one only.
"""

from __future__ import annotations

#: Nothing that takes less time than this on one thread is split ...
WORTH_NS = 250_000
#: ... and for each call of numpy that a kernel makes it has to take so much longer.
CALL_NS = 10_000
#: Two shards for each thread if each call of numpy in them takes at least so long.
LONG_CALL_NS = 60_000

#: Nanoseconds for an element of the largest input, on one thread, in 32 bits (of what is read along
#: different axes the quickest); twice as long in 64. What is not here costs DEFAULT_NS.
DEFAULT_NS = 0.3
_MEASURED = {
    0.05: "LogicalNot LogicalOr LogicalAnd All Any IsNan IsFinite IsInf",
    0.1: "Floor Round Abs Invert Rint Square Ceil Neg Conj Less LessEqual Greater GreaterEqual "
    "Equal NotEqual Sum Mean Prod AddV2 Add Sub Mul Div RealDiv BitwiseAnd BitwiseOr BitwiseXor "
    "Minimum Maximum Cast AddN AccumulateNV2 Min Max BiasAddGrad",
    0.2: "EuclideanNorm ArgMin ArgMax BiasAdd Inv Reciprocal Relu SquaredDifference FloorDiv "
    "ApplyGradientDescent TruncateDiv LeftShift RightShift TanhGrad ApproximateEqual",
    0.3: "ReluGrad MaxPool SigmoidGrad Softsign Cosh Sqrt Expm1 Sinh Log Tanh SoftsignGrad",
    0.4: "Relu6Grad ApplyMomentum Atan Tan Sign AvgPool Log1p Exp SqrtGrad Sin Cos Rsqrt InvGrad "
    "ReciprocalGrad ComplexAbs Angle",
    0.7: "Asinh RsqrtGrad Relu6 Sigmoid EluGrad SeluGrad Atan2 ApplyAdagrad SoftplusGrad Pow",
    1.5: "MaxPoolGrad",
    1.3: "Softmax LogSoftmax SparseSoftmaxCrossEntropyWithLogits LeakyRelu LeakyReluGrad Xdivy "
    "MulNoNan DivNoNan ApplyAdam ApplyProximalGradientDescent ApplyRMSProp Elu Selu Xlogy Xlog1py",
    1.9: "SoftmaxCrossEntropyWithLogits ApplyCenteredRMSProp ApplyAdagradDA ApplyProximalAdagrad "
    "ApplyAdadelta Atanh Asin Acos",
    3.5: "SelectV2 Select NextAfter Acosh ApplyFtrl ApplyFtrlV2",
    10.0: "FloorMod Mod TruncateMod Softplus",
}
NS_PER_ELEMENT = {name: cost for cost, names in _MEASURED.items() for name in names.split()}

#: How often kernels call numpy for their arrays; those not here once. (Where much is copied
#: besides, or calls are short, more than that: it is from so much work on that splitting paid.)
_CALLS = {
    2: "Relu ReluGrad Relu6 Rsqrt SquaredDifference FloorDiv Softplus ApplyGradientDescent AddN "
    "AccumulateNV2",
    4: "Relu6Grad Sigmoid SigmoidGrad TanhGrad Softsign SoftsignGrad LeakyRelu LeakyReluGrad "
    "SqrtGrad ReciprocalGrad InvGrad DivNoNan MulNoNan ApproximateEqual",
    6: "Elu EluGrad Selu SeluGrad SoftplusGrad RsqrtGrad ApplyMomentum Xdivy Xlogy Xlog1py "
    "FloorMod Softmax LogSoftmax ApplyAdam",
    20: "SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits MaxPool MaxPoolGrad",
    60: "AvgPool ApplyAdagrad ApplyProximalGradientDescent ApplyAdagradDA ApplyFtrl "
    "ApplyProximalAdagrad ApplyRMSProp ApplyCenteredRMSProp ApplyAdadelta ApplyFtrlV2",
}
CALLS = {name: calls for calls, names in _CALLS.items() for name in names.split()}

#: Multiplications in a nanosecond, by dtype, of matrices; of others (integers) 1.
PRODUCTS_PER_NS = {"float32": 45.0, "float64": 22.0, "complex64": 11.0, "complex128": 5.5}
#: Where BLAS is held to one thread, products are worth splitting from this time on. (Where it is
#: not, they are never split. Its own threads do not sleep between products: two of them take a
#: product of 0.3 ms in 0.17, and from 4 ms on our panels are as quick, where nothing else runs.
#: Where something does, ours are quicker: a product of 300 x 784 x 512 took OpenBLAS 8 to 16 ms
#: beside another busy process, our panels 2.8.) Convolutions copy images into rows besides, which
#: is most of the work where channels are few: so they take twice as long and more.
PRODUCTS_WORTH_NS, CONVOLUTIONS_WORTH_NS = 500_000, 200_000


def cost_of(op_type: str, item_size: int = 4) -> float:
    """Nanoseconds for an element of the result of an op type."""
    return NS_PER_ELEMENT.get(op_type, DEFAULT_NS) * max(1.0, item_size / 4)


def shards_for(nanoseconds: float, threads: int, calls: int = 1) -> int:
    """How many shards something is worth that takes so long on one thread; 1: leave it whole.

    Args:
      calls: how often the kernel calls numpy.
    """
    if nanoseconds < WORTH_NS + (calls - 1) * CALL_NS or threads < 2:
        return 1
    are_long = nanoseconds >= 2 * threads * calls * LONG_CALL_NS
    return 2 * threads if are_long else threads


def calls_of(op_type: str) -> int:
    """How often the kernel of an op type calls numpy."""
    return CALLS.get(op_type, 1)


def edges(size: int, count: int, unit: int = 1) -> list[int]:
    """Where about `count` shards of `size` rows begin, and the end: all but it multiples of `unit`.

    Example:
      >>> edges(100, 3, unit=16)
      [0, 32, 64, 100]
    """
    places = {round(size * number / count / unit) * unit for number in range(count)}
    return [*sorted(place for place in places if place < size), size]
