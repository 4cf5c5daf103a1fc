"""`tf.test.TestCase`: what its assertions take and refuse, its sessions, threads and errors."""

import collections
import os
import random

import numpy as np

from tests.behaviour.asking import question, says

Point = collections.namedtuple("Point", ["x", "y"])


def case_of(tf):
    """A test case that has been set up; `end` ends it."""

    class Case(tf.test.TestCase):
        def runTest(self):
            pass

    case = Case()
    case.setUp()
    return case


def end(case):
    case.tearDown()
    case.doCleanups()


def holds(assertion, *args, **kwargs):
    """ "passes", or the class of what an assertion raises."""
    try:
        assertion(*args, **kwargs)
    except Exception as error:
        return type(error).__name__
    return "passes"


@question
def equal(tf):
    case = case_of(tf)
    equal, unequal = case.assertAllEqual, case.assertNotAllEqual
    nan = float("nan")
    v = tf.Variable([1, 2], use_resource=False)
    with case.cached_session() as sess:
        sess.run(v.initializer)
        answers = {
            "lists": holds(equal, [1, 2], [1, 2]),
            "list and array": holds(equal, [1, 2], np.array([1, 2])),
            "tensors": holds(equal, tf.constant([1, 2]), tf.constant([1, 2])),
            "tensor and list": holds(equal, tf.constant([1, 2]), (1, 2)),
            "a variable": holds(equal, v.value(), [1, 2]),
            "types": holds(equal, [1, 2], [1.0, 2.0]),
            "numbers": holds(equal, 1, 1),
            "other numbers": says("not equal", equal, 1, 2),
            "nan": holds(equal, [nan, 1.0], [nan, 1.0]),
            "nan and not": holds(equal, [nan, 1.0], [0.0, 1.0]),
            "texts": holds(equal, ["a", "b"], ["a", "b"]),
            "text and bytes": holds(equal, ["a", "b"], [b"a", b"b"]),
            "a tensor of texts": holds(equal, tf.constant(["a", "b"]), ["a", "b"]),
            "other texts": says("Arrays are not equal", equal, ["a", "b"], ["a", "c"]),
            "bools": holds(equal, [True], [1]),
            "nothing": holds(equal, [], []),
            "complex": holds(equal, [1 + 2j], [1 + 2j]),
            "other": says("Arrays are not equal", equal, [1, 2, 3], [1, 5, 3]),
            "with a message": says("the reason", equal, [1], [2], msg="the reason"),
            "other shapes": says(
                "Shape mismatch: expected (2,), got (3,)", equal, [1, 2], [1, 2, 3]
            ),
            "shape and message": says("the reason", equal, [1], [1, 2], "the reason"),
            "broadcast": holds(equal, [1, 1], 1),
            "not: the same": says(
                "The two values are equal at all elements. why", unequal, [1], [1], "why"
            ),
            "not: others": holds(unequal, [1, 2], [1, 3]),
            "not: shapes": holds(unequal, [1, 2], [1]),
            "not: tensors": holds(unequal, tf.constant(1), tf.constant(1)),
        }
    end(case)
    return answers


