"""What numpy has changed since TensorFlow 1: the user's program has it as it was while it runs.

Names that it has dropped; and numbers show as 6.0 in a list, not as np.float32(6.0).
"""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import Any

from .whose import is_users

#: what numpy called it -> what it is called now, in numpy
RENAMED = dict(
    pair.split(":")
    for pair in """
    Inf:inf Infinity:inf infty:inf PINF:inf NaN:nan alltrue:all bool8:bool_ bytes0:bytes_
    cfloat:complex128 clongfloat:clongdouble complex_:complex128 cumproduct:cumprod float_:float64
    in1d:isin int0:intp longcomplex:clongdouble longfloat:longdouble mat:asmatrix object0:object_
    product:prod rank:ndim round_:round row_stack:vstack singlecomplex:complex64 sometrue:any
    str0:str_ string_:bytes_ trapz:trapezoid typeDict:sctypeDict uint0:uintp unicode_:str_
    void0:void
    """.split()
)
#: likewise, what is Python's own
PYTHONS = {"bool": bool, "complex": complex, "float": float, "int": int, "object": object}
PYTHONS |= {"str": str, "unicode": str, "long": int}
#: likewise, what takes a line
WRITTEN_OUT: dict[str, Any] = {
    "NINF": float("-inf"),
    "NZERO": -0.0,
    "PZERO": 0.0,
    "alen": len,
    "asfarray": lambda a, dtype=float: sys.modules["numpy"].asarray(a, dtype=dtype),
    "asscalar": lambda a: a.item(),
    "msort": lambda a: sys.modules["numpy"].sort(a, axis=0),
}
#: for numpy 2: the last version that showed a number of its own as Python's
NUMBERS = "1.25"


class NumpyNames:
    """Gives the names through numpy's own `__getattr__`, which is asked for what is missing."""

    def __init__(self) -> None:
        self._numpy: ModuleType | None = None
        self._before: Any = None
        self._told = False
        self._legacy: Any = None  # how numbers were shown before, if that was changed

    def give(self) -> None:
        """From here on, if numpy has been imported."""
        numpy = sys.modules.get("numpy")
        if self._numpy is not None or numpy is None or not hasattr(numpy, "inf"):
            return
        self._numpy, self._before = numpy, vars(numpy).get("__getattr__")
        vars(numpy)["__getattr__"] = self._get
        legacy = numpy.get_printoptions()["legacy"]
        if legacy is False and not numpy.__version__.startswith("1."):
            self._legacy = legacy
            numpy.set_printoptions(legacy=NUMBERS)

    def take_back(self) -> None:
        """As it was."""
        if self._numpy is not None and vars(self._numpy).get("__getattr__") == self._get:
            if self._before is None:
                del vars(self._numpy)["__getattr__"]
            else:
                vars(self._numpy)["__getattr__"] = self._before
        if self._numpy is not None and self._legacy is not None:
            if self._numpy.get_printoptions()["legacy"] == NUMBERS:
                self._numpy.set_printoptions(legacy=self._legacy)
            self._legacy = None
        self._numpy = None

    def _get(self, name: str) -> Any:
        caller = sys._getframe(1)
        if name in {*RENAMED, *PYTHONS, *WRITTEN_OUT} and is_users(caller.f_globals):
            found = self._given(name)
            if found is not None:
                self._tell(name, f"{caller.f_code.co_filename}:{caller.f_lineno}")
                return found
        if self._before is not None:
            return self._before(name)
        raise AttributeError(f"module 'numpy' has no attribute {name!r}", name=name)

    def _given(self, name: str) -> Any:
        if name in RENAMED:
            return vars(self._numpy).get(RENAMED[name])
        return PYTHONS[name] if name in PYTHONS else WRITTEN_OUT[name]

    def _tell(self, name: str, where: str) -> None:
        if self._told:
            return
        self._told = True
        version = getattr(self._numpy, "__version__", "")
        print(
            f"tinytf: numpy {version} has no np.{name} ({os.path.basename(where)}). This program "
            "gets it while it runs here, and other names that numpy has dropped.",
            file=sys.stderr,
        )
