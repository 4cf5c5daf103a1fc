"""Mistakes with layers and what is built on them: TensorFlow's class and first words."""

import pytest

import tinytf as tf

cells, seq2seq = tf.nn.rnn_cell, tf.contrib.seq2seq
signature = tf.saved_model.predict_signature_def


def zeros(*sizes):
    return tf.zeros(sizes)


def of_a_signature():
    builder = tf.saved_model.builder.SavedModelBuilder("./nothing")
    with tf.Session() as sess:
        tf.Variable(1.0).initializer.run(session=sess)
        builder.add_meta_graph_and_variables(sess, ["serve"], signature_def_map={"a": {}})


MISTAKES = {
    lambda: tf.layers.batch_normalization(zeros(2, 3), training="yes"): (
        TypeError,
        "`pred` must be a Tensor, or a Python bool, or 1 or 0.",
    ),
    lambda: tf.contrib.layers.stack(zeros(2, 3), tf.contrib.layers.fully_connected, 3): (
        ValueError,
        "stack_args need to be a list or tuple",
    ),
    lambda: seq2seq.AttentionWrapper(cells.GRUCell(3), zeros(2, 5, 3)): (
        TypeError,
        "attention_mechanism must be an AttentionMechanism or list of multiple",
    ),
    lambda: tf.image.draw_bounding_boxes(zeros(8, 8, 3), zeros(1, 1, 4)): (
        ValueError,
        "Shape must be rank 4 but is rank 3",
    ),
    lambda: tf.image.draw_bounding_boxes(zeros(1, 8, 8, 3), zeros(1, 1, 3)): (
        ValueError,
        "Dimension must be 4 but is 3",
    ),
    lambda: tf.image.draw_bounding_boxes(zeros(1, 8, 8, 2), zeros(1, 1, 4)): (
        ValueError,
        "Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)",
    ),
    lambda: signature({"x": "x:0"}, {"y": zeros()}): (
        AttributeError,
        "'str' object has no attribute 'dtype'. Signatures are of tensors",
    ),
    lambda: signature([zeros()], {"y": zeros()}): (
        AttributeError,
        "'list' object has no attribute 'items'. Inputs and outputs are dicts",
    ),
    of_a_signature: (
        AttributeError,
        "'dict' object has no attribute 'inputs'. tf.saved_model.predict_sig",
    ),
    lambda: tf.metrics.auc([0, 1], [0.5, 0.3]): (
        AttributeError,
        "'list' object has no attribute 'dtype'. tf.constant(...) makes",
    ),
    lambda: tf.feature_column.input_layer(zeros(2, 1), [tf.feature_column.numeric_column("a")]): (
        AttributeError,
        "'Tensor' object has no attribute 'values'. Features are a dict",
    ),
    lambda: tf.nn.rnn(cells.GRUCell(3), [zeros(2, 3)]): (
        AttributeError,
        "module 'tinytf.nn' has no attribute 'rnn': TensorFlow 1.x calls it tf",
    ),
    lambda: tf.contrib.learn.DNNClassifier(hidden_units=[3]): (
        TypeError,
        "DNNClassifier() missing a required argument: 'feature_columns'. Its argument",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES, ids=range(len(MISTAKES)))
def test_mistakes(mistake, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kind, words = MISTAKES[mistake]
    with tf.Graph().as_default(), pytest.raises(kind) as error:
        mistake()
    assert str(error.value).startswith(words)
    assert "=None=None" not in str(error.value)


@pytest.mark.parametrize("layer", [tf.layers.dropout, tf.layers.batch_normalization])
def test_training_by_a_variable(layer):
    """What it says in the run is what counts, not that there is a variable."""
    with tf.Graph().as_default(), tf.Session() as sess:
        is_training = tf.Variable(False)
        y = layer(tf.ones([50, 3]), training=is_training)
        sess.run(tf.global_variables_initializer())
        unchanged = sess.run(y)
        assert abs(unchanged - 1.0).max() < 1e-3
        sess.run(is_training.assign(True))
        assert abs(sess.run(y) - 1.0).max() > 0.9
