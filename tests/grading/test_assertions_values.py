"""equal_to: what is right passes, what is wrong is told, and nothing of the answer is trusted."""

import collections
import enum
import math
import random

import numpy as np
import pytest

import tinytf as tf
from tinytf.grading import Wrong
from tinytf.grading.assertions import equal_to, plain_values
from tinytf.grading.assertions.plain_values import Strange, plain

NAN, INF = math.nan, math.inf
Point = collections.namedtuple("Point", "x y")


class Colour(enum.IntEnum):
    RED = 1


RIGHT = [
    (3, 3),
    (3, 3.0),
    (np.float32(3), 3),
    (np.int64(3), 3.0),
    (np.array(3), 3),
    (True, True),
    (np.bool_(True), True),
    (None, None),
    ("a", "a"),
    (b"a", b"a"),
    (np.str_("a"), "a"),
    (np.bytes_(b"a"), b"a"),
    (NAN, NAN),
    ([1.0, NAN], [1, NAN]),
    (INF, INF),
    (0.0, -0.0),
    ([1, 2], (1, 2)),
    (np.array([1, 2]), [1, 2]),
    ([1, 2], np.array([1, 2])),
    ([], []),
    (np.zeros([0, 3]), np.zeros([0, 3])),
    ([[1, 2], [3, 4]], np.array([[1, 2], [3, 4]])),
    (np.array([b"a", b"b"], object), [b"a", b"b"]),
    (np.array(["a", "b"]), ["a", "b"]),
    ({"x": [1, 2]}, {"x": np.array([1, 2])}),
    ({1, 2}, frozenset({2, 1})),
    (1 + 2j, 1 + 2j),
    (Point(1, 2), (1, 2)),
    (Colour.RED, 1),
    (collections.OrderedDict(a=1), {"a": 1}),
    (2**70, 2**70),
    (2**53 + 1, 2**53 + 1),
    (np.uint64(2**63), 2**63),
    ([1, "a"], [1, "a"]),
    ([[1], [2, 3]], [[1], [2, 3]]),
    ([True, 1], [True, 1]),
    (np.float16(0.1), np.float16(0.1)),
    (tf.bfloat16.as_numpy_dtype(1.5), 1.5),
    (tf.float32, tf.float32),
    (tf.TensorShape([2, None]), tf.TensorShape([2, None])),
    ({(1, 2): 3}, {(1, 2): 3}),
]

#: (got, expected, words of the message)
WRONG = [
    (4, 3, "is wrong; expected 3, got 4"),
    (NAN, 3, "got nan; hint: NaN"),
    (3, NAN, "expected nan"),
    (INF, -INF, "is wrong"),
    ([1, 2, 4, 5], [1, 2, 3, 4], r"value\[2\] is wrong, and so are 1 more of 4; expected 3, got 4"),
    ([[1, 2], [3, 5]], [[1, 2], [3, 4]], r"value\[1\]\[1\] is wrong; expected 4, got 5"),
    ([1, 2], [1, 2, 3], r"another shape; expected shape \[3\], got shape \[2\]: \[1, 2\]"),
    ([3], 3, r"another shape; expected shape \[\], got shape \[1\]"),
    (3, [3], "another shape"),
    (np.zeros([2, 3]), np.zeros([3, 2]), r"shape \[3, 2\], got shape \[2, 3\]"),
    (np.float64(3), np.float32(3), "another dtype; expected float32, got float64"),
    (np.zeros(2, np.int64), np.zeros(2, np.int32), "expected int32, got int64"),
    (1, True, r"another type; expected True \(bool\), got 1 \(int\)"),
    (True, 1, "got True"),
    (np.int32(1), True, r"got 1 \(int32\)"),
    ([1, 1], [True, True], "another type"),
    ("3", 3, r"another type; expected 3 \(int\), got '3' \(str\)"),
    (3, "3", "another type"),
    (b"a", "a", r"got b'a' \(bytes\); hint: the strings of a tensor are bytes"),
    ("a", b"a", "bytes"),
    ("a", "b", "is wrong; expected 'b', got 'a'"),
    (None, 3, "got None .a function without `return`"),
    (3, None, "another type"),
    (["a", "b"], ["a", "c"], r"value\[1\] is wrong; expected 'c', got 'b'"),
    (["a"], ["a", "b"], "another length; expected 2 items, got 1 items: .'a'."),
    ("ab", ["a", "b"], r"another type; expected \['a', 'b'\] \(list\), got 'ab' \(str\)"),
    ([1, "2"], [1, 2], r"value\[1\] is of another type; expected 2 \(int\), got '2' \(str\)"),
    ({"a": 1}, {"a": 1, "b": 2}, r"value lacks 'b'; expected \['a', 'b'\], got \['a'\]"),
    ({"a": 1, "b": 2}, {"a": 1}, "has too much: 'b'"),
    ([("a", 1)], {"a": 1}, "another type"),
    ({"a": [1, 3]}, {"a": [1, 2]}, r"value\['a'\]\[1\] is wrong; expected 2, got 3"),
    ({1, 3}, {1, 2}, r"expected \{1, 2\}, got \{1, 3\}"),
    (1 + 2j, 1, "is wrong"),
    (2.0**53, 2**53 + 1, "is wrong"),
    (np.uint64(2**63), np.int64(-(2**63)), "another dtype"),
    ([2**63], [-(2**63)], "is wrong"),
    (tf.float64, tf.float32, "is wrong.*float32"),
    ((n for n in [1]), [1], "no value that can be compared; .* got a generator"),
    (np.zeros(2, [("x", float)]), [0, 0], "got a structured array"),
]


