"""TensorFlow's public names: which there are, and what to say when one is asked for and not here.

`tensorflow_names.txt` lists the names of TensorFlow 1.8 to 1.15 (scripts/oracle/api_names.py
writes it), `plans.py` says of those that are not here whether they will be, and what to use. Both
are read when a name is missing, not before: names that are there are as fast as ever.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

_ROOT = "tinytf"


def _from(namespace: str, module: str, names: str) -> dict[str, str]:
    """Entries of `LATE` for names of one module."""
    return {f"{namespace}.{name}": f"{module}:{name}" for name in names.split()}


#: Namespaces that are packages of their own, and that a plain import does not need.
ON_DEMAND = (
    "distributions",
    "estimator",
    "feature_column",
    "keras",
    "layers",
    "losses",
    "metrics",
    "saved_model",
)
#: Namespaces in these that are modules of theirs, imported with them.
INNER = {
    "estimator": "export inputs",
    "saved_model": """builder constants loader main_op signature_constants signature_def_utils
    tag_constants utils""",
}
_OLD_COLUMNS = """bucketized_column crossed_column embedding_column infer_real_valued_columns
    one_hot_column real_valued_column shared_embedding_columns sparse_column_with_hash_bucket
    sparse_column_with_integerized_feature sparse_column_with_keys
    sparse_column_with_vocabulary_file weighted_sparse_column"""
#: Of tf.train: modules of tinytf.training, and what they have. Few programs need more than a few.
_TRAINING = {
    "hooks.checkpoint_saver": "CheckpointSaverHook CheckpointSaverListener",
    "hooks.feed_fn": "FeedFnHook",
    "hooks.final_ops": "FinalOpsHook",
    "hooks.global_step_waiter": "GlobalStepWaiterHook",
    "hooks.logging_tensor": "LoggingTensorHook",
    "hooks.nan_tensor": "NanLossDuringTrainingError NanTensorHook",
    "hooks.profiler": "ProfilerHook",
    "hooks.timer": "SecondOrStepTimer",
    "hooks.session_run_hook": "SessionRunArgs SessionRunContext SessionRunHook SessionRunValues",
    "hooks.step_counter": "StepCounterHook",
    "hooks.stop_at_step": "StopAtStepHook",
    "hooks.summary_saver": "SummarySaverHook",
    "managed.session_creators": "ChiefSessionCreator SessionCreator WorkerSessionCreator",
    "managed.monitored_session": "MonitoredSession SingularMonitoredSession",
    "managed.training_session": "MonitoredTrainingSession",
    "managed.scaffold": "Scaffold",
    "managed.session_manager": "SessionManager",
    "managed.supervisor": "Supervisor",
    "managed.basic_loops": "basic_train_loop",
    "sync_replicas.optimizer": "SyncReplicasOptimizer",
}
#: What is imported when it is first asked for, in namespaces that are there from the beginning:
#: public name -> "module" or "module:attribute". Type checkers need an import there, too.
LATE = {
    **{f"contrib.{n}": f"tinytf.api.contrib_{n}" for n in "layers losses metrics slim".split()},
    **_from(
        "contrib.framework",
        "tinytf.layers.contrib.variables",
        """add_model_variable assign_from_checkpoint assign_from_checkpoint_fn assign_from_values
        assign_from_values_fn filter_variables get_local_variables get_model_variables
        get_trainable_variables get_unique_variable get_variable_full_name get_variables
        get_variables_by_name get_variables_by_suffix get_variables_to_restore global_variable
        local_variable model_variable variable""",
    ),
    **_from(
        "contrib.framework",
        "tinytf.layers.contrib.arg_scope",
        "add_arg_scope arg_scope arg_scoped_arguments current_arg_scope has_arg_scope",
    ),
    **_from(
        "contrib.training",
        "tinytf.layers.contrib.optimizers",
        """add_gradients_summaries clip_gradient_norms clip_gradient_norms_fn create_train_op
        multiply_gradients""",
    ),
    "contrib.opt": "tinytf.api.contrib_opt",
    **_from("contrib.layers", "tinytf.feature_column.contrib", _OLD_COLUMNS),
    **_from("contrib.slim", "tinytf.feature_column.contrib", _OLD_COLUMNS),
    **_from("contrib.learn", "tinytf.estimator.contrib_learn.base", "BaseEstimator SKCompat"),
    **_from(
        "contrib.learn",
        "tinytf.estimator.contrib_learn.canned",
        """DNNClassifier DNNLinearCombinedClassifier DNNLinearCombinedRegressor DNNRegressor
        LinearClassifier LinearRegressor""",
    ),
    **_from(
        "contrib.learn", "tinytf.estimator.contrib_learn.model_fn", "Estimator ModeKeys ModelFnOps"
    ),
    **_from(
        "contrib.learn",
        "tinytf.estimator.contrib_learn.feeding",
        "infer_real_valued_columns_from_input infer_real_valued_columns_from_input_fn",
    ),
    "contrib.learn.MetricSpec": "tinytf.estimator.contrib_learn.metric_spec:MetricSpec",
    "contrib.learn.PredictionKey": "tinytf.estimator.contrib_learn.canned:PredictionKey",
    "contrib.learn.RunConfig": "tinytf.estimator.contrib_learn.run_config:RunConfig",
    **_from(
        "contrib.training",
        "tinytf.estimator.contrib_training",
        """StopAfterNEvalsHook SummaryAtEndHook evaluate_once get_or_create_eval_step
        train""",
    ),
    **_from(
        "contrib.training",
        "tinytf.training.new_checkpoints",
        "checkpoints_iterator wait_for_new_checkpoint",
    ),
    "train.checkpoints_iterator": "tinytf.training.new_checkpoints:checkpoints_iterator",
    "contrib.slim.learning": "tinytf.layers.contrib.learning",
    "contrib.training.HParams": "tinytf.training.hparams:HParams",
    **{
        f"train.{name}": f"tinytf.training.{module}:{name}"
        for module, found in _TRAINING.items()
        for name in found.split()
    },
    "test.Benchmark": "tinytf.testing.benchmark:Benchmark",
    "test.StubOutForTesting": "tinytf.testing.stubs:StubOutForTesting",
    "test.TestCase": "tinytf.testing.test_case:TestCase",
    "test.assert_equal_graph_def": "tinytf.testing.proto_assertions:assert_equal_graph_def",
    "test.compute_gradient": "tinytf.testing.jacobians:compute_gradient",
    "test.compute_gradient_error": "tinytf.testing.jacobians:compute_gradient_error",
    "test.create_local_cluster": "tinytf.distributed.server.local_servers:create_local_cluster",
    "test.get_temp_dir": "tinytf.testing.temporary:temporary_folder",
    "test.main": "tinytf.testing.test_case:main",
    "test.mock": "unittest.mock",
    "train.Server": "tinytf.distributed.server.server:Server",
    "LocalCluster": "tinytf.distributed.local_cluster:LocalCluster",
    "contrib.estimator": "tinytf.api.contrib_estimator",
    "contrib.feature_column": "tinytf.api.contrib_feature_column",
    **dict.fromkeys(("flags", "app.flags"), "tinytf.api.flags"),  # brings absl
    "compat.v1": "tinytf",
    "train.VocabInfo": "tinytf.estimator.warm_starting:VocabInfo",
    "train.warm_start": "tinytf.estimator.warm_starting:warm_start",
    "contrib.distributions": "tinytf.api.contrib_distributions",
    "contrib.predictor": "tinytf.api.contrib_predictor",
    "contrib.rnn": "tinytf.api.contrib_rnn",
    "contrib.seq2seq": "tinytf.api.contrib_seq2seq",
    "nn.bidirectional_dynamic_rnn": "tinytf.rnn.dynamic:bidirectional_dynamic_rnn",
    "nn.dynamic_rnn": "tinytf.rnn.dynamic:dynamic_rnn",
    "nn.raw_rnn": "tinytf.rnn.raw:raw_rnn",
    "nn.rnn_cell": "tinytf.api.nn_rnn_cell",
    "nn.static_bidirectional_rnn": "tinytf.rnn.static:static_bidirectional_rnn",
    "nn.static_rnn": "tinytf.rnn.static:static_rnn",
    "nn.static_state_saving_rnn": "tinytf.rnn.static:static_state_saving_rnn",
    "contrib.keras": "tinytf.keras",
    "keras.Input": "tinytf.keras.layers:Input",
    "keras.Model": "tinytf.keras.models:Model",
    "keras.Sequential": "tinytf.keras.models:Sequential",
    "keras.datasets": "tinytf.api.keras_datasets",
}
LATE |= {
    f"keras.{name}": f"tinytf.keras.{name}"
    for name in """
    activations backend callbacks constraints initializers layers losses metrics models optimizers
    regularizers utils
