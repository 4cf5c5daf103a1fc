"""Calls that do not fit: Python's words first, then the argument that was meant."""

import inspect
import traceback

import pytest

import tinytf as tf
from tinytf.ops.base.arguments import explains_arguments

MEANT = [
    (lambda: tf.FIFOQueue(10, tf.float32, shape=[2]), "shape", "shapes=", "shapes=[[2]] for one"),
    (lambda: tf.FIFOQueue(10, [tf.float32], shape=[[2]]), "shape", "shapes=", "shapes=[[2]] for"),
    (lambda: tf.FIFOQueue(10, dtype=tf.int32), "dtype", "dtypes=", "dtypes=[tf.int32] for one"),
    (lambda: tf.RandomShuffleQueue(9, min_after=1), "min_after", "min_after_dequeue=", ""),
    (lambda: tf.placeholder(type=tf.float32), "type", "dtype=", "dtype, shape=None, name=None."),
    (lambda: tf.Variable(1.0, type=tf.float32), "type", "dtype=", ""),
    (lambda: tf.get_variable("x", [], init=None), "init", "initializer=", ""),
    (lambda: tf.train.AdamOptimizer(lr=0.1), "lr", "learning_rate=", "beta1=0.9"),
    (lambda: tf.Session(configs=None), "configs", "config=", "target='', graph=None"),
    (lambda: tf.InteractiveSession(configs=None), "configs", "config=", ""),
    (lambda: tf.reduce_sum([1.0], axes=0), "axes", "axis=", ""),
    (lambda: tf.matmul([[1.0]], [[1.0]], transpose=True), "transpose", "transpose_b= or", ""),
    (lambda: tf.train.Server({}, task=0), "task", "task_index=", ""),
]


@pytest.mark.parametrize(("call", "given", "meant", "more"), MEANT)
def test_the_argument_that_was_meant(call, given, meant, more):
    with tf.Graph().as_default(), pytest.raises(TypeError) as info:
        call()
    text = str(info.value)
    assert f"() got an unexpected keyword argument '{given}'. Did you mean {meant}" in text
    assert more in text
    assert "BaseSession" not in text


def test_arguments_that_are_missing_are_listed():
    with pytest.raises(TypeError, match=r"argument: 'learning_rate'\. Its arguments: learning_ra"):
        tf.train.GradientDescentOptimizer()


def test_an_optimizer_of_ones_own_is_explained_too():
    class Mine(tf.train.Optimizer):
        def __init__(self, step_size):
            super().__init__(False, "mine")

    with pytest.raises(TypeError, match=r"'step'\. Did you mean step_size="):
        Mine(step=1)


def test_errors_of_what_a_call_does_stay_as_they_are():
    @explains_arguments
    def outer(shapes):
        return len(shape=shapes)

    with pytest.raises(TypeError) as info:
        outer(1)
    assert "Its arguments" not in str(info.value)
    assert traceback.extract_tb(info.value.__traceback__)[-1].name == "outer"


def test_signature_and_source_are_the_functions_own():
    assert list(inspect.signature(tf.placeholder).parameters) == ["dtype", "shape", "name"]
    assert inspect.getsource(tf.placeholder).startswith("@explains_arguments\ndef placeholder(")
    assert tf.placeholder.__doc__


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: tf.reduce_sum([1.0], dim=0), r"'dim'\. Did you mean axis=\?"),
        (lambda: tf.decode_csv("1", [[0]], delimiter=";"), r"Did you mean field_delim=\?"),
        (
            lambda: tf.Session(log_device_placement=True),
            r"It is a setting: config=tf\.ConfigProto\(log_device_placement=\.\.\.\)",
        ),
        (
            lambda: tf.Session(allow_growth=True),
            r"config=tf\.ConfigProto\(gpu_options=tf\.GPUOptions\(allow_growth=\.\.\.\)\)",
        ),
    ],
)
def test_other_names_of_arguments(call, said):
    with pytest.raises(TypeError, match=said):
        call()


@pytest.mark.parametrize(
    ("message", "fields", "said"),
    [
        (tf.ConfigProto, {"soft_placement": True}, r"Did you mean allow_soft_placement=\?"),
        (
            tf.ConfigProto,
            {"allow_growth": True},
            r'no "allow_growth" field\. Did you mean gpu_options=tf\.GPUOptions\(allow_growth=',
        ),
        (tf.ConfigProto, {"device_count": 2}, r"device_count= takes a dictionary, and got 2"),
        (tf.ConfigProto, {"device_filters": 2}, r"takes a list, each a string, and got 2"),
        (tf.ConfigProto, {"gpu_options": 2}, r"gpu_options= takes a GPUOptions, and got 2"),
        (
            tf.ConfigProto,
            {"inter_op_parallelism_threads": "2"},
            r"inter_op_parallelism_threads= takes an integer, and got '2'",
        ),
        (tf.GPUOptions, {"visible_device_list": [0, 1]}, r"takes a string, and got \[0, 1\]"),
        (tf.RunOptions, {"timeout": 3}, r"Did you mean timeout_in_ms=\?"),
    ],
)
def test_fields_of_settings(message, fields, said):
    with pytest.raises((TypeError, ValueError), match=said):
        message(**fields)


def test_settings_that_fit_are_as_ever():
    config = tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True), device_count={"CPU": 2})
    assert tf.ConfigProto.FromString(config.SerializeToString()) == config
    assert config.gpu_options.allow_growth
