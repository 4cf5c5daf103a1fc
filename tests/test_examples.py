"""Every public name has an example, and every example is true.

The `>>>` lines of the docstrings are run, each docstring's in a graph of its own, with `tf`, `np`,
`tinytf` and `sess`, the default session. What they state is compared: the lines printed below
them, as in Python's doctest, or the value in the comment behind an expression,
`tf.add([1, 2], [10])  # [11, 12]`, perhaps with a dtype: `# [3.5], float64`. What states nothing
is run all the same. Variables have their initial values, unless the example initialises them.
"""

import ast
import contextlib
import doctest
import inspect
import io
import re
import sys
import tokenize
from types import FunctionType, ModuleType

import numpy as np
import pytest
from google.protobuf.message import Message

import tinytf
import tinytf as tf
import tinytf.api.function
import tinytf.grading
import tinytf.jupyter
import tinytf.placement
import tinytf.testing.evaluator
import tinytf.testing.gradient_checker
import tinytf.testing.memory_use
import tinytf.testing.schedules
import tinytf.training.hooks
import tinytf.training.sync_replicas
from tinytf.api.names import LATE, ON_DEMAND, find
from tinytf.framework import registry
from tinytf.kernels import own_ops
from tinytf.ops.variables import variable as variables

OWN_NAMESPACES = {
    "tf": tf,
    "tf.contrib.distributions": tf.contrib.distributions,
    "tf.contrib.predictor": tf.contrib.predictor,
    "tf.contrib.training": tf.contrib.training,
    "tf.saved_model.main_op": tf.saved_model.main_op,
    "tinytf.api.function": tinytf.api.function,
    "tinytf.devices": tinytf.devices,
    "tinytf.grading": tinytf.grading,
    "tinytf.jupyter": tinytf.jupyter,
    "tinytf.placement": tinytf.placement,
    "tinytf.testing.evaluator": tinytf.testing.evaluator,
    "tinytf.testing.gradient_checker": tinytf.testing.gradient_checker,
    "tinytf.testing.memory_use": tinytf.testing.memory_use,
    "tinytf.testing.schedules": tinytf.testing.schedules,
    "tinytf.training.hooks": tinytf.training.hooks,
    "tinytf.training.sync_replicas": tinytf.training.sync_replicas,
}

#: Examples that are read but not run, and why.
NOT_RUN = {
    "tf.app.run": "it ends the process",
    "tf.reset_default_graph": "not inside the graph of its own that an example has",
    "tf.test.main": "it ends the process",
    "tf.keras.backend.clear_session": "not inside the graph of its own that an example has",
    "tf.load_ipython_extension": "it needs a notebook",
    "tf.unload_ipython_extension": "it needs a notebook",
    "tinytf.grading.check": "it starts a process for an answer that a learner has written",
    "tinytf.grading.hint": "it tells what a notebook shows",
    "tinytf.grading.progress": "it reads a learner's own file",
    "tinytf.grading.solution": "it reads a learner's own file",
    "tinytf.jupyter.draw": "it writes a file",
    "tinytf.jupyter.fleet": "it needs a notebook",
    "tinytf.jupyter.graph": "it needs a notebook",
    "tinytf.jupyter.load_ipython_extension": "it needs a notebook",
    "tinytf.jupyter.unload_ipython_extension": "it needs a notebook",
    "tinytf.jupyter.cluster": "it needs a notebook",
    "tinytf.jupyter.cockpit": "it needs a notebook",
    "tinytf.jupyter.lens": "it needs a notebook",
    "tinytf.jupyter.own_cluster": "it starts a cluster, and measures",
    "tinytf.jupyter.parts": "it needs a notebook",
    "tinytf.jupyter.pipeline": "it needs a notebook",
    "tinytf.jupyter.queue": "it needs a notebook",
    "tinytf.jupyter.threads": "it needs a notebook",
    "tinytf.jupyter.timeline": "it needs a notebook",
    "tinytf.jupyter.watch": "it needs a notebook",
}

#: An example with one of these is about initialisation: it does it, or shows that it is missing.
#: A monitored session does it, and what it ran waits outside for what the session has ended.
#: Nor is there a job of parameter servers in the session's process.
INITIALISES = re.compile(
    r"\.initializer\b|variables_initializer|initialized|ps_tasks=|MonitoredTrainingSession"
)


def namespaces():
    """The modules that public names are found in, by the name that users write."""
    found = dict(OWN_NAMESPACES)
    for name, module in vars(tf).items():
        if isinstance(module, ModuleType) and (
            module.__name__.startswith("tinytf.api.") or module in (tf.errors, tf.summary)
        ):
            found[f"tf.{name}"] = module
    late = [path for path, place in LATE.items() if ":" not in place]
    return found | {f"tf.{name}": find(name) for name in (*ON_DEMAND, *late)}