@question
def close(tf):
    case = case_of(tf)
    close, nan, inf = case.assertAllClose, float("nan"), float("inf")
    with case.cached_session():
        answers = {
            "near": holds(close, [1.0, 2.0], [1.0, 2.000001]),
            "not near": holds(close, [1.0, 2.0], [1.0, 2.0001]),
            "its words": says("Mismatched value: a is different from b.", close, [1.0], [1.1]),
            "tolerance": says("Not equal to tolerance rtol=1e-06, atol=1e-06", close, [1.0], [1.1]),
            "other tolerance": says(
                "Not equal to tolerance rtol=0.001, atol=0.1", close, 1.0, 9.0, rtol=1e-3, atol=0.1
            ),
            "relative": [holds(close, 1.0, 1.05, rtol=0.1), holds(close, 10.0, 1.0, rtol=0.9)],
            "absolute": [holds(close, 1.0, 1.05, atol=0.1), holds(close, 0.0, 1e-7)],
            "a message": says("the reason", close, [1.0], [1.1], msg="the reason"),
            "ints": holds(close, [1, 2], [1, 2]),
            "tensors": holds(close, tf.constant([1.0]), tf.constant([1.0]) + 1e-7),
            "tensor and list": holds(close, tf.constant([1.0]), [1.0]),
            "nan": [holds(close, nan, nan), holds(close, [nan, 1.0], [nan, 1.0])],
            "nan and not": holds(close, nan, 1.0),
            "infinity": [holds(close, inf, inf), holds(close, inf, -inf), holds(close, inf, 1.0)],
            "complex": [holds(close, 1 + 2j, 1 + 2j), holds(close, 1 + 2j, 1 + 3j)],
            "shapes": says(
                "Shape mismatch: expected (2,), got (3,) with contents [1",
                close,
                [1.0, 2.0],
                [1.0, 2.0, 3.0],
            ),
            "nested": holds(close, [(1, [2]), {"a": 3.0}], [(1, [2]), {"a": 3.0 + 1e-7}]),
            "nested, not": says(
                "Mismatched value: a[1][a] is different from b[1][a].",
                close,
                [(1, [2]), {"a": 3.0}],
                [(1, [2]), {"a": 4.0}],
            ),
            "ragged": says(
                "a[1] is different from b[1]", close, [[1.0], [2.0, 3.0]], [[1.0], [2.0, 4.0]]
            ),
            "dictionaries": holds(close, {"a": 1.0, "b": [2.0]}, {"b": [2.0], "a": 1.0}),
            "other keys": says("mismatched keys: a has keys", close, {"a": 1.0}, {"b": 1.0}),
            "a dictionary and not": says(
                "Can't compare dict to non-dict, a vs b.", close, {"a": 1.0}, [1.0]
            ),
            "named tuples": holds(close, Point(1.0, [2.0]), Point(1.0, [2.0])),
            "a named tuple and a dictionary": holds(close, Point(1.0, 2.0), {"x": 1.0, "y": 2.0}),
            "lengths": says(
                "Shape mismatch: expected (2,), got (3,)",
                close,
                [{"a": 1}, {"a": 2}],
                [{"a": 1}, {"a": 2}, {"a": 3}],
            ),
            "lengths of ragged ones": says(
                "Shape mismatch: expected (2,), got (3,)",
                close,
                [{"a": 1}, [2, [3]]],
                [{"a": 1}, [2, [3]], 4],
            ),
            "tensors in a structure": holds(close, {"a": tf.constant(1.0)}, {"a": 1.0}),
            "a tensor in a list": holds(close, [tf.constant(1.0)], [1.0]),
        }
    end(case)
    return answers


@question
def close_by_type(tf):
    case = case_of(tf)
    close, far, typed = (
        case.assertAllClose,
        case.assertNotAllClose,
        case.assertAllCloseAccordingToType,
    )
    inf = float("inf")
    half, brain = np.float16, tf.bfloat16.as_numpy_dtype
    with case.cached_session():
        answers = {
            "half": [holds(close, half(1), half(1.001)), holds(typed, half(1), half(1.001))],
            "half and float": holds(typed, half(1), np.float32(1.0005)),
            "bfloat16": [
                holds(typed, brain(1), brain(1.0078125)),
                holds(typed, brain(1), brain(1.03)),
            ],
            "float": holds(typed, np.float32(1), np.float32(1.00001), float_rtol=1e-4),
            "double": holds(typed, 1.0, 1.00001, float_rtol=1e-4),
            "not: far": holds(far, 1.0, 2.0),
            "not: near": says(
                "The two values are close at all elements. why", far, 1.0, 1.0, msg="why"
            ),
            "near numbers": [
                holds(case.assertNear, 1.0, 1.05, 0.1),
                says(
                    "1.000000 != 1.200000 +/- 0.100000 (why)", case.assertNear, 1.0, 1.2, 0.1, "why"
                ),
            ],
            "near infinity": holds(case.assertNear, inf, inf, 0.1),
            "near sequences": [
                holds(case.assertArrayNear, [1, 2], [1.05, 2], 0.1),
                holds(case.assertArrayNear, [1, 2], [1, 2.2], 0.1),
                holds(case.assertArrayNear, [1, 2], [1], 0.1),
            ],
            "near arrays": [
                holds(case.assertNDArrayNear, np.ones(4), np.ones(4) + 0.04, 0.1),
                holds(case.assertNDArrayNear, np.ones(4), np.ones(4) + 0.06, 0.1),
            ],
        }
    end(case)
    return answers


