"""Signals: Fourier and cosine transforms.

Composites that TensorFlow builds of other nodes than tinytf does, to the same values and static
shapes, have graph="any": what they compute is a formula that can be written in several ways.
"""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import fed, varied, wave

COMPLEX = ["complex64", "complex128"]
REAL = ["float32", "float64"]


# Fourier transforms -------------------------------------------------------------------------------


@case("FFT", "IFFT", "FFT2D", "IFFT2D", "FFT3D", "IFFT3D", each=COMPLEX)
def fourier(tf, dtype):
    x = wave(tf, 2, 3, 5, dtype=dtype)
    return [
        tf.fft(x),
        tf.ifft(x),
        tf.fft2d(x),
        tf.ifft2d(x),
        tf.fft3d(x),
        tf.ifft3d(x, name="named"),
        tf.signal.fft(x[0, 0]),
        tf.spectral.ifft2d(x[0]),
        tf.signal.ifft3d([[[1.0, 2.0]]]),
    ]


@case("FFT", "IFFT2D")
def fourier_of_other_sizes(tf):
    x, feed = fed(tf, varied(3, 7).astype("complex64"), "complex64")
    return Program(
        [
            tf.fft(x),
            tf.ifft2d(x),
            tf.fft(tf.zeros([2, 0], tf.complex64)),
            tf.fft([1, 2]),
            tf.ifft2d(tf.zeros([2, 0, 3], tf.complex64)),
            tf.fft(wave(tf, 16)),
            tf.fft([1 + 1j]),
        ],
        feed=feed,
    )


@case("FFT2D", error="Shape must be at least rank 2 but is rank 1")
def fourier_of_too_few_dimensions(tf):
    return tf.fft2d([1 + 1j, 2])


@case("FFT3D", error="Input must have rank of at least 3 but got: [2,2]")
def fourier_of_too_few_fed_dimensions(tf):
    x, feed = fed(tf, np.ones([2, 2]), "complex64")
    return Program(tf.fft3d(x), feed=feed)


@case("FFT", error="not in list of allowed values: complex64, complex128")
def fourier_of_floats(tf):
    return tf.fft(tf.constant([1.0, 2.0]))


@case("FFT", "IFFT", "FFT2D", "IFFT2D", "FFT3D", "IFFT3D", each=COMPLEX)
def fourier_gradients(tf, dtype):
    x = wave(tf, 2, 3, 5, dtype=dtype)
    above = wave(tf, 2, 3, 5, dtype=dtype) * 2.0
    names = ("fft", "ifft", "fft2d", "ifft2d", "fft3d", "ifft3d")
    return [tf.gradients(getattr(tf.signal, name)(x), x, above) for name in names]


@case("RFFT", "IRFFT", "RFFT2D", "IRFFT2D", "RFFT3D", "IRFFT3D", each=REAL)
def real_fourier(tf, dtype):
    x, y = wave(tf, 2, 3, 5, dtype=dtype), wave(tf, 2, 3, 5)
    y = tf.cast(y, "complex64" if dtype == "float32" else "complex128")
    return [
        tf.signal.rfft(x),
        tf.signal.rfft2d(x),
        tf.signal.rfft3d(x, name="named"),
        tf.signal.irfft(y),
        tf.signal.irfft2d(y),
        tf.signal.irfft3d(y),
        tf.spectral.rfft(x, [4]),
        tf.spectral.rfft(x, [8]),
        tf.spectral.rfft2d(x, [2, 6]),
        tf.spectral.rfft3d(x, [3, 3, 3]),
        tf.spectral.irfft(y, [7]),
        tf.spectral.irfft(y, [12]),
        tf.spectral.irfft2d(y, [4, 9]),
        tf.spectral.irfft3d(y, [1, 2, 3]),
        tf.signal.rfft([1.0, 2.0, 3.0]),
        tf.signal.irfft([1, 2]),
    ]


@case("RFFT", "IRFFT2D")
def real_fourier_of_unknown_shapes(tf):
    x, feed = fed(tf, varied(3, 4), "float32", [None, None])
    y, more = fed(tf, varied(3, 4), "complex64", [3, None])
    n, last = fed(tf, [5], "int32", [1])
    return Program(
        [
            tf.signal.rfft(x),
            tf.signal.rfft(x, [7]),
            tf.signal.rfft(x, n),
            tf.signal.irfft2d(y),
            tf.signal.irfft(y, [9]),
            tf.signal.irfft(y, n),
        ],
        feed={**feed, **more, **last},
    )


