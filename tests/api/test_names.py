"""Names of the `tf` namespace: TensorFlow's, older ones, missing ones, mistyped ones."""

import importlib
import inspect
import re
import subprocess
import sys
from types import ModuleType

import pytest

import tinytf as tf
from tests.oracle.tables import DATA
from tinytf.api import names, plans

PLANS = {**plans.PLANNED, **plans.NEVER}


def is_here(path):
    try:
        names.find(path)
    except AttributeError:
        return False
    return True


HERE = {path for path in names.table() if is_here(path)}
MISSING = sorted(names.table().keys() - HERE)


def test_the_table_is_tensorflow_s():
    table = names.table()
    assert len(table) > 6000
    assert {name.kind for name in table.values()} == {"class", "constant", "function", "module"}
    assert all(8 <= name.first <= name.last <= 15 for name in table.values())
    assert all(path.rpartition(".")[0] in table for path in table if "." in path)
    # Some of which there is no doubt.
    assert table["GraphDef"] == ("GraphDef", "class", 8, 15)
    assert table["math.softmax"] == ("math.softmax", "function", 12, 15)
    assert table["contrib.lite"] == ("contrib.lite", "module", 8, 12)
    assert table["keras.layers.Dense"].kind == "class"
    assert table["contrib.layers.fully_connected"].kind == "function"


#: Names that are something else here than in TensorFlow.
OTHER_KINDS = {
    "data.experimental.RandomDataset": "a function that makes a dataset",
    "contrib.data.RandomDataset": "likewise",
    "contrib.keras.backend.name_scope": "the class that it is in TensorFlow 1.13 and later",
}


def kind_of(found):
    if isinstance(found, ModuleType):
        return "module"
    if isinstance(found, type):
        return "class"
    return "function" if callable(found) and not hasattr(found, "__setitem__") else "constant"


def test_what_is_here_is_of_tensorflow_s_kind():
    table = names.table()
    other = [path for path in sorted(HERE) if kind_of(names.find(path)) != table[path].kind]
    assert other == sorted(OTHER_KINDS)


def test_each_name_is_here_or_planned_or_never_to_be():
    assert len(HERE) > 1300
    assert [path for path in MISSING if names.plan(path) is None] == []
    assert plans.PLANNED.keys() & plans.NEVER.keys() == set()


def test_no_plan_is_left_for_what_has_come():
    """Take out of tinytf/api/plans.py what this lists."""
    used = set()
    for path in MISSING:
        keys = [path]
        while path := path.rpartition(".")[0]:
            keys += [f"{path}.*", path]
        used.add(next(key for key in keys if key in PLANS))
    later = {key for key in PLANS if key not in names.table() and not key.endswith(".*")}
    assert sorted(PLANS.keys() - used - later) == []
    assert [key for key in later if is_here(key)] == []


def said_of(path):
    """The message of the first name on the way that is missing."""
    with pytest.raises(AttributeError) as caught:
        names.find(path)
    return str(caught.value)


def test_every_missing_name_says_what_to_use():
    for path in MISSING:
        message = said_of(path)
        first = re.search(r": tf\.([\w.]*\w) is not part of tinytf", message)
        assert first, (path, message)
        if path.startswith("contrib.keras."):  # which is tf.keras
            path = path.removeprefix("contrib.")
        assert path == first[1] or path.startswith(first[1] + ".")
        meanwhile = re.search(
            r" is not part of tinytf(?: yet, but planned\. Meanwhile"
            r"|, and will not be): \S.{8,}\.$",
            message,
        )
        assert meanwhile, (path, message)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("keras.layers.LSTM", "tf.keras.layers.LSTM is not part of tinytf, and will not be: "),
        (
            "train.CheckpointManager",
            "tf.train.CheckpointManager is not part of tinytf yet, but planned. Meanwhile: ",
        ),
        ("contrib.tpu.TPUEstimator", "tf.contrib.tpu is not part of tinytf, and will not be: "),
        (
            "GradientTape",
            "tf.GradientTape is not part of tinytf, and will not be: that is TensorFlow 2's",
        ),
        ("config.experimental.set_memory_growth", "allow_growth=True"),
        ("config.set_visible_devices", "visible_device_list"),  # of TensorFlow 2
    ],
)
def test_the_first_name_that_is_missing_says_so(path, text):
    assert text in said_of(path)