""".split()
}
#: the `__name__` of a module of the namespace -> how users reach it below `tf`
_PREFIXES = {_ROOT: "", f"{_ROOT}.data": "data"}  # that one is a package of ours, too


class Name(NamedTuple):
    """A public name of TensorFlow 1.8 to 1.15.

    Attributes:
      path: without "tf.". kind: module, class, function or constant.
      first, last: the minor versions that have it.
    """

    path: str
    kind: str
    first: int
    last: int


class Plan(NamedTuple):
    """What is meant to become of a name that is not here: "planned" or "never", and advice."""

    state: str
    advice: str


@functools.cache
def table() -> dict[str, Name]:
    """All names by their paths, as tensorflow_names.txt lists them."""
    names = {}
    module, kind, first, last = "", "", 0, 0
    text = Path(__file__).with_name("tensorflow_names.txt").read_text("utf-8")
    for line in text.splitlines():
        if line.startswith("["):
            module = line[1:-1]
        elif line.startswith(" "):
            for name in line.split():
                path = f"{module}.{name}" if module else name
                names[path] = Name(path, kind, first, last)
        elif not line.startswith("#"):
            kind, _, versions = line.partition(" ")
            first, last = map(int, versions.split("-"))
    return names


def plan(path: str) -> Plan | None:
    """What is planned for a name that is not here, or for the nearest module around it."""
    from tinytf.api.plans import NEVER, PLANNED

    keys = [path]
    while path := path.rpartition(".")[0]:
        keys += [f"{path}.*", path]
    for key in keys:
        if key in PLANNED:
            return Plan("planned", PLANNED[key])
        if key in NEVER:
            return Plan("never", NEVER[key])
    return None


def find(path: str) -> Any:
    """What `tf.<path>` gives.

    Raises:
      AttributeError: of the first name on the way that is not there.
    """
    found: Any = sys.modules[_ROOT]
    for name in path.split("."):
        found = getattr(found, name)
    return found


def explained(module: str, prefix: str = "") -> Callable[[str], Any]:
    """A `__getattr__` for a module of the `tf` namespace.

    Args:
      module: its `__name__`. prefix: how users reach it below `tf`: "train", or "" for `tf`.

    Returns:
      a function that imports what is `LATE`, and for any other name raises AttributeError, in
      Python's words and with advice.

    Example:
      >>> tf.tpu
      AttributeError: module 'tinytf' has no attribute 'tpu': tf.tpu is not part of tinytf, and
      will not be: it needs TensorFlow itself, and its hardware.
    """
    _PREFIXES[module] = prefix
    # Being packages, they let `from tinytf.nn import x` ask `_Finder` what to say of x.
    namespace = vars(sys.modules[module])
    namespace.setdefault("__path__", [])
    late = [path.rpartition(".")[2] for path in LATE if path.rpartition(".")[0] == prefix]
    namespace["__dir__"] = lambda: sorted({*_shown(module, prefix), *late})
    for name in INNER.get(prefix, "").split():
        inner = namespace[name]
        vars(inner)["__getattr__"] = explained(inner.__name__, f"{prefix}.{name}")

    def __getattr__(name: str) -> Any:
        path = f"{prefix}.{name}" if prefix else name
        if path in LATE:
            found = namespace[name] = _imported(LATE[path], path)
            if isinstance(found, ModuleType) and not hasattr(found, "__getattr__"):
                vars(found)["__getattr__"] = explained(found.__name__, path)
            return found
        message = f"module '{_ROOT}{'.' if prefix else ''}{prefix}' has no attribute {name!r}"
        if not name.startswith("_"):
            message += advice(path) or _spelling(module, prefix, name)
        # Without an object Python adds no suggestion of its own to ours.
        raise AttributeError(message, name=name, obj=None)

    return __getattr__


def _shown(module: str, prefix: str) -> Iterator[str]:
    """The names of a module of the namespace that a user is to see: not what it only works with."""
    for name, value in vars(sys.modules[module]).items():
        origin = getattr(value, "__module__", None) or ""
        if isinstance(value, ModuleType):
            is_own = not prefix  # tinytf's own parts
        elif module.startswith(f"{_ROOT}.api."):  # gathers what is defined elsewhere
            is_own = not callable(value) or (origin.startswith(_ROOT) and value is not explained)
        else:
            is_own = not callable(value) or origin == module
        if name.startswith("_") or (is_own and value is not annotations):
            yield name
        elif f"{prefix}.{name}".lstrip(".") in table():
            yield name


def _imported(place: str, path: str) -> Any:
    """What is at "module" or "module:attribute", which tf.<path> asks for."""
    module, _, attribute = place.partition(":")
    found = import_laboratory(module, f"tf.{path}")
    name_reprs()
    return getattr(found, attribute) if attribute else found


def advice(path: str) -> str:
    """What an error says of a name that is not here, after the error itself; perhaps nothing.

    Example:
      >>> advice("mul")
      ': TensorFlow 1.x calls it tf.multiply.'
    """
    from tinytf.api.plans import ELSEWHERE, NEVER, PLANNED, RENAMED, TENSORFLOW_2

    if path in RENAMED:
        return f": TensorFlow 1.x calls it tf.{RENAMED[path]}."
    if path in TENSORFLOW_2:
        return f": tf.{path} is TensorFlow 2's. Here, as in TensorFlow 1.x: {TENSORFLOW_2[path]}."
    if path in ELSEWHERE:
        return f": here it is {ELSEWHERE[path]}."
    found = plan(path)
    if not found or not (path in table() or path in PLANNED or path in NEVER):
        return ""
    if found.state == "planned":
        return f": tf.{path} is not part of tinytf yet, but planned. Meanwhile: {found.advice}."
    return f": tf.{path} is not part of tinytf, and will not be: {found.advice}."


def _spelling(module: str, prefix: str, name: str) -> str:
    import difflib

    public = [  # modules of the implementation are none
        known
        for known, found in vars(sys.modules[module]).items()
        if not known.startswith("_") and (not isinstance(found, ModuleType) or known in table())
    ]
    near = [known for known in public if known in (f"reduce_{name}", f"{name}s")]
    near = near or difflib.get_close_matches(name, public, n=3)
    if not near:  # spelt right, but for capitals
        near = [known for known in public if known.lower() == name.lower()]
    start = f"tf.{prefix}." if prefix else "tf."
    return f". Did you mean {', '.join(start + known for known in near)}?" if near else ""


def name_reprs() -> None:
    """Have objects of public classes call themselves what users do: <tf.train.Coordinator at ...>.

    Only of classes that say nothing of their own; subclasses of the program's stay as they are.
    """
    names: dict[type, str] = {}
    for module, prefix in _PREFIXES.items():
        for name, found in vars(sys.modules[module]).items():
            if isinstance(found, type) and not name.startswith("_") and found not in names:
                if found.__module__.startswith(_ROOT):
                    names[found] = f"tf.{prefix}.{name}" if prefix else f"tf.{name}"

    def named(self: object) -> str:
        name, own = names.get(type(self)), getattr(self, "name", None)
        if name is None:
            return object.__repr__(self)
        return f"<{name} {own!r}>" if isinstance(own, str) else f"<{name} at {id(self):#x}>"

    for kind in names:
        if getattr(kind, "__repr__", None) is object.__repr__:
            setattr(kind, "__repr__", named)  # noqa: B010


def import_laboratory(module: str, asked: str) -> ModuleType:
    """Import a module that no program needs to run, when somebody asks for it.

    Args:
      module: of tinytf.jupyter, grading or testing, which an installation may leave out.
      asked: what was asked for, for the message.

    Raises:
      ModuleNotFoundError: if it is left out; the message says what brings it.
    """
    package = ".".join(module.split(".")[:2])
    if package.startswith(f"{_ROOT}.") and not PathFinder.find_spec(
        package, sys.modules[_ROOT].__path__
    ):
        raise ModuleNotFoundError(
            f"{asked} is in {package}, which this installation of tinytf leaves out. "
            "Install all of it: pip install --force-reinstall tinytf",
            name=package,
        )
    return importlib.import_module(module)


class _Finder:
    """Imports by the names of the namespace: `import tinytf.nn`, `from tinytf.contrib import x`.

    They are not where Python looks for them (tf.nn is tinytf/api/nn.py), or are not here at all:
    then the ImportError says what the AttributeError would.
    """

    @staticmethod
    def find_spec(
        fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Python asks this when it has found no such module itself."""
        parent, _, name = fullname.rpartition(".")
        if parent not in _PREFIXES or name.startswith("_"):
            return None
        try:
            found = getattr(sys.modules[parent], name)
        except AttributeError as missing:
            prefix = _PREFIXES[parent]
            if said := advice(f"{prefix}.{name}" if prefix else name):
                raise ImportError(f"No module named {fullname!r}{said}", name=fullname) from missing
            return None
        if not isinstance(found, ModuleType):
            return None
        if found.__name__ in _PREFIXES:
            _PREFIXES[fullname] = _PREFIXES[found.__name__]
        return spec_from_loader(fullname, Alias(found))


class Alias(Loader):
    """Loads a module under a second name: it is the same module."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._spec = module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module that is there."""
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run; the module keeps its own specification."""
        module.__spec__ = self._spec


class _OnDemand:
    """Finds the namespaces that Python finds by itself, when first asked for: tf.losses.

    Whichever way they are imported, they explain what they do not have, as the others do.
    """

    @staticmethod
    def find_spec(
        fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Python asks this first; all but how the module begins is Python's own."""
        name = fullname.removeprefix(f"{_ROOT}.")
        if name not in ON_DEMAND and LATE.get(name) != fullname:
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                vars(module)["__getattr__"] = explained(fullname, name)
                name_reprs()

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def import_by_public_names() -> None:
    """Let `import tinytf.nn` find `tf.nn`, and explain what it does not find."""
    if not any(finder is _Finder for finder in sys.meta_path):
        sys.meta_path.append(_Finder)
        sys.meta_path.insert(0, _OnDemand)
