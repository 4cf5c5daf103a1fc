"""Connectionist temporal classification: losses, gradients, decoding."""

import numpy as np

from tests.conformance.registry import Program, case
from tests.conformance.values import fed

OUTPUTS = np.round(2 * np.cos(np.arange(5 * 2 * 4) ** 1.5), 3).reshape(5, 2, 4)
LABELS = {
    "usual": [[0, 1], [2]],
    "repeated": [[1, 1], [2, 0, 0]],
    "blanks": [[1, 3], [2, 3, 3]],
    "as long": [[0, 1, 2, 0, 1], [2, 0, 2, 0]],
    "impossible": [[1, 1, 1, 1], [2]],
}


def sparse(tf, rows, width=6):
    places = [[row, i] for row, labels in enumerate(rows) for i in range(len(labels))]
    values = [label for labels in rows for label in labels]
    indices = np.array(places, np.int64).reshape(-1, 2)
    return tf.SparseTensor(indices, tf.constant(values, tf.int32), [len(rows), width])


def loss(tf, rows, lengths=(5, 4), dtype="float32", **how):
    x = tf.constant(OUTPUTS, dtype)
    y = tf.nn.ctc_loss(sparse(tf, rows), x, list(lengths), **how)
    return [y, tf.gradients(y * [1.0, 2.0] if dtype == "float32" else y, x)]


@case("CTCLoss", graph="types", each=LABELS)
def losses(tf, labels):
    return loss(tf, LABELS[labels])


@case("CTCLoss", graph="types", each=["float64", "float16", "bfloat16"], rtol=2e-2)
def losses_of_other_types(tf, dtype):
    return loss(tf, LABELS["usual"], dtype=dtype)


@case("CTCLoss", graph="types", each=["preprocess_collapse_repeated", "ctc_merge_repeated"])
def other_losses_of_repeated_labels(tf, option):
    return loss(tf, LABELS["repeated"], **{option: option != "ctc_merge_repeated"})


@case("CTCLoss", graph="types", each=[(3, 2), (5, 0)])
def losses_of_too_short_outputs(tf, *lengths):
    return loss(tf, LABELS["as long"], lengths, ignore_longer_outputs_than_inputs=True)


@case("CTCLoss", "Transpose")
def losses_of_batches_first(tf):
    x = tf.constant(OUTPUTS.transpose(1, 0, 2), tf.float32)
    return tf.nn.ctc_loss(sparse(tf, LABELS["usual"]), None, [5, 4], time_major=False, logits=x)


@case("CTCLoss", each=[None, [None, None, 4], [5, None, None]])
def static_shapes_of_losses(tf, shape):
    x, feed = fed(tf, OUTPUTS, shape=shape)
    lengths, more = fed(tf, [5, 4], "int32")
    y = tf.nn.ctc_loss(sparse(tf, LABELS["usual"]), x, lengths)
    return Program([y, tf.gradients(y, x)], feed={**feed, **more})


WRONG = {
    "empty": ([[], [2]], (5, 4), "Labels length is zero in batch 0"),
    "short": ([[0, 1], [2]], (1, 4), "Not enough time for target transition sequence (required: 2"),
    "after blank": ([[3, 1], [2]], (5, 4), "Saw a non-null label (index >= num_classes - 1) foll"),
    "negative": ([[-1, 1], [2]], (5, 4), "All labels must be nonnegative integers, batch: 0"),
    "long": ([[0], [2]], (6, 4), "sequence_length(0) <= 5"),
    "negative length": ([[0], [2]], (5, -1), "seq_len(1) < 0"),
    "batch": (
        [[0], [2], [1]],
        (5, 4),
        "label SparseTensor is not valid: indices[2] = [2,0] is out",
    ),
    "lengths": ([[0], [2]], (5, 4, 4), "Dimensions must be equal, but are 2 and 3"),
}