@pytest.mark.parametrize(("got", "expected"), RIGHT)
def test_right(got, expected):
    equal_to(got, expected)


@pytest.mark.parametrize(("got", "expected", "words"), WRONG)
def test_wrong(got, expected, words):
    with pytest.raises(Wrong, match="(?s)" + words):
        equal_to(got, expected)


def test_tolerance():
    equal_to(0.1 + 0.2, 0.3, tolerance=1e-12)
    equal_to(1e6 + 1, 1e6, tolerance=1e-6)  # relative, for what is beyond 1
    equal_to([1.0, NAN, INF], [1.05, NAN, INF], tolerance=0.1)
    equal_to([10, 21], [10, 20], tolerance=0.1)
    for got, expected in ((0.3, 0.1), (1.2, 1.0), (INF, -INF), (INF, 1.0), (1.0, INF), (1, NAN)):
        with pytest.raises(Wrong, match=r"is wrong.* by more than 0\.1|NaN"):
            equal_to(got, expected, tolerance=0.1)


def test_names_and_hints():
    with pytest.raises(Wrong, match=r"sums\[0\] is wrong; expected 2, got 1; hint: add them"):
        equal_to([1], [2], what="sums", hint="add them")


def test_tensors_are_no_values():
    tensor = tf.constant(3.0)
    for newer in (False, True):
        variable = tf.get_variable(f"v{newer}", initializer=3.0, use_resource=newer)
        with pytest.raises(Wrong, match=r"no value.*sess\.run\(variable\)"):
            equal_to(variable, 3.0)
    with pytest.raises(Wrong, match=r"no value.*got a Tensor.*sess\.run\(tensor\)"):
        equal_to(tensor, 3.0)
    with pytest.raises(Wrong, match=r"value\[0\] is no value"):
        equal_to([tensor.op], [3.0])
    with tf.Session() as sess:
        equal_to(sess.run(tensor), 3.0)


# Hostile ones ------------------------------------------------------------------------------------


def yes(self, *_):
    return True


armed = []


def never(self, *_, **__):
    if armed:
        raise AssertionError("a method of the answer was called")


@pytest.fixture
def no_calls():
    armed.append(True)
    yield
    armed.clear()


EVERY_METHOD = dict.fromkeys(
    [
        "__array__",
        "__len__",
        "__iter__",
        "__getitem__",
        "__contains__",
        "__float__",
        "__int__",
        "__index__",
        "__bool__",
        "__hash__",
        "__repr__",
        "__str__",
        "__getattribute__",
        "__add__",
        "__pos__",
        "__array_ufunc__",
        "__array_function__",
        "__reduce__",
        "items",
        "keys",
        "tolist",
    ],
    never,
)
EQUAL = {"__eq__": yes, "__ne__": never}


def hostile(base, *args):
    """An object of a subclass of `base` that says it equals everything, and else only fails."""
    return type("Liar", (base,), {**EVERY_METHOD, **EQUAL})(*args)


@pytest.mark.parametrize(
    "expected", [3, 2.5, "a", b"a", None, True, [1], {"a": 1}, np.zeros(2), {1}]
)
def test_always_equal_objects_are_wrong(expected, no_calls):
    in_array = np.empty(1, object)
    for base, *value in (
        (object,),
        (int, 9),
        (float, 9.0),
        (str, "no"),
        (bytes, b"no"),
        (list, [9, 9]),
        (dict, {"no": 9}),
        (tuple, (9, 9, 9)),
        (np.float64, 9.0),
        (set, {9, 10}),
    ):
        liar = in_array[0] = hostile(base, *value)
        for got in (liar, [liar], {"a": liar}, in_array):
            with pytest.raises(Wrong):
                equal_to(got, expected)


def test_what_a_subclass_holds_is_taken_by_its_base(no_calls):
    for base, value in (
        (int, 9),
        (float, 9.5),
        (str, "text"),
        (bytes, b"text"),
        (list, [1, 2]),
        (tuple, (1, 2)),
        (dict, {"a": 1}),
        (np.float64, 2.5),
    ):
        equal_to(hostile(base, value), value)


