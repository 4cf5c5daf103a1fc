"""tf.test: what failures say, how test files run, and that nobody else pays for it."""

import contextlib
import subprocess
import sys

import numpy as np
import pytest

import tinytf as tf


def new_case():
    class Case(tf.test.TestCase):
        def runTest(self):
            pass

    return Case()


@pytest.fixture
def case():
    case = new_case()
    case.setUp()
    yield case
    case.tearDown()
    case.doCleanups()


def failure(assertion, *args, **kwargs):
    with pytest.raises(AssertionError) as caught:
        assertion(*args, **kwargs)
    return str(caught.value)


def test_a_failure_says_where_what_and_by_how_much(case):
    a = np.zeros([2, 3])
    b = a.copy()
    b[1, 2] = 0.5
    text = failure(case.assertAllClose, {"w": a}, {"w": b}, msg="after one step")
    for words in (
        "Not equal to tolerance rtol=1e-06, atol=1e-06",
        "Mismatched value: a[w] is different from b[w]. after one step",
        "1 of 6 element(s) are not close (0.167 of all); a: float64, b: float64, shape (2, 3)",
        "[1, 2] : a = 0.0, b = 0.5, |a - b| = 0.5, tolerance = 1.5e-06",
    ):
        assert words in text


def test_a_long_list_of_failures_is_cut_off(case):
    text = failure(case.assertAllEqual, np.zeros(50), np.arange(50))
    assert "49 of 50 element(s) are not equal" in text
    assert text.count(" : a = ") == 10
    assert text.endswith("  ...")
    text = failure(case.assertAllInRange, np.arange(50), 0, 10)
    assert "39 of the 50 element(s) are outside the range [0, 10]" in text
    assert "  [11] : 11\n" in text
    assert text.endswith("  ...")


def test_large_arrays_of_other_shapes_are_not_printed(case):
    assert len(failure(case.assertAllEqual, np.zeros(3), np.zeros([9, 9, 9, 9]))) < 100


def test_messages_that_differ_are_shown_as_a_difference(case):
    text = failure(case.assertProtoEquals, "name: 'a' op: 'NoOp'", tf.NodeDef(name="b", op="NoOp"))
    assert '-name: "a"\n+name: "b"' in text


def test_floats_of_messages_may_be_near(case):
    config = tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=0.5))
    near = "gpu_options { per_process_gpu_memory_fraction: 0.5000001 }"
    case.assertProtoEquals(near, config, relative_tolerance=1e-5)
    failure(case.assertProtoEquals, near, config)
    failure(case.assertProtoEquals, near, config, relative_tolerance=1e-9)


def test_an_error_that_is_another_is_told_with_what_was_expected(case):
    def wrong():
        with case.assertRaisesOpError("out of range"):
            raise tf.errors.NotFoundError(None, None, "no such file")

    text = failure(wrong)
    assert "NotFoundError" in text
    assert "no such file" in text
    assert "Expected: OpError with 'out of range'" in text


def test_a_test_within_a_graph_leaves_it_alone():
    with tf.Graph().as_default() as outer:
        case = new_case()
        case.setUp()
        assert tf.get_default_graph() is not outer
        case.tearDown()
        case.doCleanups()
        assert tf.get_default_graph() is outer


def test_a_gpu_is_forced(case, simulated_gpu):
    with case.session(force_gpu=True):
        assert tf.no_op().device == "/device:GPU:0"
        case.assertAllEqual(tf.constant([1.0]) * 2.0, [2.0])
    with case.session(use_gpu=False) as sess:
        assert tf.no_op().device == "/device:CPU:0"
        assert sess.run(tf.constant(1)) == 1


@contextlib.contextmanager
def local_cluster(*args, **settings):
    workers, servers = tf.test.create_local_cluster(*args, **settings)
    try:
        yield workers, servers
    finally:
        for server in [*workers, *servers]:
            server.stop()


def test_servers_of_a_cluster():
    with tf.Graph().as_default(), local_cluster(2, 1) as (workers, servers):
        assert (len(workers), len(servers)) == (2, 1)
        with tf.device("/job:ps/task:0"):
            v = tf.Variable(1.0, name="v", use_resource=False)
        with tf.Session(workers[0].target) as sess:
            sess.run(v.initializer)
        with tf.Session(workers[1].target) as sess:
            assert sess.run(v + 1.0) == 2
    with local_cluster(num_workers=1, num_ps=0) as (workers, servers):
        assert servers == []


def test_what_a_stream_gets_is_caught(case, tmp_path):
    with open(tmp_path / "stream", "w") as stream:
        stream.write("before\n")
        with case.captureWritesToStream(stream) as captured:
            stream.write("inside\n")
            stream.flush()
            assert captured.contents() == "inside\n"
        stream.write("after\n")
    assert (tmp_path / "stream").read_text() == "before\nafter\n"


PROGRAM = """
import sys
import tinytf as tf
assert not {"unittest", "absl", "absl.testing", "unittest.mock"} & set(sys.modules), sys.modules

class SquareTest(tf.test.TestCase):
    def testSquare(self):
        with self.session():
            self.assertAllEqual(tf.square([2, 3]).eval(), [4, 9])

    def testWrong(self):
        self.assertAllClose(tf.square([2.0]), [5.0])

class SquareBenchmark(tf.test.Benchmark):
    def benchmarkSquare(self):
        with tf.Session() as sess:
            self.run_op_benchmark(sess, tf.square([2, 3]), min_iters=2, store_trace=True)

if __name__ == "__main__":
    tf.test.main()
"""


def run(path, *words):
    return subprocess.run(
        [sys.executable, str(path), *words], capture_output=True, text=True, timeout=60
    )


def test_a_file_of_tests_runs_and_nothing_is_imported_before(tmp_path):
    path = tmp_path / "square_test.py"
    path.write_text(PROGRAM)
    done = run(path)
    assert done.returncode == 1, done.stderr
    assert "Ran 3 tests" in done.stderr  # one is the helper test_session, which is skipped
    assert "(failures=1, skipped=1)" in done.stderr
    assert "a = 4.0, b = 5.0" in done.stderr
    done = run(path, "SquareTest.testSquare")
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_benchmarks_run_on_request(tmp_path):
    path = tmp_path / "square_test.py"
    path.write_text(PROGRAM)
    done = run(path, "--benchmark_filter=Square")
    assert done.returncode == 0, done.stderr
    assert (
        'entry {"name": "SquareBenchmark.benchmarkSquare", "iters": 2, "wall_time": ' in done.stdout
    )
    done = run(path, "--benchmark_filter=Nothing")
    assert "No benchmarks matched the pattern: 'Nothing'" in done.stderr