@case("CTCLoss", error="", each=WRONG)
def losses_that_are_wrong(tf, what):
    labels, lengths, _ = WRONG[what]
    return tf.nn.ctc_loss(sparse(tf, labels), tf.constant(OUTPUTS, tf.float32), list(lengths))


RUNS = {
    "inputs": ([1.0], [2], "inputs is not a 3-Tensor"),
    "lengths": (OUTPUTS, 5, "sequence_length is not a vector"),
    "batch": (OUTPUTS, [5], "len(sequence_length) != batch_size.  len(sequence_length):  1"),
    "nothing": (np.ones([5, 0, 4]), [], "batch_size must not be 0"),
}


@case("CTCLoss", error="", each=RUNS)
def losses_that_are_wrong_in_the_run(tf, what):
    x, feed = fed(tf, RUNS[what][0])
    lengths, more = fed(tf, RUNS[what][1], "int32")
    return Program(tf.nn.ctc_loss(sparse(tf, [[0], [1]]), x, lengths), feed={**feed, **more})


@case("CTCLoss", error="Expected argument `labels` to be a SparseTensor")
def losses_of_dense_labels(tf):
    return tf.nn.ctc_loss(tf.constant([[0], [2]]), tf.constant(OUTPUTS, tf.float32), [5, 4])


@case("CTCLoss", error="Currently there is no way to take the second", graph="any")
def second_gradients_of_losses(tf):
    x = tf.constant(OUTPUTS, tf.float32)
    y = tf.nn.ctc_loss(sparse(tf, LABELS["usual"]), x, [5, 4])
    (first,) = tf.gradients(y, x)
    return tf.gradients(first * x, x)


# Version 2 ----------------------------------------------------------------------------------------


@case("CTCLoss", each=[-1, 0, 2])
def losses_with_another_blank(tf, blank):
    labels = sparse(tf, [[1, 1], [1]] if blank != 2 else [[1, 3], [0]])
    x = tf.constant(OUTPUTS, tf.float32)
    return tf.nn.ctc_loss_v2(labels, x, None, [5, 4], blank_index=blank)


# TensorFlow computes it otherwise.
@case("Log", graph="any", travels=False, each=[None, 0, 2])
def losses_of_a_matrix(tf, blank):
    labels = tf.constant([[1, 3, 3], [1, 0, 0]])
    x = tf.constant(OUTPUTS, tf.float32)
    y = tf.nn.ctc_loss_v2(labels, x, [3, 1], [5, 4], blank_index=blank)
    turned = tf.constant(OUTPUTS.transpose(1, 0, 2), tf.float32)
    other = tf.nn.ctc_loss_v2(labels, turned, [3, 1], [5, 4], False, name="named")
    return [y, other, tf.gradients(y, x)]


@case("CTCLoss", error="Argument `blank_index` must be provided when labels is a SparseTensor")
def losses_without_a_blank(tf):
    x = tf.constant(OUTPUTS, tf.float32)
    return tf.nn.ctc_loss_v2(sparse(tf, LABELS["usual"]), x, None, [5, 4])


@case("Unique", "Pad", graph="types")
def unique_labels(tf):
    return tf.nn.ctc_unique_labels(tf.constant([[3, 5, 3, 0], [1, 1, 2, 7]]))


@case("ScatterNd", each=[[4, 3], [1, 2]])
def collapsed_labels(tf, lengths):
    labels = tf.constant([[1, 1, 2, 1], [3, 3, 3, 4]])
    named = tf.nn.collapse_repeated(labels, tf.constant(lengths, tf.int64), name="named")
    return [tf.nn.collapse_repeated(labels, lengths), named]


@case("ScatterNd")
def collapsed_labels_of_unknown_shape(tf):
    labels, feed = fed(tf, [[1, 1, 2], [3, 3, 4]], "int32", [None, None])
    return Program(tf.nn.collapse_repeated(labels, [3, 2]), feed=feed)


# Decoding -----------------------------------------------------------------------------------------


def decoded(decoder, x, lengths=(5, 4), **how):
    found, chances = decoder(x, list(lengths), **how)
    return [[f.indices, f.values, f.dense_shape] for f in found], chances