def public_objects():
    """Public functions and classes by name; of several names, the shortest."""
    names = {}
    for prefix, module in namespaces().items():
        exported = getattr(module, "__all__", None) or [
            name for name in vars(module) if not name.startswith("_")
        ]
        for name in exported:
            value = getattr(module, name)
            if not isinstance(value, FunctionType | type):
                continue
            if not value.__module__.startswith("tinytf"):
                continue  # `typing.Any` and other tools of the module
            if prefix.startswith("tinytf.testing") and not hasattr(module, "__all__"):
                if value.__module__ != module.__name__:
                    continue  # these modules have no list of what they export
            names.setdefault(value, []).append(f"{prefix}.{name}")
    for path in LATE:
        if isinstance(found := find(path), FunctionType | type):
            names.setdefault(found, []).append(f"tf.{path}")
    return {min(found, key=lambda name: (len(name), name)): o for o, found in names.items()}


PUBLIC = public_objects()


def is_message(value):
    """Whether it is generated from a .proto file, which has no docstrings."""
    return isinstance(value, type) and issubclass(value, Message)


def docstrings():
    """The docstrings with examples: of public functions, classes and the methods of these."""
    for name, value in PUBLIC.items():
        if ">>>" in (value.__doc__ or ""):
            yield name, value.__doc__
        for attribute, member in members(value).items():
            if attribute.startswith("__"):
                continue
            text = getattr(member, "__doc__", None)
            if isinstance(text, str) and ">>>" in text and not isinstance(member, type):
                yield f"{name}.{attribute}", text


def members(value):
    """What a class defines; with what it inherits from parts that are no public classes."""
    if not isinstance(value, type):
        return {}
    parts = [base for base in value.__mro__[1:] if base.__module__.startswith("tinytf.data.")]
    if any(base in PUBLIC.values() for base in parts):
        parts = []  # examples of theirs
    return {name: m for one in [*reversed(parts), value] for name, m in vars(one).items()}


EXAMPLES = dict(sorted(docstrings()))


