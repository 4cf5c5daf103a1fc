"""What `tf.test.TestCase` asserts of arrays and tensors; failures list the elements they are about.

Mirrors the methods of tensorflow/python/framework/test_util.py.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from absl.testing import absltest

from tinytf.framework.dtypes import as_dtype
from tinytf.framework.tensor import Tensor

#: So many elements, and no more, are shown.
_SHOWN = 10
#: Larger arrays are not shown as a whole.
_SMALL = 500


class ArrayAssertions(absltest.TestCase):
    """Assertions on anything that `numpy.array` takes, on tensors and on variables."""

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors."""
        raise NotImplementedError

    # Equal --------------------------------------------------------------------------------------

    def assertAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """The same shape and the same elements; NaN equals NaN, text its bytes."""
        a, b = self._arrays(a, b)
        self._assert_shapes(a, b, msg)
        wrong = ~np.asarray(_same(a, b), bool)
        if wrong.any():
            rows = [f"a = {x!r}, b = {y!r}" for x, y in _pairs(a, b, wrong)]
            self.fail(_told("Arrays are not equal", a, b, wrong, rows, msg, "not equal"))

    def assertNotAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Another shape, or other elements."""
        self._assert_fails(lambda: self.assertAllEqual(a, b), "equal", msg)

    # Close --------------------------------------------------------------------------------------

    def assertAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None
    ) -> None:
        """The same structure, with elements of which |a - b| <= atol + rtol * |b|.

        Args:
          a, b: arrays, tensors, or dictionaries, named tuples, tuples and lists of these.

        Raises:
          ValueError: if only one is a dictionary, or if sequences differ in length.
        """
        self._assert_close(a, b, rtol, atol, (), msg)

    def assertNotAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None
    ) -> None:
        """Some element, or the shape, is farther away than `assertAllClose` admits."""
        self._assert_fails(lambda: self.assertAllClose(a, b, rtol, atol), "close", msg)

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: Any = None,
    ) -> None:
        """`assertAllClose` with tolerances for the shorter of the two types."""
        a, b = self._arrays(a, b)
        names = {a.dtype.name, b.dtype.name}
        for kinds, kind_rtol, kind_atol in (
            ({"float32", "complex64"}, float_rtol, float_atol),
            ({"float16"}, half_rtol, half_atol),
            ({"bfloat16"}, bfloat16_rtol, bfloat16_atol),
        ):
            if kinds & names:
                rtol, atol = max(rtol, kind_rtol), max(atol, kind_atol)
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertNear(self, f1: float, f2: float, err: float, msg: Any = None) -> None:
        """|f1 - f2| <= err."""
        if not (f1 == f2 or math.fabs(f1 - f2) <= err):
            self.fail(f"{f1:f} != {f2:f} +/- {err:f}{'' if msg is None else f' ({msg})'}")

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: Any = None) -> None:
        """Each element of one sequence is near that of the other."""
        if len(farray1) != len(farray2):
            self.fail(_with(f"{len(farray1)} != {len(farray2)}: lengths of the sequences", msg))
        for first, second in zip(farray1, farray2, strict=True):
            self.assertNear(float(first), float(second), err, msg)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float, msg: Any = None) -> None:
        """The norm of the difference is less than `err`."""
        distance = float(np.linalg.norm(ndarray1 - ndarray2))
        if not distance < err:
            found = f"the norm of the difference is {distance}, not less than {err}"
            self.fail(_with(f"False is not true : {found}", msg))

    # Order, ranges and sets ---------------------------------------------------------------------

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """Every element is greater."""
        self._assert_order(np.min, np.greater, "greater than", a, comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """Every element is greater or equal."""
        self._assert_order(
            np.min, np.greater_equal, "greater than or equal to", a, comparison_target
        )

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """Every element is less."""
        self._assert_order(np.max, np.less, "less than", a, comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """Every element is less or equal."""
        self._assert_order(np.max, np.less_equal, "less than or equal to", a, comparison_target)

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Every element is between the bounds, and none is NaN; `open`: the bound itself is out."""
        array = self._array(target)
        if array.dtype.kind not in "iuf":
            self.fail(
                f"The value of {array} does not have an ordered numeric type, instead it has "
                f"type: {array.dtype}"
            )
        nan = np.isnan(array)
        if nan.any():
            self.fail(
                f"{nan.sum()} of the {array.size} element(s) are NaN. Subscripts(s) and value(s) "
                f"of the NaN element(s):\n{_listed(nan, array[nan])}"
            )
        below = np.less_equal if open_lower_bound else np.less
        above = np.greater_equal if open_upper_bound else np.greater
        wrong = below(array, lower_bound) | above(array, upper_bound)
        if wrong.any():
            start, end = "[("[bool(open_lower_bound)], "])"[bool(open_upper_bound)]
            self.fail(
                f"{wrong.sum()} of the {array.size} element(s) are outside the range "
                f"{start}{lower_bound}, {upper_bound}{end}. Subscript(s) and value(s) of the "
                f"offending elements:\n{_listed(wrong, array[wrong])}"
            )

    def assertAllInSet(self, target: Any, expected_set: Iterable[Any]) -> None:
        """Every element is one of these."""
        others = np.setdiff1d(self._array(target).flatten(), list(expected_set))
        if others.size:
            self.fail(
                f"{others.size} unique element(s) are not in the set {expected_set}: {others}"
            )

    # Types and shapes ---------------------------------------------------------------------------

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """The array, or the value of the tensor, is of this numpy type."""
        found = self._array(target).dtype
        if found != expected_dtype:
            self.fail(f"{found!r} != {expected_dtype!r}: the type of the elements")

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: Any = None) -> None:
        """The same static shapes; TypeError for what is neither array nor tensor."""
        shapes = []
        for name, value in (("input_a", input_a), ("input_b", input_b)):
            if not isinstance(value, np.ndarray | np.generic | Tensor):
                raise TypeError(
                    f"{name} must be a Numpy ndarray, Numpy scalar, or a Tensor. Instead received "
                    f"{type(value)}"
                )
            shape = value.shape.as_list() if isinstance(value, Tensor) else list(value.shape)
            shapes.append(shape)
        if shapes[0] != shapes[1]:
            self.fail(_with(f"Arrays are not equal: the shapes {shapes[0]} and {shapes[1]}", msg))

    # Inside -------------------------------------------------------------------------------------

    def evaluate_if_both_tensors(self, a: Any, b: Any) -> Any:
        """The values of two tensors, of one step; anything else as it is."""
        if isinstance(a, Tensor) and isinstance(b, Tensor):
            return self.evaluate((a, b))
        return a, b

    def _arrays(self, a: Any, b: Any) -> tuple[np.ndarray, np.ndarray]:
        a, b = self.evaluate_if_both_tensors(a, b)
        return self._array(a), self._array(b)

    def _array(self, value: Any) -> np.ndarray:
        if isinstance(value, Tensor) or hasattr(value, "_as_graph_element"):
            value = self.evaluate(value)
        try:
            return np.asarray(value)
        except ValueError:  # of rows of several lengths
            return np.array(value, object)

    def _assert_fails(self, assertion: Callable[[], None], text: str, msg: Any) -> None:
        try:
            assertion()
        except AssertionError:
            return
        self.fail(_with(f"The two values are {text} at all elements.", msg))

    def _assert_shapes(self, a: np.ndarray, b: np.ndarray, msg: Any) -> None:
        if a.shape != b.shape:
            shown = f" with contents {b}" if b.ndim <= 3 or b.size < _SMALL else ""
            self.fail(_with(f"Shape mismatch: expected {a.shape}, got {b.shape}{shown}.", msg))

    def _assert_order(self, extreme: Any, holds: Any, words: str, a: Any, target: Any) -> None:
        a, target = self.evaluate_if_both_tensors(a, target)
        array = self._array(a)
        value = extreme(array)
        if not np.all(holds(value, target)):
            wrong = ~holds(array, target)
            self.fail(
                f"{value} not {words} {target}: {wrong.sum()} of {array.size} element(s)\n"
                f"{_listed(wrong, array[wrong])}"
            )

    def _assert_close(
        self, a: Any, b: Any, rtol: float, atol: float, path: tuple[Any, ...], msg: Any
    ) -> None:
        where = "".join(f"[{step}]" for step in path)
        a, b = (x._asdict() if hasattr(x, "_asdict") else x for x in (a, b))
        if isinstance(a, Mapping) != isinstance(b, Mapping):
            raise ValueError(_with(f"Can't compare dict to non-dict, a{where} vs b{where}.", msg))
        if isinstance(a, Mapping):
            if set(a) != set(b):
                text = f"mismatched keys: a{where} has keys {list(a)}, but b{where} has keys"
                self.fail(_with(f"{text} {list(b)}.", msg))
            for key in a:
                self._assert_close(a[key], b[key], rtol, atol, (*path, key), msg)
            return
        words = _with(f"Mismatched value: a{where} is different from b{where}.", msg)
        if not isinstance(a, list | tuple):
            try:
                self._assert_arrays_close(a, b, rtol, atol, words)
            except TypeError as error:
                types = f"a{where} has {type(a)}, but b{where} has {type(b)}."
                raise TypeError(_with(f"{error} : Error: {types}", msg)) from None
            return
        try:
            self._assert_arrays_close(a, b, rtol, atol, words)
        except (ValueError, TypeError, NotImplementedError):  # no array: part by part
            if len(a) != len(b):
                counts = f"a{where} has {len(a)} items, but b{where} has {len(b)} items."
                raise ValueError(_with(f"Mismatched length: {counts}", msg)) from None
            for number, (one, other) in enumerate(zip(a, b, strict=True)):
                self._assert_close(one, other, rtol, atol, (*path, number), msg)

    def _assert_arrays_close(self, a: Any, b: Any, rtol: float, atol: float, msg: str) -> None:
        a, b = self._arrays(a, b)
        self._assert_shapes(a, b, msg)
        kind = a.dtype
        # numpy compares what it knows; the 16-bit type of ml_dtypes it does not.
        a, b = (x.astype(np.float32) if x.dtype.kind == "V" else x for x in (a, b))
        wrong = ~np.asarray(np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True))
        if not wrong.any():
            return
        rows = [
            f"a = {x}, b = {y}, |a - b| = {np.abs(x - y)}, tolerance = {atol + rtol * np.abs(y)}"
            for x, y in _pairs(a, b, wrong)
        ]
        title = f"Not equal to tolerance rtol={rtol:g}, atol={atol:g}"
        self.fail(_told(title, a, b, wrong, rows, msg, "not close", kind))