@pytest.mark.parametrize("path", sorted(plans.RENAMED))
def test_names_that_tensorflow_gave_up_lead_to_the_ones_it_has(path):
    assert f"TensorFlow 1.x calls it tf.{plans.RENAMED[path]}" in said_of(path)


def test_advice_names_only_what_is_there():
    for path, advice in PLANS.items():
        for mentioned in re.findall(r"\btf\.([\w.]*\w)", advice):
            later = advice.endswith((", when it is here", ", when they are here"))
            assert later or is_here(mentioned), (path, mentioned)
            assert not later or names.plan(mentioned).state == "planned", (path, mentioned)
    assert [name for name in plans.RENAMED.values() if not is_here(name)] == []


ALIASES = [line.split() for line in (DATA / "tensorflow_aliases.txt").read_text().splitlines()]


def test_what_is_here_is_here_by_all_its_names():
    """Import in the module of tinytf/api what this lists, as its other names say."""
    assert len(ALIASES) > 500
    missing = {
        path: here
        for paths in ALIASES
        for here in [[path for path in paths if path in HERE]]
        for path in set(paths) - HERE
        if here and (path.rpartition(".")[0] in HERE or "." not in path)
    }
    assert missing == {}


def test_names_of_one_thing_are_one_thing_here():
    apart = []
    for paths in ALIASES:
        found = [names.find(path) for path in paths if path in HERE]
        if any(one is not found[0] and one != found[0] for one in found):
            apart.append(paths)
    assert apart == []


@pytest.mark.parametrize(
    "statement",
    [
        "import tinytf.contrib.gan",
        "from tinytf.contrib import gan",
        "import tinytf.contrib.gan as gan",
        "from tinytf.contrib.gan import eval",
        "import tinytf.contrib.gan.eval",
    ],
)
def test_imports_of_what_is_missing_say_so(statement):
    text = said_of("contrib.gan").partition(": ")[2]
    with pytest.raises(ImportError, match=re.escape(text)):
        exec(statement, {})  # noqa: S102


def test_imports_by_public_names():
    namespace = {}
    exec(  # noqa: S102
        "import tinytf.nn as nn\n"
        "from tinytf.nn import relu\n"
        "import tinytf.contrib.training as training\n"
        "from tinytf.train import AdamOptimizer, Server\n"
        "from tinytf.compat import v1\n"
        "from tinytf.data import Dataset, TFRecordDataset\n"
        "from tinytf.data.experimental import AUTOTUNE, map_and_batch\n",
        namespace,
    )
    assert namespace["nn"] is tf.nn
    assert tf.nn.__spec__.name == tf.nn.__name__ == "tinytf.api.nn"
    assert namespace["training"] is tf.contrib.training
    assert namespace["v1"] is tf
    assert namespace["Dataset"] is tf.data.Dataset
    assert namespace["map_and_batch"] is tf.data.experimental.map_and_batch
    for mistyped in ("import tinytf.nnn", "import tinytf.constant", "import tinytf.nn._private"):
        with pytest.raises(ModuleNotFoundError):
            exec(mistyped, {})  # noqa: S102


def test_nothing_is_read_before_a_name_is_missing():
    program = (
        "import sys, tinytf as tf\n"
        "from tinytf.api import names\n"
        "tf.nn.relu, tf.train.AdamOptimizer, tf.contrib.training\n"
        "tf.layers.dense, tf.saved_model.loader.load, tf.estimator.inputs.numpy_input_fn\n"
        "lazy = ['tinytf.api.plans', 'tinytf.api.flags', 'absl']\n"
        "print(names.table.cache_info().currsize, [name for name in lazy if name in sys.modules])\n"
        "hasattr(tf, 'tpu')\n"
        "print(names.table.cache_info().currsize)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("0 []\n1\n", "")


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("placholder", "tf.placeholder"),
        ("reduce_summ", "tf.reduce_sum"),
        ("nn.rellu", "tf.nn.relu"),
        ("train.AdamOptimiser", "tf.train.AdamOptimizer"),
        ("graph", "tf.Graph"),
    ],
)
def test_mistyped_names_get_near_ones(path, near):
    with pytest.raises(AttributeError, match=f"Did you mean .*{near}"):
        names.find(path)


