"""`ops.name`: what is found when it is used (tinytf/ops/__init__.py)."""

import ast
import re
from pathlib import Path

import pytest

from tinytf import ops

PACKAGE = Path(ops.__file__).parent
ROOT = PACKAGE.parent


def used():
    """Every `ops.name` in files that import ops."""
    names = set()
    for path in ROOT.rglob("*.py"):
        text = path.read_text()
        if "from tinytf import ops\n" in text:
            names.update(re.findall(r"(?<![\w.])ops\.(\w+)", text))
    return names


def listed():
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text())
    return [n.asname for line in stub.body if isinstance(line, ast.ImportFrom) for n in line.names]


def test_what_is_listed_is_what_is_used():
    assert sorted(listed()) == sorted(used())


@pytest.mark.parametrize("name", sorted(listed()))
def test_it_is_found(name):
    assert callable(getattr(ops, name)) or name == "newaxis"


def test_no_room_stands_in_the_way():
    rooms = {path.name for path in PACKAGE.iterdir() if path.is_dir()}
    assert rooms & set(listed()) == set()


def test_another_name():
    with pytest.raises(AttributeError, match=r"module 'tinytf\.ops' has no attribute 'no_such'"):
        ops.no_such  # noqa: B018