@question
def order_and_types(tf):
    case = case_of(tf)
    inside = case.assertAllInRange
    with case.cached_session():
        answers = {
            "greater": [
                holds(case.assertAllGreater, [2, 3], 1),
                holds(case.assertAllGreater, [1, 3], 1),
            ],
            "greater or equal": [
                holds(case.assertAllGreaterEqual, [1, 3], 1),
                holds(case.assertAllGreaterEqual, [0, 3], 1),
            ],
            "less": [holds(case.assertAllLess, [2, 3], 4), holds(case.assertAllLess, [2, 4], 4)],
            "less or equal": [
                holds(case.assertAllLessEqual, [2, 4], 4),
                holds(case.assertAllLessEqual, [2, 5], 4),
            ],
            "their words": says("1 not greater than 1", case.assertAllGreater, [1, 3], 1),
            "and": says("5 not less than or equal to 4", case.assertAllLessEqual, [2, 5], 4),
            "a tensor": holds(case.assertAllGreater, tf.constant([2, 3]), 1),
            "in range": [holds(inside, [1, 2], 1, 2), holds(inside, tf.constant([1.5]), 1, 2)],
            "open": [
                holds(inside, [1, 2], 1, 3, open_lower_bound=True),
                holds(inside, [1, 2], 0, 2, open_upper_bound=True),
            ],
            "outside": says(
                "1 of the 2 element(s) are outside the range [1, 2]", inside, [1, 3], 1, 2
            ),
            "outside, open": says(
                "2 of the 2 element(s) are outside the range (1, 3)",
                inside,
                [1, 3],
                1,
                3,
                True,
                True,
            ),
            "nan": says("1 of the 2 element(s) are NaN", inside, [1.0, np.nan], 1, 2),
            "no numbers": says("does not have an ordered numeric type", inside, ["a"], 1, 2),
            "in set": [
                holds(case.assertAllInSet, [1, 1, 2], {1, 2}),
                holds(case.assertAllInSet, tf.constant([1]), (1, 2)),
            ],
            "not in set": says(
                "2 unique element(s) are not in the set", case.assertAllInSet, [1, 3, 4, 3], [1]
            ),
            "dtype": [
                holds(case.assertDTypeEqual, tf.constant(1.0), np.float32),
                holds(case.assertDTypeEqual, [1, 2], np.float32),
                holds(case.assertDTypeEqual, np.ones(2, np.int8), "int8"),
            ],
            "shape": [
                holds(case.assertShapeEqual, np.ones([2, 3]), tf.ones([2, 3])),
                holds(case.assertShapeEqual, np.ones([2, 3]), tf.ones([3, 2])),
                holds(case.assertShapeEqual, np.ones([2]), np.ones([2])),
                holds(case.assertShapeEqual, np.float32(1), tf.constant(1.0)),
            ],
            "shape of a list": says(
                "must be a Numpy ndarray, Numpy scalar, or a Tensor",
                case.assertShapeEqual,
                [1],
                tf.ones([1]),
            ),
            "device": [
                holds(case.assertDeviceEqual, "/job:a/cpu:0", "/job:a/device:CPU:0"),
                holds(case.assertDeviceEqual, "/cpu:0", "/cpu:1"),
            ],
            "device's words": says(
                "Devices /device:CPU:0 and /device:CPU:1 are not equal. why",
                case.assertDeviceEqual,
                "/cpu:0",
                "/cpu:1",
                "why",
            ),
            "starts with": [
                holds(case.assertStartsWith, "abc", "ab"),
                says("'abc' does not start with 'b'", case.assertStartsWith, "abc", "b"),
            ],
            "python's own": [
                holds(case.assertItemsEqual, [1, 2], [2, 1]),
                holds(case.assertLen, [1], 2),
                holds(case.assertEmpty, []),
                holds(case.assertBetween, 1, 0, 2),
            ],
        }
    end(case)
    return answers


