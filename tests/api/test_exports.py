"""Where public names come from: each is written down once, where an editor finds it."""

import ast
import importlib
from pathlib import Path

import jedi
import pytest

import tinytf as tf

PACKAGE = Path(tf.__file__).parent
NAMESPACES = [PACKAGE / "__init__.py", *sorted((PACKAGE / "api").glob("*.py"))]


def exported(statement):
    """The public names that a statement at the top of a module binds."""
    if isinstance(statement, ast.ImportFrom | ast.Import):
        names = [alias.asname or alias.name for alias in statement.names]
    elif isinstance(statement, ast.Assign):
        targets = [node for target in statement.targets for node in ast.walk(target)]
        names = [
            node.id
            for node in targets
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        ]
    else:
        names = [getattr(statement, "name", "_")]
    return [name for name in names if not name.startswith("_") and name != "*"]


@pytest.mark.parametrize("path", NAMESPACES, ids=lambda path: path.stem)
def test_a_namespace_names_each_name_once(path):
    names = [name for line in ast.parse(path.read_text()).body for name in exported(line)]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("path", NAMESPACES[1:], ids=lambda path: path.stem)
def test_what_a_namespace_exports_is_there_and_named_once(path):
    """`__all__` is what type checkers and editors show of an installed package."""
    module = importlib.import_module(f"tinytf.api.{path.stem}")
    listed = getattr(module, "__all__", [])
    assert sorted(listed) == sorted(set(listed))
    assert [name for name in listed if not hasattr(module, name)] == []


def test_no_module_of_ops_only_passes_names_on():
    """Packages say in __init__.py what their files share; a file that only imports is a detour."""
    passing_on = []
    for path in sorted((PACKAGE / "ops").rglob("*.py")):
        body = ast.parse(path.read_text()).body
        if path.stem != "__init__" and all(
            isinstance(line, ast.Import | ast.ImportFrom | ast.Expr) or "__all__" in ast.dump(line)
            for line in body
        ):
            passing_on.append(path.relative_to(PACKAGE).as_posix())
    assert passing_on == []


@pytest.mark.parametrize(
    "name",
    "sin math.sin nn.relu strings.join linalg.inv train.AdamOptimizer train.Server test.TestCase "
    "data.Dataset".split(),
)
def test_an_editor_finds_a_name_and_its_text_without_running_anything(name):
    parent, _, last = f"tf.{name}".rpartition(".")
    script = jedi.Script(
        f"import tinytf as tf\n{parent}.{last}", project=jedi.Project(PACKAGE.parent)
    )
    assert last in {found.name for found in script.complete(2, len(parent) + 2)}
    (found,) = script.infer(2, len(parent) + 2)
    assert len(found.docstring(raw=True)) > 40