def test_public_names_have_an_example():
    own = {
        name: (vars(value).get("__doc__") if isinstance(value, type) else value.__doc__) or ""
        for name, value in PUBLIC.items()
        if not is_message(value)
    }
    assert len(own) > 700
    assert sorted(name for name, text in own.items() if not text) == [], "no docstring"
    assert sorted(name for name, text in own.items() if ">>>" not in text) == [], "no example"


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_examples_are_true(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # where examples may write files
    monkeypatch.setenv("TINYTF_PROGRESS", str(tmp_path / "progress.json"))
    # What examples may leave behind for others.
    monkeypatch.setattr(variables._Defaults, "use_resource", variables._Defaults.use_resource)
    gradients, level = registry.gradients._entries, tf.get_logger().level
    before = set(gradients)
    try:
        with tf.Graph().as_default(), tf.Session() as session:
            Run(EXAMPLES[name], session).all()
    finally:
        tf.get_logger().setLevel(level)
        own_ops.forget_all()
        # Modules that are imported at first use register those of their own op types: they stay.
        for invented in set(gradients) - before - set(registry.op_defs._entries):
            del gradients[invented]


def test_examples_that_are_not_run_are_few_and_known():
    left_out = {
        name
        for name, text in EXAMPLES.items()
        if any(doctest.SKIP in one.options for one in doctest.DocTestParser().get_examples(text))
    }
    assert left_out == set(NOT_RUN)


@pytest.mark.parametrize(
    "text",
    [
        ">>> tf.add(1, 2)  # 4",
        ">>> tf.add(1, 2)  # three",
        ">>> tf.add(1, 2)  # 3, int64",
        ">>> tf.add(1, 2)  # [3]",
        ">>> tf.equal(1, 1)  # 1",
        ">>> [tf.constant(1)]  # [1, 2]",
        ">>> tf.zeros([2]).shape  # (3,)",
        ">>> tf.compat.as_text(b'a')  # 'b'",
        ">>> 1 + 1\n3",
        ">>> tf.no_such_name",
        ">>> tf.constant(0.1) + 0.2  # 0.301",
        ">>> x = tf.gather([1, 2], tf.placeholder_with_default(5, []))",
    ],
)
def test_false_examples_are_found(text):
    with (
        tf.Graph().as_default(),
        tf.Session() as session,
        pytest.raises((AssertionError, AttributeError, ValueError, tf.OpError)),
    ):
        Run(text, session).all()


class Run:
    """One docstring's examples, run in order in the default graph and session."""

    def __init__(self, text, session):
        self.examples = doctest.DocTestParser().get_examples(inspect.cleandoc(text))
        self.session = session
        self.names = {"tf": tf, "np": np, "tinytf": tinytf, "sess": session, "__name__": "example"}
        self.initialises = INITIALISES.search(text) is not None
        self.initialised = set()
        self.values = []

    def all(self):
        for example in self.examples:
            if not example.options.get(doctest.SKIP):
                self.one(example)
        self.run_what_is_left()

    def one(self, example):
        self.values.clear()
        printed = io.StringIO()
        hook, sys.displayhook = sys.displayhook, self.show
        try:
            with contextlib.redirect_stdout(printed):
                # As the interpreter does it: each expression's value goes to the display hook.
                exec(compile(example.source, "<example>", "single"), self.names)  # noqa: S102
        finally:
            sys.displayhook = hook
        self.initialise()
        if example.want:
            assert is_printed(example.want, printed.getvalue()), (
                f"{example.source}prints\n{printed.getvalue()}but says\n{example.want}"
            )
            return
        values = [self.computed(value) for value in self.values]
        comment = value_in_comment(example.source)
        if comment is not None:
            dtype, expected = stated(comment)
            assert agree(values[-1], expected), (
                f"{example.source}is {values[-1]!r}, but says {expected!r}"
            )
            assert dtype is None or self.values[-1].dtype == tf.as_dtype(dtype), (
                f"{example.source}is of {self.values[-1].dtype!r}, but says {dtype}"
            )

    def show(self, value):
        if value is not None:
            print(repr(value))
        self.values.append(value)

    def initialise(self):
        """Give variables that the example has made their initial values."""
        if self.initialises:
            return
        for variable in tf.global_variables() + tf.local_variables():
            if variable not in self.initialised:
                self.session.run(variable.initializer)
                self.initialised.add(variable)

    def run_what_is_left(self):
        """Run what the example has given names to: it must work, too."""
        graph = tf.get_default_graph()
        if self.initialises or any(op.type == "Placeholder" for op in graph.get_operations()):
            return
        for value in self.names.values():
            if isinstance(value, tf.Tensor | tf.Operation) and value.graph is graph:
                self.session.run(value)

    def computed(self, value):
        """The value with tensors replaced by theirs."""
        if isinstance(value, tf.Tensor | tf.Operation | tf.Variable):
            return self.session.run(value)
        if isinstance(value, list | tuple):
            return [self.computed(one) for one in value]
        if isinstance(value, tf.data.Dataset):
            return self.elements(value)
        return tuple(value.as_list()) if isinstance(value, tf.TensorShape) else value

    def elements(self, dataset):
        """The first elements of a dataset."""
        iterator = dataset.make_initializable_iterator()
        element, found = iterator.get_next(), []
        self.session.run(iterator.initializer)
        with contextlib.suppress(tf.errors.OutOfRangeError):
            while len(found) < 20:
                found.append(self.session.run(element))
        return found


def value_in_comment(source):
    """The comment behind an expression; None if there is none, or it is a statement."""
    if not isinstance(ast.parse(source).body[0], ast.Expr):
        return None
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and "doctest:" not in token.string:
            return token.string.removeprefix("#").strip()
    return None


def stated(comment):
    """(dtype or None, value) of a comment such as "[3.5], float64"; ValueError for prose."""
    value, comma, dtype = comment.rpartition(", ")
    if comma and re.fullmatch(r"[a-z]+\d*", dtype):
        return dtype, ast.literal_eval(value)
    try:
        return None, ast.literal_eval(comment)
    except (SyntaxError, ValueError) as error:
        raise ValueError(f"a comment behind an expression states its value: {comment}") from error


def is_printed(want, got):
    """Whether the printed text is the expected one, but for rounding."""
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    if doctest.OutputChecker().check_output(want, got, options):
        return True
    try:
        return agree(ast.literal_eval(got.strip()), ast.literal_eval(want.strip()))
    except (SyntaxError, ValueError):
        return False


def agree(got, expected):
    """Whether two values are equal, numbers but for rounding."""
    if isinstance(got, dict) and isinstance(expected, dict):
        return got.keys() == expected.keys() and all(agree(got[k], expected[k]) for k in got)
    if isinstance(got, list | tuple) and isinstance(expected, list | tuple):
        return len(got) == len(expected) and all(map(agree, got, expected))
    if got is None or expected is None or isinstance(expected, str):
        return got is expected or (isinstance(got, str) and got == expected)
    got, expected = np.asarray(got), np.asarray(expected)
    if got.shape != expected.shape or (got.dtype == bool) != (expected.dtype == bool):
        return False
    if expected.dtype.kind in "iufc":
        wide = complex if expected.dtype.kind == "c" else float  # bfloat16 is not numpy's own
        return np.allclose(got.astype(wide), expected.astype(wide), rtol=1e-6, atol=0.0)
    return np.array_equal(got, expected)