def test_an_array_that_lies(request):
    class Liar(np.ndarray):
        __eq__ = __ne__ = yes
        __array_ufunc__ = __array_finalize__ = never
        shape = property(never)
        dtype = property(never)

    liar = np.array([1.0, 2.0]).view(Liar)
    armed.append(True)
    request.addfinalizer(armed.clear)
    equal_to(liar, [1.0, 2.0])
    with pytest.raises(Wrong, match=r"\[1\] is wrong; expected 3.0, got 2.0"):
        equal_to(liar, [1.0, 3.0])


def test_a_class_that_pretends():
    class Pretender:
        __class__ = float
        __eq__ = yes

    class Meta(type):
        __name__ = "int"
        __instancecheck__ = __subclasscheck__ = __eq__ = yes
        __hash__ = type.__hash__

    class Other(metaclass=Meta):
        pass

    for got in (Pretender(), Other(), Other):
        with pytest.raises(Wrong, match="no value that can be compared"):
            equal_to(got, 3.0)


def test_endless_and_huge_ones(monkeypatch):
    monkeypatch.setattr(plain_values, "MOST_ITEMS", 2000)
    itself = []
    itself.append(itself)
    bush = [1]  # 2**38 lists
    for _ in range(38):
        bush = [bush, bush]
    for got in (itself, bush, {"a": itself}):
        with pytest.raises(Wrong):
            equal_to(got, [1])
    many = plain([[n] for n in range(2000)])
    assert many[-2] == [1998]
    assert type(many[-1]) is Strange


def test_numpy_replaced_after_the_import(monkeypatch):
    for name in ("array_equal", "equal", "allclose", "isnan", "asarray", "nonzero", "maximum"):
        monkeypatch.setattr(np, name, yes)
    with pytest.raises(Wrong, match="expected 3, got 4"):
        equal_to(np.float32(4), 3)


def test_long_values_are_cut_short():
    with pytest.raises(Wrong) as caught:
        equal_to("x" * 10**6, "y")
    assert len(str(caught.value)) < 400
    with pytest.raises(Wrong, match=r"an array of shape \[1000, 1000\]"):
        equal_to(np.zeros([1000, 1000]), [1])


@pytest.mark.parametrize("seed", range(30))
def test_random_values(seed):
    """Equal to itself, told as a list or an array; and wrong as soon as one part is changed."""
    rng = random.Random(seed)
    value = random_value(rng, 3)
    equal_to(value, value)
    equal_to(as_lists(value), value if not has_array(value) else as_lists(value))
    changed = change(value, rng)
    for got, expected in ((changed, value), (value, changed)):
        with pytest.raises(Wrong):
            equal_to(got, expected)


def random_value(rng, depth):
    kind = rng.choice(["number", "text", "array"] + ["list", "dict"] * (depth > 0))
    if kind == "number":
        return rng.choice([rng.randrange(-9, 9), rng.random(), NAN, 2**60 + rng.randrange(9)])
    if kind == "text":
        return rng.choice(["a", b"a", "", None, True])
    if kind == "array":
        return np.array([[rng.randrange(5) for _ in range(3)] for _ in range(2)], np.float32)
    parts = [random_value(rng, depth - 1) for _ in range(rng.randrange(1, 4))]
    return parts if kind == "list" else {f"k{n}": part for n, part in enumerate(parts)}


def as_lists(value):
    if isinstance(value, dict):
        return {key: as_lists(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_lists(item) for item in value]
    return value.tolist() if isinstance(value, np.ndarray) else value


def has_array(value):
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, np.ndarray) or any(map(has_array, items))


def change(value, rng):
    """The same with one leaf that is another one."""
    if isinstance(value, dict):
        key = rng.choice(list(value))
        return {**value, key: change(value[key], rng)}
    if isinstance(value, list):
        at = rng.randrange(len(value))
        return [*value[:at], change(value[at], rng), *value[at + 1 :]]
    if isinstance(value, np.ndarray):
        other = value.copy()
        other[rng.randrange(2), rng.randrange(3)] += 1
        return other
    if isinstance(value, int | float) and not isinstance(value, bool):
        return 0.5 if value != value else value + 1
    return [None, value]


def test_plain_values_are_plain():
    found = plain({"a": (np.float32(1), [object()])})
    assert type(found["a"][0]) is np.ndarray
    assert found["a"][0].dtype == np.float32
    assert type(found["a"][1][0]) is Strange


def test_a_plain_value_may_be_compared(no_calls):
    for base, value in ((str, "no"), (int, 9), (list, [1]), (dict, {"a": 1})):
        found = plain(hostile(base, value))
        assert type(found) is base
        assert found == value
        assert found != "yes"
    assert plain(hostile(object)) != 3
    assert repr(plain([hostile(object)])) == "[a Liar]"
