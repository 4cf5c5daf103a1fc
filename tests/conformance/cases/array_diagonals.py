"""Diagonals of tensors and of matrices, bands, the identity matrix."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import KINDS as ALL
from tests.conformance.values import fed, numbers

#: TensorFlow has kernels for numbers and bools.
KINDS = [kind for kind in ALL if kind != "string"]
ALIGNS = ["RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"]


@case("Diag", "DiagPart", each=["float32", "float16", "int32", "int64", "complex64"])
def diag(tf, dtype):
    x = numbers(tf, 2, 3, dtype=dtype)
    matrix = tf.diag(x)
    return [
        tf.diag(x[0]),
        matrix,
        tf.diag_part(matrix),
        tf.diag_part(numbers(tf, 3, 3)),
        tf.linalg.tensor_diag(x),
        tf.linalg.tensor_diag_part(matrix),
    ]


@case("Diag", "DiagPart", graph="types")
def gradients_of_diag(tf):
    x, matrix = numbers(tf, 3), numbers(tf, 2, 3, 2, 3)
    y = tf.reduce_sum(tf.diag(x) * numbers(tf, 3, 3))
    z = tf.reduce_sum(tf.diag_part(matrix) * numbers(tf, 2, 3))
    return [tf.gradients(y, x), tf.gradients(z, matrix)]


@case("Diag", error="", each=[((),), ((2, 0),)])
def diag_of(tf, shape):
    return tf.diag(tf.zeros(shape)) if not shape else tf.diag_part(tf.zeros([2, 3]))


@case("Diag", error="Input must be at least rank 1, got 0")
def diag_of_a_fed_scalar(tf):
    x, feed = fed(tf, 1.0)
    return Program(tf.diag(x), feed=feed)


@case("DiagPart", error="", each=[(2, 3), (2, 2, 2), (2, 3, 3, 2)])
def diag_part_that_fails_in_the_run(tf, *shape):
    x, feed = fed(tf, np.zeros(shape))
    return Program(tf.diag_part(x), feed=feed)


@case("DiagPart", error="Input must have even and non-zero rank, input rank is 3")
def diag_part_of_odd_rank(tf):
    return tf.diag_part(numbers(tf, 2, 2, 2))


@case("DiagPart", error="Dimensions must be equal, but are 2 and 3")
def diag_part_of_different_halves(tf):
    return tf.diag_part(numbers(tf, 2, 3))


@case("DiagPart", "Diag")
def static_shapes_of_diag(tf):
    x, y = tf.placeholder(tf.float32, [None, 2, 3, 2]), tf.placeholder(tf.float32, [None, 2])
    feeds = {x: np.zeros([3, 2, 3, 2]), y: np.ones([1, 2])}
    return Program([tf.diag_part(x), tf.diag(y)], feed=feeds)


# Matrices -------------------------------------------------------------------------------------


@case("MatrixDiagV3", each=[*KINDS, "float64"])
def matrix_diag(tf, dtype):
    x = numbers(tf, 2, 3, dtype=dtype)
    padding = False if dtype == "bool" else 0
    return [
        tf.matrix_diag(x, padding_value=padding),
        tf.matrix_diag(x[0], k=-1, padding_value=padding),
    ]


@case("MatrixDiagV3", each=ALIGNS)
def matrix_diag_of_bands(tf, align):
    x = numbers(tf, 2, 3, 4) + 1.0
    return [
        tf.matrix_diag(x, k=[-1, 1], align=align),
        tf.matrix_diag(x, k=[0, 2], align=align),
        tf.matrix_diag(x, k=[-3, -1], align=align, padding_value=9.0),
        tf.matrix_diag(x, k=[-1, 1], num_rows=5, align=align),
        tf.matrix_diag(x, k=[-1, 1], num_cols=5, num_rows=4, align=align),
        tf.linalg.diag(x, k=np.int32([1]), name="named") if align == "LEFT_LEFT" else x,
    ]


@case("MatrixDiagPartV3", each=ALIGNS)
def matrix_diag_part_of_bands(tf, align):
    x = numbers(tf, 2, 4, 5)
    return [
        tf.matrix_diag_part(x, k=[-2, 3], align=align, padding_value=-1.0),
        tf.matrix_diag_part(x, k=[1, 4], align=align),
        tf.matrix_diag_part(x, k=[-3, -1]),
        tf.matrix_diag_part(x, k=[0, 1], align=align),
        tf.matrix_diag_part(x, k=2),
        tf.matrix_diag_part(numbers(tf, 3, 2), k=-1),
        tf.linalg.diag_part(x),
    ]


@case("MatrixDiagPartV3", "MatrixSetDiagV3", each=KINDS)
def matrix_diag_part_and_set(tf, dtype):
    x, d = numbers(tf, 2, 3, 4, dtype=dtype), numbers(tf, 2, 3, dtype=dtype)
    padding = False if dtype == "bool" else 0
    return [tf.matrix_diag_part(x, padding_value=padding), tf.matrix_set_diag(x, d)]


@case("MatrixSetDiagV3", each=ALIGNS)
def matrix_set_diag_of_bands(tf, align):
    x, d = tf.zeros([2, 3, 4]), numbers(tf, 2, 3, 3) + 1.0
    return [
        tf.matrix_set_diag(x, d, k=[-1, 1], align=align),
        tf.matrix_set_diag(x, d[:, :2], k=[0, 1], align=align),
        tf.matrix_set_diag(x, d[:, 0, :2], k=-1),
        tf.linalg.set_diag(x[0], d[0, 0], name="named"),
    ]


@case(
    "MatrixDiag",
    "MatrixDiagPart",
    "MatrixSetDiag",
    "MatrixDiagV2",
    "MatrixDiagPartV2",
    "MatrixSetDiagV2",
)
def diagonals_of_old_graphs(tf):
    x, d = numbers(tf, 2, 3, 4), numbers(tf, 2, 3)
    band = numbers(tf, 2, 2, 3)
    zero, minus, k = tf.constant(0.0), tf.constant(-1), tf.constant([0, 1])
    one = {"T": tf.float32}
    return [
        node(tf, "MatrixDiag", [d], **one),
        node(tf, "MatrixDiagPart", [x], **one),
        node(tf, "MatrixSetDiag", [x, d], **one),
        node(tf, "MatrixDiagV2", [band, k, minus, minus, zero], **one),
        node(tf, "MatrixDiagPartV2", [x, tf.constant([-2, 1]), zero], **one),
        node(tf, "MatrixSetDiagV2", [x, band, k], **one),
    ]


@case("MatrixDiag", "MatrixDiagPart", "MatrixSetDiag", graph="types", each=[(3, 3), (3, 4)])
def gradients_of_diagonals_of_old_graphs(tf, *matrix):
    x, d = numbers(tf, 2, *matrix), numbers(tf, 2, 3)
    one = {"T": tf.float32}
    first = node(tf, "MatrixDiag", [d], **one)[0] * numbers(tf, 2, 3, 3)
    second = node(tf, "MatrixDiagPart", [x], **one)[0] * d
    third = node(tf, "MatrixSetDiag", [x, d], **one)[0] * numbers(tf, 2, *matrix)
    return tf.gradients([first, second, third], [x, d])


@case("MatrixDiagV3", "MatrixDiagPartV3", "MatrixSetDiagV3", graph="types", each=[0, (-1, 1)])
def gradients_of_diagonals(tf, *k):
    x = numbers(tf, 2, 3, 4)
    k = k[0] if len(k) == 1 else list(k)
    part = tf.matrix_diag_part(x, k=k, align="LEFT_RIGHT")
    y = tf.matrix_diag(part * part, k=k, align="LEFT_RIGHT")
    z = tf.matrix_set_diag(x, part * 3.0, k=k, align="LEFT_RIGHT")
    return tf.gradients([y, z * z], x)


@case("MatrixSetDiagV3", "MatrixDiagPartV3", graph="types")
def gradients_of_diagonals_of_unknown_shape(tf):
    x, d = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    y = tf.matrix_set_diag(x, d, k=[-1, 0])
    part = tf.matrix_diag_part(x, k=[-1, 0])
    feed = {x: np.arange(12.0).reshape(3, 4), d: np.ones([2, 3])}
    return Program([y, tf.gradients([y * y, part * part], [x, d])], feed=feed)


@case("MatrixDiagPartV3", "MatrixSetDiagV3", "MatrixDiagV3")
def static_shapes_of_diagonals(tf):
    x = tf.placeholder(tf.float32, [None, 3, None])
    y = tf.placeholder(tf.float32, [None, 3, 4])
    unknown, k = tf.placeholder(tf.float32), tf.placeholder(tf.int32, [])
    d, short = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [None, 3])
    fetches = [
        tf.matrix_diag_part(x),
        tf.matrix_diag_part(y, k=[0, 1]),
        tf.matrix_diag_part(y, k=k),
        tf.matrix_diag_part(unknown),
        tf.matrix_set_diag(y, d),
        tf.matrix_set_diag(unknown, d),
        tf.matrix_set_diag(y, d, k=k),
        tf.matrix_diag(short),
        tf.matrix_diag(d, k=k),
        tf.matrix_diag(short, num_rows=4),
        tf.matrix_diag(unknown),
    ]
    array = np.zeros([2, 3, 4])
    feed = {x: array, y: array, unknown: array, k: 0, d: np.ones([2, 3]), short: np.ones([2, 3])}
    return Program(fetches, feed=feed)


@case("MatrixDiagV3", "MatrixDiagPartV3", "MatrixSetDiagV3")
def diagonals_of_empty_matrices(tf):
    x = tf.zeros([2, 0, 3])
    return [
        tf.matrix_diag_part(x),
        tf.matrix_set_diag(x, tf.zeros([2, 0])),
        tf.matrix_diag(tf.zeros([0, 2])),
        tf.matrix_diag(tf.zeros([2, 0])),
    ]


WRONG_DIAG = [
    ((), 0, -1, -1, "at least rank 1 but is rank 0", "diagonal must be at least 1-dim"),
    ((2, 2), (1, 0), -1, -1, "lower_diag_index is greater", "lower_diag_index must not be larger"),
    ((2, 2), (1, 0, 2), -1, -1, "one or two elements. It has 3", "only one or two elements"),
    ((2, 2), (0, 2), -1, -1, "doesn't match the number of diagonals", "The number of diagonals"),
    ((2,), 0, 1, -1, "num_rows is too small", "The number of rows is too small."),
    ((2,), 1, 2, 2, "num_cols is too small.", "The number of columns is too small."),
    ((2,), 0, 3, 4, "num_rows and num_cols are not consistent", "The number of rows or columns"),
]


def _wrong_diag(tf, given, index):
    shape, k, rows, columns = WRONG_DIAG[index][:4]
    x, k = given(np.ones(shape, np.float32)), given(np.int32(k))
    return tf.matrix_diag(x, k=k, num_rows=given(np.int32(rows)), num_cols=given(np.int32(columns)))


@case("MatrixDiagV3", error="", each=range(len(WRONG_DIAG)))
def matrix_diag_that_does_not_fit(tf, index):
    return _wrong_diag(tf, tf.constant, index)


@case("MatrixDiagV3", error="", each=range(len(WRONG_DIAG)))
def matrix_diag_that_does_not_fit_in_the_run(tf, index):
    feed = {}

    def given(value):
        x = tf.placeholder(value.dtype)
        feed[x] = value
        return x

    return Program(_wrong_diag(tf, given, index), feed=feed)


@case("MatrixDiagPartV3", error="lower_diag_index is out of bound", each=[7, -3])
def a_diagonal_that_is_not_there(tf, k):
    return tf.matrix_diag_part(numbers(tf, 3, 4), k=k)


@case("MatrixDiagPartV3", error="upper_diag_index is out of bound")
def a_band_that_goes_too_far(tf):
    return tf.matrix_diag_part(numbers(tf, 3, 4), k=[0, 4])


@case("MatrixDiagPartV3", error=" It must be between -3 and 4", each=[(7,), (0, 9)])
def a_diagonal_that_is_not_there_in_the_run(tf, *k):
    x, feed = fed(tf, k[0] if len(k) == 1 else k, "int32")
    return Program(tf.matrix_diag_part(numbers(tf, 3, 4), k=x), feed=feed)


@case("MatrixDiagPartV3", "MatrixSetDiagV3", error="at least rank 2 but is rank 1", each=[0, 1])
def the_diagonal_of_a_vector(tf, which):
    x = numbers(tf, 3)
    return tf.matrix_set_diag(x, x) if which else tf.matrix_diag_part(x)


@case("MatrixDiagPartV3", error="input must be at least 2-dim, received shape: [3]")
def the_diagonal_of_a_fed_vector(tf):
    x, feed = fed(tf, [1, 2, 3])
    return Program(tf.matrix_diag_part(x), feed=feed)


@case(
    "MatrixSetDiagV3",
    error="Either first dimensions of diagonal don't match input.shape[:-2]",
    each=[((3, 4), (2,)), ((2, 3, 4), (1, 3))],
)
def a_diagonal_of_another_length(tf, matrix, diagonal):
    return tf.matrix_set_diag(tf.zeros(matrix), tf.ones(diagonal))


@case("MatrixSetDiag", error="Dimensions must be equal, but are 3 and 2")
def a_diagonal_of_another_length_in_old_graphs(tf):
    return node(tf, "MatrixSetDiag", [tf.zeros([3, 4]), tf.zeros([2])], T=tf.float32)


# Bands ----------------------------------------------------------------------------------------


@case("MatrixBandPart", each=KINDS)
def matrix_band_part(tf, dtype):
    x = numbers(tf, 2, 3, 4, dtype=dtype)
    return [
        tf.matrix_band_part(x, 0, 0),
        tf.matrix_band_part(x, -1, 0),
        tf.matrix_band_part(x, 0, -1),
        tf.matrix_band_part(x, 1, 2),
        tf.linalg.band_part(x, 3, 4),
        tf.matrix_band_part(x, -5, -5),
        tf.matrix_band_part(tf.zeros([0, 3]), np.int32(0), np.int32(0), name="named"),
    ]


@case(
    "MatrixBandPart", error="must be negative or less or equal to number of", each=[(4, 0), (0, 5)]
)
def a_band_that_is_too_wide(tf, lower, upper):
    return tf.matrix_band_part(numbers(tf, 3, 4), lower, upper)


@case("MatrixBandPart", error="input must be at least 2-dim, received shape: [3]")
def a_band_of_a_vector(tf):
    return tf.matrix_band_part(numbers(tf, 3), 0, 0)


@case("MatrixBandPart", error="num_lower must be scalar, got shape [1]")
def a_band_with_a_list_of_widths(tf):
    return tf.matrix_band_part(numbers(tf, 3, 3), [0], 0)


@case("MatrixBandPart", graph="types")
def gradient_of_matrix_band_part(tf):
    x = numbers(tf, 3, 4)
    y = tf.matrix_band_part(x, 1, 0)
    return tf.gradients(y * y, x)


# eye ------------------------------------------------------------------------------------------


@case("MatrixDiagV3", "MatrixSetDiagV3")
def eye(tf):
    n, feed = fed(tf, 3, "int32", [])
    sizes = tf.placeholder(tf.int32, [2])
    return Program(
        [
            tf.eye(2),
            tf.eye(2, 3),
            tf.eye(3, 2, dtype=tf.int32, name="named"),
            tf.eye(n),
            tf.eye(2, batch_shape=[2, 1]),
            tf.eye(n, 2),
            tf.eye(2, 3, batch_shape=sizes),
            tf.eye(0),
            tf.eye(2, dtype=tf.bool),
            tf.linalg.eye(np.int64(2)),
        ],
        feed={**feed, sizes: [1, 2]},
    )


@case("MatrixDiagV3", error="must be positive integer values. Received: num_rows=2.0")
def eye_of_a_fraction(tf):
    return tf.eye(2.0)


@case("Fill", error="Fill dimensions must be >= 0")
def eye_of_negative_size(tf):
    return tf.eye(-1)