@case("CTCGreedyDecoder", each=[{}, {"merge_repeated": False}, {"blank_index": 0}])
def greedy_decoding(tf, how):
    return decoded(tf.nn.ctc_greedy_decoder, tf.constant(OUTPUTS, tf.float32), **how)


@case("CTCGreedyDecoder", "CTCBeamSearchDecoder")
def decoding_of_equal_outputs_and_nothing(tf):
    x = tf.zeros([4, 2, 3])
    return [
        decoded(tf.nn.ctc_greedy_decoder, x, (4, 2)),
        decoded(tf.nn.ctc_greedy_decoder, x, (0, 0)),
        decoded(tf.nn.ctc_beam_search_decoder, x, (0, 0)),
    ]


@case("CTCGreedyDecoder", error="", each=[{"blank_index": 4}, {"blank_index": -5}])
def greedy_decoding_with_a_blank_that_is_none(tf, how):
    return decoded(tf.nn.ctc_greedy_decoder, tf.constant(OUTPUTS, tf.float32), **how)


BEAMS = [(1, 1, True), (3, 3, False), (100, 2, True), (7, 2, False), (100, 5, False)]
EACH = [(*beam, dtype) for beam in BEAMS for dtype in ("float32", "float64")]


# TensorFlow adds probabilities in float32, float64 ones as well.
@case("CTCBeamSearchDecoder", each=EACH, rtol=1e-6)
def beam_search_decoding(tf, width, paths, merged, dtype):
    x = tf.constant(np.round(2 * np.sin(np.arange(9 * 3 * 5) ** 1.3), 3).reshape(9, 3, 5), dtype)
    how = {"beam_width": width, "top_paths": paths, "merge_repeated": merged}
    return decoded(tf.nn.ctc_beam_search_decoder, x, (9, 7, 3), **how)


@case("CTCBeamSearchDecoder")
def beam_search_decoding_of_version_2(tf):
    x = tf.constant([[[1.0, 0, 0]], [[0, 0, 2.0]], [[1.0, 0, 0]], [[0, 1.0, 0]]])
    return decoded(tf.nn.ctc_beam_search_decoder_v2, x, (4,), beam_width=20, top_paths=3)


WRONG_DECODING = {
    "length": ({}, (6, 4), "sequence_length(0) <= 5"),
    "lengths": ({}, (5, 4, 4), "Dimensions must be equal, but are 2 and 3"),
    "width": (
        {"beam_width": 2, "top_paths": 3},
        (5, 4),
        "requested more paths than the beam width.",
    ),
    "leaves": ({"top_paths": 2}, (0, 1), "Less leaves in the beam search than requested."),
}


@case("CTCBeamSearchDecoder", error="", each=WRONG_DECODING)
def decoding_that_is_wrong(tf, what):
    how, lengths, _ = WRONG_DECODING[what]
    return decoded(tf.nn.ctc_beam_search_decoder, tf.constant(OUTPUTS, tf.float32), lengths, **how)


@case("CTCGreedyDecoder", error="", each=RUNS)
def decoding_that_is_wrong_in_the_run(tf, what):
    x, feed = fed(tf, RUNS[what][0])
    lengths, more = fed(tf, RUNS[what][1], "int32")
    return Program(tf.nn.ctc_greedy_decoder(x, lengths)[1], feed={**feed, **more})


@case("CTCGreedyDecoder", "CTCBeamSearchDecoder", each=[None, [None, None, 4], [5, 2, None]])
def static_shapes_of_decoding(tf, shape):
    x, feed = fed(tf, OUTPUTS, shape=shape)
    lengths, more = fed(tf, [5, 4], "int32")
    results = []
    for decoder in (tf.nn.ctc_greedy_decoder, tf.nn.ctc_beam_search_decoder):
        found, chances = decoder(x, lengths)
        results += [found[0].indices, found[0].values, found[0].dense_shape, chances]
    return Program(results, feed={**feed, **more})
