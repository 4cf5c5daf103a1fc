"""TensorFlow's own modules: `from tensorflow.python.framework import ops` and its kin."""

import importlib

import pytest

import tinytf as tf
from tinytf.api import names, paths


def is_here(path):
    try:
        names.find(path)
    except AttributeError:
        return False
    return True


def test_what_is_public_is_found_in_all_of_its_modules():
    count = 0
    for module, defined in paths.table().items():
        for name, public in defined.items():
            assert public in names.table(), f"{module}.{name}"
            if is_here(public):
                found = importlib.import_module(f"tinytf.{module}")
                assert getattr(found, name) is names.find(public), f"{module}.{name}"
                count += 1
    assert count > 1000


def test_modules_that_pass_on_what_others_define():
    from tinytf.python.framework import errors, graph_util
    from tinytf.python.training import training

    from tinytf.python.ops import gradients, nn

    assert errors.NotFoundError is tf.errors.NotFoundError
    assert graph_util.convert_variables_to_constants is tf.graph_util.convert_variables_to_constants
    assert gradients.gradients is tf.gradients
    assert nn.relu is tf.nn.relu
    assert training.AdamOptimizer is tf.train.AdamOptimizer


def test_messages():
    from tinytf.core.framework import graph_pb2, types_pb2
    from tinytf.core.protobuf import config_pb2

    assert graph_pb2.GraphDef is tf.GraphDef
    assert types_pb2.DT_FLOAT == 1
    assert config_pb2.ConfigProto is tf.ConfigProto
    with pytest.raises(AttributeError, match="no such message"):
        _ = graph_pb2.Tomato


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("from tinytf.python.ops import tomatoes", "cannot import name 'tomatoes'"),
        ("import tinytf.python.tomatoes", "No module named 'tinytf.python.tomatoes'"),
        ("import tinytf.core.framework.tomato_pb2", "No module named"),
        ("from tinytf.python.ops.math_ops import tomato", "cannot import name 'tomato'"),
        (
            "from tinytf.python.ops.gen_audio_ops import decode_wav",
            "tf.audio is not part",
        ),
        ("from tinytf.contrib.gan.python import train", "tf.contrib.gan is not part of tinytf"),
        ("from tinytf.contrib.slim.nets import vgg", "tf.contrib.slim.nets is not part of tinytf"),
        ("from tinytf.keras.layers import LSTM", "tf.keras.layers.LSTM is not part of tinytf"),
    ],
)
def test_what_is_not_here_says_why(code, words):
    with pytest.raises(ImportError, match=words):
        exec(code)  # noqa: S102


def test_attributes_that_are_not_public():
    from tinytf.python.ops import math_ops

    with pytest.raises(AttributeError, match="what has a public name, too"):
        _ = math_ops.tomato
    assert not hasattr(math_ops, "__wrapped__")
