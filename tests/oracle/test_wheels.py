"""The reader of modules in wheels, on which the table of TensorFlow's names rests."""

import sys
import zipfile

import pytest

from tests.oracle.environment import ROOT

MODULES = {
    "tensorflow/__init__.py": """
from tensorflow.python import *
from tensorflow import nn
from tensorflow.python.util.lazy import LazyLoader
contrib = LazyLoader("contrib", globals(), "tensorflow.contrib")
del LazyLoader
""",
    "tensorflow/nn/__init__.py": "from tensorflow.python.ops import relu as rectified",
    "tensorflow/python/__init__.py": "from tensorflow.python.ops import *\nfrom . import ops",
    "tensorflow/python/ops.py": """
from __future__ import print_function
import os as _os
from tensorflow.python import *  # in a circle
def relu(x, async=False): pass
class Session(object): pass
class _Hidden: pass
VERSION = "1.15"
float32 = DType(1)
old = relu
exported = tf_export("exported")(relu)
if True:
    def conditional(): pass
GraphDef = _reflection.GeneratedProtocolMessageType("GraphDef", (), {})
""",
    "tensorflow/contrib/__init__.py": "from tensorflow.contrib import sealed, plain",
    "tensorflow/contrib/sealed/__init__.py": '''"""
@@relu
"""
from tensorflow.python.ops import relu, Session, old
_allowed = ["old"]
_allowed += ["Session"]
remove_undocumented(__name__, allowed_exception_list=_allowed)
''',
    "tensorflow/contrib/plain/__init__.py": "from tensorflow.python.ops import *\ndef own(): pass",
}


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    path = tmp_path_factory.mktemp("wheels") / "tensorflow-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in MODULES.items():
            archive.writestr(f"tensorflow-1.0.data/purelib/{name}", text)
    sys.path.insert(0, str(ROOT / "scripts" / "oracle"))
    try:
        from wheels import Wheels
    finally:
        sys.path.pop(0)
    return Wheels([path])


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("relu", "function"),
        ("Session", "class"),
        ("VERSION", "constant"),
        ("nn", "module"),
        ("float32", "constant"),
        ("conditional", "function"),
        ("GraphDef", "class"),
        ("contrib", "module"),
        ("ops", "module"),
        ("missing", "unknown"),
    ],
)
def test_kinds_are_those_of_the_definitions(wheels, name, kind):
    assert wheels.find("tensorflow", name).kind == kind


def test_names_of_one_thing_are_found_to_be(wheels):
    relu = wheels.find("tensorflow", "relu")
    assert relu == ("function", "tensorflow.python.ops", "relu")
    assert wheels.find("tensorflow.nn", "rectified") == relu
    assert wheels.find("tensorflow", "old") == wheels.find("tensorflow", "exported") == relu


def test_what_is_shown_leaves_out_what_is_private_or_deleted(wheels):
    shown = wheels.shown("tensorflow")
    assert "relu" in shown
    assert not {"_Hidden", "_os", "print_function", "LazyLoader"} & set(shown)


def test_contrib_shows_what_it_documents(wheels):
    assert wheels.documented("tensorflow.contrib.sealed") == ["relu", "Session", "old"]
    assert wheels.documented("tensorflow.contrib.plain") is None
    assert wheels.find("tensorflow", "contrib").module == "tensorflow.contrib"
