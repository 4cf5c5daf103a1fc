"""`tinytf.compatibility.as_tensorflow`: who gets tinytf, and that all is undone."""

import builtins
import importlib
import os
import sys
from types import ModuleType

import numpy as np
import pytest

import tinytf
from tinytf.compatibility import as_tensorflow, hook
from tinytf.compatibility.hook import importing, numpy_names, whose


@pytest.fixture(autouse=True)
def without_the_variable(monkeypatch):
    monkeypatch.delenv(hook.VARIABLE, raising=False)


def state():
    names = ("PYTHONPATH", hook.VARIABLE)
    return (
        builtins.__import__,
        importlib.import_module,
        sys.excepthook,
        vars(np).get("__getattr__"),
        tinytf.__version__,
        [os.environ.get(name) for name in names],
        "tensorflow" in sys.modules,
    )


def import_and_fail():
    import tensorflow  # noqa: F401

    raise ZeroDivisionError


def test_all_is_undone():
    before = state()
    with as_tensorflow():
        import tensorflow as tf

        assert tf is tinytf
        assert tf.__version__ == tf.VERSION == "1.15.0"
        assert importlib.import_module("tensorflow.train") is tf.train
        assert np.infty == np.inf
        assert str([np.float32(6), np.int32(3)]) == "[6.0, 3]"
        with as_tensorflow():  # once is enough
            pass
        assert hook.installed()
    assert state() == before
    with pytest.raises(ImportError):
        import tensorflow  # noqa: F401
    with pytest.raises(AttributeError):
        _ = np.infty
    assert str([np.float32(6)]) == "[np.float32(6.0)]"


def test_all_is_undone_after_an_error():
    before = state()
    with pytest.raises(ZeroDivisionError), as_tensorflow():
        import_and_fail()
    assert state() == before


def test_a_hook_that_another_has_wrapped_passes_through():
    before = state()
    with as_tensorflow():
        ours = builtins.__import__
        try:
            builtins.__import__ = lambda *arguments, **named: ours(*arguments, **named)
            import tensorflow

            assert tensorflow is tinytf
        finally:
            wrapped, builtins.__import__ = builtins.__import__, ours
    with pytest.raises(ImportError):
        wrapped("tensorflow", globals())
    assert state() == before


def test_a_tensorflow_that_is_there_stays(monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorflow", ModuleType("tensorflow"))
    with pytest.raises(RuntimeError, match="Start a new process"), as_tensorflow():
        pass
    assert not hook.installed()


def test_a_real_one_is_wanted(monkeypatch):
    monkeypatch.setenv(hook.VARIABLE, "off")
    with as_tensorflow():
        assert not hook.installed()
        with pytest.raises(ImportError):
            import tensorflow  # noqa: F401


@pytest.mark.parametrize(
    ("space", "expected"),
    [
        ({"__name__": "__main__"}, True),  # a cell
        ({}, True),  # exec of text
        ({"__name__": "program", "__file__": "/programs/program.py"}, True),
        ({"__name__": "__main__", "__file__": "/x/site-packages/pytest.py"}, False),
        ({"__name__": "x", "__file__": "/usr/lib/python3/dist-packages/x.py"}, False),
        ({"__name__": "os", "__file__": os.__file__}, False),
        ({"__name__": "tinytf", "__file__": tinytf.__file__}, False),
        ({"__name__": "frozen"}, False),
        ({"__name__": "x", "__file__": 3}, False),
        (None, False),
    ],
)
def test_whose_module_it_is(space, expected):
    assert whose.is_users(space) is expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tensorflow", "tinytf"),
        ("tensorflow.train", "tinytf.train"),
        ("tensorflow.compat.v1", "tinytf"),
        ("tensorflow.compat.v1.train", "tinytf.train"),
        ("tensorflow._api.v1.train", "tinytf.train"),
        ("tensorflow.compat", "tinytf.compat"),
        ("tensorflow.compat.v10", "tinytf.compat.v10"),
    ],
)
def test_what_modules_are_called(name, expected):
    assert importing.translated(name) == expected


def test_names_that_numpy_has_dropped(capsys):
    given = {**numpy_names.RENAMED, **numpy_names.PYTHONS, **numpy_names.WRITTEN_OUT}
    with as_tensorflow():
        import numpy

        for name in given:
            getattr(numpy, name)
        assert numpy.unicode_ is numpy.str_
        assert numpy.asscalar(numpy.float64(3.5)) == 3.5
        assert numpy.asfarray([1, 2]).dtype == float
        assert numpy.msort([[2], [1]]).tolist() == [[1], [2]]
        with pytest.raises(AttributeError, match="tomato"):
            _ = numpy.tomato
    assert capsys.readouterr().err.count("tinytf: numpy") == 1


def test_other_packages_do_not_get_these_names():
    space = {"__name__": "x", "__file__": "/x/site-packages/x.py", "np": np}
    with as_tensorflow():
        import numpy  # noqa: F401

        with pytest.raises(AttributeError):
            exec("np.infty", space)  # noqa: S102
        exec("assert np.infty == np.inf", {"np": np})  # noqa: S102
