"""Signals: frames, windows, spectra, mel frequencies.

Composites that TensorFlow builds of other nodes than tinytf does, to the same values and static
shapes, have graph="any": what they compute is a formula that can be written in several ways.
"""

from tests.conformance.registry import Program, case
from tests.conformance.values import fed, varied, wave

REAL = ["float32", "float64"]


# Frames -------------------------------------------------------------------------------------------

FRAMES = [(2, 1), (3, 2), (2, 3), (4, 6), (9, 1), (5, 5), (1, 1)]


@case("GatherV2", each=[(n, s, p) for n, s in FRAMES for p in (False, True)], graph="any")
def frames(tf, length, step, pad_end):
    x = tf.constant(varied(2, 7, 3), tf.float32)
    return [
        tf.signal.frame(x[0, :, 0], length, step, pad_end),
        tf.signal.frame(x, length, step, pad_end),
        tf.signal.frame(x, length, step, pad_end, pad_value=7, axis=1, name="named"),
        tf.signal.frame(tf.cast(x * 9.0, tf.int32), length, step, pad_end, axis=0),
    ]


@case("GatherV2", graph="any")
def frames_of_unknown_shapes(tf):
    x, feed = fed(tf, varied(2, 7), "float32")
    y, more = fed(tf, varied(2, 7), "float32", [None, None])
    n, last = fed(tf, 3, "int32", [])
    return Program(
        [
            tf.signal.frame(x, 3, 2),
            tf.signal.frame(x, 3, 2, True, pad_value=1.5),
            tf.signal.frame(y, 3, 2, True),
            tf.signal.frame(y, n, n),
            tf.signal.frame(y, n, 2, True),
            tf.signal.frame(x, n, n, axis=0),
        ],
        feed={**feed, **more, **last},
    )


@case("GatherV2", graph="any")
def frames_of_texts(tf):
    return tf.signal.frame(tf.constant(["a", "b", "c"]), 2, 1)


@case(error="must have rank at least 1")
def frames_of_a_scalar(tf):
    return tf.signal.frame(tf.constant(1.0), 2, 1)


@case(error="Shape (1,) must have rank 0", each=[([2], 1), (2, [1])])
def frames_of_several_lengths(tf, length, step):
    return tf.signal.frame(tf.constant([1.0]), length, step)


@case(error="Integer division by zero", graph="any")
def frames_that_do_not_move_on(tf):
    n, feed = fed(tf, 0, "int32", [])
    return Program(tf.signal.frame(tf.constant([1, 2, 3]), 2, n), feed=feed)


@case("Sum", each=[1, 2, 3, 4, 5, 9], graph="any")
def overlapping(tf, step):
    x = tf.constant(varied(2, 3, 5), tf.float32)
    return [
        tf.signal.overlap_and_add(x, step),
        tf.signal.overlap_and_add(x[0], step, name="named"),
        tf.signal.overlap_and_add(tf.cast(x * 9.0, tf.int32), step),
    ]


@case("Sum", graph="any")
def overlapping_of_unknown_shapes(tf):
    x, feed = fed(tf, varied(2, 3, 4), "float32")
    y, more = fed(tf, varied(3, 4), "float32", [None, 4])
    n, last = fed(tf, 3, "int32", [])
    return Program(
        [
            tf.signal.overlap_and_add(x, 2),
            tf.signal.overlap_and_add(y, 3),
            tf.signal.overlap_and_add(x, n),
        ],
        feed={**feed, **more, **last},
    )


@case("Sum", graph="any")
def frames_gradients(tf):
    x = tf.constant(varied(7), tf.float32)
    y = tf.constant(varied(3, 4), tf.float32)
    return [
        tf.gradients(tf.square(tf.signal.frame(x, 3, 2)), x),
        tf.gradients(tf.square(tf.signal.frame(x, 3, 2, True)), x),
        tf.gradients(tf.square(tf.signal.overlap_and_add(y, 2)), y),
    ]


@case(error="must have rank at least 2")
def overlapping_of_a_vector(tf):
    return tf.signal.overlap_and_add(tf.constant([1.0]), 2)


@case(error="frame_step must be an integer. Got <dtype: 'float32'>")
def overlapping_with_half_a_step(tf):
    return tf.signal.overlap_and_add(tf.ones([2, 3]), 1.5)


@case(error="Paddings must be non-negative")
def overlapping_without_a_step(tf):
    return tf.signal.overlap_and_add(tf.ones([2, 3]), 0)


# Windows ------------------------------------------------------------------------------------------