@case("RFFT", "IRFFT")
def real_fourier_of_unknown_ranks(tf):
    x, feed = fed(tf, varied(3, 4), "float32")
    y, more = fed(tf, varied(3, 4), "complex64")
    return Program([tf.signal.rfft(x), tf.signal.irfft(y, [9])], feed={**feed, **more})


@case("RFFT")
def real_fourier_of_nothing(tf):
    shapes = ([0], [3, 0], [0, 4])
    return [tf.signal.rfft(tf.zeros(shape)) for shape in shapes]


@case(error="RFFT requires tf.float32 or tf.float64 inputs, got: ")
def real_fourier_of_integers(tf):
    return tf.signal.rfft(tf.constant([1, 2]))


@case(error="IRFFT requires tf.complex64 or tf.complex128 inputs, got: ")
def inverse_real_fourier_of_floats(tf):
    return tf.signal.irfft(tf.constant([1.0, 2.0]))


@case(error="must have rank at least 2")
def real_fourier_of_too_few_dimensions(tf):
    return tf.signal.rfft2d([1.0, 2.0])


@case("RFFT", error="Dimension must be 1 but is 2")
def real_fourier_of_too_many_lengths(tf):
    return tf.signal.rfft([1.0, 2.0], [2, 2])


@case("RFFT", error="fft_length[0] must >= 0, but got: -4")
def real_fourier_of_negative_length(tf):
    return tf.signal.rfft([1.0, 2.0], [-4])


@case("RFFT", error="Input must have rank of at least 1 but got: []")
def real_fourier_of_a_fed_scalar(tf):
    x, feed = fed(tf, 1.0)
    return Program(tf.signal.rfft(x), feed=feed)


@case("IRFFT", error="", each=[[[1], None], [[4], [0]]])
def real_fourier_of_length_zero(tf, shape, length):
    return tf.signal.irfft(tf.ones(shape, tf.complex64), length)


def real_node(tf, op_type, value, lengths, **attrs):
    return node(tf, op_type, [tf.constant(value), lengths], **attrs)[0]


@case("RFFT", error="Input dimension 0 must have length of at least 4 but got: 3")
def real_fourier_node_of_too_short_an_input(tf):
    return real_node(tf, "RFFT", np.ones(3, "f"), tf.constant([4]), Treal=tf.float32)


@case("IRFFT", error="Input dimension 1 must have length of at least 4 but got: 3")
def inverse_real_fourier_node_of_too_short_an_input(tf):
    return real_node(tf, "IRFFT", np.ones([1, 3], "F"), tf.constant([7]), Tcomplex=tf.complex64)


@case("RFFT", error="fft_length must have shape [1]")
def real_fourier_node_of_fed_lengths(tf):
    n, feed = fed(tf, [2, 2], "int32")
    return Program(real_node(tf, "RFFT", np.ones(3, "f"), n, Treal=tf.float32), feed=feed)


@case("RFFT", error="Wrong types for forward real FFT: in=2 out=8")
def real_fourier_node_of_wrong_types(tf):
    x = np.ones(3)
    return real_node(tf, "RFFT", x, tf.constant([2]), Treal=tf.float64, Tcomplex=tf.complex64)


# TensorFlow adds up the numbers that stand alone; here a complex transform takes zeros for the half
# of the spectrum that is left out. Both are the same sum.
@case("RFFT", "IRFFT", "RFFT2D", "IRFFT2D", each=REAL, graph="any")
def real_fourier_gradients(tf, dtype):
    found = []
    for name, given, sizes in [
        ("rfft", (3, 4), None),
        ("rfft", (3, 5), [5]),
        ("rfft", (6,), [6]),
        ("rfft2d", (3, 4), None),
        ("rfft2d", (2, 3, 5), [3, 6]),
        ("irfft", (3, 4), None),
        ("irfft", (2, 4), [7]),
        ("irfft", (3,), [6]),
        ("irfft2d", (3, 4), None),
        ("irfft2d", (2, 3, 3), [3, 5]),
    ]:
        kind = dtype if name[0] == "r" else "complex64" if dtype == "float32" else "complex128"
        x = wave(tf, *given, dtype=kind)
        y = getattr(tf.signal, name)(x, sizes)
        above = wave(tf, *y.shape.as_list(), dtype=y.dtype.name)
        found += tf.gradients(y, x, above)
    return found