def _same(a: np.ndarray, b: np.ndarray) -> Any:
    if {a.dtype.kind, b.dtype.kind} & set("USO"):
        a, b = (np.vectorize(_as_bytes, otypes=[object])(x) if x.size else x for x in (a, b))
    same = np.equal(a, b)
    if as_dtype(a.dtype).is_floating or a.dtype.kind == "c":
        same = same | (np.isnan(a) & np.isnan(b))
    return same


def _as_bytes(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value


def _pairs(a: np.ndarray, b: np.ndarray, wrong: np.ndarray) -> list[tuple[Any, Any]]:
    """The first elements that differ."""
    return list(itertools.islice(zip(a[wrong], b[wrong], strict=True), _SHOWN))


def _told(
    title: str,
    a: np.ndarray,
    b: np.ndarray,
    wrong: np.ndarray,
    rows: list[str],
    msg: Any,
    what: str,
    kind: Any = None,
) -> str:
    """What a comparison of two arrays has found: how much differs, and where."""
    types = f"a: {kind or a.dtype}, b: {b.dtype}, shape {a.shape}"
    count, total = int(wrong.sum()), wrong.size
    head = f"{title}\n{msg}" if msg else title
    return (
        f"{head}\n{count} of {total} element(s) are {what} ({count / total:.3g} of all); {types}\n"
        f"{_listed(wrong, rows)}"
    )


def _listed(wrong: np.ndarray, values: Any) -> str:
    """Subscripts and values of the first elements, a line each."""
    subscripts = np.argwhere(wrong)
    lines = [
        f"  {list(map(int, place))} : {value}"
        for place, value in itertools.islice(zip(subscripts, values, strict=False), _SHOWN)
    ]
    return "\n".join(lines + (["  ..."] if len(subscripts) > _SHOWN else []))


def _with(text: str, msg: Any) -> str:
    return f"{text} {msg}" if msg else text