@case("Cos", each=[(n, t) for n in (2, 4, 7) for t in ("float16", *REAL)])
def raised_cosines(tf, length, dtype):
    dtype = tf.as_dtype(dtype)
    return [
        tf.signal.hann_window(length, dtype=dtype),
        tf.signal.hamming_window(length, dtype=dtype),
        tf.signal.hann_window(length, periodic=False, dtype=dtype, name="named"),
        tf.signal.hamming_window(length, False, dtype),
    ]


@case("Merge", each=[1, 4])
def raised_cosines_of_unknown_lengths(tf, length):
    n, feed = fed(tf, length, "int32", [])
    return Program([tf.signal.hann_window(n), tf.signal.hamming_window(n, False)], feed=feed)


@case()
def windows_of_almost_nothing(tf):
    return [
        tf.signal.hann_window(1),
        tf.signal.hamming_window(0),
        tf.signal.kaiser_window(1),
        tf.signal.vorbis_window(0),
        tf.signal.vorbis_window(1),
        tf.signal.kaiser_bessel_derived_window(2),
    ]


@case("BesselI0e", each=[(n, t) for n in (2, 5, 8) for t in REAL])
def kaiser(tf, length, dtype):
    dtype = tf.as_dtype(dtype)
    return [
        tf.signal.kaiser_window(length, dtype=dtype),
        tf.signal.kaiser_window(length, 3.0, dtype, name="named"),
        tf.signal.kaiser_bessel_derived_window(length, dtype=dtype),
        tf.signal.kaiser_bessel_derived_window(length, beta=4.0, dtype=dtype),
        tf.signal.vorbis_window(length, dtype=dtype),
    ]


@case("BesselI0e")
def kaiser_of_unknown_lengths(tf):
    n, feed = fed(tf, 6, "int32", [])
    return Program(
        [
            tf.signal.kaiser_window(n),
            tf.signal.kaiser_bessel_derived_window(n),
            tf.signal.vorbis_window(n),
        ],
        feed=feed,
    )


WINDOWS = [
    "hann_window",
    "hamming_window",
    "kaiser_window",
    "kaiser_bessel_derived_window",
    "vorbis_window",
]


@case(error="dtype must be a floating point type. Found <dtype: 'int32'>", each=WINDOWS)
def windows_of_integers(tf, name):
    return getattr(tf.signal, name)(4, dtype=tf.int32)


@case(error="Shape (1,) must have rank 0", each=WINDOWS)
def windows_of_several_lengths(tf, name):
    return getattr(tf.signal, name)([4])


# Spectra ------------------------------------------------------------------------------------------


@case("RFFT", each=REAL, graph="any")
def short_time(tf, dtype):
    x = wave(tf, 2, 21, dtype=dtype)
    return [
        tf.signal.stft(x, 6, 3),
        tf.signal.stft(x[0], 8, 4, name="named"),
        tf.signal.stft(x, 6, 3, 16, pad_end=True),
        tf.signal.stft(x, 6, 2, 4),
        tf.signal.stft(x, 5, 2, window_fn=None),
        tf.signal.stft(x, 5, 2, window_fn=tf.signal.hamming_window),
    ]


@case("RFFT", graph="any")
def short_time_of_unknown_shapes(tf):
    x, feed = fed(tf, varied(2, 21), "float32")
    n, more = fed(tf, 6, "int32", [])
    return Program(
        [tf.signal.stft(x, 6, 3), tf.signal.stft(x, n, 3), tf.signal.stft(x, n, n, n)],
        feed={**feed, **more},
    )


@case("IRFFT", each=REAL, graph="any")
def short_time_and_back(tf, dtype):
    x = wave(tf, 2, 20, dtype=dtype)
    window = tf.signal.inverse_stft_window_fn(3, name="named")
    spectra = tf.signal.stft(x, 6, 3)
    return [
        tf.signal.inverse_stft(spectra, 6, 3),
        tf.signal.inverse_stft(spectra, 6, 3, 8),
        tf.signal.inverse_stft(spectra, 6, 3, window_fn=window, name="n"),
        tf.signal.inverse_stft(spectra, 8, 3),
        tf.signal.inverse_stft(spectra, 10, 3, 8),
        tf.signal.inverse_stft(spectra, 5, 2, window_fn=None),
    ]


@case("IRFFT", graph="any")
def short_time_and_back_of_unknown_shapes(tf):
    x, feed = fed(tf, varied(2, 3, 5), "complex64")
    n, more = fed(tf, 6, "int32", [])
    return Program(
        [
            tf.signal.inverse_stft(x, 6, 3),
            tf.signal.inverse_stft(x, n, 3, 8),
            tf.signal.inverse_stft(x, 10, n, n),
        ],
        feed={**feed, **more},
    )


