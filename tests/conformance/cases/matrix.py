"""Products of matrices, and of batches of them."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import fed

KINDS = ["float16", "bfloat16", "float32", "float64", "int32", "int64", "complex64", "complex128"]
TURNED = [(a, b) for a in (False, True) for b in (False, True)]


def matrix(*shape, start=1.0, dtype="float32"):
    values = (np.arange(np.prod(shape, dtype=int)) % 7 - 2 + start).reshape(shape)
    return values * (1 + 0.5j) if dtype.startswith("complex") else values


def constant(tf, *shape, start=1.0, dtype="float32"):
    return tf.constant(matrix(*shape, start=start, dtype=dtype), dtype)


@case("MatMul", each=KINDS)
def matmul(tf, dtype):
    a, b = constant(tf, 2, 3, dtype=dtype), constant(tf, 3, 4, start=2.0, dtype=dtype)
    return [
        tf.matmul(a, b),
        tf.matmul(b, a, True, True),
        tf.matmul(a, a, transpose_b=True),
        tf.matmul(a, a, transpose_a=True),
        tf.matmul(a, a, adjoint_b=True),
        a @ b,
        tf.matmul(a, a, adjoint_a=True, name="named"),
    ]


@case("BatchMatMulV2", each=[*KINDS, "int16"])
def matmul_of_batches(tf, dtype):
    a = constant(tf, 2, 2, 3, dtype=dtype)
    b = constant(tf, 2, 3, 4, start=2.0, dtype=dtype)
    return [
        tf.matmul(a, b),
        tf.matmul(a, a, transpose_b=True),
        tf.matmul(a, a, adjoint_a=True),
        tf.matmul(a, b[0]),
        tf.matmul(a[0], b),
        a @ b,
    ]


@case("BatchMatMulV2")
def batches_broadcast(tf):
    a, b = constant(tf, 5, 1, 2, 3), constant(tf, 4, 3, 2)
    x, feed = fed(tf, matrix(4, 1, 2, 3), shape=[None, 1, 2, 3])
    y, more = fed(tf, matrix(1, 2, 3, 2))
    return Program(
        [tf.matmul(a, b), tf.matmul(x, b), tf.matmul(x, y), tf.matmul(y, x, True, True)],
        feed={**feed, **more},
    )


@case("BatchMatMul", each=[d for d in KINDS if d != "int64"])
def matmul_of_older_graphs(tf, dtype):
    a, b = constant(tf, 2, 2, 3, dtype=dtype), constant(tf, 2, 3, 4, dtype=dtype)
    return [
        node(tf, "BatchMatMul", [a, b])[0],
        node(tf, "BatchMatMul", [a, a], adj_x=True)[0],
        node(tf, "BatchMatMul", [a, a], adj_y=True)[0],
    ]


@case("MatMul")
def python_lists(tf):
    x = tf.constant([[1.0, 2.0]])
    return [tf.matmul([[1, 2]], [[3], [4]]), x @ [[1], [2]], np.ones([1, 1]) @ x]


@case("MatMul")
def nothing_to_sum(tf):
    return [
        tf.matmul(tf.zeros([2, 0]), tf.zeros([0, 3])),
        tf.matmul(tf.zeros([0, 2]), tf.ones([2, 3])),
    ]


@case("MatMul")
def static_shapes(tf):
    x, feed = fed(tf, np.ones([2, 3]), shape=[None, 3])
    y, more = fed(tf, np.ones([3, 4]), shape=[None, None])
    z = tf.matmul(x, y)
    return Program(
        [z, tf.matmul(x, x, transpose_a=True), tf.matmul(y, x, True, True)], feed={**feed, **more}
    )


@case("BatchMatMulV2")
def unknown_rank(tf):
    x, feed = fed(tf, np.ones([2, 3]))
    return Program([tf.matmul(x, x, transpose_b=True), tf.matmul(x, tf.ones([3, 1]))], feed=feed)


# Errors -------------------------------------------------------------------------------------------


@case("MatMul", error="Shape must be rank 2 but is rank 1")
def matmul_of_a_vector(tf):
    return tf.matmul(tf.constant([1.0, 2.0]), tf.ones([2, 2]))


@case("MatMul", error="In[0] and In[1] has different ndims: [2,3,4] vs. [2,2]")
def matmul_of_ranks_that_differ(tf):
    return _fed_matrices(tf, [2, 3, 4], [2, 2])


@case("MatMul", error="In[0] and In[1] ndims must be == 2: 3")
def matmul_of_another_rank(tf):
    return _fed_matrices(tf, [2, 2, 2], [2, 2, 2])


def _fed_matrices(tf, first, second):
    x, feed = fed(tf, np.ones(first))
    y, more = fed(tf, np.ones(second))
    return Program(node(tf, "MatMul", [x, y]), feed={**feed, **more})


@case("BatchMatMulV2", error="Dimensions must be equal, but are 3 and 2")
def batches_that_do_not_fit(tf):
    return tf.matmul(tf.ones([2, 2, 3]), tf.ones([2, 2, 3]))


@case("BatchMatMulV2", error="Dimensions must be equal, but are 2 and 3")
def batches_of_other_sizes(tf):
    return tf.matmul(tf.ones([2, 2, 3]), tf.ones([3, 3, 2]))


@case("BatchMatMulV2", error="Shape must be at least rank 2 but is rank 1")
def a_batch_that_is_a_vector(tf):
    return tf.matmul(tf.ones([1]), tf.ones([3, 3, 2]))


def _fed_batches(tf, first, second, **turned):
    x, feed = fed(tf, np.ones(first))
    y, more = fed(tf, np.ones(second))
    return Program(tf.matmul(x, y, **turned), feed={**feed, **more})


@case("BatchMatMulV2", error="Matrix size-incompatible: In[0]: [2,2,3], In[1]: [2,2,3]")
def fed_batches_that_do_not_fit(tf):
    return _fed_batches(tf, [2, 2, 3], [2, 2, 3])


@case("BatchMatMulV2", error="must have compatible batch dimensions: [2,2,3] vs. [3,3,2]")
def fed_batches_of_other_sizes(tf):
    return _fed_batches(tf, [2, 2, 3], [3, 3, 2])


@case("BatchMatMulV2", error="In[0] ndims must be >= 2: 1")
def a_fed_batch_that_is_a_vector(tf):
    return _fed_batches(tf, [3], [3, 3, 2])


@case("BatchMatMul", error="Dimension 0 in both shapes must be equal, but are 2 and 1.")
def older_batches_do_not_broadcast(tf):
    return node(tf, "BatchMatMul", [tf.ones([2, 2, 3]), tf.ones([1, 3, 4])])


@case("MatMul", error="Input 'b' of 'MatMul' Op has type float32 that does not match type int32")
def matmul_of_other_dtypes(tf):
    return tf.matmul(tf.constant([[1]]), tf.constant([[1.0]]))


@case("MatMul", error="No OpKernel was registered to support Op 'MatMul'")
def matmul_of_a_dtype_without_kernel(tf):
    return tf.matmul(tf.constant([[1]], tf.uint8), tf.constant([[1]], tf.uint8))


@case("MatMul", error="Only one of `transpose_a` and `adjoint_a` can be True.")
def matmul_turned_twice(tf):
    return tf.matmul(tf.ones([2, 2]), tf.ones([2, 2]), transpose_a=True, adjoint_a=True)


@case("MatMul", error="Only one of `transpose_b` and `adjoint_b` can be True.")
def matmul_turned_twice_on_the_right(tf):
    return tf.matmul(tf.ones([2, 2]), tf.ones([2, 2]), transpose_b=True, adjoint_b=True)


# Gradients ----------------------------------------------------------------------------------------


@case("MatMul", each=[(d, *t) for d in ("float32", "complex128") for t in TURNED])
def gradients_of_matmul(tf, dtype, turn_a, turn_b):
    a = constant(tf, *((3, 2) if turn_a else (2, 3)), dtype=dtype)
    b = constant(tf, *((4, 3) if turn_b else (3, 4)), start=2.0, dtype=dtype)
    c = tf.matmul(a, b, turn_a, turn_b)
    return tf.gradients(c, [a, b], grad_ys=constant(tf, 2, 4, dtype=dtype))


@case("BatchMatMulV2", each=[(d, *t) for d in ("float32", "complex128") for t in TURNED])
def gradients_of_batches(tf, dtype, turn_a, turn_b):
    a = constant(tf, 2, *((3, 2) if turn_a else (2, 3)), dtype=dtype)
    b = constant(tf, 2, *((4, 3) if turn_b else (3, 4)), start=2.0, dtype=dtype)
    c = tf.matmul(a, b, adjoint_a=turn_a, adjoint_b=turn_b)
    return tf.gradients(c, [a, b], grad_ys=constant(tf, 2, 2, 4, dtype=dtype))


@case(
    "BatchMatMulV2", "BroadcastGradientArgs", each=[([5, 1, 2, 3], [4, 3, 2]), ([2, 3], [4, 3, 2])]
)
def gradients_of_batches_that_broadcast(tf, first, second):
    a, b = constant(tf, *first), constant(tf, *second)
    return tf.gradients(tf.matmul(a, b), [a, b])


@case("BatchMatMulV2", "BroadcastGradientArgs", each=[([2, 2, 3], [2, 3, 2]), ([2, 3], [3, 2])])
def gradients_of_batches_of_unknown_shape(tf, first, second):
    a, feed = fed(tf, matrix(*first))
    b, more = fed(tf, matrix(*second))
    return Program(tf.gradients(tf.matmul(a, b), [a, b]), feed={**feed, **more})


@case("BatchMatMul", each=TURNED)
def gradients_of_older_batches(tf, turn_a, turn_b):
    a = constant(tf, 2, *((3, 2) if turn_a else (2, 3)))
    b = constant(tf, 2, *((4, 3) if turn_b else (3, 4)), start=2.0)
    c = node(tf, "BatchMatMul", [a, b], adj_x=turn_a, adj_y=turn_b)[0]
    return tf.gradients(c, [a, b])


@case("MatMul")
def second_gradients(tf):
    a, b = constant(tf, 2, 3), constant(tf, 3, 2)
    first = tf.gradients(tf.square(tf.matmul(a, b)), a)[0]
    return tf.gradients(first, [a, b])
