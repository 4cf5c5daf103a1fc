"""No feature without a program that uses it: the namespaces that programs brought, name by name."""

import ast
import functools
from types import ModuleType

import pytest

from tests.programs.running import PROGRAMS, SEEDS, programs
from tinytf.api import names

NAMESPACES = """
contrib.layers contrib.slim contrib.framework contrib.learn contrib.training contrib.rnn
contrib.seq2seq contrib.opt contrib.lookup contrib.losses contrib.metrics contrib.data
contrib.staging contrib.predictor contrib.distributions distributions estimator estimator.export
estimator.inputs feature_column image keras keras.activations keras.backend keras.callbacks
keras.constraints keras.initializers keras.layers keras.losses keras.metrics keras.models
keras.optimizers keras.regularizers keras.utils layers lookup losses metrics nn nn.rnn_cell
saved_model saved_model.builder saved_model.loader saved_model.main_op
saved_model.signature_def_utils saved_model.utils
""".split()
#: What no program uses, by namespace: pandas is in neither environment, and TensorFlow wants it.
UNUSED = {"estimator.inputs": "pandas_input_fn"}


def _meanings(tree: ast.Module) -> dict[str, str]:
    """Names of a program -> paths below tf, "" for tf itself; `t` of `t = tf.train`, too."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                if one.name.partition(".")[0] == "tensorflow":
                    path = one.name.partition(".")[2] if one.asname else ""
                    found[one.asname or "tensorflow"] = path
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tensorflow"):
            inner = (node.module or "").partition(".")[2]
            for one in node.names:
                found[one.asname or one.name] = f"{inner}.{one.name}".lstrip(".")
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            path = _path(node.value, found)
            if path:
                found.setdefault(node.targets[0].id, path)
    return found


def _path(node: ast.AST, meanings: dict[str, str]) -> str | None:
    """What an expression like `tf.train.Saver` means, below tf; None if it is none."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in meanings:
        return None
    return ".".join(filter(None, [meanings[node.id], *reversed(parts)]))


@functools.cache
def used() -> tuple[frozenset[str], frozenset[int]]:
    """The paths below tf that programs use, and the identities of what is there."""
    paths = set()
    for program in [*programs(PROGRAMS), *programs(SEEDS)]:
        tree = ast.parse(program.read_text())
        meanings = _meanings(tree)
        paths |= {_path(node, meanings) for node in ast.walk(tree)}
    there = frozenset(path for path in paths if path)
    return there, frozenset(id(names.find(path)) for path in there & names.table().keys())


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_every_feature_has_a_program(namespace):
    paths, things = used()
    module, table = names.find(namespace), names.table()
    unused = []
    for name in dir(module):
        entry = table.get(f"{namespace}.{name}")
        if entry is None or entry.kind in ("module", "constant"):
            continue
        found = getattr(module, name)
        if not isinstance(found, ModuleType) and id(found) not in things:
            unused += [] if f"{namespace}.{name}" in paths else [name]
    assert unused == sorted(UNUSED.get(namespace, "").split())