@case("Square", each=[(4, 2), (5, 2), (6, 4), (3, 3)], graph="any")
def inverse_windows(tf, length, step):
    n, feed = fed(tf, step, "int32", [])
    make = tf.signal.inverse_stft_window_fn
    return Program(
        [
            make(step, tf.signal.hamming_window)(length, dtype=tf.float32),
            make(step, tf.signal.hamming_window)(length, dtype=tf.float64),
            make(n, forward_window_fn=tf.signal.vorbis_window)(length, dtype=tf.float32),
        ],
        feed=feed,
    )


@case(error="Shape (1,) must have rank 0", each=[([6], 3), (6, [3])])
def short_time_of_several_lengths(tf, length, step):
    return tf.signal.stft(tf.ones([9]), length, step)


@case(error="must have rank at least 2")
def short_time_and_back_of_a_vector(tf):
    return tf.signal.inverse_stft(tf.ones([9], tf.complex64), 4, 2)


@case("RFFT", each=[(t, n) for t in REAL for n in (None, "ortho")], graph="any")
def modified_cosines(tf, dtype, norm):
    x = wave(tf, 2, 26, dtype=dtype)
    folded = tf.signal.mdct(x, 8, norm=norm)
    return [
        folded,
        tf.signal.mdct(x[0], 4, norm=norm, pad_end=True, name="named"),
        tf.signal.mdct(x, 4, None, norm=norm),
        tf.signal.mdct(x, 4, tf.signal.kaiser_bessel_derived_window, norm=norm),
        tf.signal.inverse_mdct(folded, norm=norm),
        tf.signal.inverse_mdct(folded, None, norm=norm),
        tf.signal.inverse_mdct(folded[0], name="n"),
    ]


@case("RFFT", graph="any")
def modified_cosines_of_unknown_shapes(tf):
    x, feed = fed(tf, varied(2, 26), "float32", [None, None])
    n, more = fed(tf, 8, "int32", [])
    y, last = fed(tf, varied(2, 3, 4), "float32", [None, None, 4])
    return Program(
        [tf.signal.mdct(x, 8), tf.signal.mdct(x, n), tf.signal.inverse_mdct(y)],
        feed={**feed, **more, **last},
    )


@case(error="The frame length must be a multiple of 4.")
def modified_cosines_of_six(tf):
    return tf.signal.mdct(tf.ones([8]), 6)


@case(error="Unknown normalization. Expected None or 'ortho', got: x")
def modified_cosines_of_another_norm(tf):
    return tf.signal.mdct(tf.ones([8]), 4, norm="x")


@case(error="must have rank at least 2")
def modified_cosines_of_a_vector_back(tf):
    return tf.signal.inverse_mdct(tf.ones([8]))


# Mel frequencies ----------------------------------------------------------------------------------


@case("Pad", graph="any")
def mel(tf):
    n, feed = fed(tf, 8, "int32", [])
    make = tf.signal.linear_to_mel_weight_matrix
    return Program(
        [
            make(),
            make(3, 8),
            make(3, 8, 16000.0, 100.0, 7000.0, tf.float64, name="named"),
            make(5, n),
            make(4, 9, tf.constant(16000)),
            make(4, 9, sample_rate=n * 1000),
            make(8, 257, 16000, upper_edge_hertz=7600.0),
        ],
        feed=feed,
    )


@case(
    each=[
        ("num_mel_bins", 0),
        ("lower_edge_hertz", -1.0),
        ("lower_edge_hertz", 4000.0),
        ("upper_edge_hertz", 5000.0),
        ("sample_rate", 0),
    ],
    error="",
)
def mel_of_nothing(tf, name, value):
    return tf.signal.linear_to_mel_weight_matrix(**{name: value})


@case(error="dtype must be a floating point type. Got: <dtype: 'int32'>")
def mel_of_integers(tf):
    return tf.signal.linear_to_mel_weight_matrix(dtype=tf.int32)


@case("Rsqrt", graph="any")
def cepstral_coefficients(tf):
    x, feed = fed(tf, varied(2, 5), "float32")
    make = tf.signal.mfccs_from_log_mel_spectrograms
    return Program(
        [make(x), make(wave(tf, 2, 7, dtype="float64"), name="named"), make([[1.0, 1.0]])],
        feed=feed,
    )


@case(error="num_mel_bins must be positive. Got: ")
def cepstral_coefficients_of_nothing(tf):
    return tf.signal.mfccs_from_log_mel_spectrograms(tf.zeros([2, 0]))