@question
def sessions(tf):
    outer = tf.get_default_graph()
    case = case_of(tf)
    fresh = tf.get_default_graph() is not outer
    numbers = [random.random(), np.random.rand()]
    answers = {"a fresh graph": fresh, "its seed": tf.get_default_graph().seed}
    x = tf.constant(3, name="x")
    answers["evaluate alone"] = case.evaluate([x, {"k": x}])
    with case.session() as sess:
        answers["the default"] = tf.get_default_session() is sess
        answers["eval"] = x.eval()
        answers["evaluate"] = case.evaluate(x + 1)
        answers["its device"] = tf.no_op().device
    answers["closed"] = says("Attempted to use a closed Session", sess.run, x)
    with case.session(use_gpu=False):
        answers["on the CPU"] = tf.no_op().device
    with case.cached_session() as one:
        answers["cached"] = one.run(x)
    with case.cached_session() as other:
        answers["the same"] = one is other
    answers["still open"] = one.run(x)
    with case.test_session() as third:
        answers["the older form"] = third is one
    graph = tf.Graph()

    def entered(context):
        with context as found:
            return found

    different = "used to get the cached session is different than the one"
    answers |= {
        "another graph": says(f"The graph {different}", entered, case.cached_session(graph=graph)),
        "another config": says(
            f"The config {different}",
            entered,
            case.cached_session(config=tf.ConfigProto(log_device_placement=1)),
        ),
        "forced": says(
            f"The force_gpu value {different}", entered, case.cached_session(force_gpu=True)
        ),
        "a graph of the older form": entered(case.test_session(graph=graph)).graph is graph,
        "older with a config": entered(case.test_session(config=tf.ConfigProto())) is one,
    }
    end(case)
    answers["closed by the end"] = says("Attempted to use a closed Session", one.run, x)
    again = case_of(tf)
    answers["the same seeds"] = numbers == [random.random(), np.random.rand()]
    end(again)
    return answers


@question
def threads_and_files(tf):
    case = case_of(tf)
    seen = []

    def fail():
        raise ValueError("in a thread")

    good = case.checkedThread(target=seen.append, args=(1,))
    good.start()
    good.join()
    bad = case.checkedThread(fail)
    bad.start()
    answers = {
        "a thread": [seen, good.is_alive()],
        "its error": says("Error in checkedThread: in a thread", bad.join),
    }
    folder = case.get_temp_dir()
    shared = tf.test.get_temp_dir()
    answers |= {
        "a folder": [os.path.isdir(folder), os.listdir(folder), folder == case.get_temp_dir()],
        "the program's": [os.path.isdir(shared), shared == tf.test.get_temp_dir()],
        "within it": os.path.dirname(folder) == shared,
    }
    end(case)
    other = case_of(tf)
    lost = other.checkedThread(seen.append, (2,))
    lost.start()
    answers["not joined"] = says("A checked thread was not joined.", other.tearDown)
    other.doCleanups()
    lost.join()
    return answers


@question
def the_rest(tf):
    class Parent:
        value = 1

        @staticmethod
        def static():
            return "old"

        @classmethod
        def of_class(cls):
            return "old"

        def method(self):
            return "old"

    class Child(Parent):
        pass

    stubs = tf.test.StubOutForTesting()
    child = Child()
    stubs.Set(Parent, "value", 2)
    stubs.Set(Parent, "static", lambda: "new")
    stubs.Set(child, "method", lambda: "new")
    stubs.SmartSet(Child, "of_class", lambda: "new")
    during = [Parent.value, Parent.static(), child.method(), Child.of_class()]
    stubs.CleanUp()
    after = [Parent.value, Parent.static(), child.static(), child.method(), Child.of_class()]
    with tf.test.StubOutForTesting() as block:
        block.SmartSet(os.path, "exists", lambda path: "stub")
        inside = os.path.exists("/")

    class Speed(tf.test.Benchmark):
        def benchmarkSum(self):
            with tf.Session() as sess:
                return self.run_op_benchmark(sess, tf.constant(1) + 2, min_iters=3, extras={"k": 1})

    result = Speed().benchmarkSum()
    return {
        "stubs": during,
        "taken back": after,
        "in a block": [inside, os.path.exists("/")],
        "no such attribute": holds(stubs.Set, Parent, "nothing", 1),
        "no such attribute, smart": holds(stubs.SmartSet, Child, "nothing", 1),
        "a benchmark": [
            sorted(result)[:2],
            result["iters"],
            result["wall_time"] > 0,
            result["extras"]["k"],
            result["extras"]["wall_time_mean"] > 0,
        ],
        "mock": tf.test.mock.Mock(return_value=3)(),
        "gpus": [tf.test.is_gpu_available(), tf.test.gpu_device_name()],
        "cuda": [tf.test.is_built_with_rocm(), type(tf.test.is_built_with_cuda()).__name__],
        "sources": says("TEST_SRCDIR", tf.test.test_src_dir_path, "a/b"),
        "for benchmarks": tf.test.benchmark_config(),
    }