def test_names_like_nothing_get_python_s_words_alone():
    with pytest.raises(AttributeError) as caught:
        tf.zzqqxx  # noqa: B018
    assert str(caught.value) == "module 'tinytf' has no attribute 'zzqqxx'"
    with pytest.raises(AttributeError) as caught:
        tf.__wrapped__  # noqa: B018
    assert str(caught.value) == "module 'tinytf' has no attribute '__wrapped__'"


def test_programs_may_ask_whether_a_name_is_there():
    assert not hasattr(tf, "tpu")
    assert getattr(tf, "tpu", None) is None
    assert hasattr(tf, "constant")


@pytest.mark.parametrize("path", sorted(plans.TENSORFLOW_2))
def test_names_of_tensorflow_2_say_so_and_what_to_type(path):
    assert path not in names.table()
    assert path not in PLANS
    if path.startswith("keras."):  # is not here as a whole
        return
    with pytest.raises(AttributeError) as caught:
        names.find(path)
    assert f"tf.{path} is TensorFlow 2's. Here, as in TensorFlow 1.x: " in str(caught.value)
    assert "yet" not in str(caught.value)


@pytest.mark.parametrize("path", ["function", "GradientTape", "enable_eager_execution"])
def test_ways_of_tensorflow_2_are_not_promised(path):
    with pytest.raises(AttributeError, match="that is TensorFlow 2's way; here ") as caught:
        names.find(path)
    assert "yet" not in str(caught.value)
    assert tf.executing_eagerly() is False


def test_objects_and_modules_are_called_what_users_call_them():
    with tf.Graph().as_default():
        assert repr(tf.FIFOQueue(1, tf.int32, name="q")) == "<tf.FIFOQueue 'q'>"
    assert re.match(r"<tf\.train\.Coordinator at 0x", repr(tf.train.Coordinator()))
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    assert repr(optimizer).startswith("<tf.train.GradientDescentOptimizer at 0x")

    class Mine(tf.train.Optimizer):
        """A class of the program's own."""

    assert f"{__name__}.test_objects" in repr(Mine(False, "mine"))
    with pytest.raises(AttributeError, match=r"^module 'tinytf\.train' has no attribute 'zzqqxx'$"):
        tf.train.zzqqxx  # noqa: B018


#: All of tf; the standard library's; tf.keras.
UNDER_OTHER_NAMES = ("compat.v1", "test.mock", "contrib.keras")
MODULES = sorted(
    path
    for path in HERE
    if isinstance(names.find(path), ModuleType) and not path.startswith(UNDER_OTHER_NAMES)
)


@pytest.mark.parametrize("path", MODULES)
def test_a_namespace_shows_what_it_is_for_and_not_what_it_works_with(path):
    """What completion offers in a notebook."""
    module, table = names.find(path), names.table()
    shown = {name for name in dir(module) if not name.startswith("_")}
    assert shown >= {n.rpartition(".")[2] for n in HERE if n.rpartition(".")[0] == path}
    beside = [name for name in shown if f"{path}.{name}" not in table]
    found = {name: getattr(module, name) for name in beside}
    assert [name for name, value in found.items() if isinstance(value, ModuleType)] == []
    places = {name: getattr(value, "__module__", "tinytf") for name, value in found.items()}
    assert [name for name, place in places.items() if not place.startswith("tinytf")] == []


def test_errors_are_called_what_users_call_them():
    error = tf.errors.NotFoundError
    assert importlib.import_module(error.__module__) is tf.errors
    assert f"{error.__module__}.{error.__name__}" == "tinytf.errors.NotFoundError"
    assert "class NotFoundError" in inspect.getsource(error)
