"""tf.Print, tf.print, tf.Assert."""

import logging
import sys

import numpy as np
import pytest

import tinytf as tf
from tinytf.ops.logging.tensor_text import ends_of_dimensions, first_elements


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def printed(capsys, fetch, times=1):
    with tf.Session() as session:
        for _ in range(times):
            session.run(fetch)
    captured = capsys.readouterr()
    assert captured.err == ""  # a graded cell must not write there
    return captured.out


# What TensorFlow 2.15.1 printed for these values with summarize=3 and summarize=-1.
TEXTS = [
    (np.arange(10.0, dtype=np.float32), "0 1 2...", "0 1 2 3 4 5 6 7 8 9"),
    (np.arange(12).reshape(3, 4), "[0 1 2...]...", "[0 1 2 3][4 5 6 7][8 9 10 11]"),
    (np.arange(12).reshape(3, 2, 2), "[[0 1][2...]]...", "[[0 1][2 3]][[4 5][6 7]][[8 9][10 11]]"),
    (np.array([[b"a", b"b"], [b"c", b"d"]], object), "[a b][c...]...", "[a b][c d]"),
    (np.array([True, False, True, True]), "1 0 1...", "1 0 1 1"),
    (np.float32(3.5), "3.5", "3.5"),
    (np.float32(0.1), "0.1", "0.1"),
    (np.float32(1 / 3), "0.333333343", "0.333333343"),
    (np.float64(1 / 3), "0.33333333333333331", "0.33333333333333331"),
    (np.float16(0.1), "0.0999755859", "0.0999755859"),
    (np.float32(123456789), "123456792", "123456792"),
    (np.float32(1e6), "1e+06", "1e+06"),
    (np.float64(5e-324), "4.94065645841247e-324", "4.94065645841247e-324"),
    (np.float32("nan"), "nan", "nan"),
    (np.float32("-inf"), "-inf", "-inf"),
    (np.float32(-0.0), "-0", "-0"),
    (np.int8(-5), "-5", "-5"),
    (np.complex64(1 + 2j), "?", "?"),
    (np.zeros([0], np.float32), "", ""),
    (np.zeros([2, 0], np.float32), "", ""),
    (np.array([b'q"\n', "ü".encode()], object), 'q\\"\\n ü', 'q\\"\\n ü'),
]


@pytest.mark.parametrize(("value", "some", "everything"), TEXTS)
def test_first_elements(value, some, everything):
    assert first_elements(value, 3) == some
    # TensorFlow's own text for shape [2, 0] and no limit has no brackets either.
    assert first_elements(value, -1) == everything


ENDS = [
    (np.arange(10), 3, "[0 1 2 ... 7 8 9]"),
    (np.arange(10), -1, "[0 1 2 3 4 5 6 7 8 9]"),
    (np.arange(4).reshape(2, 2), 3, "[[0 1]\n [2 3]]"),
    (np.arange(8).reshape(2, 2, 2), 3, "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]"),
    (np.arange(25).reshape(5, 5), 1, "[[0 ... 4]\n ...\n [20 ... 24]]"),
    (np.array([b"a", b"b"], object), 3, '["a" "b"]'),
    (np.zeros([0]), 3, "[]"),
    (np.zeros([2, 0]), 3, "[\n ...]"),
    (np.float32(3.5), 3, "3.5"),
]


@pytest.mark.parametrize(("value", "summarize", "text"), ENDS)
def test_ends_of_dimensions(value, summarize, text):
    assert ends_of_dimensions(value, summarize) == text


def test_print_writes_to_stdout_and_passes_on(capsys):
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    shown = tf.Print(x, [x, tf.constant("b")], message="x is ")
    assert printed(capsys, shown) == "x is [1 2 3...][b]\n"
    with tf.Session() as session:
        assert session.run(shown).tolist() == [1.0, 2.0, 3.0, 4.0]


def test_print_stops_after_first_n(capsys):
    x = tf.constant(1)
    shown = tf.Print(x, [x], first_n=2)
    assert printed(capsys, shown, times=4) == "[1]\n[1]\n"
    assert printed(capsys, shown, times=1) == "[1]\n"  # each session counts for itself


def test_print_v2_formats_structures(capsys):
    x = tf.constant([1.0, 2.0])
    shown = tf.print("hello", x, {"a": tf.constant(3), "b": [1, 2]}, [tf.constant("x")])
    assert printed(capsys, shown) == "hello [1 2] {'a': 3, 'b': [1, 2]} [\"x\"]\n"


def test_print_v2_separators(capsys):
    shown = tf.print(tf.constant("plain"), tf.constant("x"), 3, sep=",", end="!\n")
    assert printed(capsys, shown) == '"plain","x",3!\n'


def test_print_v2_of_one_text_is_that_text(capsys):
    shown = tf.print(tf.constant("plain\ttext"), output_stream=sys.stdout)
    assert printed(capsys, shown) == "plain\ttext\n"


def test_print_v2_of_text_with_braces(capsys):
    assert printed(capsys, tf.print("{} of", tf.constant(3), "{}")) == "{} of 3 {}\n"


def test_print_v2_to_a_file(tmp_path, capsys):
    path = tmp_path / "log.txt"
    shown = tf.print(tf.constant(1), output_stream=f"file://{path}")
    assert printed(capsys, shown, times=2) == ""
    assert path.read_text() == "1\n1\n"


def test_print_v2_to_a_log(caplog):
    shown = tf.print(tf.constant(1), output_stream=logging.warning)
    with caplog.at_level(logging.WARNING), tf.Session() as session:
        session.run(shown)
    assert [(r.levelname, r.getMessage()) for r in caplog.records] == [("WARNING", "1")]


def test_an_unknown_stream_of_a_foreign_graph_is_refused(graph):
    with pytest.raises(ValueError, match="Unknown output stream"):
        graph.create_op("PrintV2", [tf.constant("x")], attrs={"output_stream": b"printer"})


def test_assert_gives_the_operation_to_wait_for():
    x = tf.placeholder(tf.float32, [None])
    check = tf.Assert(tf.less(tf.reduce_sum(x), 5.0), [x, "too much"], summarize=2)
    with tf.control_dependencies([check]):
        y = tf.identity(x)
    with tf.Session() as session:
        assert session.run(y, {x: [1.0, 2.0]}).tolist() == [1.0, 2.0]
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"assertion failed: \[3 4\.\.\.\] \[too much\]"
        ) as error:
            session.run(y, {x: [3.0, 4.0, 5.0]})
    assert "test_debugging.py" in str(error.value)