@case("RFFT", "IRFFT", graph="any")  # see above
def real_fourier_gradients_of_unknown_shapes(tf):
    x, feed = fed(tf, varied(3, 4), "float32", [None, None])
    y, more = fed(tf, varied(3, 4), "complex64", [3, None])
    first = tf.gradients(tf.abs(tf.signal.rfft(x) + 3.0), x)
    return Program(
        [first, tf.gradients(tf.square(tf.signal.irfft(y, [7])), y)], feed={**feed, **more}
    )


@case("Roll")
def shifts(tf):
    x = tf.constant(np.arange(30).reshape(5, 6))
    y, feed = fed(tf, np.arange(5), "int32")
    return Program(
        [
            function(x, *axes)
            for function in (tf.signal.fftshift, tf.signal.ifftshift)
            for axes in ((), (0,), (-1,), ([-1],), ((0, 1),))
        ]
        + [tf.signal.fftshift(y, axes=0), tf.signal.ifftshift(y, 0, name="named")],
        feed=feed,
    )


@case(error="")
def shift_of_unknown_rank(tf):
    return tf.signal.fftshift(tf.placeholder(tf.float32))


# Cosine transforms --------------------------------------------------------------------------------

NORMS = [(1, None), (2, None), (2, "ortho"), (3, None), (3, "ortho"), (4, None), (4, "ortho")]


@case("RFFT", each=[(t, *k) for t in REAL for k in NORMS if k[0] != 3])
def cosine(tf, dtype, kind, norm):
    x = wave(tf, 2, 5, dtype=dtype)
    return [
        tf.signal.dct(x, kind, norm=norm),
        tf.spectral.dct(x[0], type=kind, norm=norm, name="n"),
        tf.signal.dct(x, kind, n=3, norm=norm),
        tf.signal.dct(x, kind, n=8, norm=norm),
    ]


@case("IRFFT", each=["ortho", None])
def cosine_of_the_third_type(tf, norm):
    x = wave(tf, 2, 5, dtype="float32")
    return [tf.signal.dct(x, 3, norm=norm), tf.signal.dct(x, 3, n=7, norm=norm)]


@case("RFFT", each=NORMS, graph="any")  # of its own inverse: names of nodes alone differ
def inverse_cosine(tf, kind, norm):
    x = wave(tf, 2, 6, dtype="float32")
    return [tf.signal.idct(x, kind, norm=norm), tf.signal.idct(tf.signal.dct(x, kind), kind)]


@case("RFFT", each=NORMS, graph="any")  # TensorFlow has a conditional for n
def cosine_of_unknown_shapes(tf, kind, norm):
    x, feed = fed(tf, varied(3, 5), "float32", [None, None])
    return Program(
        [
            tf.signal.dct(x, kind, norm=norm),
            tf.signal.dct(x, kind, n=4, norm=norm),
            tf.signal.dct(x, kind, n=8, norm=norm),
        ],
        feed=feed,
    )


@case(error="n should be a positive integer or None")
def cosine_of_nothing(tf):
    return tf.signal.dct([1.0, 2.0], n=0)


@case(error="Types I, II, III and IV (I)DCT are supported.")
def cosine_of_the_fifth_type(tf):
    return tf.signal.dct([1.0, 2.0], 5)


@case(error="axis must be -1. Got: 0")
def cosine_of_another_axis(tf):
    return tf.signal.idct([[1.0, 2.0]], axis=0)


@case(error="Normalization is not supported for the Type-I DCT.")
def cosine_of_the_first_type_with_norm(tf):
    return tf.signal.dct([1.0, 2.0], 1, norm="ortho")


@case(error="Type-I DCT requires the dimension to be greater than one.")
def cosine_of_the_first_type_of_one(tf):
    return tf.signal.dct(tf.constant([1.0]), 1)


@case(error="Unknown normalization. Expected None or 'ortho', got: x")
def cosine_of_another_norm(tf):
    return tf.signal.dct([1.0, 2.0], norm="x")
